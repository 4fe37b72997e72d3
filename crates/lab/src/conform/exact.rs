//! Integer engines have the same bits at every step.

use flock::{Fixed, Parameters};

use super::brute::Mutation;
use super::constants;
use super::divergence::{self, Divergence};
use super::flocks;
use super::subject::{Session, Subject};
use config::ConfigError;
use config::presets::Preset;
use cpu::engine::EngineError;
use cpu::state::{Numeric, State};

/// Numbers of boids, and whether the world is shrunk ([`flocks::crowd`]).
const SIZES: [(u32, bool); 3] = [(1, false), (40, true), (200, false)];

/// A flock and its expected hashes.
#[derive(Debug)]
pub struct ExactFlock {
    pub name: String,
    pub parameters: Parameters,
    pub start: State,
    /// The hash of step k at index k, by brute force.
    pub hashes: Vec<u64>,
}

/// The flocks of a preset in 2 or 3 dimensions, with their expected hashes for `steps` steps.
///
/// # Errors
/// When the preset's file is not valid.
pub fn flocks(preset: &Preset, dimensions: u32, steps: u32) -> Result<Vec<ExactFlock>, ConfigError> {
    let flock = |(boids, crowded)| {
        let parameters = flocks::preset(preset, dimensions, boids, crowded)?;
        let start = State::start(&parameters);
        let hashes = by_brute_force(&parameters, &start, steps);
        let suffix = if crowded { ", crowded" } else { "" };
        let name = format!("{} {dimensions}-D, {boids} boids{suffix}", preset.name);
        Ok(ExactFlock { name, parameters, start, hashes })
    };
    SIZES.into_iter().map(flock).collect()
}

fn by_brute_force(parameters: &Parameters, start: &State, steps: u32) -> Vec<u64> {
    let brute = Subject::mutated::<Fixed>(Numeric::Fixed, Mutation::none());
    let hashes = hashes(&mut brute.session(), parameters, start, steps, |_| true);
    // Brute force never fails.
    hashes.unwrap_or_default()
}

/// The hash at each step, while `proceed` returns true.
fn hashes(
    session: &mut Session<'_>,
    parameters: &Parameters,
    start: &State,
    steps: u32,
    mut proceed: impl FnMut(u64) -> bool,
) -> Result<Vec<u64>, EngineError> {
    let engine = session.load(parameters, start)?;
    let mut hashes = Vec::with_capacity(steps as usize + 1);
    loop {
        let hash = engine.hash(parameters)?;
        hashes.push(hash);
        if !proceed(hash) || hashes.len() > steps as usize {
            return Ok(hashes);
        }
        engine.advance(1)?;
    }
}

/// Compares an engine's hash of each step with that of the flock, for at most as many steps as the flock has, and with
/// the constants that are kept.
///
/// # Errors
/// When the engine fails.
pub fn check(
    session: &mut Session<'_>,
    flock: &ExactFlock,
    steps: u32,
) -> Result<Option<Divergence>, EngineError> {
    let mut differs = false;
    let mut expected = flock.hashes.iter();
    let found = hashes(session, &flock.parameters, &flock.start, steps, |hash| {
        differs = expected.next() != Some(&hash);
        !differs
    })?;
    if !differs {
        return Ok(constants::check(&flock.name, &found));
    }
    let state = session.state()?;
    Ok(Some(first_difference(flock, &state, &found)))
}

/// The first number that differs in a state whose hash is wrong.
fn first_difference(flock: &ExactFlock, state: &State, found: &[u64]) -> Divergence {
    let step = found.len() - 1;
    let expected = flocks::advance::<Fixed>(&flock.parameters, &flock.start, step as u32);
    let hash = |hashes: &[u64]| hashes.get(step).map(|hash| format!("{hash:016x}")).unwrap_or_default();
    divergence::first(state, &expected).unwrap_or_else(|| Divergence {
        step: step as u64,
        boid: None,
        quantity: "hash".to_owned(),
        found: hash(found),
        expected: hash(&flock.hashes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::presets::PRESETS;

    #[test]
    fn every_flock_has_its_constants_and_a_wrong_hash_is_named() {
        for preset in PRESETS {
            for dimensions in [2, 3] {
                for flock in flocks(preset, dimensions, 10).expect("presets hold") {
                    assert_eq!(constants::check(&flock.name, &flock.hashes), None);
                    let mut wrong = flock.hashes;
                    wrong[10] ^= 1;
                    assert_eq!(constants::check(&flock.name, &wrong).map(|d| d.step), Some(10));
                }
            }
        }
        assert!(constants::check("unknown", &[0]).is_some());
    }
}
