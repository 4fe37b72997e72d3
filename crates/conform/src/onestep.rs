//! One step in floating point from the same state, compared with the rule in f64.

use std::sync::OnceLock;

use flock::Parameters;

use super::bounds::{Bounds, Guarantee, bounds};
use super::flocks::{self, Model};
use super::{Divergence, Errors, Session, errors, quantities};
use engine::{Result, State};

/// A state whose next step is compared.
pub struct StepCase {
    pub name: String,
    /// True if the state is contrived, not one that a flock reaches by itself.
    pub hostile: bool,
    parameters: Parameters,
    state: State,
    /// By arithmetic; computed when the first engine of that arithmetic is compared.
    expected: [OnceLock<Result<Expected>>; Guarantee::ALL.len()],
}

/// A state in one number type, the step after it in f64, and its bounds.
struct Expected {
    parameters: Parameters,
    state: State,
    next: State,
    bounds: Bounds,
}

/// The cases of a model in 2 or 3 dimensions.
///
/// # Errors
/// When a custom term does not fit f64.
pub fn cases(model: &Model, dimensions: u32) -> Result<Vec<StepCase>> {
    let parameters = flocks::flock(model, dimensions, flocks::BOIDS, true);
    let mut cases = Vec::new();
    for state in flocks::states(&parameters)? {
        cases.push(StepCase {
            name: format!("{} {dimensions}-D, {} boids, {}", model.name, flocks::BOIDS, state.name),
            hostile: state.hostile,
            parameters,
            state: state.state,
            expected: Default::default(),
        });
    }
    Ok(cases)
}

impl StepCase {
    fn expected(&self, guarantee: Guarantee) -> Result<&Expected> {
        let expected = &self.expected[guarantee as usize];
        expected.get_or_init(|| self.compute(guarantee)).as_ref().map_err(Clone::clone)
    }

    fn compute(&self, guarantee: Guarantee) -> Result<Expected> {
        let (parameters, state) = match guarantee {
            Guarantee::Ieee64 => (self.parameters, self.state.clone()),
            Guarantee::Ieee32 | Guarantee::Wgsl32 => {
                let parameters = flocks::quantised(&self.parameters);
                (parameters, flocks::representable::<f32>(&parameters, &self.state))
            }
        };
        let next = flocks::advance::<f64>(&parameters, &state, 1)?;
        let bounds = bounds(guarantee, &parameters, &state)?;
        Ok(Expected { parameters, state, next, bounds })
    }
}

/// Steps a case once and compares the result: the errors, and the first number outside its bounds.
///
/// # Errors
/// When the engine fails.
pub fn judge(
    session: &mut Session<'_>,
    guarantee: Guarantee,
    case: &StepCase,
) -> Result<(Errors, Option<Divergence>)> {
    let Expected { parameters, state, next, bounds } = case.expected(guarantee)?;
    let engine = session.load(parameters, state)?;
    engine.advance(1)?;
    let found = engine.state()?;
    if found.step != next.step || found.boids.len() != next.boids.len() {
        let [a, b] = [&found, next].map(|state| format!("{}, {}", state.step, state.boids.len()));
        let divergence = Divergence::new(next.step, "step and number of boids", a, b);
        return Ok((Errors::default(), Some(divergence)));
    }
    let comparison = bounds(&found);
    let divergence = comparison.refusal(case.hostile).map(|why| match comparison.outside {
        Some(id) => worst_number(parameters, &found, next, id),
        None => {
            let limits = "within the limits of docs/conformance.md";
            Divergence::new(found.step, "boids that can be judged", why, limits)
        }
    });
    let (turned, undecided) = (comparison.turned, comparison.undecided);
    let mut errors = Errors { turned: turned.len(), undecided: undecided.len(), ..Errors::default() };
    for (id, (found, exact)) in found.boids.iter().zip(&next.boids).enumerate() {
        if !turned.contains(&id) && !undecided.contains(&id) {
            errors.add(parameters, guarantee, found, exact);
        }
    }
    Ok((errors, divergence))
}

/// The number of a boid with the largest error.
fn worst_number(parameters: &Parameters, found: &State, next: &State, id: usize) -> Divergence {
    let [boid, expected] = [found, next].map(|state| &state.boids[id]);
    let (a, b) = (quantities(boid), quantities(expected));
    let [position, velocity] = errors::differences(parameters, boid, expected);
    let (mut worst, mut most) = (0, 0.0);
    for k in 0..a.len() {
        let off = match k {
            0..3 => position[k],
            3..6 => velocity[k - 3],
            _ => (a[k].1 - b[k].1).abs(),
        };
        let off = if off.is_finite() { off } else { f64::INFINITY };
        if off > most {
            (worst, most) = (k, off);
        }
    }
    Divergence::of_boid(found.step, id, a[worst], b[worst])
}
