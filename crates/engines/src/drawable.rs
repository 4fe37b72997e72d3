//! The flock of any engine as a drawing pass reads it: in the buffers of the GPU engine, or uploaded from memory.

use flock::Predator;

use crate::{Opened, Result};
use cpu::CpuEngine;
use gpu::{Gpu, GpuEngine, OnGpu, instances::Instances, upload::Uploaded};

/// The buffers for flocks that the drawing GPU does not step.
#[derive(Debug)]
pub struct Drawable {
    gpu: Gpu,
    uploaded: Uploaded,
    position: Vec<[f32; 4]>,
    velocity: Vec<[f32; 4]>,
    tag: Vec<[u32; 2]>,
}

impl Drawable {
    /// For drawing on this GPU. GPU engines must run on the same one.
    pub fn new(gpu: &Gpu) -> Self {
        Drawable {
            uploaded: Uploaded::default(),
            gpu: gpu.clone(),
            position: Vec::new(),
            velocity: Vec::new(),
            tag: Vec::new(),
        }
    }

    /// The current flock and its predators.
    ///
    /// # Errors
    /// When the device fails, or the engine cannot be drawn.
    pub fn take<'a>(&'a mut self, opened: &'a mut Opened) -> Result<(&'a Instances, Vec<Predator<f32>>)> {
        match opened {
            Opened::Gpu(engine) => on_gpu(engine),
            Opened::GpuFixed(engine) => on_gpu(engine),
            Opened::Cpu(engine) => self.upload(&**engine),
            Opened::Rp2040(_) => Err(Opened::cannot_draw()),
        }
    }

    fn upload(&mut self, engine: &dyn CpuEngine) -> Result<(&Instances, Vec<Predator<f32>>)> {
        let count = engine.boids() as usize;
        self.position.resize(count, [0.0; 4]);
        self.velocity.resize(count, [0.0; 4]);
        self.tag.resize(count, [0; 2]);
        engine.instances_into(&mut self.position, &mut self.velocity, &mut self.tag);
        let instances = self.uploaded.write(&self.gpu, &self.position, &self.velocity, &self.tag)?;
        Ok((instances, engine.predators()))
    }
}

/// The flock in the buffers of the engine that steps it.
fn on_gpu<T: OnGpu>(engine: &mut GpuEngine<T>) -> Result<(&Instances, Vec<Predator<f32>>)> {
    let predators = engine.predators();
    Ok((engine.instances()?, predators))
}
