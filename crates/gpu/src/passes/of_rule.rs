//! The pipelines of a rule. They are compiled with the rule or when first needed, and cached for when the rule returns.

use std::marker::PhantomData;

use super::{Pass, PassPipeline};
use crate::Gpu;
use crate::buffers::Buffers;
use crate::number::OnGpu;
use crate::shaders::Shaders;
use cpu::engine::EngineError;

/// All pipelines of a rule.
#[derive(Clone, Debug)]
pub struct Passes<T> {
    shaders: Shaders,
    /// At the index of their pass; none where not compiled yet.
    all: Vec<Option<PassPipeline>>,
    /// The constants of each pass.
    constants: Vec<Vec<(&'static str, f64)>>,
    /// Pipelines of earlier rules: a slider moved back and forth compiles nothing twice.
    spare: Vec<PassPipeline>,
    number: PhantomData<T>,
}

impl<T: OnGpu> Passes<T> {
    /// Compiles the pipelines of a rule.
    ///
    /// # Errors
    /// When the driver refuses one.
    pub fn new(gpu: &Gpu, shaders: Shaders, rule: &flock::Rule<T>) -> Result<Self, EngineError> {
        let all = vec![None; Pass::of::<T>().len()];
        let (constants, spare) = (Vec::new(), Vec::new());
        let mut passes = Passes { shaders, all, constants, spare, number: PhantomData };
        passes.adapt(gpu, rule)?;
        Ok(passes)
    }

    /// Changes to another rule; only pipelines with other constants are compiled.
    ///
    /// # Errors
    /// When the driver refuses one; nothing has changed then.
    pub fn adapt(&mut self, gpu: &Gpu, rule: &flock::Rule<T>) -> Result<(), EngineError> {
        let (mut all, mut constants) = (Vec::new(), Vec::new());
        for pass in Pass::of::<T>() {
            let wanted = pass.constants(gpu, rule);
            let known = self.all.iter().flatten().chain(&self.spare);
            let found = known.clone().find(|pipeline| pipeline.is(*pass, &wanted)).cloned();
            all.push(match found {
                None if !pass.late() => {
                    Some(PassPipeline::new::<T>(gpu, &self.shaders, *pass, wanted.clone())?)
                }
                found => found,
            });
            constants.push(wanted);
        }
        for old in std::mem::replace(&mut self.all, all).into_iter().flatten() {
            let known = self.all.iter().flatten().chain(&self.spare);
            if !known.clone().any(|pipeline| pipeline.is(old.pass, &old.constants)) {
                self.spare.push(old);
            }
        }
        self.constants = constants;
        Ok(())
    }

    /// The shaders of the pipelines.
    #[must_use]
    pub fn shaders(&self) -> &Shaders {
        &self.shaders
    }

    /// The pipeline of a pass, if compiled.
    #[must_use]
    pub fn get(&self, pass: Pass) -> Option<&PassPipeline> {
        self.all[pass as usize].as_ref()
    }

    /// Compiles the pipeline of a pass that is late, and binds the buffers to it.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn compile(
        &mut self,
        gpu: &Gpu,
        pass: Pass,
        buffers: &Buffers,
    ) -> Result<wgpu::BindGroup, EngineError> {
        let constants = self.constants[pass as usize].clone();
        let pipeline = PassPipeline::new::<T>(gpu, &self.shaders, pass, constants)?;
        let group = pipeline.bind(gpu, buffers)?;
        self.all[pass as usize] = Some(pipeline);
        Ok(group)
    }

    /// Binds the buffers to every compiled pipeline; each bind group is at the index of its pass.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn bind(&self, gpu: &Gpu, buffers: &Buffers) -> Result<Vec<Option<wgpu::BindGroup>>, EngineError> {
        let bound = |pipeline: &Option<PassPipeline>| {
            pipeline.as_ref().map(|pipeline| pipeline.bind(gpu, buffers)).transpose()
        };
        self.all.iter().map(bound).collect()
    }
}
