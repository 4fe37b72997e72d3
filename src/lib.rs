//! # murmuration
//!
//! A flock of boids on the GPU or on all cores of the CPU, by the one update rule of the crate `flock`.
//!
//! Data flows one way: preset → parameters → step → draw or report.

pub mod engine;
pub mod gpu;
pub mod report;
pub mod state;
