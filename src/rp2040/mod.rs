//! The RP2040 in emulation: the board runs the very image that is flashed.
//!
//! [`Image`] is a firmware file, [`Machine`] the chip that runs it, [`rtt`] the console's way into its memory,
//! [`vga`] a screen on its pins.

pub mod image;
pub mod machine;
pub mod rtt;
pub mod vga;

pub use image::{Image, ImageError};
pub use machine::Machine;
