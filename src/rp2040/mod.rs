//! The RP2040: in emulation, where it runs the very image that is flashed, and at the end of a serial line.
//!
//! [`Image`] is a firmware file, [`Machine`] the chip that runs it, [`rtt`] the console's way into its memory,
//! [`vga`] a screen on its pins, [`Serial`] the line to a real board, [`Board`] the console of either, and
//! [`Rp2040Engine`] all of it as an engine.

pub mod board;
pub mod engine;
pub mod image;
pub mod machine;
pub mod rtt;
pub mod serial;
pub mod vga;

pub use board::{Board, BoardError, Link};
pub use engine::Rp2040Engine;
pub use image::{Image, ImageError};
pub use machine::Machine;
pub use serial::Serial;
