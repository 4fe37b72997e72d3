//! How much a boid's step depends on the last digit of the state.
//!
//! A request that takes the direction of a sum which nearly cancels may turn it any way. Where moving every number of
//! the state by its last digit moves the step that far in f64, no arithmetic with that digit can do better.

use flock::random::draw;
use flock::{Fixed, Number, Parameters};

use super::errors::deviation;
use super::flocks;
use crate::state::State;

/// How often the state is changed.
const DRAWS: u32 = 16;

/// The furthest that each boid's next state moves, as a share of the largest step, when every coordinate of the flock
/// goes up or down by one last digit of integers, or stays, at random. `next` is the step by f64 from the state itself.
#[must_use]
pub fn of_flock(parameters: &Parameters, state: &State, next: &State) -> Vec<f64> {
    let digit = f64::exp2(-f64::from(flock::fixed::FRACTION)) / <Fixed as Number>::unit(parameters);
    let axes = parameters.flock.dimensions as usize;
    let mut furthest = vec![0.0_f64; state.boids.len()];
    for k in 0..DRAWS {
        let mut moved = state.clone();
        for (id, boid) in moved.boids.iter_mut().enumerate() {
            let [places, paces] = [0, 1].map(|purpose| draw(23, k, id as u32, purpose));
            for axis in 0..axes {
                boid.position[axis] += digit * (f64::from(places[axis] % 3) - 1.0);
                boid.velocity[axis] += digit * (f64::from(paces[axis] % 3) - 1.0);
            }
        }
        let after = flocks::advance::<f64>(parameters, &moved, 1);
        for (most, (a, b)) in furthest.iter_mut().zip(after.boids.iter().zip(&next.boids)) {
            *most = most.max(deviation(parameters, a, b));
        }
    }
    furthest
}
