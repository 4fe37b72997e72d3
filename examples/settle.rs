//! # The flock of the first screen
//!
//! `cargo run --example settle` steps a flock of the default preset until it has settled, and packs it into
//! `presets/murmuration.settled`, in the format of `crates/window/src/settled.rs`.

use std::error::Error;
use std::path::Path;

use config::presets::PRESETS;
use engine::State;
use flight::settled::{FARTHEST, FASTEST, STEP};
use flock::Parameters;
use window::settled::BOIDS;

/// Number of packed boids.
const PACKED: usize = 8000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut parameters = PRESETS[0].parameters()?;
    parameters.set_boids(BOIDS);
    parameters.flock.seed = 2;
    let mut engine = cpu::open_as::<f32>(&parameters, &State::start(&parameters), None)?;
    engine.advance(STEP as u32)?;
    let state = engine.state()?;
    let falcon = state.predators.first().map(|falcon| (falcon.position, falcon.velocity));
    let boids = state.boids.iter().take(PACKED).map(|boid| (boid.position, boid.velocity));
    let records = falcon.into_iter().chain(boids).map(|one| packed(&parameters, one));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("presets").join("murmuration.settled");
    Ok(std::fs::write(file, records.collect::<Vec<_>>().concat())?)
}

fn packed(parameters: &Parameters, (position, velocity): ([f64; 3], [f64; 3])) -> [u8; 6] {
    let (min, max) = (parameters.world.min, parameters.world.max);
    let mut word = 0_u64;
    let mut push = |share: f64, bits: u32| {
        let most = f64::from((1_u32 << bits) - 1);
        word = word << bits | (0.5 * (share.clamp(-1.0, 1.0) + 1.0) * most).round() as u64;
    };
    // The lowest bits are pushed last.
    velocity.iter().rev().for_each(|speed| push(speed / FASTEST, 6));
    for k in (0..3).rev() {
        let (middle, half) = (0.5 * (min[k] + max[k]), 0.5 * (max[k] - min[k]));
        push((position[k] - middle) / (FARTHEST * half), 10);
    }
    let [bytes @ .., _, _] = word.to_le_bytes();
    bytes
}
