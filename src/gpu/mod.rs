//! # The flock on the GPU
//!
//! One device serves engine and window: [`Gpu`] opens it.

mod adapter;
mod device;

pub use adapter::{AdapterEntry, Choice, list};
pub use device::Gpu;
