//! # The flock on a microcontroller: what knows no hardware
//!
//! The presets, the engine, the console and the picture of the firmware. All of it builds on any machine, where it is
//! tested; `main.rs` and the modules beside it put it on the board.
#![no_std]

#[cfg(test)]
extern crate std;

pub mod console;
pub mod crew;
pub mod engine;
pub mod memory;
pub mod picture;
pub mod presets;
pub mod session;
pub mod vga;
