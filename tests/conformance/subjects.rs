//! What is compared with the reference: anything that steps a flock, and the arithmetic it promises.

use flock::{Boid, Number, Parameters, Predator, Rule, brute};
use murmuration::cpu::CpuEngine;
use murmuration::engine::{Engine, EngineError};
use murmuration::gpu::{AdapterEntry, GpuEngine};
use murmuration::state::{Numeric, State};

use crate::adapters::{self, Slot};
use crate::arithmetic::{Ieee32, Ieee64, Wgsl32};
use crate::compare::{Verdict, compare};
use crate::reference::{self, Reference};

type Build = Box<dyn Fn(&Parameters, &State) -> Result<Box<dyn Engine>, EngineError>>;

/// A kind of engine, to be built for any flock.
pub struct Subject {
    pub name: String,
    pub promise: Promise,
    pub build: Build,
}

/// Whose bounds an engine is held to.
#[derive(Clone, Copy, Debug)]
pub enum Promise {
    Ieee32,
    Wgsl32,
    Ieee64,
}

/// The step after one state, with the bounds for every kind of arithmetic.
#[derive(Debug)]
pub struct References {
    ieee32: Reference<Ieee32>,
    wgsl32: Reference<Wgsl32>,
    ieee64: Reference<Ieee64>,
}

impl References {
    pub fn new(parameters: &Parameters, state: &State) -> Self {
        References {
            ieee32: reference::step(parameters, state),
            wgsl32: reference::step(parameters, state),
            ieee64: reference::step(parameters, state),
        }
    }

    pub fn compare(&self, promise: Promise, actual: &State) -> Verdict {
        match promise {
            Promise::Ieee32 => compare(&self.ieee32, actual),
            Promise::Wgsl32 => compare(&self.wgsl32, actual),
            Promise::Ieee64 => compare(&self.ieee64, actual),
        }
    }
}

impl Subject {
    /// The flock some steps on.
    ///
    /// # Panics
    /// When the engine fails.
    pub fn advance(&self, parameters: &Parameters, state: &State, steps: u32) -> State {
        let mut engine = self.engine(parameters, state);
        engine.advance(steps).unwrap_or_else(|error| panic!("{}: {error}", self.name));
        engine.state().unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }

    /// An engine for the flock.
    ///
    /// # Panics
    /// When it cannot be built.
    pub fn engine(&self, parameters: &Parameters, state: &State) -> Box<dyn Engine> {
        (self.build)(parameters, state).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

/// The rule by brute force in f32: what the engines must equal but for the order of their sums.
pub fn brute() -> Subject {
    Subject {
        name: "brute f32".to_owned(),
        promise: Promise::Ieee32,
        build: Box::new(|parameters, state| Ok(Box::new(Brute::<f32>::new(parameters, state)))),
    }
}

/// The CPU engine in f32.
pub fn cpu_f32() -> Subject {
    Subject {
        name: "cpu f32".to_owned(),
        promise: Promise::Ieee32,
        build: Box::new(|parameters, state| Ok(Box::new(CpuEngine::<f32>::new(parameters, state, None)?))),
    }
}

/// The CPU engine in f64.
pub fn cpu_f64() -> Subject {
    Subject {
        name: "cpu f64".to_owned(),
        promise: Promise::Ieee64,
        build: Box::new(|parameters, state| Ok(Box::new(CpuEngine::<f64>::new(parameters, state, None)?))),
    }
}

/// The GPU engine on each adapter for this slot.
pub fn gpu(slot: Slot) -> Vec<Subject> {
    let subject = |entry: AdapterEntry| {
        let gpu = adapters::open(&entry);
        Subject {
            name: format!("gpu {entry}"),
            promise: Promise::Wgsl32,
            build: Box::new(move |parameters, state| {
                Ok(Box::new(GpuEngine::<f32>::new(&gpu, parameters, state)?))
            }),
        }
    };
    adapters::adapters(slot).into_iter().map(subject).collect()
}

/// `flock::brute` as an engine.
struct Brute<T: Number> {
    rule: Rule<T>,
    step: u64,
    boids: Vec<Boid<T>>,
    predators: Vec<Predator<T>>,
}

impl<T: Number> Brute<T> {
    fn new(parameters: &Parameters, state: &State) -> Self {
        let rule = Rule::new(parameters);
        let mut new = Brute { rule, step: 0, boids: Vec::new(), predators: Vec::new() };
        new.take(state);
        new
    }

    fn take(&mut self, state: &State) {
        self.step = state.step;
        self.boids = state.boids.iter().map(Boid::convert).collect();
        self.predators = state.predators.iter().map(Predator::convert).collect();
    }
}

impl<T: Number> Engine for Brute<T> {
    fn describe(&self) -> String {
        "brute force".to_owned()
    }
    fn numeric(&self) -> Numeric {
        if size_of::<T>() == 4 { Numeric::F32 } else { Numeric::F64 }
    }
    fn boids(&self) -> u32 {
        self.boids.len() as u32
    }
    fn step_number(&self) -> u64 {
        self.step
    }
    fn advance(&mut self, steps: u32) -> Result<(), EngineError> {
        let mut next = self.boids.clone();
        for _ in 0..steps {
            brute::step(&self.rule, self.step, &self.boids, &mut self.predators, &mut next);
            std::mem::swap(&mut self.boids, &mut next);
            self.step += 1;
        }
        Ok(())
    }
    fn state(&mut self) -> Result<State, EngineError> {
        Ok(State {
            step: self.step,
            boids: self.boids.iter().map(Boid::convert).collect(),
            predators: self.predators.iter().map(Predator::convert).collect(),
        })
    }
    fn set_state(&mut self, state: &State) -> Result<(), EngineError> {
        self.take(state);
        Ok(())
    }
    fn set_parameters(&mut self, parameters: &Parameters) -> Result<(), EngineError> {
        self.rule = Rule::new(parameters);
        Ok(())
    }
    fn steer_predator(&mut self, index: usize, position: [f32; 3]) {
        if let Some(predator) = self.predators.get_mut(index) {
            predator.position = position.map(|c| T::from_f64(f64::from(c)));
        }
    }
}
