//! The image that is flashed, on an emulated board: bits, console, cores, screen and serial line.
//!
//! `cargo xtask firmware` builds the image. Where it is missing the tests print a note, or fail under `cargo xtask test`.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

mod bits;
mod console;
mod cores;
#[path = "../support/hashes.rs"]
mod hashes;
#[path = "../support/image.rs"]
mod image;
#[path = "../support/random_terms.rs"]
mod random_terms;
#[path = "../support/scope.rs"]
mod scope;
mod screen;
mod terms;

use board::Board;
use config::presets::{self, Preset};
use flock::Parameters;

use image::image;

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
