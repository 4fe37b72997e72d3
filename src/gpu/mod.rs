//! # The flock on the GPU
//!
//! One device serves engine and window: [`Gpu`] opens it, [`GpuEngine`] steps a flock on it, in either number type.
//!
//! A step is a few dispatches, each a shader of its own name (`shaders/count.wgsl` and so on):
//!
//! ```text
//! reduce_partials, reduce_totals  means of the flock, prey of the predators           where the rule needs them
//! move_predators                  the flock's means, and the predators move           where the rule needs them
//! step                            each boid searches the cells around it, moves, and is counted in its new cell;
//!                                 one shader a kernel: step_plain.wgsl, step_shared.wgsl
//! clusters, clustered_step, count in place of step, in a dense flock: sums of consecutive boids, level by level;
//!                                 each boid moves by those
//! scan_reduce, scan_blocks, scan_starts  from the counts to the start of each cell
//! scatter                         lists the boids of each cell
//! morton_keys, merge              sort the boids of each cell                         in a dense flock
//! order                           moves the boids to their indices: by cell, then by id
//! convert_for_drawing             the boids as they are drawn                         in integers
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
pub mod rule;
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
