//! The rule itself as an engine: every boid looks at every other. A [`Slip`] makes it wrong on purpose.

use std::fmt;

use flock::perceive::{Senses, Sums};
use flock::{Boid, Number, Parameters, Predator, Rule, brute};

use crate::engine::{Engine, EngineError};
use crate::state::{Numeric, State};

/// What a boid sees: the sums over its neighbours, for the boid with an id, at a step.
pub type Look<T> = fn(u64, &Rule<T>, &Senses<T>, &[Boid<T>], usize) -> Sums<T>;

/// Where a computation departs from the rule.
#[derive(Clone, Copy)]
pub struct Slip<T: Number> {
    /// Applied to the rule once.
    pub rule: fn(&mut Rule<T>),
    /// In place of [`brute::look_around`].
    pub look: Look<T>,
    /// The number that a step is taken for.
    pub count: fn(u64) -> u64,
}

impl<T: Number> Slip<T> {
    /// The rule as it is.
    #[must_use]
    pub fn none() -> Self {
        Slip {
            rule: |_| {},
            look: |_, rule, senses, boids, id| brute::look_around(rule, senses, boids, id),
            count: |step| step,
        }
    }
}

impl<T: Number> fmt::Debug for Slip<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Slip")
    }
}

/// A flock stepped by brute force.
#[derive(Debug)]
pub struct Brute<T: Number> {
    parameters: Parameters,
    slip: Slip<T>,
    rule: Rule<T>,
    step: u64,
    boids: Vec<Boid<T>>,
    predators: Vec<Predator<T>>,
}

impl<T: Number> Brute<T> {
    /// Takes over a flock.
    #[must_use]
    pub fn new(parameters: &Parameters, state: &State, slip: Slip<T>) -> Self {
        let mut new = Brute {
            parameters: *parameters,
            slip,
            rule: Rule::new(parameters),
            step: 0,
            boids: Vec::new(),
            predators: Vec::new(),
        };
        new.take(state);
        new
    }

    fn take(&mut self, state: &State) {
        let rule = state.rule::<T>(&self.parameters);
        self.step = state.step;
        self.boids = state.boids.iter().map(|boid| rule.take_boid(boid)).collect();
        self.predators = state.predators.iter().map(|predator| rule.take_predator(predator)).collect();
        self.rule = rule;
        (self.slip.rule)(&mut self.rule);
    }

    fn give(&self) -> State {
        State {
            step: self.step,
            boids: self.boids.iter().map(|boid| self.rule.give_boid(boid)).collect(),
            predators: self.predators.iter().map(|predator| self.rule.give_predator(predator)).collect(),
        }
    }
}

impl<T: Number> Engine for Brute<T> {
    fn describe(&self) -> String {
        format!("brute force, {}", self.numeric().name())
    }
    fn numeric(&self) -> Numeric {
        match (T::COUNT == T::ONE, size_of::<T>()) {
            (false, _) => Numeric::Fixed,
            (true, 4) => Numeric::F32,
            (true, _) => Numeric::F64,
        }
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
            let (here, look) = ((self.slip.count)(self.step), self.slip.look);
            let looking = |rule: &Rule<T>, senses: &Senses<T>, boids: &[Boid<T>], id: usize| {
                look(here, rule, senses, boids, id)
            };
            brute::step_by(&self.rule, here, &self.boids, &mut self.predators, &mut next, looking);
            std::mem::swap(&mut self.boids, &mut next);
            self.step += 1;
        }
        Ok(())
    }
    fn state(&mut self) -> Result<State, EngineError> {
        Ok(self.give())
    }
    fn set_state(&mut self, state: &State) -> Result<(), EngineError> {
        self.take(state);
        Ok(())
    }
    fn set_parameters(&mut self, parameters: &Parameters) -> Result<(), EngineError> {
        let state = self.give();
        self.parameters = *parameters;
        self.take(&state);
        Ok(())
    }
    fn steer_predator(&mut self, index: usize, position: [f32; 3]) {
        let place = position.map(|c| self.rule.scaled(f64::from(c)).confine());
        if let Some(predator) = self.predators.get_mut(index) {
            predator.position = place;
        }
    }
}
