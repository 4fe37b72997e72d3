//! # murmuration
//!
//! A flock of boids on the GPU or on all cores of the CPU, by the one update rule of the crate `flock`.
//!
//! Data flows one way: preset → parameters → step → draw or report.
//!
//! The library also builds for `wasm32-unknown-unknown`, without what needs an operating system. Where other code
//! depends on such a part, a twin with the same interface replaces it (see ARCHITECTURE.md).

// A page uses only part of the code that the commands share.
#![cfg_attr(target_arch = "wasm32", allow(dead_code, unused_imports))]

pub mod cli;
#[cfg_attr(target_arch = "wasm32", path = "commands/page.rs")]
pub mod commands;
