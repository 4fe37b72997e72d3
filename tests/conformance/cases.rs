//! One step from one state: what it must be, and how an engine does on it. The cases of presets and of random rules.

use std::sync::OnceLock;

use config::presets::PRESETS;
use conform::bounds::compare::{Comparison, MAX_TURNED, MAX_UNDECIDED};
use conform::flocks::{CROWD, advance, crowd, neighbours, quantised};
use engine::{Engine, State};
use flock::Parameters;

use crate::engines::{References, Subject};
use crate::{random_flock, scope};

/// A flock at a step, and what the next step must be.
pub struct Case {
    pub name: String,
    pub parameters: Parameters,
    pub state: State,
    pub references: References,
    pub limits: Limits,
}

/// Limits as shares of the flock, stated in docs/conformance.md.
#[derive(Clone, Copy)]
pub struct Limits {
    /// More than this share must have neighbours; 0 requires none.
    pub social: f64,
    /// Largest share with an open decision.
    pub open: f64,
    /// Largest share that takes another outcome than the reference.
    pub turned: f64,
    /// Largest share without a finite bound.
    pub undecided: f64,
}

impl Limits {
    /// For small flocks drawn at random, where one boid is a large share.
    pub const DRAWN: Limits = Limits { social: 0.0, open: 1.0, turned: MAX_TURNED, undecided: MAX_UNDECIDED };

    /// Why a step is refused: a boid does not conform, a count exceeds its limit, or too few boids have neighbours.
    pub fn refusal(self, found: &Comparison) -> Option<String> {
        let most = |part: usize, limit: f64| part as f64 <= limit * found.boids as f64;
        let reasons = [
            (found.failures.is_empty(), "it does not conform"),
            (!most(found.social, self.social) || self.social == 0.0, "too few have neighbours"),
            (most(found.open, self.open), "too many open decisions"),
            (most(found.turned.len(), self.turned), "too many decisions turned"),
            (most(found.undecided.len(), self.undecided), "too many undecided"),
        ];
        reasons.iter().find(|(good, _)| !good).map(|(_, reason)| format!("{reason}: {found}"))
    }
}

impl Case {
    pub fn new(name: String, parameters: Parameters, state: State, limits: Limits) -> Self {
        let references = References::new(&parameters, &state);
        Case { name, parameters, state, references, limits }
    }
}

/// Holds an engine to all the cases, and prints how near it came to its bounds.
///
/// One engine steps them all, so that no flock may leave a trace in the next. One that is slow steps every third.
///
/// # Panics
/// When it does not conform.
pub fn conforms(subject: &Subject, cases: &[Case]) {
    let mut engine: Option<Box<dyn Engine>> = None;
    let mut refused = Vec::new();
    for case in cases.iter().step_by(if subject.is_slow() { 3 } else { 1 }) {
        let engine = engine.get_or_insert_with(|| subject.engine(&case.parameters, &case.state));
        let stepped = engine
            .set_parameters(&case.parameters)
            .and_then(|()| engine.set_state(&case.state))
            .and_then(|()| engine.advance(1))
            .and_then(|()| engine.state());
        let actual = stepped.unwrap_or_else(|error| panic!("{}: {}: {error}", subject.name, case.name));
        let comparison = case.references.compare(subject.guarantee, &actual);
        println!("{}: {}: {comparison}", subject.name, case.name);
        refused.extend(
            case.limits.refusal(&comparison).map(|why| format!("{}: {}: {why}", subject.name, case.name)),
        );
    }
    assert!(refused.is_empty(), "{} of {} cases:\n{}", refused.len(), cases.len(), refused.join("\n"));
}

/// Every preset, in two and three dimensions: at its start as published, and crowded fifty steps on.
pub fn of_presets() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        // The reference looks at all pairs.
        let most = 500;
        let mut cases = Vec::new();
        for preset in PRESETS {
            let published = preset.parameters().expect("presets hold");
            for dimensions in [2, 3] {
                let mut parameters = published;
                parameters.flock.dimensions = dimensions;
                parameters.set_boids(published.flock.boids.min(most));
                let name = format!("{} {dimensions}-D", preset.name);
                let crowded = neighbours(&parameters) >= CROWD;
                cases.push(of_preset(&name, &quantised(&parameters), crowded, 0));
                if !crowded {
                    crowd(&mut parameters);
                }
                cases.push(of_preset(&name, &quantised(&parameters), true, 50));
            }
        }
        cases
    })
}

fn of_preset(name: &str, parameters: &Parameters, crowded: bool, steps: u32) -> Case {
    // Each boid of couzin decides on all 299 others at three radii.
    let open = if name.starts_with("couzin") { 0.02 } else { 0.01 };
    // More than half of a crowded flock must have neighbours.
    let limits = Limits { social: if crowded { 0.5 } else { 0.0 }, open, turned: 0.001, undecided: 0.001 };
    let state = advance::<f32>(parameters, &State::start(parameters), steps).expect("it steps");
    Case::new(format!("{name} step {steps}"), *parameters, state, limits)
}

/// Flocks of all kinds, at one of their first steps.
pub fn of_random_rules() -> &'static [Case] {
    static CASES: OnceLock<Vec<Case>> = OnceLock::new();
    CASES.get_or_init(|| {
        let case = |number| {
            let parameters = quantised(&random_flock::parameters(number, 200));
            let start = State::start(&parameters);
            let state = advance::<f32>(&parameters, &start, number % 8).expect("it steps");
            Case::new(format!("flock {number}"), parameters, state, Limits::DRAWN)
        };
        (0..scope::choose(40, 120)).map(case).collect()
    })
}
