//! User-defined terms in integers: requests lie within the bound that follows from the digits of the registers.

use std::cell::Cell;

use conform::flocks::{self, Model, representable};
use engine::{EngineError, State};
use flock::formula::{Draws, Instruction, Op, Registers, Run, Table};
use flock::{Fixed, Parameters, brute};

use crate::digits::{self, Request, requests};
use crate::formulas::{ALL, flock, written};
use crate::random_terms::terms;
use crate::scope;

fn judge(p: &Parameters, state: &State, run: Run<Fixed>) -> Vec<Request> {
    try_judge(p, state, run).expect("it fits integers")
}

/// The error and the bound of each boid's request.
///
/// # Errors
/// When integers refuse the formulas.
fn try_judge(p: &Parameters, state: &State, run: Run<Fixed>) -> Result<Vec<Request>, EngineError> {
    requests(p, p, &representable::<Fixed>(p, state), run)
}

/// The first request whose error exceeds its bound.
fn outside(found: &[Request]) -> Option<&Request> {
    found.iter().find(|request| request.error > request.bound)
}

/// Number of requests without a bound.
fn unbounded(found: &[Request]) -> usize {
    found.iter().filter(|request| request.bound.is_infinite()).count()
}

/// The largest error as a share of its bound.
fn worst(found: &[Request]) -> f64 {
    found.iter().map(|request| request.share()).fold(0.0, f64::max)
}

/// Random formulas: of each that integers accept, every boid that has a bound is close to f64, too.
#[test]
fn random_formulas_are_within_their_bounds_in_integers() {
    let (mut boids, mut without, mut most, mut refused, mut open) = (0, 0, 0.0_f64, 0, 0);
    let count = scope::choose(60, 300);
    for number in 0..count {
        let (text, terms) = terms(number);
        let p = Parameters { terms, ..flock(number, 60) };
        let Ok(found) = try_judge(&p, &State::start(&p), Table::evaluate::<Fixed>) else {
            refused += 1;
            continue;
        };
        assert_eq!(outside(&found), None, "{number}: {text}");
        let far = furthest(&found);
        assert!(far <= CLOSE * p.motion.max_speed, "{number}: {far:e} off: {text}");
        let wide = found.iter().filter(|request| request.bound >= 0.1).count();
        open += u32::from(wide * 2 > found.len());
        boids += found.len();
        without += unbounded(&found);
        most = most.max(worst(&found));
    }
    println!(
        "{boids} boids, {without} without a bound, worst {most:.3} of its bound; {refused} refused, {open} open"
    );
    assert!(without * 5 < boids && most > 0.3 && refused * 8 < count && open * 20 < count);
}

/// The largest error of a request by formulas, as a part of the greatest speed.
const CLOSE: f64 = 1e-3;

/// The largest error among boids with a bound that says something: the direction of what is zero but for rounding has
/// one as long as the request.
fn furthest(found: &[Request]) -> f64 {
    let judged = found.iter().filter(|request| request.bound < 0.1);
    judged.map(|request| request.error).fold(0.0, f64::max)
}

/// The largest error of the request of some boids by a formula; an error where integers refuse it.
fn tried(text: &str, boids: u32) -> Result<f64, String> {
    let mut p = Parameters { terms: written(text), ..Parameters::default() };
    p.flock.boids = boids;
    (p.separation.weight, p.alignment.weight, p.cohesion.weight) = (0.0, 0.0, 0.0);
    engine::rule::<Fixed>(&p, boids as usize).map_err(|refused| refused.to_string())?;
    if boids > 300 {
        return Ok(0.0);
    }
    let found = judge(&p, &State::start(&p), Table::evaluate::<Fixed>);
    assert_eq!(unbounded(&found), 0, "{text}");
    Ok(furthest(&found) / p.motion.max_speed)
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
        (String::new(), "velocity * f32(f32(id) * f32(id) == 9)", 300),
        (String::new(), "velocity * saturate(f32(id) * f32(id) / 18)", 300),
        (String::new(), "velocity * f32(id * id == 9u)", 300),
        (String::new(), "velocity * saturate(f32(id * id) / 18)", 300),
        (String::new(), "velocity * 0.05 * f32(min(id * id, 20u))", 300),
        (String::new(), "select(vec3(0), velocity, id * id > 8u)", 300),
        (table.to_owned(), "table(k, id * id, 0u) * position", 300),
        (String::new(), "velocity * f32((step * id) % 2u)", 4),
    ] {
        let text = format!("[terms.a]\n{parameters}request = \"{request}\"\n");
        for boids in [4, 300, 40_000] {
            match tried(&text, boids) {
                Ok(error) => assert!(boids <= most && error < CLOSE, "{request}, {boids}: {error:e}"),
                Err(refused) => {
                    assert!(boids > most, "{request}, {boids}: {refused}");
                    assert!(refused.starts_with("terms.a: ") && refused.contains("f32 or f64"), "{refused}");
                }
            }
        }
    }
}

/// The gallery, from its start and settled.
#[test]
fn the_gallery_is_within_its_bounds_in_integers() {
    for preset in config::presets::GALLERY {
        let model = Model::preset(preset).expect("presets hold");
        let p = flocks::flock(&model, model.parameters.flock.dimensions, 60, true);
        let start = State::start(&p);
        for state in [flocks::advance::<Fixed>(&p, &start, 50).expect("it fits"), start] {
            let found = judge(&p, &state, Table::evaluate::<Fixed>);
            println!("{}: worst {:.3} of its bound", preset.name, worst(&found));
            assert_eq!(outside(&found), None, "{}", preset.name);
            assert!(worst(&found) > 0.1, "{}: the bound is loose", preset.name);
            assert!(unbounded(&found) < 2, "{}: {} without a bound", preset.name, unbounded(&found));
        }
    }
}

/// No reference computes a step without the formulas that its numbers refuse.
#[test]
fn what_integers_refuse_no_reference_computes() {
    let text = "[terms.a]\nrequest = \"velocity * f32(step * id)\"\n";
    let p = Parameters { terms: written(text), ..flock(0, 600) };
    let state = State::start(&p);
    let rule = state.rule::<Fixed>(&p);
    let boids: Vec<_> = state.boids.iter().map(|boid| rule.take_boid(boid)).collect();
    let mut next = boids.clone();
    let refused = brute::step(&rule, 0, &boids, &mut [], &mut next).expect_err("too large");
    assert!(refused.to_string().starts_with("terms.a: ") && next == boids, "{refused}");
    let same = |why: EngineError| assert_eq!(why.to_string(), refused.to_string());
    same(flocks::advance::<Fixed>(&p, &state, 1).expect_err("too large"));
    same(try_judge(&p, &state, Table::evaluate::<Fixed>).expect_err("too large"));
    same(digits::step(&p, &state).map(drop).expect_err("too large"));
    same(engine::rule::<Fixed>(&p, state.boids.len()).map(drop).expect_err("too large"));
    assert!(flocks::advance::<f64>(&p, &state, 1).is_ok());
}

thread_local! {
    static SLIP: Cell<usize> = const { Cell::new(0) };
}

/// One instruction shifts its first operand by a digit too many.
fn slipped(
    table: &Table<Fixed>,
    to: &mut Registers<Fixed>,
    code: &[Instruction],
    values: &[Fixed],
    draws: Draws,
) {
    let mut code = code.to_vec();
    if let Some(instruction) = code.get_mut(SLIP.get()) {
        instruction.shift[0] += 1;
    }
    table.evaluate::<Fixed>(to, &code, values, draws);
}

/// Negative control: a slip of one digit in one instruction is seen.
#[test]
fn a_slip_of_a_digit_is_beyond_the_bounds() {
    let p = Parameters { terms: written(ALL), ..flock(0, 60) };
    let start = State::start(&p);
    let nodes = p.terms.terms()[0].request.nodes;
    assert_eq!(outside(&judge(&p, &start, Table::evaluate::<Fixed>)), None);
    let mut seen = Vec::new();
    for (k, node) in nodes.iter().enumerate() {
        SLIP.set(k);
        if outside(&judge(&p, &start, slipped)).is_some() {
            seen.push(node.op);
        } else {
            println!("{k}: that of {:?} is not seen", node.op);
        }
    }
    for op in [Op::Add, Op::Subtract, Op::Multiply, Op::Divide, Op::Floor, Op::Fraction, Op::Root] {
        assert!(seen.contains(&op), "no slip of {op:?} is seen");
    }
}

/// Negative control: a boid too few or too many among the nearest is seen.
#[test]
fn another_number_of_nearest_boids_is_beyond_the_bounds() {
    let text = "
[terms.a]
radius = { default = 2.5, unit = \"len\" }
nearest = { default = 5 }
weight = { default = 0.3, unit = \"1/t\" }
each = \"offset\"
request = \"weight * sum\"
";
    for number in 0..3 {
        let p = Parameters { terms: written(text), ..flock(number, 60) };
        let start = State::start(&p);
        // Within a few coarse units, where boids that are not as far count as if they were.
        let mut crowd = start.clone();
        crowd.boids.iter_mut().for_each(|boid| boid.position = boid.position.map(|c| 0.0005 * c));
        assert_eq!(outside(&judge(&p, &crowd, Table::evaluate::<Fixed>)), None);
        let state = representable::<Fixed>(&p, &start);
        let by = |computed: &Parameters| {
            requests(&p, computed, &state, Table::evaluate::<Fixed>).expect("they fit")
        };
        let right = by(&p);
        assert_eq!(outside(&right), None);
        assert!(unbounded(&right) < 4 && worst(&right) > 0.1, "{} {}", unbounded(&right), worst(&right));
        for nearest in [0.0, 4.0, 6.0] {
            let mut wrong = p;
            assert_eq!(wrong.terms.set("terms.a.nearest", nearest), Ok(true));
            assert!(outside(&by(&wrong)).is_some(), "{nearest} in place of 5 is not seen");
        }
    }
}
