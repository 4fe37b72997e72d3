//! The CPU engine: the flock on all cores, several boids to a vector register.
//!
//! One step: [`bins`] sorts the boids by cell and id → [`reduce`] sums up what concerns the whole flock and moves
//! the predators → [`look`] sums over each boid's neighbours, a register of boids at a time: [`walk`] leads through
//! the cells around them, [`sieve`] keeps whom they may perceive → [`brisk`] or `flock::update`.
//!
//! Where many boids share a cell, [`crowd`] sums them up in groups that stand for them.
//!
//! The order (cell, id), in a crowded cell (cell, place, id), is a function of the state alone, and every sum runs in that
//! order: the same state gives the same bits on any number of threads, with registers of any width, and whatever came
//! before.

mod bins;
mod brisk;
mod clock;
mod crowd;
mod engine;
mod look;
pub mod probe;
mod reduce;
mod seen;
mod sieve;
mod step;
mod unpack;
mod vector;
mod walk;

pub use engine::CpuEngine;
pub use vector::{Real, Registers};

#[cfg(test)]
mod tests;
