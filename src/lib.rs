//! # murmuration
//!
//! A flock of boids on the GPU or on all cores of the CPU, by the one update rule of the crate `flock`.
//!
//! Data flows one way: preset → parameters → step → draw or report.
//!
//! It builds for `wasm32-unknown-unknown`, too. What needs a computer's system is left out there; where the rest depends
//! on it, a twin of the same shape stands in its place (`system/web.rs`, `rp2040/no_machine.rs`, `report/atomic/download.rs`,
//! `view/recorder/canvas.rs`, `view/window/host/page.rs`, `commands/page.rs`).

// Of what commands share, a page uses a part.
#![cfg_attr(target_arch = "wasm32", allow(dead_code, unused_imports))]

pub mod cli;
#[cfg_attr(target_arch = "wasm32", path = "commands/page.rs")]
pub mod commands;
pub mod scene;
#[cfg(feature = "window")]
pub mod view;
