//! The RP2040 in emulation: the board runs the very image that is flashed.
//!
//! [`Image`] is a firmware file, [`Machine`] the chip that runs it, [`rtt`] the console's way into its memory,
//! [`vga`] a screen on its pins, [`Board`] its console, and
//! [`Rp2040Engine`] all of it as an engine.

pub mod board;
pub mod engine;
pub mod image;
pub mod machine;
pub mod rtt;
pub mod vga;

pub use board::{Board, BoardError};
pub use engine::Rp2040Engine;
pub use image::{Image, ImageError};
pub use machine::Machine;
