//! The results of random operands in integers against floating point, turns, and sums of whole chunks.

use std::boxed::Box;
use std::vec::Vec;

use super::super::*;
use super::{assigned, exact, power, summing};
use crate::formula::digits::Span;
use crate::number::{Number, Vec3};
use crate::parameters::{Edges, Parameters};
use crate::random::{draw, stream};
use crate::tests::quad::Quad;
use crate::update::StepContext;
use crate::{Boid, Fixed, Rule, brute};

/// An operation in floating point.
fn in_f64(op: Op, [a, b, c]: [f64; 3]) -> f64 {
    let holds = |holds: bool| f64::from(u8::from(holds));
    match op {
        Op::Add => a + b,
        Op::Subtract => a - b,
        Op::Multiply => a * b,
        Op::Divide => a / b,
        Op::Minimum => a.min(b),
        Op::Maximum => a.max(b),
        Op::Absolute => a.abs(),
        Op::Floor => libm::floor(a),
        Op::Fraction => a - libm::floor(a),
        Op::Root => libm::sqrt(a.max(0.0)),
        Op::Less => holds(a < b),
        Op::LessEqual => holds(a <= b),
        Op::Equal => holds(a == b),
        Op::Select => {
            if a > 0.0 {
                b
            } else {
                c
            }
        }
        Op::Length => libm::sqrt(a * a + b * b + c * c),
        _ => a / libm::sqrt(a * a + b * b + c * c),
    }
}

/// Integers round to the digits of a span, and err by no more than it says, whatever the scales of the operands.
#[test]
fn integers_compute_to_their_digits() {
    let mut compared = [0; Op::ALL.len()];
    for k in 0..60_000 {
        let op = Op::ALL[k as usize % Op::ALL.len()];
        if matches!(op, Op::Value | Op::Input | Op::Rest | Op::Random | Op::Table | Op::Turn | Op::TurnAway) {
            continue;
        }
        // A quarter of the operands have one scale, an eighth are equal; some are negative, and some 0.
        let mut words = [0; 3];
        let spans: [Span; 3] = core::array::from_fn(|n| {
            let [[a, b, c, _], [d, ..]] = [0, 1].map(|more| {
                let alike = k % 8 == 0 || k % 4 == 0 && more == 1;
                draw(7, k, if alike { 0 } else { n as u32 }, 5 + more)
            });
            let digits = (d % 50) as i8 - 10;
            let most = (1_i32 << (1 + d / 64 % 30)) - i32::from(d / 64 % 30 == 29);
            words[n] = if a % 8 == 0 { 0 } else { (b as i32 >> 1) % most };
            if c % 3 == 0 {
                words[n] = words[n].abs();
            }
            let least = if d / 4096 % 3 == 0 { 0.0 } else { -f64::from(most) };
            words[n] = words[n].max(least as i32);
            let scale = power(-i32::from(digits));
            exact(least * scale, f64::from(most) * scale, digits)
        });
        let Ok((span, instruction)) = assigned(op, [0, 1, 2], spans) else { continue };
        let numbers: [f64; 3] =
            core::array::from_fn(|n| f64::from(words[n]) * power(-i32::from(spans[n].digits)));
        let mut known = [[Fixed(0)]; SLOTS];
        (0..3).for_each(|slot| known[slot] = [Fixed(words[slot])]);
        let input = |slot| Instruction::plain(&Node { op: Op::Input, operands: [slot, 0, 0] });
        let code = [input(0), input(1), input(2), instruction];
        let mut registers = [[Fixed(0)]; MAX_INSTRUCTIONS];
        let draws = Draws { seed: 0, step: 0, stream: 0 };
        evaluate::<Fixed, 1>(&code, &[], &known, &[0], draws, &mut registers, 1);
        let found = f64::from(registers[3][0].0) * power(-i32::from(span.digits));
        let zero =
            matches!(op, Op::Divide) && words[1] == 0 || matches!(op, Op::Direction) && words == [0; 3];
        let want = if zero { 0.0 } else { in_f64(op, numbers).clamp(span.low, span.high) };
        // Small divisors and vectors have larger errors, as have operands that a comparison saturates.
        let small = match op {
            Op::Divide => !zero && numbers[1].abs() < spans[1].magnitude() / 8.0,
            Op::Direction => numbers
                .iter()
                .all(|c| c.abs() < spans.map(Span::magnitude).into_iter().fold(0.0, f64::max) / 8.0),
            Op::Less | Op::LessEqual | Op::Equal => span.lost > 0.0,
            _ => false,
        };
        if small {
            continue;
        }
        // Roots have 27 digits, and the components of directions 26.
        let root = match op {
            Op::Direction => power(-26),
            Op::Root | Op::Length => want * power(-26),
            _ => 0.0,
        };
        let most = span.lost + root;
        assert!(
            (found - want).abs() <= most,
            "{op:?} of {numbers:?}: {found}, not {want}, {most:e}: {spans:?} {instruction:?}"
        );
        compared[op as usize] += 1;
    }
    assert!(compared.iter().filter(|count| **count > 500).count() == 16, "{compared:?}");
}

/// Registers of numbers and single ones have the same bits, of zeros with a sign, too; and turns are those of geometry.
#[test]
fn several_numbers_are_computed_as_each_alone() {
    let special = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-20, 3.0];
    for k in 0..2000_u32 {
        let op = Op::ALL[k as usize % Op::ALL.len()];
        let mut known = [[0.0; 4]; SLOTS];
        for (slot, numbers) in known.iter_mut().enumerate().take(6) {
            *numbers = draw(3, k, slot as u32, 9).map(|word| special[word as usize % 8]);
        }
        let input = |slot| Instruction::plain(&Node { op: Op::Input, operands: [slot, 0, 0] });
        let node = Node { op, operands: [0, 3, if op == Op::Turn || op == Op::TurnAway { 1 } else { 5 }] };
        let last = Instruction { shift: [0, 0, 2], ..Instruction::plain(&node) };
        let code = [input(0), input(1), input(2), input(3), input(4), input(5), last];
        let values = [0.25, 0.8, 0.6, -3.0, 7.0, 1.5, 2.5];
        let draws = Draws { seed: 1, step: 2, stream: 3 };
        let (mut alone, mut together) = ([[0.0; 4]; MAX_INSTRUCTIONS], [[0.0; 4]; MAX_INSTRUCTIONS]);
        evaluate::<f64, 4>(&code, &values, &known, &[4, 5, 6, 7], draws, &mut alone, 4);
        evaluate::<Quad, 4>(&code, &values, &known, &[4, 5, 6, 7], draws, &mut together, 4);
        let bits =
            |registers: &[[f64; 4]]| registers[6..9].as_flattened().iter().map(|c| c.to_bits()).collect();
        let (alone, together): (Vec<u64>, Vec<u64>) = (bits(&alone), bits(&together));
        assert_eq!(alone, together, "{op:?} {k}");
        // The first of equal operands is chosen, which matters for zeros.
        let chosen = |k: usize| match (op, known[0][k], known[3][k]) {
            (Op::Minimum, a, b) => {
                if b < a {
                    b
                } else {
                    a
                }
            }
            (Op::Maximum, a, b) => {
                if a < b {
                    b
                } else {
                    a
                }
            }
            _ => f64::from_bits(alone[k]),
        };
        assert!((0..4).all(|k| chosen(k).to_bits() == alone[k]), "{op:?} {k}");
    }
}

fn turns_are_those_of_geometry<T: Number>() {
    let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let minus = |v: [f64; 3]| v.map(|c: f64| -c);
    for (op, from, to, expected) in [
        (Op::Turn, x, y, [0.8, 0.6, 0.0]),
        (Op::Turn, y, minus(z), [0.0, 0.8, -0.6]),
        // Within the angle it is reached; from the opposite, or towards it, the turn is to the left.
        (Op::Turn, x, [0.96, 0.0, 0.28], [0.96, 0.0, 0.28]),
        (Op::Turn, x, minus(x), [0.8, 0.6, 0.0]),
        (Op::Turn, minus(y), y, [0.6, -0.8, 0.0]),
        (Op::Turn, z, minus(z), [0.6, 0.0, 0.8]),
        (Op::Turn, x, [0.0; 3], x),
        (Op::TurnAway, x, y, [0.8, -0.6, 0.0]),
        (Op::TurnAway, y, [0.28, 0.96, 0.0], [-0.28, 0.96, 0.0]),
        (Op::TurnAway, z, [0.6, 0.0, -0.8], [-0.6, 0.0, 0.8]),
    ] {
        let mut known = [[T::ZERO]; SLOTS];
        for (slot, number) in from.into_iter().chain(to).enumerate() {
            known[slot] = [T::word(number, DIRECTION_DIGITS)];
        }
        let input = |slot| Instruction::plain(&Node { op: Op::Input, operands: [slot, 0, 0] });
        let turn =
            Instruction { digits: DIRECTION_DIGITS, ..Instruction::plain(&Node { op, operands: [0, 3, 0] }) };
        let code = [input(0), input(1), input(2), input(3), input(4), input(5), turn];
        let values = [0.8, 0.6].map(|value| T::word(value, DIRECTION_DIGITS));
        let mut registers = [[T::ZERO]; MAX_INSTRUCTIONS];
        evaluate::<T, 1>(
            &code,
            &values,
            &known,
            &[0],
            Draws { seed: 0, step: 0, stream: 0 },
            &mut registers,
            1,
        );
        for (axis, wanted) in expected.into_iter().enumerate() {
            let error = registers[6 + axis][0].to_f64() / T::word(1.0, DIRECTION_DIGITS).to_f64() - wanted;
            assert!(error.abs() < 1e-6, "{op:?} {from:?} {to:?}: {error} on axis {axis}");
        }
    }
}

#[test]
fn turns_are_those_of_geometry_in_every_number_type() {
    turns_are_those_of_geometry::<f32>();
    turns_are_those_of_geometry::<f64>();
    turns_are_those_of_geometry::<Fixed>();
}

/// Each row of terms has random numbers of its own: four streams of four words.
#[test]
fn terms_draw_from_streams_of_their_own() {
    let random = |k| Node { op: Op::Random, operands: [k, 0, 0] };
    let term = |k: u8| {
        let nodes = Box::leak(Box::new([random(k), random(0)]));
        let request = Formula { text: "", nodes, values: &[], result: [0, 1, 1] };
        FormulaTerm { name: "x", help: "", sums: &[], request }
    };
    let terms = Box::leak(Box::new([term(1), term(2), term(7)]));
    let set = TermSet { terms, parameters: &[], references: &[] };
    let terms = FormulaTerms::new(Box::leak(Box::new(set)));
    let p = Parameters { terms, ..Parameters::default() };
    let rule = Rule::<f64>::new(&p);
    let prepared = Prepared::new(&rule).expect("floats fit").expect("terms");
    let context = StepContext::new(&rule, 9, None, &[]);
    let boids = [Boid::default(); 3];
    let run: Run<f64> = Table::evaluate::<f64>;
    let found = brute::formula_request(&context, (&prepared, run), &boids, 2, |boid| boid.position);
    let part = |stream, k: usize| {
        f64::from(draw(rule.seed, 9, 2, stream::OWN + stream)[k] >> 8) / f64::from(1 << 24)
    };
    assert!((found.x - part(0, 1) - part(4, 2) - part(9, 3)).abs() < 1e-12, "{found:?}");
    assert!((found.y - part(0, 0) - part(4, 0) - part(8, 0)).abs() < 1e-12, "{found:?}");
}

/// A table of pairs is evaluated when it is full: whose pairs they are, and how many, changes nothing.
#[test]
fn boids_of_a_chunk_sum_as_each_alone() {
    let input = |slot: usize| Node { op: Op::Input, operands: [slot as u8, 0, 0] };
    let offset = Input::Offset as usize;
    let random = Node { op: Op::Random, operands: [1, 0, 0] };
    let summand = Box::leak(Box::new([input(offset), random, input(0)]));
    let request = Box::leak(Box::new([input(24), input(25), input(26)]));
    let mut p = Parameters::default();
    (p.terms, p.world.edges) = (summing(4.0, summand, request), Edges::Open);
    let rule = Rule::<f64>::new(&p);
    let prepared = Prepared::new(&rule).expect("floats fit").expect("terms");
    let place = |id: u32| {
        let [x, y, ..] = draw(4, 4, id, 4).map(|word| f64::from(word % 160) / 16.0);
        Boid { position: [x, y, 0.0], rest: if id % 5 == 4 { 3 } else { 0 }, ..Boid::default() }
    };
    let boids: Vec<Boid<f64>> = (0..500).map(place).collect();
    let ids: Vec<u32> = (0..100).collect();
    let mut requests = [Vec3::zero(); 100];
    let mut evaluator = Evaluator::<f64>::new(&rule, &prepared, 0, Table::evaluate::<f64>);
    evaluator.requests(&boids[..100], &ids, &mut requests, |k, me| {
        for (id, other) in boids.iter().enumerate().filter(|(id, other)| *id != k && !other.resting()) {
            me.offer(other.position.into(), || (*other, id as u32));
        }
    });
    for (k, found) in requests.into_iter().enumerate() {
        let near = |(id, other): &(usize, &Boid<f64>)| {
            let [x, y] = [0, 1].map(|axis| other.position[axis] - boids[k].position[axis]);
            *id != k && !other.resting() && x * x + y * y < 16.0 && !boids[k].resting()
        };
        let mut sum = [0.0; 3];
        for (id, other) in boids.iter().enumerate().filter(near) {
            sum[0] += other.position[0] - boids[k].position[0];
            let word = draw(rule.seed, 0, id as u32, stream::OWN)[1];
            sum[1] += f64::from(word >> 8) / f64::from(1 << 24);
            sum[2] += boids[k].position[0];
        }
        assert_eq!(found.to_array(), sum, "boid {k}");
    }
}
