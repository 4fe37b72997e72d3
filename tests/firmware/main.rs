//! The image that is flashed, on an emulated board: bits, cores, console and screen.
//!
//! `cargo xtask firmware` builds the image. Where it is missing the tests print a note, or fail under `cargo xtask test`.

mod bits;
mod calls;
mod console;
mod cores;
mod screen;
mod second;
#[cfg(unix)]
mod wire;

use std::io::Write;

use flock::Parameters;
use murmuration::presets::{self, Preset};
use murmuration::rp2040::{Board, Image};

/// The firmware, if it has been built.
///
/// # Panics
/// When it is required and missing.
fn image() -> Option<Image> {
    match Image::find() {
        Ok(image) => Some(image),
        Err(error) => {
            missing(&format!("{error}: `cargo xtask firmware` builds the firmware"));
            None
        }
    }
}

/// Prints that something is not tested.
///
/// # Panics
/// When everything is required.
fn missing(what: &str) {
    let required = std::env::var("MURMURATION_TEST_ADAPTERS").is_ok_and(|value| value == "required");
    assert!(!required, "{what}");
    // Directly, because the test harness captures the output of `eprintln!`.
    std::io::stderr().write_all(format!("NOT TESTED: {what}\n").as_bytes()).unwrap_or_default();
}

/// A board that runs the firmware.
fn board() -> Option<Board> {
    Some(Board::boot(&image()?).expect("the firmware runs"))
}

/// A preset with a number of boids and of dimensions.
fn parameters(preset: &str, dimensions: u32, boids: u32) -> Parameters {
    let mut parameters = presets::find(preset).and_then(Preset::parameters).expect("built in");
    parameters.flock.dimensions = dimensions;
    parameters.set_boids(boids);
    parameters
}

/// The step and the hash that the console prints.
fn hash(board: &mut Board) -> String {
    board.ask_one("hash").expect("a hash")
}
