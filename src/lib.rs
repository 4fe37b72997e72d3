//! # murmuration
//!
//! A flock of boids on the GPU or on all cores of the CPU, by the one update rule of the crate `flock`.
//!
//! Data flows one way: preset → parameters → step → draw or report.

pub mod cli;
pub mod commands;
pub mod config;
pub mod conform;
mod contained;
pub mod cpu;
pub mod drawable;
pub mod engine;
pub mod engines;
pub mod failure;
pub mod gpu;
pub mod instances;
pub mod interrupt;
pub mod kernel_cache;
pub mod measures;
pub mod memory;
pub mod pass_colours;
pub mod presets;
pub mod profile;
pub mod report;
pub mod rp2040;
mod shown;
pub mod state;
mod text_file;
pub mod upload;
pub mod user_folder;
pub mod view;
