//! Tier B: one step from the same state, against the rule in f64.

use std::sync::OnceLock;

use flock::parameters::Edges;
use flock::{Boid, Fixed, Parameters};

use super::bounds::compare::Limits;
use super::bounds::{Bounds, Promise};
use super::divergence::{Divergence, differs, quantities};
use super::errors::{Errors, deviation};
use super::subject::{Running, Subject};
use super::{decisions, flocks, sensitivity, states};
use crate::config::ConfigError;
use crate::engine::EngineError;
use crate::presets::Preset;
use crate::state::{Numeric, State};

/// In integers no number of a boid may be off by more than this share of the largest step, its decisions being equal.
pub const FIXED_BOUND: f64 = 1e-3;

/// A flock whose next step is judged.
#[derive(Debug)]
pub struct StepCase {
    pub name: String,
    /// Not as flocks fly.
    pub hostile: bool,
    floats: Prepared,
    doubles: Prepared,
    integers: Prepared,
}

/// A state in one number type, and the step after it in f64.
#[derive(Debug)]
struct Prepared {
    parameters: Parameters,
    state: State,
    next: State,
    /// The boids that decide otherwise in this number type than in f64.
    flipped: Vec<bool>,
    cpu: OnceLock<Bounds>,
    gpu: OnceLock<Bounds>,
    sensitivity: OnceLock<Vec<f64>>,
}

/// What came of one step.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    pub errors: Errors,
    /// What does not conform.
    pub divergence: Option<Divergence>,
}

/// The cases of a preset in so many dimensions.
///
/// # Errors
/// When the preset's file does not hold.
pub fn cases(preset: &Preset, dimensions: u32) -> Result<Vec<StepCase>, ConfigError> {
    let parameters = flocks::preset(preset, dimensions, states::BOIDS, true)?;
    let natural = states::natural(&parameters);
    let hostile =
        natural.last().map(|(_, settled)| states::hostile(&parameters, settled)).unwrap_or_default();
    let case = |hostile: bool, (what, state): (&str, State)| {
        let name = format!("{} {dimensions}-D, {} boids, {what}", preset.name, states::BOIDS);
        StepCase {
            name,
            hostile,
            floats: Prepared::new(&flocks::quantised(&parameters), &state, Numeric::F32),
            doubles: Prepared::new(&parameters, &state, Numeric::F64),
            integers: Prepared::new(&parameters, &state, Numeric::Fixed),
        }
    };
    let natural = natural.into_iter().map(|one| case(false, one));
    let natural: Vec<StepCase> = natural.collect();
    Ok(natural.into_iter().chain(hostile.into_iter().map(|one| case(true, one))).collect())
}

impl Prepared {
    fn new(parameters: &Parameters, state: &State, numeric: Numeric) -> Self {
        let state = flocks::representable(parameters, state, numeric);
        let next = flocks::advance::<f64>(parameters, &state, 1);
        let exact = decisions::of_flock::<f64>(parameters, &state);
        let rough = match numeric {
            Numeric::F32 => decisions::of_flock::<f32>(parameters, &state),
            Numeric::F64 => exact.clone(),
            Numeric::Fixed => decisions::of_flock::<Fixed>(parameters, &state),
        };
        let flipped = exact.iter().zip(&rough).map(|(exact, rough)| exact != rough).collect();
        Prepared {
            parameters: *parameters,
            state,
            next,
            flipped,
            cpu: OnceLock::new(),
            gpu: OnceLock::new(),
            sensitivity: OnceLock::new(),
        }
    }

    fn bounds(&self, promise: Promise) -> &Bounds {
        let kept = if promise == Promise::Wgsl32 { &self.gpu } else { &self.cpu };
        kept.get_or_init(|| Bounds::new(promise, &self.parameters, &self.state))
    }

    /// How far each boid's step moves, as a share of the largest, when a last digit of the state does.
    fn sensitivity(&self) -> &[f64] {
        self.sensitivity.get_or_init(|| sensitivity::of_flock(&self.parameters, &self.state, &self.next))
    }
}

/// Steps a case once and judges it.
///
/// # Errors
/// When the engine fails.
pub fn judge(subject: &Subject, running: &mut Running<'_>, case: &StepCase) -> Result<Judged, EngineError> {
    let ready = match subject.numeric {
        Numeric::F32 => &case.floats,
        Numeric::F64 => &case.doubles,
        Numeric::Fixed => &case.integers,
    };
    let engine = running.take(&ready.parameters, &ready.state)?;
    engine.advance(1)?;
    let found = engine.state()?;
    if found.step != ready.next.step || found.boids.len() != ready.next.boids.len() {
        let quantity = "step and number of boids".to_owned();
        let [a, b] = [&found, &ready.next].map(|state| format!("{}, {}", state.step, state.boids.len()));
        let divergence = Divergence { step: ready.next.step, boid: None, quantity, found: a, expected: b };
        return Ok(Judged { divergence: Some(divergence), ..Judged::default() });
    }
    Ok(match subject.numeric {
        Numeric::Fixed => integers(ready, &found, case.hostile),
        Numeric::F32 | Numeric::F64 => floats(subject, ready, &found, case.hostile),
    })
}

/// Every number within the bound derived for it.
fn floats(subject: &Subject, ready: &Prepared, found: &State, hostile: bool) -> Judged {
    let verdict = ready.bounds(subject.promise).compare(found);
    let limits = if hostile { Limits::HOSTILE } else { Limits::DRAWN };
    let divergence = verdict.refusal(limits).map(|why| match verdict.outside {
        Some(id) => worst_number(ready, found, id),
        None => {
            let expected = "within the limits of docs/conformance.md".to_owned();
            let quantity = "boids that can be judged".to_owned();
            Divergence { step: found.step, boid: None, quantity, found: why, expected }
        }
    });
    let mut apart = ready.flipped.clone();
    verdict.turned.iter().for_each(|id| apart[*id] = true);
    let mut errors = Errors { flipped: apart.iter().filter(|apart| **apart).count(), ..Errors::default() };
    errors.unjudged = verdict.undecided.len();
    verdict.undecided.iter().for_each(|id| apart[*id] = true);
    errors.add(&ready.parameters, subject.numeric, pairs(ready, found, &apart));
    Judged { errors, divergence }
}

/// Every number within [`FIXED_BOUND`]; in a hostile state further by twice what the state's own last
/// digit was seen to move it: a few draws do not find the furthest.
fn integers(ready: &Prepared, found: &State, hostile: bool) -> Judged {
    let mut apart = ready.flipped.clone();
    let mut errors = Errors { flipped: apart.iter().filter(|apart| **apart).count(), ..Errors::default() };
    let mut divergence = None;
    for (id, (a, b)) in found.boids.iter().zip(&ready.next.boids).enumerate() {
        let share = deviation(&ready.parameters, a, b);
        if apart[id] || share <= FIXED_BOUND {
            continue;
        }
        if hostile && share <= FIXED_BOUND + 2.0 * ready.sensitivity()[id] {
            apart[id] = true;
            errors.unjudged += 1;
        } else if divergence.is_none() {
            divergence = Some(worst_number(ready, found, id));
        }
    }
    errors.add(&ready.parameters, Numeric::Fixed, pairs(ready, found, &apart));
    Judged { errors, divergence }
}

type Pair<'a> = (&'a Boid<f64>, &'a Boid<f64>);

fn pairs<'a>(ready: &'a Prepared, found: &'a State, apart: &'a [bool]) -> impl Iterator<Item = Pair<'a>> {
    let both = found.boids.iter().zip(&ready.next.boids).zip(apart);
    both.filter(|(_, apart)| !**apart).map(|(pair, _)| pair)
}

/// The number of a boid that is furthest off.
fn worst_number(ready: &Prepared, found: &State, id: usize) -> Divergence {
    let (a, b) = (quantities(&found.boids[id]), quantities(&ready.next.boids[id]));
    let world = &ready.parameters.world;
    let off = |k: usize| {
        let off = (a[k].1 - b[k].1).abs();
        let size = if k < 3 { world.max[k] - world.min[k] } else { f64::INFINITY };
        let off = if world.edges == Edges::Wrap { off.min((size - off).abs()) } else { off };
        if off.is_finite() { off } else { f64::INFINITY }
    };
    let worst = (0..a.len()).fold(0, |worst, k| if off(k) > off(worst) { k } else { worst });
    differs(found.step, id, a[worst], b[worst])
}
