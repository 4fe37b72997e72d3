//! One step in integers against the rule in f64.
//!
//! Engines in integers have the bits of brute force, so this is a test of brute force: what it computes must be close
//! to the rule. A boid counts as flipped where integers decide otherwise than f64 (`decisions`): it perceives other
//! boids, or is on the other side of a border.

use config::presets::{GALLERY, PRESETS};
use conform::bounds::arithmetic::Ieee64;
use conform::bounds::reference::{Expected, Reference};
use conform::brute::{Brute, Mutation};
use conform::controls;
use conform::errors::{deviation, differences};
use conform::flocks::{self, Model, advance, representable};
use engine::State;
use flock::random::draw;
use flock::{Boid, Fixed, Number, Parameters};

use crate::{decisions, digits, scope};

/// Largest allowed error, as a share of the largest step.
const BOUND: f64 = 1e-3;

/// The widest bound of formulas, as a share of the largest step. With a wider one a boid is not judged, because it would
/// agree with almost anything.
const WIDEST: f64 = 1e-2;

/// Maximum fraction of flipped boids in a natural state, and of boids that are not judged.
const MAX_FLIPPED: f64 = 0.2;
const MAX_UNJUDGED: f64 = 0.02;

/// A state in integers, and the step after it.
struct Case {
    name: String,
    hostile: bool,
    parameters: Parameters,
    state: State,
    /// The step by the rule in f64.
    next: State,
    /// By boid.
    flipped: Vec<bool>,
}

fn cases(model: &Model, dimensions: u32) -> Vec<Case> {
    let parameters = flocks::flock(model, dimensions, flocks::BOIDS, true);
    let mut cases = Vec::new();
    for state in flocks::states(&parameters).expect("it fits f64") {
        let words = representable::<Fixed>(&parameters, &state.state);
        let exact = decisions::of_flock::<f64>(&parameters, &words).expect("it fits f64");
        let rough = decisions::of_flock::<Fixed>(&parameters, &words).expect("it fits integers");
        cases.push(Case {
            name: format!("{} {dimensions}-D, {}", model.name, state.name),
            hostile: state.hostile,
            parameters,
            next: advance::<f64>(&parameters, &words, 1).expect("it fits f64"),
            flipped: exact.iter().zip(&rough).map(|(exact, rough)| exact != rough).collect(),
            state: words,
        });
    }
    cases
}

/// The result for one case.
#[derive(Debug, Default)]
struct Found {
    /// Largest error as a share of the largest step, over the boids that are within [`BOUND`].
    worst: f64,
    flipped: usize,
    /// Boids beyond [`BOUND`] within the errors of their formulas.
    by_formulas: usize,
    /// Boids whose error has no bound, or that the last digits of a hostile state decide.
    unjudged: usize,
    /// The id of each boid that is wrong, with its error.
    wrong: Vec<(usize, f64)>,
}

impl Found {
    fn refusal(&self, case: &Case) -> Option<&'static str> {
        let most = |part: usize, limit: f64| case.hostile || part as f64 <= limit * case.flipped.len() as f64;
        if !self.wrong.is_empty() {
            Some("beyond the bound")
        } else if !most(self.flipped, MAX_FLIPPED) {
            Some("too many flipped")
        } else if !most(self.unjudged, MAX_UNJUDGED) {
            Some("too many without a bound")
        } else {
            None
        }
    }
}

/// Steps a case in integers, with a deliberate error or none.
fn judge(case: &Case, mutation: Mutation<Fixed>) -> Found {
    let parameters = &case.parameters;
    let mut brute = Brute::<Fixed>::new(parameters, &case.state, mutation);
    brute.run(1).expect("it fits integers");
    let actual = brute.snapshot();
    let mut found = Found::default();
    let mut with_formulas = None;
    let mut sensitivities = None;
    for (id, boid) in actual.boids.iter().enumerate() {
        if case.flipped[id] {
            found.flipped += 1;
            continue;
        }
        let error = deviation(parameters, boid, &case.next.boids[id]);
        if error <= BOUND {
            found.worst = found.worst.max(error);
            continue;
        }
        if !parameters.terms.terms().is_empty() {
            let reference: &Reference<Ieee64> = with_formulas
                .get_or_insert_with(|| digits::step(parameters, &case.state).expect("it fits integers"));
            match within_formulas(parameters, &reference.boids[id], boid) {
                Some(true) => found.by_formulas += 1,
                None => found.unjudged += 1,
                Some(false) => found.wrong.push((id, error)),
            }
            continue;
        }
        let sensitivities = sensitivities.get_or_insert_with(|| sensitivity(case));
        // Twice the change, because there are few random draws.
        if case.hostile && error <= BOUND + 2.0 * sensitivities[id] {
            found.unjudged += 1;
        } else {
            found.wrong.push((id, error));
        }
    }
    found
}

/// True if the errors of formulas, with [`BOUND`] for the rest of the rule, allow the boid `found`. None if these errors
/// have no bound, or one beyond [`WIDEST`].
fn within_formulas(parameters: &Parameters, expected: &Expected<Ieee64>, found: &Boid<f64>) -> Option<bool> {
    let velocity = parameters.motion.max_speed;
    let position = velocity * parameters.motion.time_step.abs();
    if !expected.complete {
        return None;
    }
    let mut allowed = false;
    for outcome in &expected.outcomes {
        let [positions, velocities] = differences(parameters, found, &outcome.convert());
        let mut fits = (found.group, found.rest) == (outcome.group, outcome.rest);
        for k in 0..3 {
            let numbers = [
                (positions[k], outcome.position[k].error, position),
                (velocities[k], outcome.velocity[k].error, velocity),
            ];
            for (off, bound, largest) in numbers {
                if bound > WIDEST * largest {
                    return None;
                }
                fits &= off <= bound + BOUND * largest;
            }
        }
        allowed |= fits;
    }
    Some(allowed)
}

/// The change of each boid's step in f64, as a share of the largest step, when every coordinate of the flock changes at
/// random by −1, 0 or 1 last digits of `Fixed`: the largest of 16 draws. The direction of a sum that nearly cancels
/// depends on the last digits of its terms, and no arithmetic with that last digit can have a smaller error.
fn sensitivity(case: &Case) -> Vec<f64> {
    let parameters = &case.parameters;
    let digit = f64::exp2(-f64::from(flock::fixed::FRACTION)) / <Fixed as Number>::unit(parameters);
    let mut largest = vec![0.0_f64; case.state.boids.len()];
    for k in 0..16 {
        let mut moved = case.state.clone();
        for (id, boid) in (0..).zip(&mut moved.boids) {
            let [positions, velocities] = [0, 1].map(|stream| draw(23, k, id, stream));
            for axis in 0..parameters.flock.dimensions as usize {
                boid.position[axis] += digit * (f64::from(positions[axis] % 3) - 1.0);
                boid.velocity[axis] += digit * (f64::from(velocities[axis] % 3) - 1.0);
            }
        }
        let after = advance::<f64>(parameters, &moved, 1).expect("it fits f64");
        for (id, most) in largest.iter_mut().enumerate() {
            *most = most.max(deviation(parameters, &after.boids[id], &case.next.boids[id]));
        }
    }
    largest
}

fn agrees(model: &Model, dimensions: u32) {
    for case in cases(model, dimensions) {
        let found = judge(&case, Mutation::none());
        println!("{}: {found:?}", case.name);
        assert_eq!(found.refusal(&case), None, "{}: {found:?}", case.name);
    }
}

#[test]
fn one_step_of_presets_is_that_of_the_rule_but_for_the_last_digits() {
    for preset in PRESETS {
        let model = Model::preset(preset).expect("presets hold");
        for dimensions in [2, 3] {
            agrees(&model, dimensions);
        }
    }
}

#[test]
fn one_step_with_formulas_is_that_of_the_rule_but_for_their_errors() {
    let every = scope::choose(2, 1);
    for preset in GALLERY.iter().skip(every - 1).step_by(every) {
        let model = Model::preset(preset).expect("presets hold");
        agrees(&model, model.parameters.flock.dimensions);
    }
}

/// Near the heading the side of who is ahead needs more digits than a coarse offset has.
#[test]
fn one_step_in_a_line_of_sight_is_that_of_the_rule() {
    let text = "preset = \"think\"\n[line_of_sight]\nradius = 1\nangle = 20\nweight = 20\n";
    let parameters = config::parse(text, "test").expect("it holds").parameters;
    agrees(&Model { name: "sight".to_owned(), parameters, kept: false }, parameters.flock.dimensions);
}

/// Negative controls: an error in one operation of integers is seen.
#[test]
fn errors_of_integers_are_beyond_the_bound() {
    let cornell = config::presets::find("cornell").expect("a preset");
    let model = Model::preset(cornell).expect("presets hold");
    let cases = cases(&model, model.parameters.flock.dimensions);
    for (name, mutation) in [
        ("coarse positions rounded up", controls::rounded_up()),
        ("an offset with its operands swapped", controls::swapped()),
        ("one neighbour dropped by one boid", controls::dropped()),
        ("a radius one coarse unit short", controls::short_radius()),
    ] {
        let seen = cases.iter().filter(|case| judge(case, mutation).refusal(case).is_some()).count();
        println!("{name}: seen in {seen} of {} states", cases.len());
        assert!(seen > 0, "{name} is not seen");
    }
}
