//! The very image that is flashed, on an emulated board: its bits, its cores, its console and its screen.
//!
//! `cargo xtask firmware` builds it. Where it is missing the tests say so aloud, and fail where everything is required,
//! as `cargo xtask test` does.

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
/// When it is required and not there.
fn image() -> Option<Image> {
    match Image::find() {
        Ok(image) => Some(image),
        Err(error) => {
            missing(&format!("{error}: `cargo xtask firmware` builds the firmware"));
            None
        }
    }
}

/// Says that something is not tested.
///
/// # Panics
/// When everything is required.
fn missing(what: &str) {
    let required = std::env::var("MURMURATION_TEST_ADAPTERS").is_ok_and(|value| value == "required");
    assert!(!required, "{what}");
    // Past the test harness, which would keep it from being seen.
    std::io::stderr().write_all(format!("NOT TESTED: {what}\n").as_bytes()).unwrap_or_default();
}

/// A board that runs it.
fn board() -> Option<Board> {
    Some(Board::boot(&image()?).expect("the firmware runs"))
}

/// A preset with so many boids in so many dimensions.
fn parameters(preset: &str, dimensions: u32, boids: u32) -> Parameters {
    let mut parameters = presets::find(preset).and_then(Preset::parameters).expect("built in");
    parameters.flock.dimensions = dimensions;
    parameters.set_boids(boids);
    parameters
}

/// The hash that the console gives, and the step before it.
fn hash(board: &mut Board) -> String {
    board.ask_one("hash").expect("a hash")
}
