//! # The flock on the GPU
//!
//! One device serves engine and window: [`Gpu`] opens it, [`GpuEngine`] steps a flock on it, in either number type.
//!
//! A step is a few passes; each has a shader of the same name (`shaders/count.wgsl` and so on):
//!
//! ```text
//! reduce_partials, reduce_totals  means of the flock, prey of the predators           where the rule needs them
//! move_predators                  the flock's means, and the predators move           where the rule needs them
//! step                            each boid searches the cells around it, moves, and is counted in its new cell;
//!                                 one shader per kernel: step_plain.wgsl, step_shared.wgsl
//! scan_reduce, scan_blocks, scan_starts  prefix sum of the counts: the start of each cell
//! scatter                         lists the boids of each cell
//! order                           moves the boids to their sorted indices: by cell, then by id
//! convert_for_drawing             converts the boids for drawing                      in integers
//! ```
//!
//! `plan` lists the dispatches of a step and cuts them into submits by its [`Costs`]; `runner` holds the
//! pipelines and submits, [`buffers`] is the memory and its limit, [`shaders`] the sources, [`layout`] their structs, `kernel` the
//! kernels and a device's settings, [`number`] the number types, [`formulas`] formulas as WGSL.
//!
//! The crate knows no window and no file: drawing passes read [`buffers::Instances`]. Begin with `engine.rs`, then `plan.rs`.

mod adapter;
mod boids;
pub mod buffers;
mod device;
mod engine;
pub mod formulas;
pub mod grid;
mod kernel;
pub mod layout;
pub mod number;
pub mod passes;
mod pipeline;
mod plan;
pub mod probe;
pub mod readback;
pub mod rule;
mod runner;
pub mod shaders;
pub mod timing;

pub use adapter::{AdapterEntry, Choice, beginning_with};
pub use device::Gpu;
pub use engine::{GpuEngine, Measures};
pub use kernel::{Kernel, Reason, Settings};
pub use number::OnGpu;
pub use plan::Costs;
