//! The dependence of a boid's step on the last digits of the state.
//!
//! The direction of a sum that nearly cancels depends on the last digits of its terms. Where changing every number of
//! the state by a last digit changes the step in f64 by some amount, no arithmetic with that last digit can do better.

use flock::random::draw;
use flock::{Fixed, Number, Parameters};

use super::errors::deviation;
use super::flocks;
use cpu::state::State;

/// Number of random changes of the state.
const DRAWS: u32 = 16;

/// The largest change of each boid's next state, as a share of the largest step, when every coordinate of the flock
/// changes at random by −1, 0 or 1 last digits of `Fixed`. `next` is the step in f64 from the unchanged state.
pub fn of_flock(parameters: &Parameters, state: &State, next: &State) -> Vec<f64> {
    let digit = f64::exp2(-f64::from(flock::fixed::FRACTION)) / <Fixed as Number>::unit(parameters);
    let axes = parameters.flock.dimensions as usize;
    let mut largest = vec![0.0_f64; state.boids.len()];
    for k in 0..DRAWS {
        let mut moved = state.clone();
        for (id, boid) in moved.boids.iter_mut().enumerate() {
            let [positions, velocities] = [0, 1].map(|stream| draw(23, k, id as u32, stream));
            for axis in 0..axes {
                boid.position[axis] += digit * (f64::from(positions[axis] % 3) - 1.0);
                boid.velocity[axis] += digit * (f64::from(velocities[axis] % 3) - 1.0);
            }
        }
        let after = flocks::advance::<f64>(parameters, &moved, 1);
        for (most, (a, b)) in largest.iter_mut().zip(after.boids.iter().zip(&next.boids)) {
            *most = most.max(deviation(parameters, a, b));
        }
    }
    largest
}
