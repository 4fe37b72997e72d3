//! One step from the same state, compared with the rule in f64.

use std::sync::OnceLock;

use flock::formula::Table;
use flock::{Boid, Fixed, Parameters};

use super::bounds::arithmetic::Ieee64;
use super::bounds::integers as words;
use super::bounds::reference::Reference;
use super::bounds::{Bounds, Guarantee, bounds};
use super::flocks::Model;
use super::{Divergence, Errors, Session, Subject, decisions, deviation, errors, flocks, quantities};
use engine::{Numeric, Result, State};

/// Largest allowed error of integers, as a share of the largest step, for boids with equal decisions.
pub const FIXED_BOUND: f64 = 1e-3;

/// The widest bound of user-defined terms, as a share of the largest step: with a wider one a boid is not judged, as it
/// would agree with almost anything.
const WIDEST: f64 = 1e-2;

/// Maximum fraction of boids in a natural state whose user-defined terms have no bound in integers.
const MAX_UNJUDGED: f64 = 0.02;

/// A state whose next step is compared.
pub struct StepCase {
    pub name: String,
    /// True if the state is contrived, not one that a flock reaches by itself.
    pub hostile: bool,
    /// For each number type, or why it refuses the flock.
    prepared: [Result<Prepared>; Numeric::ALL.len()],
}

/// A state in one number type, and the step after it in f64.
struct Prepared {
    parameters: Parameters,
    state: State,
    next: State,
    /// Per boid: true if its decisions in this number type differ from those in f64.
    flipped: Vec<bool>,
    /// Bounds for the arithmetic of the CPU, and for that of a GPU.
    bounds: [OnceLock<Result<Bounds>>; 2],
    /// Only in integers with user-defined terms.
    own: OnceLock<Result<Own>>,
    sensitivity: OnceLock<Result<Vec<f64>>>,
}

/// The errors of user-defined terms in integers.
struct Own {
    /// Error and bound of each boid's request by these terms.
    requested: Vec<[f64; 2]>,
    step: Reference<Ieee64>,
}

/// The reason why the error of a boid in integers may exceed [`FIXED_BOUND`].
enum Explained {
    /// The errors of its terms allow it.
    Bound,
    /// The errors can change a comparison, and then they allow it.
    Decision,
    /// The errors have no bound, or one beyond [`WIDEST`].
    Unbounded,
}

impl Own {
    /// The reason why the errors of the terms, with [`FIXED_BOUND`] for the rest of the rule, allow the boid `found`.
    fn explains(&self, parameters: &Parameters, id: usize, found: &Boid<f64>) -> Option<Explained> {
        let expected = &self.step.boids[id];
        let rest = FIXED_BOUND * parameters.motion.max_speed;
        let lengths = [rest * parameters.motion.time_step.abs(), rest];
        let (mut unbounded, mut fits) = (!expected.complete, Vec::new());
        for outcome in &expected.outcomes {
            let [position, velocity] = errors::differences(parameters, found, &outcome.convert());
            let pairs = [(position, outcome.position, lengths[0]), (velocity, outcome.velocity, lengths[1])];
            let mut numbers =
                pairs.iter().flat_map(|(off, of, rest)| off.iter().zip(of).map(move |p| (p, rest)));
            unbounded |= numbers.clone().any(|((_, of), rest)| of.error > WIDEST / FIXED_BOUND * rest);
            let same = (found.group, found.rest) == (outcome.group, outcome.rest);
            fits.push(same && numbers.all(|((off, of), rest)| *off <= of.error + rest));
        }
        match fits.iter().position(|fits| *fits) {
            _ if unbounded => Some(Explained::Unbounded),
            Some(0) => Some(Explained::Bound),
            Some(_) => Some(Explained::Decision),
            None => None,
        }
    }
}

/// The cases of a model in 2 or 3 dimensions.
///
/// # Errors
/// When a custom term does not fit f64.
pub fn cases(model: &Model, dimensions: u32) -> Result<Vec<StepCase>> {
    let parameters = flocks::flock(model, dimensions, flocks::BOIDS, true);
    let start = State::start(&parameters);
    let settled = flocks::advance::<f64>(&parameters, &start, flocks::SETTLED)?;
    let hostile = flocks::hostile(&parameters, &settled);
    let case = |(hostile, (name, state)): (bool, (&str, State))| StepCase {
        name: format!("{} {dimensions}-D, {} boids, {name}", model.name, flocks::BOIDS),
        hostile,
        prepared: Numeric::ALL.map(|(numeric, _)| Prepared::new(&parameters, &state, numeric)),
    };
    let natural = [("start", start), ("settled", settled)].into_iter().map(|state| (false, state));
    let hostile = hostile.into_iter().map(|state| (true, state));
    Ok(natural.chain(hostile).map(case).collect())
}

impl Prepared {
    fn new(parameters: &Parameters, state: &State, numeric: Numeric) -> Result<Self> {
        let quantised = flocks::quantised(parameters);
        let parameters = if numeric == Numeric::F32 { &quantised } else { parameters };
        let state = flocks::representable(parameters, state, numeric);
        let next = flocks::advance::<f64>(parameters, &state, 1)?;
        let exact = decisions::of_flock::<f64>(parameters, &state)?;
        let rough = match numeric {
            Numeric::F32 => decisions::of_flock::<f32>(parameters, &state)?,
            Numeric::F64 => exact.clone(),
            Numeric::Fixed => decisions::of_flock::<Fixed>(parameters, &state)?,
        };
        let flipped = exact.iter().zip(&rough).map(|(exact, rough)| exact != rough).collect();
        Ok(Prepared {
            parameters: *parameters,
            state,
            next,
            flipped,
            bounds: Default::default(),
            own: OnceLock::new(),
            sensitivity: OnceLock::new(),
        })
    }

    fn bounds(&self, promise: Guarantee) -> Result<&Bounds> {
        let kept = &self.bounds[usize::from(promise == Guarantee::Wgsl32)];
        computed(kept, || bounds(promise, &self.parameters, &self.state))
    }

    /// The errors of user-defined terms, if there are any.
    fn own(&self) -> Result<Option<&Own>> {
        let compute = || {
            let requested = words::requests([&self.parameters; 2], &self.state, Table::evaluate::<Fixed>)?;
            Ok(Own { requested, step: words::step(&self.parameters, &self.state)? })
        };
        if self.parameters.terms.terms().is_empty() {
            return Ok(None);
        }
        computed(&self.own, compute).map(Some)
    }

    /// The change of each boid's step, as a share of the largest, when the last digits of the state change.
    fn sensitivity(&self) -> Result<&Vec<f64>> {
        let compute = || errors::sensitivity(&self.parameters, &self.state, &self.next);
        computed(&self.sensitivity, compute)
    }
}

/// The value, computed when it is first needed.
fn computed<V>(kept: &OnceLock<Result<V>>, compute: impl FnOnce() -> Result<V>) -> Result<&V> {
    kept.get_or_init(compute).as_ref().map_err(Clone::clone)
}

/// Steps a case once and compares the result: the errors, and the first number that does not conform.
///
/// # Errors
/// When the engine fails.
pub fn judge(
    subject: &Subject,
    session: &mut Session<'_>,
    case: &StepCase,
) -> Result<(Errors, Option<Divergence>)> {
    let ready = case.prepared[subject.numeric as usize].as_ref().map_err(Clone::clone)?;
    let engine = session.load(&ready.parameters, &ready.state)?;
    engine.advance(1)?;
    let found = engine.state()?;
    if found.step != ready.next.step || found.boids.len() != ready.next.boids.len() {
        let [a, b] = [&found, &ready.next].map(|state| format!("{}, {}", state.step, state.boids.len()));
        let divergence = Divergence::new(ready.next.step, "step and number of boids", a, b);
        return Ok((Errors::default(), Some(divergence)));
    }
    let Verdict { divergence, turned, unjudged } = match subject.numeric {
        Numeric::Fixed => integers(ready, &found, case.hostile)?,
        Numeric::F32 | Numeric::F64 => floats(subject, ready, &found, case.hostile)?,
    };
    let mut apart = ready.flipped.clone();
    turned.iter().for_each(|id| apart[*id] = true);
    let flipped = apart.iter().filter(|apart| **apart).count();
    unjudged.iter().for_each(|id| apart[*id] = true);
    let mut errors = Errors { flipped, unjudged: unjudged.len(), ..Errors::default() };
    for (id, (found, exact)) in found.boids.iter().zip(&ready.next.boids).enumerate() {
        if !apart[id] {
            errors.add(&ready.parameters, subject.numeric, found, exact);
        }
    }
    Ok((errors, divergence))
}

/// The first number that does not conform, and the ids of boids with another outcome than the rule, or undecided.
struct Verdict {
    divergence: Option<Divergence>,
    turned: Vec<usize>,
    unjudged: Vec<usize>,
}

/// Checks that every number lies within the bound derived for it.
fn floats(subject: &Subject, ready: &Prepared, found: &State, hostile: bool) -> Result<Verdict> {
    let comparison = ready.bounds(subject.promise)?(found);
    let divergence = comparison.refusal(hostile).map(|why| match comparison.outside {
        Some(id) => worst_number(ready, found, id),
        None => {
            let limits = "within the limits of docs/conformance.md";
            Divergence::new(found.step, "boids that can be judged", why, limits)
        }
    });
    Ok(Verdict { divergence, turned: comparison.turned, unjudged: comparison.undecided })
}

/// Checks that every number lies within [`FIXED_BOUND`] plus the errors of user-defined terms; in a hostile state, plus
/// twice the change that the last digits of the state caused. The factor of two allows for the small number of random
/// draws. The requests of the terms must lie within their own bounds.
fn integers(ready: &Prepared, found: &State, hostile: bool) -> Result<Verdict> {
    let mut verdict = Verdict { divergence: None, turned: Vec::new(), unjudged: Vec::new() };
    let own = ready.own()?;
    if let Some((id, [error, bound])) = own.and_then(|own| words::outside(&own.requested)) {
        let limit = format!("at most {bound:e}");
        let what = format!("error of what boid {id} requests by terms of its own");
        verdict.divergence = Some(Divergence::new(found.step, &what, format!("{error:e}"), limit));
    }
    for (id, (a, b)) in found.boids.iter().zip(&ready.next.boids).enumerate() {
        let share = deviation(&ready.parameters, a, b);
        if ready.flipped[id] || share <= FIXED_BOUND {
            continue;
        }
        match own.and_then(|own| own.explains(&ready.parameters, id, a)) {
            Some(Explained::Bound) => continue,
            Some(Explained::Decision) => verdict.turned.push(id),
            Some(Explained::Unbounded) => verdict.unjudged.push(id),
            None if hostile && share <= FIXED_BOUND + 2.0 * ready.sensitivity()?[id] => {
                verdict.unjudged.push(id);
            }
            None => {
                verdict.divergence.get_or_insert_with(|| worst_number(ready, found, id));
            }
        }
    }
    let most = MAX_UNJUDGED * found.boids.len() as f64;
    if !hostile && verdict.unjudged.len() as f64 > most {
        let differs = || Divergence::new(found.step, "boids without a bound", verdict.unjudged.len(), most);
        verdict.divergence.get_or_insert_with(differs);
    }
    Ok(verdict)
}

/// The number of a boid with the largest error.
fn worst_number(ready: &Prepared, found: &State, id: usize) -> Divergence {
    let [boid, next] = [found, &ready.next].map(|state| &state.boids[id]);
    let (a, b) = (quantities(boid), quantities(next));
    let others = (6..a.len()).map(|k| (a[k].1 - b[k].1).abs());
    let off = errors::differences(&ready.parameters, boid, next).into_iter().flatten().chain(others);
    let off: Vec<f64> = off.map(|off| if off.is_finite() { off } else { f64::INFINITY }).collect();
    let worst = (0..a.len()).fold(0, |worst, k| if off[k] > off[worst] { k } else { worst });
    Divergence::of_boid(found.step, id, a[worst], b[worst])
}
