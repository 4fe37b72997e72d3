//! Integer engines have the same bits at every step.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use config::presets::PRESETS;
use engine::{EngineError, Numeric, Result, State};
use files::Failure;
use flock::{Fixed, Parameters};
use serde::Serialize;

use super::flocks::{self, Model};
use super::{Brute, DIMENSIONS, Mutation, Session};

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
    /// Steps in their order, and the hash after each.
    pub hashes: Vec<(u32, u64)>,
    /// True if the hashes are in the file of constants.
    pub kept: bool,
}

/// The flocks of a model in 2 or 3 dimensions, with the hashes of each of `steps` steps by brute force.
///
/// # Errors
/// When a custom term does not fit integers.
pub(super) fn flocks(model: &Model, dimensions: u32, steps: u32) -> Result<Vec<ExactFlock>> {
    let mut all = starts(model, dimensions);
    for flock in &mut all {
        let parameters = &flock.parameters;
        let mut brute = Brute::<Fixed>::new(parameters, &flock.start, Mutation::none());
        flock.hashes.push((0, brute.snapshot().hash(Numeric::Fixed, parameters)));
        for step in 1..=steps {
            brute.run(1)?;
            flock.hashes.push((step, brute.snapshot().hash(Numeric::Fixed, parameters)));
        }
    }
    Ok(all)
}

/// The flocks of a preset in 2 or 3 dimensions, with their recorded hashes, which take no time to compute.
///
/// # Errors
/// When its hashes are not recorded.
pub(super) fn recorded(model: &Model, dimensions: u32) -> Result<Vec<ExactFlock>> {
    let mut all = starts(model, dimensions);
    for flock in &mut all {
        flock.hashes = constants_of(&flock.name).map_err(|why| EngineError::Refused(why.to_string()))?;
        flock.kept = false;
    }
    Ok(all)
}

/// The flocks of a model before their first step, without hashes.
fn starts(model: &Model, dimensions: u32) -> Vec<ExactFlock> {
    let mut all = Vec::new();
    for Size { boids, crowded } in SIZES {
        let parameters = flocks::flock(model, dimensions, boids, crowded);
        let start = State::start(&parameters);
        let suffix = if crowded { ", crowded" } else { "" };
        let name = format!("{} {dimensions}-D, {boids} boids{suffix}", model.name);
        all.push(ExactFlock { name, parameters, start, hashes: Vec::new(), kept: model.kept });
    }
    all
}

/// Compares an engine's hashes with those of the flock, for at most `steps` steps, and with the recorded constants.
///
/// # Errors
/// When the engine fails.
pub(super) fn check(session: &mut Session<'_>, flock: &ExactFlock, steps: u32) -> Result<Option<Divergence>> {
    let engine = session.load(&flock.parameters, &flock.start)?;
    let mut found = Vec::new();
    let mut here = 0;
    for &(step, expected) in flock.hashes.iter().take_while(|(step, _)| *step <= steps) {
        engine.advance(step - here)?;
        here = step;
        let hash = engine.hash()?;
        if hash != expected {
            let right = flocks::advance::<Fixed>(&flock.parameters, &flock.start, step)?;
            if let Some(number) = first(&engine.state()?, &right) {
                return Ok(Some(number));
            }
            return Ok(Some(Divergence::of_hash(step, "hash", hash, expected)));
        }
        found.push((step, hash));
    }
    Ok(if flock.kept { check_constants(&flock.name, &found) } else { None })
}

/// The steps whose hashes are kept in the repository: two machines that pass have the same bits. `murmuration conform
/// --constants FILE.toml` writes the file, by the rule itself.
const STEPS: [u32; 4] = [1, 10, 100, 1000];

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
            for ExactFlock { name, hashes, .. } in flocks(&model, dimensions, STEPS[STEPS.len() - 1])? {
                // The first one is that of step 0.
                let at = STEPS.map(|step| format!("\"{:016x}\"", hashes[step as usize].1));
                text += &format!("\"{name}\" = [{}]\n", at.join(", "));
            }
        }
    }
    Ok(text)
}

/// The recorded steps and hashes of a flock, or what is wrong with the file.
fn constants_of(name: &str) -> Result<Vec<(u32, u64)>, Divergence> {
    let wrong = |found: String, expected: &str| Divergence::new(0, "constants.toml", found, expected);
    let all = RECORDED.as_ref().map_err(|why| wrong(why.to_string(), "a file of hashes"))?;
    let texts = all.get(name).ok_or_else(|| wrong(format!("no \"{name}\""), "a flock in the file"))?;
    let mut hashes = Vec::new();
    for (step, text) in STEPS.into_iter().zip(texts) {
        let hash = u64::from_str_radix(text, 16).map_err(|_| wrong(text.clone(), "16 hexadecimal digits"))?;
        hashes.push((step, hash));
    }
    Ok(hashes)
}

/// Compares steps and hashes of a flock with the recorded ones.
fn check_constants(name: &str, hashes: &[(u32, u64)]) -> Option<Divergence> {
    let recorded = match constants_of(name) {
        Ok(recorded) => recorded,
        Err(why) => return Some(why),
    };
    for (step, hash) in hashes {
        let expected = recorded.iter().find(|(at, _)| at == step);
        if let Some((_, expected)) = expected.filter(|(_, expected)| expected != hash) {
            return Some(Divergence::of_hash(*step, "hash recorded in constants.toml", *hash, *expected));
        }
    }
    None
}

/// A number that differs from the expected one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Divergence {
    /// The step after which it was found.
    pub step: u64,
    /// The id of the boid, if the number belongs to one.
    pub boid: Option<usize>,
    pub quantity: String,
    pub found: String,
    pub expected: String,
}

impl Divergence {
    /// The divergence of a number of the flock.
    pub fn new(step: u64, quantity: &str, found: impl ToString, expected: impl ToString) -> Self {
        let (quantity, found, expected) = (quantity.to_owned(), found.to_string(), expected.to_string());
        Divergence { step, boid: None, quantity, found, expected }
    }

    /// A divergence in the hash of the flock.
    pub fn of_hash(step: u32, quantity: &str, found: u64, expected: u64) -> Self {
        Divergence::new(step.into(), quantity, format!("{found:016x}"), format!("{expected:016x}"))
    }

    /// A divergence in one number of a boid.
    pub fn of_boid(step: u64, id: usize, found: (&str, f64), expected: (&str, f64)) -> Self {
        Divergence { boid: Some(id), ..Divergence::new(step, found.0, found.1, expected.1) }
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}, ", self.step)?;
        if let Some(boid) = self.boid {
            write!(f, "boid {boid}, ")?;
        }
        write!(f, "{}: {} instead of {}", self.quantity, self.found, self.expected)
    }
}

/// The numbers of a boid by name.
pub fn quantities(boid: &flock::Boid<f64>) -> [(&'static str, f64); 9] {
    let ([x, y, z], [u, v, w]) = (boid.position, boid.velocity);
    [
        ("position x", x),
        ("position y", y),
        ("position z", z),
        ("velocity x", u),
        ("velocity y", v),
        ("velocity z", w),
        ("bias", boid.bias),
        ("group", f64::from(boid.group)),
        ("rest", f64::from(boid.rest)),
    ]
}

/// The first boid and number of which two states have different bits.
fn first(found: &State, expected: &State) -> Option<Divergence> {
    if found.boids.len() != expected.boids.len() {
        let [a, b] = [found, expected].map(|state| state.boids.len());
        return Some(Divergence::new(found.step, "number of boids", a, b));
    }
    let step = found.step;
    let mut pairs = found.boids.iter().zip(&expected.boids).enumerate();
    pairs.find_map(|(id, (found, expected))| {
        let mut both = quantities(found).into_iter().zip(quantities(expected));
        let (a, b) = both.find(|(a, b)| a.1.to_bits() != b.1.to_bits())?;
        Some(Divergence::of_boid(step, id, a, b))
    })
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
                    wrong[10].1 ^= 1;
                    assert_eq!(check_constants(&flock.name, &wrong).map(|d| d.step), Some(10));
                }
            }
        }
        assert!(check_constants("unknown", &[(0, 0)]).is_some());
    }
}
