//! The flock of any engine in the layout of the drawing passes: the GPU engine's own buffers, or an upload.

use flock::Predator;

use crate::{AnyEngine, Result};
use cpu::CpuEngine;
use engine::HostInstances;
use gpu::{
    Gpu, GpuEngine, OnGpu,
    instances::{Instances, Uploaded},
};

/// Buffers for flocks that the drawing GPU does not step.
#[derive(Debug)]
pub struct Drawable {
    gpu: Gpu,
    uploaded: Uploaded,
    in_memory: HostInstances,
}

impl Drawable {
    /// Creates a drawable on this GPU. GPU engines must run on the same one.
    pub fn new(gpu: &Gpu) -> Self {
        Drawable { gpu: gpu.clone(), uploaded: Uploaded::default(), in_memory: HostInstances::default() }
    }

    /// Returns the current flock and its predators.
    ///
    /// # Errors
    /// When the device fails, or the engine's flock cannot be drawn.
    pub fn take<'a>(&'a mut self, opened: &'a mut AnyEngine) -> Result<(&'a Instances, Vec<Predator<f32>>)> {
        match opened {
            AnyEngine::Gpu(engine) => on_gpu(engine),
            AnyEngine::GpuFixed(engine) => on_gpu(engine),
            AnyEngine::Cpu(engine) => self.upload(&**engine),
            AnyEngine::Rp2040(_) => Err(AnyEngine::cannot_draw()),
        }
    }

    fn upload(&mut self, engine: &dyn CpuEngine) -> Result<(&Instances, Vec<Predator<f32>>)> {
        engine.instances_into(&mut self.in_memory);
        Ok((self.uploaded.write(&self.gpu, &self.in_memory)?, engine.predators()))
    }
}

/// The flock in the buffers of the engine that steps it.
fn on_gpu<T: OnGpu>(engine: &mut GpuEngine<T>) -> Result<(&Instances, Vec<Predator<f32>>)> {
    let predators = engine.predators();
    Ok((engine.instances()?, predators))
}
