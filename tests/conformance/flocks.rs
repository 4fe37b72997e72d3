//! The flocks that engines are compared on.

pub use conform::flocks::{advance, crowd, quantised};
use flock::Parameters;
use proptest::prelude::*;

use crate::random_flock;

/// Any flock of up to `most` boids in a world about ten units wide: all kinds of rules, edges and behaviours.
pub fn random_flocks(most: u32) -> impl Strategy<Value = Parameters> {
    any::<u32>().prop_map(move |number| quantised(&random_flock::parameters(number, most)))
}
