//! User-defined terms in integers: requests lie within the bound that follows from the digits of the registers.

use std::cell::Cell;

use cpu::state::{Numeric, State};
use flock::formula::{Draws, Instruction, Op, Registers, Run, Table};
use flock::{Fixed, Parameters};
use lab::conform::bounds::integers::{outside, requests};
use lab::conform::flocks::{self, Model, representable};

use crate::formulas::{ALL, flock, written};
use crate::random_terms::terms;
use crate::scope;

fn judge(p: &Parameters, state: &State, run: Run<Fixed>) -> Vec<[f64; 2]> {
    requests([p; 2], &representable(p, state, Numeric::Fixed), run)
}

/// Number of requests without a bound.
fn unbounded(found: &[[f64; 2]]) -> usize {
    found.iter().filter(|[_, bound]| bound.is_infinite()).count()
}

/// The largest error as a share of its bound.
fn worst(found: &[[f64; 2]]) -> f64 {
    let off = found.iter().filter(|[error, _]| *error > 0.0);
    off.map(|[error, bound]| error / bound).fold(0.0, f64::max)
}

/// Random formulas.
#[test]
fn random_formulas_are_within_their_bounds_in_integers() {
    let (mut boids, mut without, mut most) = (0, 0, 0.0_f64);
    for number in 0..scope::choose(30, 300) {
        let (text, terms) = terms(number);
        let p = Parameters { terms, ..flock(number, 60) };
        // None are those that do not fit integers.
        let found = judge(&p, &State::start(&p), Table::evaluate::<Fixed>);
        assert_eq!(outside(&found), None, "{number}: {text}");
        boids += found.len();
        without += unbounded(&found);
        most = most.max(worst(&found));
    }
    println!("{boids} boids, {without} without a bound, worst {most:.3} of its bound");
    assert!(without * 5 < boids && most > 0.3);
}

/// The gallery, from its start and settled.
#[test]
fn the_gallery_is_within_its_bounds_in_integers() {
    for preset in config::presets::GALLERY {
        let model = Model::preset(preset).expect("presets hold");
        let p = flocks::flock(&model, model.parameters.flock.dimensions, 60, true);
        let start = State::start(&p);
        for state in [flocks::advance::<Fixed>(&p, &start, 50), start] {
            let found = judge(&p, &state, Table::evaluate::<Fixed>);
            println!("{}: worst {:.3} of its bound", preset.name, worst(&found));
            assert_eq!(outside(&found), None, "{}", preset.name);
            assert!(worst(&found) > 0.1, "{}: the bound is loose", preset.name);
            assert!(unbounded(&found) < 2, "{}: {} without a bound", preset.name, unbounded(&found));
        }
    }
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
        let state = representable(&p, &start, Numeric::Fixed);
        let by = |computed: &Parameters| requests([&p, computed], &state, Table::evaluate::<Fixed>);
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
