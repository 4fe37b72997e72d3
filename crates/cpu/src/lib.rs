//! The CPU engine: the flock on all cores, several boids to a vector register.
//!
//! One step: `bins` sorts the boids by cell and id → `reduce` sums over the whole flock and moves the predators →
//! `neighbours` sums over each boid's neighbours, a register of boids at a time (`walk` leads through the cells around
//! them, `cull` keeps the boids that they may perceive), and moves this register.
//!
//! `clusters` sums up the boids of dense cells in clusters that stand for them.
//!
//! The order (cell, id), in a dense cell (cell, position, id), is a function of the state alone, and every sum runs in
//! that order: the same state gives the same bits on any number of threads, with registers of any width, and from any
//! earlier order.
//!
//! [`RankFlock`] steps a part of a flock, by the same passes.
//!
//! It knows no GPU and no file. Begin with `cpu_engine.rs` and `step.rs`.

mod bins;
mod clusters;
mod cpu_engine;
mod cull;
mod formulas;
mod neighbours;
pub mod probe;
mod rank_flock;
mod reduce;
mod registers;
mod step;
mod vector;
mod walk;

pub use bins::DENSE;
pub use cpu_engine::{CpuEngine, open, open_as};
pub use rank_flock::{RankFlock, Role};
pub use reduce::Totals;
pub use registers::{Real, Registers};
