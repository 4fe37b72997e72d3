//! The CPU engine: threads, and a flock to step on them.

use std::fmt::Debug;

use flock::{Fixed, Parameters, Predator, Vec3};
use rayon::prelude::*;

use super::registers::{Real, Registers};
use super::step::Stepper;
use crate::engine::{Engine, EngineError, PassEvent, Result, VectorOf, Vectors, rule};
use crate::state::{Numeric, State};
use crate::system::Threads;

/// Boids that one task writes for drawing, or whose requests it scales.
const BLOCK: usize = 4096;

/// A flock in memory as a drawing pass reads it, in the order of the last step.
#[derive(Clone, Debug, Default)]
pub struct HostInstances {
    /// x, y, z, bias.
    pub position: Vec<[f32; 4]>,
    /// x, y, z, then −1 for a perched boid, else the number of boids that it perceived in that step.
    pub velocity: Vec<[f32; 4]>,
    /// Id, and [`flock::Boid::tag`].
    pub tag: Vec<[u32; 2]>,
}

/// The CPU engine's own operations, in any number type.
pub trait CpuEngine: Engine + Debug + Send {
    /// Chooses the registers, for comparisons: the bits are the same with all of them.
    fn set_registers(&mut self, registers: Registers);

    /// Replaces the instances with those of the flock.
    fn instances_into(&self, drawn: &mut HostInstances);

    /// The predators, for drawing.
    fn predators(&self) -> Vec<Predator<f32>>;
}

/// Opens an engine in a number type on these threads, which many flocks can share. Not generic, so that an engine is
/// compiled in this crate, with the flags of a step.
///
/// # Errors
/// When the parameters do not fit the number type.
pub fn open(
    numeric: Numeric,
    threads: Threads,
    parameters: &Parameters,
    state: &State,
) -> Result<Box<dyn CpuEngine>> {
    Ok(match numeric {
        Numeric::F32 => Box::new(Typed::<f32>::new(threads, parameters, state)?),
        Numeric::F64 => Box::new(Typed::<f64>::new(threads, parameters, state)?),
        Numeric::Fixed => Box::new(Typed::<Fixed>::new(threads, parameters, state)?),
    })
}

/// Opens an engine with threads of its own, one a core by default.
///
/// # Errors
/// Also when the threads cannot be started.
pub fn open_as<T: Real>(
    parameters: &Parameters,
    state: &State,
    threads: Option<usize>,
) -> Result<Box<dyn CpuEngine>> {
    open(T::NUMERIC, self::threads(threads)?, parameters, state)
}

/// Threads for an engine; one a core by default.
///
/// # Errors
/// When they cannot be started.
pub fn threads(count: Option<usize>) -> Result<Threads> {
    Threads::new(count).map_err(|error| EngineError::Device { device: "cpu".into(), what: error.to_string() })
}

/// An engine in one number type.
#[derive(Debug)]
struct Typed<T: Real> {
    parameters: Parameters,
    threads: Threads,
    flock: Stepper<T>,
}

impl<T: Real> Typed<T> {
    fn new(threads: Threads, parameters: &Parameters, state: &State) -> Result<Self> {
        let flock =
            Stepper::new(rule::<T>(T::NUMERIC, parameters, state.boids.len())?, state, Registers::widest());
        Ok(Typed { threads, parameters: *parameters, flock })
    }
}

impl<T: Real> CpuEngine for Typed<T> {
    fn set_registers(&mut self, registers: Registers) {
        self.flock.registers = registers;
    }

    fn instances_into(&self, HostInstances { position, velocity, tag }: &mut HostInstances) {
        let flock = &self.flock;
        position.resize(flock.boids.len(), [0.0; 4]);
        velocity.resize(flock.boids.len(), [0.0; 4]);
        tag.resize(flock.boids.len(), [0; 2]);
        let length = |number: T| flock.rule.unscaled(number) as f32;
        let held = flock.boids.par_iter().zip(&flock.ids).zip(&flock.neighbours);
        let drawn = position.par_iter_mut().zip(velocity).zip(tag);
        let both = held.zip(drawn).with_min_len(BLOCK);
        self.threads.install(|| {
            both.for_each(|(((boid, id), near), ((position, velocity), tag))| {
                let [x, y, z] = boid.position.map(length);
                *position = [x, y, z, boid.bias.to_f64() as f32];
                let [x, y, z] = boid.velocity.map(length);
                *velocity = [x, y, z, if boid.resting() { -1.0 } else { *near as f32 }];
                *tag = [*id, boid.tag()];
            });
        });
    }

    fn predators(&self) -> Vec<Predator<f32>> {
        let flock = &self.flock;
        flock.predators.iter().map(|predator| flock.rule.give_predator(predator).convert()).collect()
    }
}

impl<T: Real> Engine for Typed<T> {
    fn describe(&self) -> String {
        let numeric = T::NUMERIC.name();
        let threads = self.threads.count();
        let plural = if threads == 1 { "" } else { "s" };
        let registers = self.flock.registers.name();
        format!("cpu, {threads} thread{plural}, {registers}, {numeric}")
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

    /// Wall-clock times: `sort` orders the boids, `move_predators` sums over the flock and moves the predators,
    /// `own_terms` evaluates formulas, `step` searches and updates.
    fn time_every_step(&mut self, on: bool) -> Result {
        self.flock.clock.run(on);
        Ok(())
    }

    fn take_events(&mut self) -> Result<Vec<PassEvent>> {
        Ok(self.flock.clock.take())
    }

    fn traffic(&self, pass: &str) -> Result<u64> {
        Ok(self.flock.traffic(pass))
    }

    fn advance(&mut self, steps: u32) -> Result {
        self.advance_by(&[], steps)
    }

    fn advance_by(&mut self, requests: &[[f64; 3]], steps: u32) -> Result {
        let Typed { threads, flock, .. } = self;
        threads.install(|| {
            let rule = &flock.rule;
            let scaled = |request: &[f64; 3]| Vec3::from(*request).map(|c| rule.scaled(c));
            let requests: Vec<Vec3<T>> = requests.par_iter().with_min_len(BLOCK).map(scaled).collect();
            (0..steps).for_each(|_| flock.advance(&requests));
        });
        Ok(())
    }

    fn state(&mut self) -> Result<State> {
        let Typed { threads, flock, .. } = self;
        threads.install(|| flock.state().finite(T::NUMERIC))
    }

    fn vectors(&mut self, of: VectorOf, into: Vectors<'_>) -> Result {
        let Typed { threads, flock, .. } = self;
        let finite = threads.install(|| flock.vectors(of, into));
        // The error names the boid.
        if finite { Ok(()) } else { self.state().map(drop) }
    }

    fn hash(&mut self, parameters: &Parameters) -> Result<u64> {
        let Typed { threads, flock, .. } = self;
        match threads.install(|| flock.hash()) {
            Some(hash) => Ok(hash),
            // The error names the boid.
            None => self.state().map(|state| state.hash(T::NUMERIC, parameters)),
        }
    }

    fn set_state(&mut self, state: &State) -> Result {
        let rule = rule::<T>(T::NUMERIC, &self.parameters, state.boids.len())?;
        self.flock = Stepper::new(rule, state, self.flock.registers);
        Ok(())
    }

    fn set_parameters(&mut self, parameters: &Parameters) -> Result {
        self.flock.set_parameters(rule::<T>(T::NUMERIC, parameters, self.flock.boids.len())?, parameters);
        self.parameters = *parameters;
        Ok(())
    }

    fn steer_predator(&mut self, index: usize, position: [f32; 3]) {
        self.flock.steer_predator(index, position);
    }
}
