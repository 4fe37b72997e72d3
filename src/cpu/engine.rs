//! The engine as others see it: threads and a flock to step on them.

use flock::{Parameters, Predator, Rule};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::step::Stepper;
use super::vector::{Real, Registers};
use crate::engine::{Engine, EngineError};
use crate::state::{Numeric, State};

/// Boids that one task writes for drawing.
const BLOCK: usize = 4096;

/// Steps a flock on the CPU, in f32 or f64.
#[derive(Debug)]
pub struct CpuEngine<T> {
    pool: ThreadPool,
    flock: Stepper<T>,
}

impl<T: Real> CpuEngine<T> {
    /// Takes over a flock; `threads` is one a core by default.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn new(parameters: &Parameters, state: &State, threads: Option<usize>) -> Result<Self, EngineError> {
        // With none given the pool counts the cores.
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.unwrap_or(0))
            .build()
            .map_err(|error| EngineError::Device { device: "cpu".into(), what: error.to_string() })?;
        let registers = Registers::widest();
        Ok(CpuEngine { pool, flock: Stepper::new(Rule::new(parameters), state, registers) })
    }

    /// Chooses the registers, for comparisons: the bits are the same with all of them.
    pub fn set_registers(&mut self, registers: Registers) {
        self.flock.registers = registers;
    }

    /// Writes what is drawn, in the order of the last step: position and bias; velocity and −1 for a boid on its
    /// perch, else how many others it perceived in that step; id, and the group with the steps of rest above its
    /// two bits. Slices shorter than the flock take its beginning.
    pub fn instances_into(&self, position: &mut [[f32; 4]], velocity: &mut [[f32; 4]], tag: &mut [[u32; 2]]) {
        let single = |number: T| number.to_f64() as f32;
        let flock = &self.flock;
        let held = flock.boids.par_iter().zip(&flock.ids).zip(&flock.neighbours);
        let drawn = position.par_iter_mut().zip(velocity).zip(tag);
        let both = held.zip(drawn).with_min_len(BLOCK);
        self.pool.install(|| {
            both.for_each(|(((boid, id), near), ((position, velocity), tag))| {
                let [x, y, z] = boid.position.map(single);
                *position = [x, y, z, single(boid.bias)];
                let [x, y, z] = boid.velocity.map(single);
                *velocity = [x, y, z, if boid.resting() { -1.0 } else { *near as f32 }];
                *tag = [*id, boid.group | (boid.rest as u32) << 2];
            });
        });
    }

    /// The predators, for drawing.
    #[must_use]
    pub fn predators(&self) -> &[Predator<T>] {
        &self.flock.predators
    }
}

impl<T: Real> Engine for CpuEngine<T> {
    fn describe(&self) -> String {
        let numeric = match T::NUMERIC {
            Numeric::F32 => "f32",
            Numeric::F64 => "f64",
        };
        let threads = self.pool.current_num_threads();
        let plural = if threads == 1 { "" } else { "s" };
        format!("cpu, {threads} thread{plural}, {}, {numeric}", self.flock.registers.name())
    }

    fn numeric(&self) -> Numeric {
        T::NUMERIC
    }

    fn boids(&self) -> u32 {
        self.flock.boids.len() as u32
    }

    fn step_number(&self) -> u64 {
        self.flock.step
    }

    fn advance(&mut self, steps: u32) -> Result<(), EngineError> {
        let CpuEngine { pool, flock } = self;
        pool.install(|| (0..steps).for_each(|_| flock.advance()));
        Ok(())
    }

    fn state(&mut self) -> Result<State, EngineError> {
        Ok(self.flock.state())
    }

    fn set_state(&mut self, state: &State) -> Result<(), EngineError> {
        self.flock = Stepper::new(*self.flock.rule(), state, self.flock.registers);
        Ok(())
    }

    fn set_parameters(&mut self, parameters: &Parameters) -> Result<(), EngineError> {
        self.flock.set_parameters(parameters);
        Ok(())
    }

    fn steer_predator(&mut self, index: usize, position: [f32; 3]) {
        let flat = self.flock.rule().flat;
        if let Some(predator) = self.flock.predators.get_mut(index) {
            let [x, y, z] = position.map(|c| T::from_f64(f64::from(c)));
            predator.position = [x, y, if flat { T::ZERO } else { z }];
        }
    }
}
