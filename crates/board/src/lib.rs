//! The RP2040: emulated, with the same image that is flashed, or a real board on a serial line.
//!
//! [`Image`] is a firmware file, [`Machine`] the emulated chip and its console channel through memory, [`Serial`]
//! the line to a real board, [`Board`] the console of either, `configure` what puts a rule on it, [`Recorded`] what an
//! image has to be told for the same flock, and [`Rp2040Engine`] the engine on top. The emulator builds for x86-64 and macOS; elsewhere `no_machine.rs` replaces it.
//!
//! It knows the rule only for what does not fit the board; the firmware computes. Begin with `engine.rs`.

pub mod board;
mod configure;
pub mod engine;
pub mod image;
#[cfg_attr(not(any(target_arch = "x86_64", target_os = "macos")), path = "no_machine.rs")]
pub mod machine;
pub mod serial;

pub use board::{Board, BoardError, Link, Recorded};
pub use configure::too_many;
pub use engine::Rp2040Engine;
pub use image::Image;
pub use machine::Machine;
pub use serial::Serial;

/// Takes the first complete line of what was received, without its line ending.
fn take_line(received: &mut Vec<u8>) -> Option<String> {
    let end = received.iter().position(|byte| *byte == b'\n')?;
    let line: Vec<u8> = received.drain(..=end).collect();
    Some(String::from_utf8_lossy(&line).trim_end().to_owned())
}
