//! Brute force as an engine: every boid tests every other. A [`Mutation`] makes it wrong on purpose.

use flock::perceive::{Senses, Sums};
use flock::{Boid, Parameters, Predator, Rule, brute};

use cpu::Real;
use engine::{Engine, Numeric, Result, State};

/// Sums over the neighbours of the boid with an id, at a step.
pub type SumNeighbours<T> = fn(u64, &Rule<T>, &Senses<T>, &[Boid<T>], usize) -> Sums<T>;

/// A deliberate error in the computation of a step.
#[derive(Clone, Copy, Debug)]
pub struct Mutation<T: Real> {
    /// Applied to the rule once.
    pub rule: fn(&mut Rule<T>),
    /// In place of [`brute::sum_neighbours`].
    pub sum_neighbours: SumNeighbours<T>,
}

impl<T: Real> Mutation<T> {
    /// The rule unchanged.
    pub fn none() -> Self {
        Mutation {
            rule: |_| {},
            sum_neighbours: |_, rule, senses, boids, id| brute::sum_neighbours(rule, senses, boids, id),
        }
    }
}

/// A flock stepped by brute force.
#[derive(Debug)]
pub struct Brute<T: Real> {
    parameters: Parameters,
    mutation: Mutation<T>,
    rule: Rule<T>,
    step: u64,
    boids: Vec<Boid<T>>,
    predators: Vec<Predator<T>>,
}

impl<T: Real> Brute<T> {
    /// Loads a flock.
    pub fn new(parameters: &Parameters, state: &State, mutation: Mutation<T>) -> Self {
        let mut rule = state.rule::<T>(parameters);
        let boids = state.boids.iter().map(|boid| rule.quantise(boid)).collect();
        let predators = state.predators.iter().map(|predator| rule.quantise_predator(predator)).collect();
        (mutation.rule)(&mut rule);
        Brute { parameters: *parameters, mutation, rule, step: state.step, boids, predators }
    }

    /// Steps the flock.
    ///
    /// # Errors
    /// When a custom term does not fit the number type.
    pub fn run(&mut self, steps: u32) -> Result {
        let mut next = self.boids.clone();
        for _ in 0..steps {
            let (step, sum_neighbours) = (self.step, self.mutation.sum_neighbours);
            let Brute { rule, boids, predators, .. } = self;
            brute::step_by(rule, step, boids, predators, &mut next, |rule, senses, boids, id| {
                sum_neighbours(step, rule, senses, boids, id)
            })?;
            std::mem::swap(&mut self.boids, &mut next);
            self.step += 1;
        }
        Ok(())
    }

    /// The flock in users' units.
    pub fn snapshot(&self) -> State {
        State {
            step: self.step,
            boids: self.boids.iter().map(|boid| self.rule.dequantise(boid)).collect(),
            predators: self
                .predators
                .iter()
                .map(|predator| self.rule.dequantise_predator(predator))
                .collect(),
        }
    }
}

impl<T: Real> Engine for Brute<T> {
    fn describe(&self) -> String {
        format!("brute force, {}", self.numeric().name())
    }
    fn numeric(&self) -> Numeric {
        T::NUMERIC
    }
    fn boids(&self) -> u32 {
        self.boids.len() as u32
    }
    fn step_number(&self) -> u64 {
        self.step
    }
    fn advance(&mut self, steps: u32) -> Result {
        self.run(steps)
    }
    fn state(&mut self) -> Result<State> {
        Ok(self.snapshot())
    }
    fn hash(&mut self) -> Result<u64> {
        Ok(self.snapshot().hash(T::NUMERIC, &self.parameters))
    }
    fn set_state(&mut self, state: &State) -> Result {
        *self = Brute::new(&self.parameters, state, self.mutation);
        Ok(())
    }
    fn set_parameters(&mut self, parameters: &Parameters) -> Result {
        *self = Brute::new(parameters, &self.snapshot(), self.mutation);
        Ok(())
    }
    fn steer_predator(&mut self, index: usize, position: [f32; 3]) -> Result {
        if let Some(predator) = self.predators.get_mut(index) {
            predator.position = self.rule.quantise_vector(position.map(f64::from));
        }
        Ok(())
    }
}
