//! A flock as it travels between engines, files and reports: in id order, every number widened to f64, which is
//! exact for f32.

use flock::{Boid, Parameters, Predator, start};

/// The number type an engine computes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numeric {
    F32,
    F64,
}

/// A flock between two steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The step the flock stands at; noise and predators see it.
    pub step: u64,
    /// The boid with id k at index k.
    pub boids: Vec<Boid<f64>>,
    pub predators: Vec<Predator<f64>>,
}

impl State {
    /// The seeded start at step 0.
    #[must_use]
    pub fn start(parameters: &Parameters) -> Self {
        State {
            step: 0,
            boids: (0..parameters.flock.boids).map(|id| start::boid(parameters, id)).collect(),
            predators: (0..parameters.predators.count)
                .map(|index| start::predator(parameters, index))
                .collect(),
        }
    }
}
