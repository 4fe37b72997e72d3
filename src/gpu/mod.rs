//! # The flock on the GPU
//!
//! One device serves engine and window: [`Gpu`] opens it, [`GpuEngine`] steps a flock on it, in either number type.
//!
//! A step is a few dispatches, each a shader of its own name (`shaders/step.wgsl` and so on):
//!
//! ```text
//! gather, fold   means of the flock, prey of the predators        where the rule needs them
//! hunt           the flock's means, and the predators move        where the rule needs them
//! step           each boid looks into the cells about it, moves, and is counted in the cell it comes to;
//!                its shader is its kernel's: plain.wgsl or shared.wgsl
//! crowds, crowded_step, count  in place of step                   where the flock is crowded: what consecutive boids
//!                come to together, level by level, and each boid moves by that
//! scan_reduce, scan_blocks, scan_starts                           from counts to where each cell starts
//! scatter        lists the boids of each cell
//! key, merge     sorts the boids of each cell                     where the flock is crowded
//! order          moves the boids to their places: by cell, then by id
//! publish        the boids as they are drawn                      where they are not computed in f32
//! ```
//!
//! [`jobs`] says what is dispatched and cuts it into submits, [`passes`] holds the pipelines, [`buffers`] the memory,
//! [`shaders`] the text; [`kernel`] which step suits a device; [`layout`] what both sides read, [`number`] how numbers of
//! each type lie there. Each array is one binding; [`capacity`] says how many boids fit.

mod adapter;
mod boids;
pub mod buffers;
pub mod capacity;
mod device;
mod engine;
pub mod grid;
pub mod jobs;
pub mod kernel;
pub mod layout;
mod measures;
pub mod number;
pub mod pace;
pub mod passes;
pub mod probe;
pub(crate) mod readback;
mod report;
mod rule;
mod runner;
pub mod shaders;
pub mod timing;
pub mod traffic;

pub use adapter::{AdapterEntry, Choice, list};
pub use capacity::most_boids;
pub use device::Gpu;
pub use engine::{Crowding, GpuEngine};
pub use kernel::{Kernel, Tuning};
pub use measures::Measures;
