//! # The flock itself
//!
//! Parameters, number types, the one update rule, starts and measures of a flock of boids, for every
//! engine: this crate knows no GPU, no window and no file, needs no `std` and allocates nothing in a step.
//!
//! Data flows one way: [`parameters::Parameters`] (named, in users' units) → [`rule::Rule`] (quantised once, in
//! the number type of the engine) → [`perceive`] (sums over the neighbours) → [`update`] (the new boid).
#![no_std]

#[cfg(any(test, feature = "std"))]
extern crate std;

pub mod brute;
pub mod drawn;
pub mod fixed;
pub mod grid;
pub mod hash;
pub mod measures;
pub mod number;
pub mod parameters;
pub mod perceive;
pub mod predators;
pub mod random;
pub mod rule;
pub mod start;
pub mod state;
pub mod update;
pub mod vector;

pub use fixed::Fixed;
pub use grid::Grid;
pub use number::{Lanes, Number};
pub use parameters::Parameters;
pub use rule::Rule;
pub use state::{Boid, Predator};
pub use vector::Vec3;
