//! # A user-defined flock in an image
//!
//! `cargo run --example firmware_script -- FIRMWARE FLOCK SCRIPT` writes the console lines that set up a flock on a
//! board with this firmware. FLOCK is a file of parameters, with formulas or without, or the name of a preset, limited
//! to 500 boids. `cargo xtask firmware FLOCK` builds an image that executes the lines after a reset.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use board::{Image, script};
use config::presets::{self, Preset};
use flock::Parameters;

/// The most boids of a preset.
const MOST: u32 = 500;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [firmware, flock, script] = &words[..] else {
        eprintln!("error: which? for instance target/firmware/cornell-125.elf vortex vortex.txt");
        return ExitCode::from(2);
    };
    match write(Path::new(firmware), flock, Path::new(script)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(firmware: &Path, flock: &str, file: &Path) -> Result<(), Box<dyn Error>> {
    let image = Image::read(firmware)?;
    let parameters = match presets::find(flock) {
        Ok(preset) => fitting(preset)?,
        Err(_) => config::load(Path::new(flock))?.parameters,
    };
    Ok(std::fs::write(file, script(&image, &parameters)?.join("\n"))?)
}

/// A preset with at most 500 boids, which fit a board whatever the rule.
fn fitting(preset: &Preset) -> Result<Parameters, Box<dyn Error>> {
    let mut parameters = preset.parameters()?;
    if parameters.flock.boids > MOST {
        parameters.set_boids(MOST);
    }
    Ok(parameters)
}
