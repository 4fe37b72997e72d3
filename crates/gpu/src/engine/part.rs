//! A part of a flock in integers, whose other parts are elsewhere: boids of any ids under the rule of the whole flock.

use cpu::{EngineError, Part, PartEngine, Totals};
use flock::{Fixed, Parameters, Vec3};

use super::GpuEngine;
use crate::layout::{Load, Word};
use crate::shaders::Shaders;
use crate::{Gpu, boids, capacity, rule};
use cpu::engine::Engine;
use cpu::state::Numeric;

impl GpuEngine<Fixed> {
    /// An engine for parts of a flock with these parameters.
    ///
    /// # Errors
    /// When the parameters do not fit integers, or the driver refuses.
    pub fn for_parts(gpu: &Gpu, parameters: &Parameters) -> Result<Self, EngineError> {
        let whole = cpu::engine::rule(Numeric::Fixed, parameters, parameters.flock.boids as usize)?;
        let engine = Self::empty(gpu, Shaders::default(), parameters, whole)?;
        Ok(GpuEngine { summed: true, ..engine })
    }

    /// Replaces the boids by those of a part. Arrays that are neither too short nor far too long stay.
    fn load(&mut self, part: &Part<Fixed>) -> Result<(), EngineError> {
        self.finish()?;
        let ((ids, all, predators), parameters) = (part.all(), self.parameters);
        let count = capacity::check::<Fixed>(&self.runner.gpu, ids.len(), capacity::rows(&parameters))?;
        let here = self.runner.buffers.room();
        let room = if (count..=count.saturating_mul(4)).contains(&here) { here } else { count + count / 4 };
        self.predators = predators.to_vec();
        self.fit(room, &parameters, *part.rule())?;
        self.runner.buffers.boids = count;
        self.runner.write("rule", &rule::uniform(&self.rule, count))?;
        boids::write(&self.runner, self.rule.flat, ids.iter().copied().zip(all.iter().copied()))?;
        (self.step, self.load) = (part.step(), Load::default());
        self.bin()
    }

    /// Writes sums over the flock as `move_predators.wgsl` reads them.
    fn write_sums(&mut self, sums: &Totals<Fixed>) -> Result<(), EngineError> {
        let row = |sum: &Vec3<i64>| -> [Word; 8] {
            let [x, y, z] = sum.to_array();
            let high = |c: i64| (c >> 32) as u32;
            [x as u32, y as u32, z as u32, sums.count.0 as u32, high(x), high(y), high(z), 0]
        };
        // Predators that do not attack have no rows.
        let rows = capacity::rows(&self.parameters) as usize;
        let all = [&sums.offset, &sums.velocity].into_iter().chain(&sums.prey).take(rows);
        self.runner.write("totals", &all.map(row).collect::<Vec<_>>())
    }
}

impl PartEngine<Fixed> for GpuEngine<Fixed> {
    fn describe(&self) -> String {
        self.runner.gpu.name()
    }

    fn advance(
        &mut self,
        part: &mut Part<Fixed>,
        changed: bool,
        steps: u32,
        sums: Option<&Totals<Fixed>>,
    ) -> Result<(), EngineError> {
        if changed {
            self.load(part)?;
        }
        sums.map_or(Ok(()), |sums| self.write_sums(sums))?;
        Engine::advance(self, steps)?;
        self.finish()?;
        part.replace(self.step, &self.predators, boids::read(&self.runner)?);
        Ok(())
    }
}
