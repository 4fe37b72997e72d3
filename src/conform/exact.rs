//! Tier A: engines in integers hold the same bits at every step.

use flock::{Fixed, Parameters};

use super::brute::Slip;
use super::constants;
use super::divergence::{self, Divergence};
use super::flocks;
use super::subject::{Running, Subject};
use crate::config::ConfigError;
use crate::engine::EngineError;
use crate::presets::Preset;
use crate::state::{Numeric, State};

/// Boids, and whether the world is shrunk until they have neighbours.
const SIZES: [(u32, bool); 3] = [(1, false), (40, true), (200, false)];

/// A flock, and what it must be at every step.
#[derive(Debug)]
pub struct ExactFlock {
    pub name: String,
    pub parameters: Parameters,
    pub start: State,
    /// The fingerprint at step k at index k, by the rule itself.
    pub hashes: Vec<u64>,
}

/// The flocks of a preset in so many dimensions, with what they must be for so many steps.
///
/// # Errors
/// When the preset's file does not hold.
pub fn flocks(preset: &Preset, dimensions: u32, steps: u32) -> Result<Vec<ExactFlock>, ConfigError> {
    let flock = |(boids, crowded)| {
        let parameters = flocks::preset(preset, dimensions, boids, crowded)?;
        let start = State::start(&parameters);
        let hashes = by_the_rule(&parameters, &start, steps);
        let crowd = if crowded { ", crowded" } else { "" };
        let name = format!("{} {dimensions}-D, {boids} boids{crowd}", preset.name);
        Ok(ExactFlock { name, parameters, start, hashes })
    };
    SIZES.into_iter().map(flock).collect()
}

fn by_the_rule(parameters: &Parameters, start: &State, steps: u32) -> Vec<u64> {
    let rule = Subject::slipping::<Fixed>(Numeric::Fixed, Slip::none());
    let mut running = rule.run();
    let hashes = hashes(&mut running, parameters, start, steps, |_| true);
    // Brute force never fails.
    hashes.unwrap_or_default()
}

/// The fingerprint at each step, as long as `go_on` says so.
fn hashes(
    running: &mut Running<'_>,
    parameters: &Parameters,
    start: &State,
    steps: u32,
    mut go_on: impl FnMut(u64) -> bool,
) -> Result<Vec<u64>, EngineError> {
    let engine = running.take(parameters, start)?;
    let mut hashes = Vec::with_capacity(steps as usize + 1);
    loop {
        let hash = engine.hash(parameters)?;
        hashes.push(hash);
        if !go_on(hash) || hashes.len() > steps as usize {
            return Ok(hashes);
        }
        engine.advance(1)?;
    }
}

/// Holds an engine to a flock: the fingerprint at each of so many steps, at most as many as the flock has, and the constants that are kept.
///
/// # Errors
/// When the engine fails.
pub fn hold(
    running: &mut Running<'_>,
    flock: &ExactFlock,
    steps: u32,
) -> Result<Option<Divergence>, EngineError> {
    let mut differs = false;
    let mut expected = flock.hashes.iter();
    let seen = hashes(running, &flock.parameters, &flock.start, steps, |hash| {
        differs = expected.next() != Some(&hash);
        !differs
    })?;
    if !differs {
        return Ok(constants::hold(&flock.name, &seen));
    }
    let state = running.state()?;
    Ok(Some(name_it(flock, &state, &seen)))
}

/// What differs first in a state that is not what it must be.
fn name_it(flock: &ExactFlock, state: &State, seen: &[u64]) -> Divergence {
    let step = seen.len() - 1;
    let right = flocks::advance::<Fixed>(&flock.parameters, &flock.start, step as u32);
    let hash = |hashes: &[u64]| hashes.get(step).map(|hash| format!("{hash:016x}")).unwrap_or_default();
    divergence::first(state, &right).unwrap_or_else(|| Divergence {
        step: step as u64,
        boid: None,
        quantity: "hash".to_owned(),
        found: hash(seen),
        expected: hash(&flock.hashes),
    })
}
