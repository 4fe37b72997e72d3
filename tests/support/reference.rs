//! Steps a flock by brute force, in any number type.

use conform::brute::{Brute, Mutation};
use cpu::Real;
use engine::State;
use flock::Parameters;

/// The flock after `steps` steps.
pub fn reference<T: Real>(p: &Parameters, state: &State, steps: u32) -> State {
    let mut flock = Brute::<T>::new(p, state, Mutation::none());
    flock.run(steps).expect("its terms fit");
    flock.snapshot()
}
