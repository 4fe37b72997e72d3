//! Packs a settled flock of the default preset, on which the first screen opens: `src/view/settled.rs` reads it.

use std::path::Path;

use crate::error::{Error, Result, at};
use crate::shell;

/// The flock, and how long it flies.
const FLIGHT: &str =
    "run --quiet --yes --engine cpu --preset murmuration --boids 60000 --seed 2 --steps 2800 --out";
/// Half the world of that flock: 60,000 at the density of the preset's 100,000.
const HALF: [f64; 3] = [172.060_263_7, 172.060_263_7, 67.474_613_2];
/// Boids that are kept.
const KEPT: usize = 8000;
/// What the greatest numbers stand for: a position in halves of the world, a velocity in units of length per time.
const FARTHEST: f64 = 1.5;
const FASTEST: f64 = 0.9;

/// Flies the flock, and writes the file.
pub fn settle() -> Result {
    let state = shell::target().join("settled.csv");
    let program = ["run", "--quiet", "--package", "murmuration-boids", "--"];
    shell::run(shell::cargo(&program).args(FLIGHT.split_whitespace()).arg(&state))?;
    // The falcon first.
    let mut records = records(&state.with_extension("predators.csv"), 1)?;
    records.extend(self::records(&state, KEPT)?);
    let file = shell::root().join("presets").join("murmuration.settled");
    std::fs::write(&file, records.concat()).map_err(at(&file))
}

/// The first rows of a file, packed.
fn records(file: &Path, most: usize) -> Result<Vec<[u8; 6]>> {
    let text = std::fs::read_to_string(file).map_err(at(file))?;
    let mut lines = text.lines();
    let first = lines.next().and_then(|header| header.split(',').position(|name| name == "x"));
    let row = |line: &str| {
        let numbers = line.split(',').skip(first?).take(6).map(str::parse::<f64>);
        numbers.collect::<std::result::Result<Vec<_>, _>>().ok().filter(|row| row.len() == 6)
    };
    let broken = || Error::Failed(format!("{}: no state", file.display()));
    lines.take(most).map(|line| row(line).map(|row| packed(&row)).ok_or_else(broken)).collect()
}

/// Ten bits for each coordinate, then six for each of the velocity's, the lowest first.
fn packed(row: &[f64]) -> [u8; 6] {
    let mut word = 0_u64;
    for (k, number) in row.iter().enumerate().rev() {
        let (share, bits) = if k < 3 { (number / (FARTHEST * HALF[k]), 10) } else { (number / FASTEST, 6) };
        let most = f64::from((1_u32 << bits) - 1);
        word = word << bits | (0.5 * (share.clamp(-1.0, 1.0) + 1.0) * most).round() as u64;
    }
    let [bytes @ .., _, _] = word.to_le_bytes();
    bytes
}
