//! Integer engines have the same bits at every step.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use flock::{Fixed, Parameters};

use super::flocks::Model;
use super::{Brute, DIMENSIONS, Divergence, Mutation, Session, divergence, flocks};
use config::presets::PRESETS;
use engine::{Numeric, Result, State};
use files::Failure;

struct Size {
    boids: u32,
    /// True if the world is shrunk ([`flocks::crowd`]).
    crowded: bool,
}

const SIZES: [Size; 3] = [
    Size { boids: 1, crowded: false },
    Size { boids: 40, crowded: true },
    Size { boids: 200, crowded: false },
];

/// A flock and its expected hashes.
pub struct ExactFlock {
    pub name: String,
    pub parameters: Parameters,
    pub start: State,
    /// The hash of step k at index k, by brute force.
    pub hashes: Vec<u64>,
    /// True if the hashes are in the file of constants.
    pub kept: bool,
}

/// The flocks of a model in 2 or 3 dimensions, with their expected hashes for `steps` steps.
///
/// # Errors
/// When a custom term does not fit integers.
pub(super) fn flocks(model: &Model, dimensions: u32, steps: u32) -> Result<Vec<ExactFlock>> {
    let mut all = Vec::new();
    for Size { boids, crowded } in SIZES {
        let parameters = flocks::flock(model, dimensions, boids, crowded);
        let start = State::start(&parameters);
        let mut brute = Brute::<Fixed>::new(&parameters, &start, Mutation::none());
        let mut hashes = vec![brute.snapshot().hash(Numeric::Fixed, &parameters)];
        for _ in 0..steps {
            brute.run(1)?;
            hashes.push(brute.snapshot().hash(Numeric::Fixed, &parameters));
        }
        let suffix = if crowded { ", crowded" } else { "" };
        let name = format!("{} {dimensions}-D, {boids} boids{suffix}", model.name);
        all.push(ExactFlock { name, parameters, start, hashes, kept: model.kept });
    }
    Ok(all)
}

/// Compares an engine's hash of each step with that of the flock, for at most as many steps as the flock has, and with
/// the recorded constants.
///
/// # Errors
/// When the engine fails.
pub(super) fn check(session: &mut Session<'_>, flock: &ExactFlock, steps: u32) -> Result<Option<Divergence>> {
    let engine = session.load(&flock.parameters, &flock.start)?;
    let mut found = Vec::new();
    for (step, expected) in (0..=steps).zip(&flock.hashes) {
        if step > 0 {
            engine.advance(1)?;
        }
        let hash = engine.hash()?;
        if hash != *expected {
            let right = flocks::advance::<Fixed>(&flock.parameters, &flock.start, step)?;
            if let Some(number) = divergence::first(&engine.state()?, &right) {
                return Ok(Some(number));
            }
            let [here, there] = [hash, *expected].map(|hash| format!("{hash:016x}"));
            return Ok(Some(Divergence::new(step.into(), "hash", here, there)));
        }
        found.push(hash);
    }
    Ok(if flock.kept { check_constants(&flock.name, &found) } else { None })
}

/// The steps whose hashes are kept in the repository: two machines that pass have the same bits. `murmuration conform
/// --constants FILE.toml` writes the file, by the rule itself.
const STEPS: [usize; 4] = [1, 10, 100, 1000];

/// The hashes at [`STEPS`], by the name of the flock.
static RECORDED: LazyLock<Result<Hashes, toml::de::Error>> =
    LazyLock::new(|| toml::from_str(include_str!("constants.toml")));

type Hashes = BTreeMap<String, [String; STEPS.len()]>;

/// The text of the file.
///
/// # Errors
/// When the file of a preset is not valid, or does not fit integers.
pub fn constants() -> Result<String, Failure> {
    let mut text = String::from(
        "# Hashes of flocks in integers at steps 1, 10, 100 and 1000, by the rule itself (docs/conformance.md).\n\
         # Written by `murmuration conform --constants FILE.toml`.\n\n",
    );
    for preset in PRESETS {
        let model = Model::preset(preset)?;
        for dimensions in DIMENSIONS {
            for ExactFlock { name, hashes, .. } in flocks(&model, dimensions, STEPS[STEPS.len() - 1] as u32)?
            {
                let at = STEPS.map(|step| format!("\"{:016x}\"", hashes[step]));
                text += &format!("\"{name}\" = [{}]\n", at.join(", "));
            }
        }
    }
    Ok(text)
}

/// Compares the hashes of a flock, with step k at index k, with the recorded ones.
fn check_constants(name: &str, hashes: &[u64]) -> Option<Divergence> {
    let differs = |step: usize, found: String, expected: &str| {
        Some(Divergence::new(step as u64, "hash recorded in constants.toml", found, expected))
    };
    let kept = match &*RECORDED {
        Ok(all) => all.get(name),
        Err(why) => return differs(0, why.to_string(), "a file of hashes"),
    };
    let Some(kept) = kept else {
        return differs(0, format!("\"{name}\""), "a flock in the file");
    };
    for (step, kept) in STEPS.into_iter().zip(kept) {
        let found = format!("{:016x}", hashes.get(step)?);
        if found != *kept {
            return differs(step, found, kept);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flock_has_its_constants_and_a_wrong_hash_is_named() {
        for preset in PRESETS {
            let model = Model::preset(preset).expect("presets hold");
            for dimensions in [2, 3] {
                for flock in flocks(&model, dimensions, 10).expect("presets fit") {
                    assert_eq!(check_constants(&flock.name, &flock.hashes), None);
                    let mut wrong = flock.hashes;
                    wrong[10] ^= 1;
                    assert_eq!(check_constants(&flock.name, &wrong).map(|d| d.step), Some(10));
                }
            }
        }
        assert!(check_constants("unknown", &[0]).is_some());
    }
}
