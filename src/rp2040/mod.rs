//! The RP2040: emulated, running the same image that is flashed, or a real board on a serial line.
//!
//! [`Image`] is a firmware file, [`Machine`] the emulated chip, [`rtt`] its console channel through memory, [`stacks`] what
//! its cores have used of theirs, [`vga`] a screen on its pins, [`Serial`] the line to a real board, [`Board`] the console of
//! either, and [`Rp2040Engine`] the engine on top.

pub mod board;
pub mod engine;
pub mod image;
pub mod machine;
pub mod rtt;
pub mod serial;
mod settings;
pub mod stacks;
pub mod vga;

pub use board::{Board, BoardError, Link};
pub use engine::Rp2040Engine;
pub use image::{Image, ImageError};
pub use machine::Machine;
pub use serial::Serial;
