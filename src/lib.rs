//! # murmuration
//!
//! A flock of boids on the GPU or on all cores of the CPU, by the one update rule of the crate `flock`.
//!
//! Data flows one way: preset → parameters → step → draw or report.
//!
//! It builds for `wasm32-unknown-unknown`, too. What needs a computer's system is left out there; where the rest depends
//! on it, a twin of the same shape stands in its place (`system/web.rs`, `rp2040/absent.rs`, `report/atomic/download.rs`,
//! `view/recorder/canvas.rs`, `view/window/host/page.rs`, `commands/page.rs`).

// Of what commands share, a page uses a part.
#![cfg_attr(target_arch = "wasm32", allow(dead_code, unused_imports))]

pub mod cli;
#[cfg_attr(target_arch = "wasm32", path = "commands/page.rs")]
pub mod commands;
pub mod config;
#[cfg(not(target_arch = "wasm32"))]
pub mod conform;
mod contained;
pub mod cpu;
mod drawable;
pub mod engine;
pub mod engines;
pub mod failure;
pub mod gpu;
pub mod instances;
#[cfg(not(target_arch = "wasm32"))]
pub mod interrupt;
pub mod kernel_cache;
pub mod measures;
pub mod memory;
mod pass_colours;
pub mod presets;
#[cfg(not(target_arch = "wasm32"))]
pub mod profile;
pub mod report;
#[cfg_attr(target_arch = "wasm32", path = "rp2040/absent.rs")]
pub mod rp2040;
mod shown;
pub mod state;
#[cfg(not(target_arch = "wasm32"))]
mod study;
pub mod system;
mod text_file;
pub mod upload;
mod user_folder;
pub mod view;
