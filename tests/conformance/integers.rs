//! One step in integers against the rule in f64.
//!
//! Engines in integers have the bits of brute force, so this is a test of what brute force computes: it must be close to
//! the rule, but for a few boids that last digits decide: of a distance and a radius, of a direction of what nearly cancels.

use config::presets::PRESETS;
use conform::errors::deviation;
use conform::flocks::{self, Model, advance, representable};
use engine::State;
use flock::{Boid, Fixed, Parameters};

use crate::random_terms::terms;
use crate::{formulas, scope};

/// Largest allowed error, as a share of the largest step.
const BOUND: f64 = 1e-3;

/// The share of the boids of a preset's natural states, and of its states on one point, that last digits may decide. The
/// other hostile states place most boids on thresholds.
const NATURAL: f64 = 0.02;
const ON_ONE_POINT: f64 = 0.05;

/// The share of the boids whose step in integers is further than [`BOUND`] from the step in f64 of the flock `exact`.
fn apart(p: &Parameters, exact: &Parameters, state: &State) -> f64 {
    let words = representable::<Fixed>(p, state);
    let found = advance::<Fixed>(p, &words, 1).expect("it fits integers");
    let expected = advance::<f64>(exact, &words, 1).expect("it fits f64");
    let off = |pair: &(&Boid<f64>, &Boid<f64>)| deviation(p, pair.0, pair.1) > BOUND;
    let count = found.boids.iter().zip(&expected.boids).filter(off).count();
    count as f64 / words.boids.len() as f64
}

fn mean(shares: &[f64]) -> f64 {
    shares.iter().sum::<f64>() / shares.len() as f64
}

#[test]
fn one_step_of_presets_is_near_that_of_f64() {
    let mut refused = Vec::new();
    for (preset, dimensions) in PRESETS.iter().flat_map(|preset| [(preset, 2), (preset, 3)]) {
        let model = Model::preset(preset).expect("presets hold");
        let p = flocks::flock(&model, dimensions, flocks::BOIDS, true);
        let (mut natural, mut on_one_point) = (Vec::new(), Vec::new());
        for state in flocks::states(&p).expect("it fits f64") {
            if !state.hostile {
                natural.push(apart(&p, &p, &state.state));
            } else if state.name.ends_with("on one point") {
                on_one_point.push(apart(&p, &p, &state.state));
            }
        }
        let found =
            format!("{} {dimensions}-D: {natural:?} natural, {on_one_point:?} on one point", preset.name);
        println!("{found}");
        if mean(&natural) > NATURAL || mean(&on_one_point) > ON_ONE_POINT {
            refused.push(found);
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}

/// Negative controls: a weight, a radius or a time step that is off.
#[test]
fn another_rule_is_not_near() {
    let cornell = config::presets::find("cornell").expect("a preset");
    let model = Model::preset(cornell).expect("presets hold");
    let p = flocks::flock(&model, 2, flocks::BOIDS, true);
    let start = State::start(&p);
    for change in [
        |p: &mut Parameters| p.separation.weight *= 1.5,
        |p: &mut Parameters| p.alignment.radius *= 0.8,
        |p: &mut Parameters| p.motion.time_step *= 1.01,
    ] {
        let mut other = p;
        change(&mut other);
        let share = apart(&p, &other, &start);
        assert!(share > 5.0 * NATURAL, "{share}");
    }
}

/// Near the heading the side of who is ahead needs more digits than a coarse offset has.
#[test]
fn one_step_in_a_line_of_sight_is_that_of_the_rule() {
    let text = "preset = \"think\"\n[line_of_sight]\nradius = 1\nangle = 20\nweight = 20\n";
    let parameters = config::parse(text, "test").expect("it holds").parameters;
    let model = Model { name: "sight".to_owned(), parameters, kept: false };
    let p = flocks::flock(&model, parameters.flock.dimensions, flocks::BOIDS, true);
    let states = flocks::states(&p).expect("it fits f64");
    let natural = states.iter().filter(|state| !state.hostile).map(|state| apart(&p, &p, &state.state));
    let share = mean(&natural.collect::<Vec<f64>>());
    assert!(share <= NATURAL, "{share}");
}

/// Steps with formulas that integers accept are near those of f64, but for boids that a rounded comparison decides
/// otherwise.
#[test]
fn random_formulas_in_integers_are_near_f64() {
    let (count, mut refused, mut open) = (scope::choose(60, 300), 0, 0);
    let (mut all, mut control) = (0.0, 0.0);
    for number in 0..count {
        let (text, terms) = terms(number);
        let p = Parameters { terms, ..formulas::flock(number, 60) };
        if engine::rule::<Fixed>(&p, 60).is_err() {
            refused += 1;
            continue;
        }
        let start = State::start(&p);
        let share = apart(&p, &p, &start);
        if share > 0.2 {
            println!("{number}: {share} of the boids differ: {text}");
            open += 1;
        }
        all += share;
        let mut faster = p;
        faster.terms.set("terms.alone.v", 0.26).expect("in its range");
        control += apart(&p, &faster, &start);
    }
    let taken = f64::from(count - refused);
    println!(
        "{} of boids differ, {} with another parameter; {refused} refused, {open} open",
        all / taken,
        control / taken
    );
    assert!(all < 0.05 * taken && open * 10 < count && control > 0.5 * taken && refused * 8 < count);
}

/// The step of some boids by a formula: true if it is that of f64; an error where integers refuse it.
fn agrees_with_f64(text: &str, boids: u32) -> Result<bool, String> {
    let mut p = Parameters { terms: formulas::written(text), ..Parameters::default() };
    p.flock.boids = boids;
    (p.separation.weight, p.alignment.weight, p.cohesion.weight) = (0.0, 0.0, 0.0);
    engine::rule::<Fixed>(&p, boids as usize).map_err(|refused| refused.to_string())?;
    // Many boids are only tried.
    Ok(boids > 300 || apart(&p, &p, &State::start(&p)) == 0.0)
}

/// Integers compute a formula like f64 or refuse it: a number that would lose its digits, and the request with it, is
/// never taken. A small flock has smaller numbers.
#[test]
fn a_request_that_would_lose_its_digits_is_refused() {
    let rate = "rate = { default = 0.1, range = [0, 1], unit = \"1/t\" }\n";
    let each = "radius = { default = 3, range = [0, 10], unit = \"len\" }\neach = \"offset\"\n";
    let [pace, slow, cubic] = [("pace", "len/t", 0.5), ("slow", "1/t^2", 0.1), ("cubic", "1/len^2/t", 0.1)]
        .map(|(name, unit, value)| format!("{name} = {{ default = {value}, unit = \"{unit}\" }}\n"));
    let table = "k = { default = [[0, 0.1], [0.2, 0.3]], unit = \"1/t\" }\n";
    for (parameters, request, most) in [
        (format!("{pace}{rate}{each}"), "pace * vec3(1, 0, 0) + rate * count * sum", 300),
        (slow, "slow * time * position", 0),
        (rate.to_owned(), "rate * f32(id) * position", 300),
        (format!("{cubic}{each}"), "cubic * dot(sum, sum) * sum", 4),
        (String::new(), "velocity * saturate(f32(id) * f32(id) / 18)", 300),
        (table.to_owned(), "table(k, id * id, 0u) * position", 300),
        (String::new(), "velocity * f32((step * id) % 2u)", 4),
    ] {
        let text = format!("[terms.a]\n{parameters}request = \"{request}\"\n");
        for boids in [4, 300, 40_000] {
            match agrees_with_f64(&text, boids) {
                Ok(near) => assert!(boids <= most && near, "{request}, {boids}"),
                Err(refused) => {
                    assert!(boids > most, "{request}, {boids}: {refused}");
                    assert!(refused.starts_with("terms.a: ") && refused.contains("f32 or f64"), "{refused}");
                }
            }
        }
    }
}
