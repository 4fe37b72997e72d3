//! # The flock on the GPU
//!
//! One device serves engine and window: [`Gpu`] opens it.

mod adapter;
mod device;
pub mod grid;
pub mod layout;
mod rule;
pub mod shaders;

pub use adapter::{AdapterEntry, Choice, list};
pub use device::Gpu;
