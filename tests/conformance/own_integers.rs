//! Terms of one's own in integers: what a boid requests lies within the bound that follows from the digits of its registers.

use std::cell::Cell;

use cpu::state::{Numeric, State};
use flock::formula::{Draws, Instruction, Op, Run, Table};
use flock::{Fixed, Parameters};
use lab::conform::bounds::integers::{Requested, has_bounds, requests};
use lab::conform::flocks::{self, Model, representable};

use crate::formulas::{ALL, flock, written};
use crate::random_terms::terms;
use crate::scope;

fn judge(p: &Parameters, state: &State, run: Run<Fixed>) -> Requested {
    requests(p, &representable(p, state, Numeric::Fixed), run)
}

/// Random formulas.
#[test]
fn random_formulas_are_within_their_bounds_in_integers() {
    let (mut boids, mut unbounded, mut worst) = (0, 0, 0.0_f64);
    for number in 0..scope::choose(30, 300) {
        let (text, terms) = terms(number);
        let p = Parameters { terms, ..flock(number, 60) };
        if !has_bounds(&p) {
            continue;
        }
        // None are those that do not fit integers.
        let found = judge(&p, &State::start(&p), Table::evaluate::<Fixed>);
        assert_eq!(found.outside(), None, "{number}: {text}");
        boids += found.errors.len();
        unbounded += found.unbounded();
        worst = worst.max(found.worst());
    }
    println!("{boids} boids, {unbounded} without a bound, worst {worst:.3} of its bound");
    assert!(unbounded * 5 < boids && worst > 0.3);
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
            println!("{}: worst {:.3} of its bound", preset.name, found.worst());
            assert_eq!(found.outside(), None, "{}", preset.name);
            assert!(found.worst() > 0.1, "{}: the bound is loose", preset.name);
            assert!(found.unbounded() < 2, "{}: {} without a bound", preset.name, found.unbounded());
        }
    }
}

thread_local! {
    static SLIP: Cell<usize> = const { Cell::new(0) };
}

/// One instruction shifts its first operand by a digit too many.
fn slipped(table: &mut Table<Fixed>, code: &[Instruction], values: &[Fixed], draws: Draws) {
    let mut code = code.to_vec();
    if let Some(instruction) = code.get_mut(SLIP.get()) {
        instruction.shift[0] += 1;
    }
    table.evaluate::<Fixed>(&code, values, draws);
}

/// Negative control: a slip of one digit in one instruction is seen.
#[test]
fn a_slip_of_a_digit_is_beyond_the_bounds() {
    let p = Parameters { terms: written(ALL), ..flock(0, 60) };
    let start = State::start(&p);
    let nodes = p.terms.terms()[0].request.nodes;
    assert_eq!(judge(&p, &start, Table::evaluate::<Fixed>).outside(), None);
    let mut seen = Vec::new();
    for (k, node) in nodes.iter().enumerate() {
        SLIP.set(k);
        if judge(&p, &start, slipped).outside().is_some() {
            seen.push(node.op);
        } else {
            println!("{k}: that of {:?} is not seen", node.op);
        }
    }
    for op in [Op::Add, Op::Subtract, Op::Multiply, Op::Divide, Op::Floor, Op::Fraction, Op::Root] {
        assert!(seen.contains(&op), "no slip of {op:?} is seen");
    }
}
