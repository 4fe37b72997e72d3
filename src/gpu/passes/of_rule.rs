//! The passes of a rule: compiled with it or when they are first needed, and kept for when it comes again.

use std::marker::PhantomData;

use super::{Pass, Stage};
use crate::engine::EngineError;
use crate::gpu::Gpu;
use crate::gpu::buffers::Buffers;
use crate::gpu::number::OnGpu;
use crate::gpu::shaders::Shaders;

/// All passes of a rule.
#[derive(Clone, Debug)]
pub struct Passes<T> {
    shaders: Shaders,
    /// At the index that their stage has as a number; of those that come late none.
    all: Vec<Option<Pass>>,
    /// The constants of each.
    constants: Vec<Vec<(&'static str, f64)>>,
    /// Pipelines of rules that were here before: a slider drawn to and fro compiles nothing twice.
    spare: Vec<Pass>,
    number: PhantomData<T>,
}

impl<T: OnGpu> Passes<T> {
    /// Compiles them.
    ///
    /// # Errors
    /// When the driver refuses one.
    pub fn new(gpu: &Gpu, shaders: Shaders, rule: &flock::Rule<T>) -> Result<Self, EngineError> {
        let all = vec![None; Stage::of::<T>().len()];
        let (constants, spare) = (Vec::new(), Vec::new());
        let mut passes = Passes { shaders, all, constants, spare, number: PhantomData };
        passes.adapt(gpu, rule)?;
        Ok(passes)
    }

    /// The same passes for another rule; only those that it changes are compiled.
    ///
    /// # Errors
    /// When the driver refuses one; the passes stay as they were.
    pub fn adapt(&mut self, gpu: &Gpu, rule: &flock::Rule<T>) -> Result<(), EngineError> {
        let (mut all, mut constants) = (Vec::new(), Vec::new());
        for stage in Stage::of::<T>() {
            let of_stage = stage.constants(gpu, rule);
            let known = self.all.iter().flatten().chain(&self.spare);
            let found = known.clone().find(|pass| pass.is(*stage, &of_stage)).cloned();
            all.push(match found {
                None if !stage.late() => Some(Pass::new::<T>(gpu, &self.shaders, *stage, of_stage.clone())?),
                found => found,
            });
            constants.push(of_stage);
        }
        for old in std::mem::replace(&mut self.all, all).into_iter().flatten() {
            let known = self.all.iter().flatten().chain(&self.spare);
            if !known.clone().any(|pass| pass.is(old.stage, &old.constants)) {
                self.spare.push(old);
            }
        }
        self.constants = constants;
        Ok(())
    }

    /// The shaders that they are made of.
    #[must_use]
    pub fn shaders(&self) -> &Shaders {
        &self.shaders
    }

    /// The pass of a stage, where it is compiled.
    #[must_use]
    pub fn get(&self, stage: Stage) -> Option<&Pass> {
        self.all[stage as usize].as_ref()
    }

    /// Compiles the pass of a stage that comes late, and binds the buffers to it.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn compile(
        &mut self,
        gpu: &Gpu,
        stage: Stage,
        buffers: &Buffers,
    ) -> Result<wgpu::BindGroup, EngineError> {
        let constants = self.constants[stage as usize].clone();
        let pass = Pass::new::<T>(gpu, &self.shaders, stage, constants)?;
        let group = pass.bind(gpu, buffers)?;
        self.all[stage as usize] = Some(pass);
        Ok(group)
    }

    /// Binds the buffers to every pass that is compiled, at the index that its stage has as a number.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn bind(&self, gpu: &Gpu, buffers: &Buffers) -> Result<Vec<Option<wgpu::BindGroup>>, EngineError> {
        let bound = |pass: &Option<Pass>| pass.as_ref().map(|pass| pass.bind(gpu, buffers)).transpose();
        self.all.iter().map(bound).collect()
    }
}
