//! Steps a flock by brute force, in any number type.

use conform::flocks::advance;
use cpu::Real;
use engine::State;
use flock::Parameters;

/// The flock after `steps` steps.
pub fn reference<T: Real>(p: &Parameters, state: &State, steps: u32) -> State {
    advance::<T>(p, state, steps).expect("its terms fit")
}
