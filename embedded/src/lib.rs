//! # The flock on a microcontroller: the hardware-independent part
//!
//! The presets, the engine, the console and the picture of the firmware. They build and are tested on any machine;
//! `main.rs` and `board/` are the part for the hardware.
#![no_std]

#[cfg(test)]
extern crate std;

#[cfg(test)]
#[path = "../../tests/support/random_flock.rs"]
mod random_flock;

pub mod console;
pub mod cores;
pub mod engine;
pub mod image;
pub mod memory;
pub mod session;
pub mod value;
pub mod vga;
