//! # A user-defined flock or a flight in an image
//!
//! `cargo run --example firmware_script -- FIRMWARE FLOCK SCRIPT` writes the console lines that set up a flock on a
//! board with this firmware. FLOCK is a file of parameters, with formulas or without, the name of a preset, limited to
//! 500 boids, or a flight, whose changes follow by their steps. `cargo xtask firmware FLOCK` builds an image that
//! executes the lines after a reset.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use board::{Board, Image, Machine, Recorded, Rp2040Engine};
use config::presets::{self, Preset};
use engine::{Numeric, State};
use flight::Flight;
use flock::Parameters;

/// The most boids of a preset.
const MOST: u32 = 500;
/// Space for lines in an image, in bytes: the flash without the firmware.
const SPACE: usize = 1_800_000;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [firmware, flock, script] = &words[..] else {
        eprintln!("error: which? for instance target/firmware/cornell-125.uf2 vortex vortex.txt");
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
    let board = Board::boot(&Image::read(firmware)?)?.recorded();
    let script = if flock.ends_with(flight::ENDING) {
        let flight = flight::load(Path::new(flock))?;
        fly(board, &flight).map_err(|why| format!("{flock}: {why}"))?
    } else {
        let parameters = match presets::find(flock) {
            Ok(preset) => fitting(preset)?,
            Err(_) => config::load(Path::new(flock))?.parameters,
        };
        Rp2040Engine::on(board, &parameters, &State::start(&parameters))?.board.machine.script()
    };
    if script.len() > SPACE {
        let why =
            format!("{flock}: takes {} kB; an image has room for {} kB", script.len() / 1000, SPACE / 1000);
        return Err(why.into());
    }
    Ok(std::fs::write(file, script)?)
}

/// Flies a flight on the emulated board, compares its hashes and returns its lines.
fn fly(board: Board<Recorded<Machine>>, flight: &Flight) -> Result<String, Box<dyn Error>> {
    let mut engine = Rp2040Engine::on(board, &flight.start.parameters, &flight.start.state()?)?;
    let mut flight = flight.clone();
    if flight.start.numeric != Numeric::Fixed {
        eprintln!(
            "note: recorded in {}; a board flies it in integers, with other bits",
            flight.start.numeric.name()
        );
        flight.hashes.clear();
    }
    let comparison = flight.repeat(&mut engine, flight.end, || false)?;
    if let Some(divergence) = comparison.divergence {
        return Err(divergence.to_string().into());
    }
    eprintln!(
        "{} steps, {} hashes equal on the emulated board",
        flight.end - flight.start.step(),
        comparison.equal
    );
    Ok(engine.board.machine.script())
}

/// A preset with at most 500 boids, which fit a board whatever the rule.
fn fitting(preset: &Preset) -> Result<Parameters, Box<dyn Error>> {
    let mut parameters = preset.parameters()?;
    if parameters.flock.boids > MOST {
        parameters.set_boids(MOST);
    }
    Ok(parameters)
}
