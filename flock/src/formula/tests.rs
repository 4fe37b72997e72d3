//! The digits and errors of each operation in integers, calculated by hand; the ranges of the inputs.

use std::boxed::Box;

use super::digits::{FlockRanges, Unfit, assign, check_request};
use super::span::{Span, power, quotient_range, with_losses};
use super::*;
use crate::parameters::{Edges, Parameters};
use crate::{Fixed, Number, Rule};

mod evaluation;

/// A span with its digits, the digits that its numbers use, and its error in units of 2^−20.
fn with(low: f64, high: f64, digits: i8, used: i32, lost: f64) -> Span {
    Span { low, high, digits, used, lost: lost * power(-20) }
}

fn exact(low: f64, high: f64, digits: i8) -> Span {
    Span::exact(low, high, digits)
}

/// The span and the instruction of an operation on registers 0, 1 and 2, which hold inputs with these spans.
fn assigned(op: Op, operands: [u8; 3], spans: [Span; 3]) -> Result<(Span, Instruction), Unfit> {
    let mut known = [exact(0.0, 0.0, 0); SLOTS];
    known[..3].copy_from_slice(&spans);
    let input = |slot| Node { op: Op::Input, operands: [slot, 0, 0] };
    let nodes = [input(0), input(1), input(2), Node { op, operands }];
    let mut code = nodes.map(|node| Instruction::plain(&node));
    assign(&nodes, &known, &[], &mut code).map(|spans| (spans[3], code[3]))
}

/// Holds that an operation has this span and these shifts.
fn hold((op, spans, span, shift): (Op, [Span; 3], Span, [i8; 3])) {
    let (found, instruction) = assigned(op, [0, 1, 2], spans).expect("it fits");
    let near = (found.lost - span.lost).abs() <= 1e-9 * span.lost;
    let alike = Span { lost: 0.0, ..found } == Span { lost: 0.0, ..span };
    assert!(near && alike, "{op:?}: {found:?}, not {span:?}");
    assert_eq!((instruction.digits, instruction.shift), (span.digits, shift), "{op:?} {spans:?}");
}

#[test]
fn sums_products_and_quotients_have_the_digits_and_errors_calculated_by_hand() {
    let (none, half) = (exact(0.0, 0.0, 0), 0.5);
    let (a, b) = (with(0.0, 4.0, 20, 20, 1.0), with(-1.0, 2.0, 24, 24, 0.25));
    // Sums of these have no room for the last digit.
    let (wide, wider) = (exact(0.0, 512.0, 21), exact(-1024.0, 1024.0, 20));
    let rows = [
        // The finer digits, where both have room.
        (Op::Add, [a, b, none], with(-1.0, 6.0, 24, 24, 1.25), [-4, 0, 0]),
        (Op::Subtract, [a, b, none], with(-2.0, 5.0, 24, 24, 1.25), [-4, 0, 0]),
        // Half a last digit of each operand is lost.
        (Op::Add, [wide, wide, none], with(0.0, 1024.0, 20, 20, 2.0 * half), [1, 1, 0]),
        // No digit that is used is dropped.
        (Op::Add, [with(0.0, 512.0, 21, 20, 0.0), wide, none], with(0.0, 1024.0, 20, 20, half), [1, 1, 0]),
        (Op::Subtract, [wide, wider, none], with(-1024.0, 1536.0, 19, 19, 2.0 * 2.0 * half), [2, 1, 0]),
        // 3 · 2⁻²⁰ + 5 · 2⁻²¹ + 2⁻⁴¹, and half of the last of 26 digits.
        (
            Op::Multiply,
            [with(-2.0, 3.0, 20, 20, half), with(-5.0, 4.0, 20, 20, 1.0), none],
            with(-15.0, 12.0, 26, 26, 3.0 + 5.0 * half + half * power(-20) + half / 64.0),
            [14, 0, 0],
        ),
        (Op::Multiply, [exact(-3.0, -2.0, 4), exact(-3.0, 1.0, 3), none], exact(-3.0, 9.0, 7), [0; 3]),
        // Quotients of 0…8 and 2…4 are at most 4: 28 digits. The divisor counts from 2 on.
        (
            Op::Divide,
            [with(0.0, 8.0, 20, 20, 1.0), with(2.0, 4.0, 20, 20, 0.25), none],
            with(0.0, 4.0, 28, 28, (1.0 + 4.0 * 0.25) / 2.0 + 1.0 / 256.0),
            [-28, 0, 0],
        ),
        // A divisor that may be 0 counts from 1/1,024 of its greatest on; its error, from an eighth on.
        (
            Op::Divide,
            [with(-8.0, 8.0, 20, 20, 1.0), with(-1.0, 4.0, 20, 20, 0.25), none],
            with(-2048.0, 2048.0, 19, 19, (1.0 + 16.0 * 0.25) / 0.5 + 2.0),
            [-19, 0, 0],
        ),
        // The dividend is shifted left by 15 first, then by 31.
        (
            Op::Divide,
            [exact(0.0, 8.0, 10), exact(8.0, 16.0, 26), none],
            with(0.0, 1.0, 30, 30, 1.0 / 1024.0),
            [-31, -15, 0],
        ),
        // The dividend has room for 4 digits alone.
        (
            Op::Divide,
            [exact(0.0, 8.0, 23), exact(-8.0, -7.0, 40), none],
            with(-8.0 / 7.0, 8.0 / 7.0, 18, 18, 4.0),
            [-31, -4, 0],
        ),
        (
            Op::Divide,
            [exact(0.0, 8.0, 20), exact(-4.0, 0.0, 20), none],
            with(-2048.0, 2048.0, 19, 19, 2.0),
            [-19, 0, 0],
        ),
        // A quotient by 0 is 0.
        (Op::Divide, [exact(0.0, 8.0, 23), none, none], exact(0.0, 0.0, 30), [-7, 0, 0]),
    ];
    rows.into_iter().for_each(hold);
    let (square, _) = assigned(Op::Multiply, [0, 0, 2], [exact(-2.0, 3.0, 4); 3]).expect("it fits");
    assert_eq!(square, exact(0.0, 9.0, 8));
}

#[test]
fn other_operations_have_the_digits_and_errors_calculated_by_hand() {
    let (none, far, half) = (exact(0.0, 0.0, 0), exact(0.0, 16_777_216.0, 0), 0.5);
    let (a, b) = (with(0.0, 4.0, 20, 20, 1.0), with(-1.0, 2.0, 24, 24, 0.25));
    let rows = [
        (Op::Minimum, [a, b, none], with(-1.0, 2.0, 24, 24, 1.0), [-4, 0, 0]),
        (Op::Maximum, [a, b, none], with(0.0, 4.0, 24, 24, 1.0), [-4, 0, 0]),
        // Fewer than ten digits would be left: those of the finer operand are kept, the other saturates.
        (Op::Minimum, [far, exact(0.0, 1.0, 20), none], exact(0.0, 1.0, 20), [-20, 0, 0]),
        (
            Op::Maximum,
            [far, exact(0.0, 1.0, 20), none],
            with(0.0, 16_777_216.0, 6, 6, 0.5 * 16_384.0),
            [-6, 14, 0],
        ),
        (Op::Absolute, [with(-3.0, 2.0, 20, 18, 1.0), none, none], with(0.0, 3.0, 20, 18, 1.0), [0; 3]),
        (Op::Absolute, [exact(-3.0, -2.0, 20), none, none], exact(2.0, 3.0, 20), [0; 3]),
        (Op::Floor, [with(-2.5, 3.5, 20, 20, 1.0), none, none], with(-3.0, 3.0, 0, 0, 1.0), [20, 0, 0]),
        (Op::Fraction, [with(-2.5, 3.5, 20, 20, 1.0), none, none], with(0.0, 1.0, 20, 20, 1.0), [20, 0, 0]),
        (
            Op::Fraction,
            [with(-2.5, 3.5, 20, 20, 3e6), none, none],
            with(0.0, 1.0, 20, 20, 1_048_576.0),
            [20, 0, 0],
        ),
        (Op::Fraction, [exact(-0.1, 0.1, 33), none, none], with(0.0, 1.0, 30, 30, half / 1024.0), [33, 0, 0]),
        (
            Op::Root,
            [with(4.0, 16.0, 20, 20, 1.0), none, none],
            with(2.0, 4.0, 28, 28, half + half / 256.0),
            [-36, 0, 0],
        ),
        (
            Op::Root,
            [with(-4.0, 16.0, 20, 20, 1.0), none, none],
            with(0.0, 4.0, 28, 28, 1024.0 + half / 256.0),
            [-36, 0, 0],
        ),
        // Numbers that differ by 1/64 are told apart, by an error of less than it.
        (Op::Less, [a, b, none], exact(0.0, 1.0, 0), [-4, 0, 0]),
        (Op::Equal, [far, exact(0.0, 1.0, 20), none], exact(0.0, 1.0, 0), [-20, 0, 0]),
        (
            Op::LessEqual,
            [with(0.0, 4.0, 20, 20, 16_384.0), exact(-1.0, 1.0, 20), none],
            exact(0.0, 1.0, 0),
            [0; 3],
        ),
        (
            Op::LessEqual,
            [with(0.0, 4.0, 20, 20, 16_385.0), exact(-1.0, 1.0, 20), none],
            with(0.0, 1.0, 0, 0, 1_048_576.0),
            [0; 3],
        ),
        // A wrong condition chooses the other number, 5 away at most.
        (
            Op::Select,
            [with(0.0, 1.0, 20, 20, 1.0), with(0.0, 4.0, 20, 20, 2.0), with(-1.0, 2.0, 24, 24, 1.0)],
            with(-1.0, 4.0, 24, 24, 2.0 + 5.0),
            [-4, 0, 0],
        ),
        (
            Op::Length,
            [with(-3.0, 1.0, 20, 20, 1.0), with(0.0, 4.0, 21, 21, 0.25), exact(-12.0, 0.0, 22)],
            with(0.0, 13.0, 20, 20, 1.0 + 0.25 + half + half + half),
            [0, 1, 2],
        ),
        // The error as a part of an eighth of the greatest component.
        (
            Op::Direction,
            [with(-3.0, 1.0, 20, 20, 1.0), with(0.0, 4.0, 20, 20, 0.25), with(-2.0, 0.0, 20, 20, 4.0)],
            with(-1.0, 1.0, 30, 30, 5.25 / 0.5),
            [0; 3],
        ),
        (Op::Direction, [none; 3], exact(-1.0, 1.0, 30), [0; 3]),
        (Op::Random, [none; 3], exact(0.0, 1.0, 24), [0; 3]),
        (Op::Value, [none; 3], none, [0; 3]),
        (Op::Input, [a, b, b], a, [0; 3]),
        (Op::Rest, [a, a, b], b, [0; 3]),
    ];
    rows.into_iter().for_each(hold);
}

#[test]
fn what_integers_have_no_digits_for_is_refused() {
    let whole = |most: f64| exact(0.0, most, 0);
    let (low, huge) = (exact(-1.0, 1.0, 20), exact(0.0, power(40), -10));
    // A whole number and a half, in the numerator of a quotient of whole numbers.
    let halves = |digits| Span { low: 0.5, ..exact(0.0, 1000.5, digits) };
    let divisor = |most: f64| exact(1.0, most, 0);
    for (op, c, [a, b, of_c], refused) in [
        (Op::Multiply, 2, [whole(power(28)), whole(power(28) - 1.0), low], None),
        (Op::Multiply, 2, [whole(power(28)), whole(power(28)), low], Some(Unfit::TooLarge(Op::Multiply))),
        (Op::Floor, 2, [exact(0.0, 1.0, 0), low, low], None),
        (Op::Floor, 2, [exact(0.0, 1.0, -1), low, low], Some(Unfit::TooLarge(Op::Floor))),
        (Op::Fraction, 2, [exact(0.0, 1.0, 1), low, low], None),
        (Op::Fraction, 2, [exact(0.0, 1.0, 0), low, low], Some(Unfit::TooLarge(Op::Fraction))),
        // Beside 2⁴⁰ words are multiples of 1,024.
        (Op::Maximum, 2, [huge, whole(1024.0), low], None),
        (Op::Maximum, 2, [huge, whole(0.0), low], None),
        (Op::Maximum, 2, [huge, whole(512.0), low], Some(Unfit::TooLarge(Op::Maximum))),
        (Op::Minimum, 2, [huge, whole(512.0), low], None),
        (Op::Maximum, 2, [whole(power(30)), exact(0.0, 0.5, 1), low], None),
        (Op::Select, 2, [low, whole(512.0), huge], Some(Unfit::TooLarge(Op::Select))),
        (Op::Select, 2, [low, huge, whole(512.0)], Some(Unfit::TooLarge(Op::Select))),
        (Op::Select, 2, [whole(512.0), huge, huge], None),
        (Op::Add, EXACT, [whole(power(29)), whole(power(29)), low], None),
        (Op::Add, EXACT, [whole(power(30)), whole(power(29)), low], Some(Unfit::Whole)),
        (Op::Subtract, EXACT, [whole(power(30)), exact(-power(30), 0.0, 0), low], Some(Unfit::Whole)),
        (Op::Multiply, EXACT, [whole(power(16)), whole(power(15)), low], Some(Unfit::Whole)),
        // Quotients to 20 digits tell quotients by less than 2¹⁸ apart.
        (Op::Divide, EXACT, [halves(1), divisor(power(18)), low], None),
        (Op::Divide, EXACT, [halves(1), divisor(power(18) + 1.0), low], Some(Unfit::Quotient)),
        (Op::Divide, EXACT, [halves(0), divisor(16.0), low], Some(Unfit::Quotient)),
        (Op::Divide, 2, [halves(0), divisor(16.0), low], None),
    ] {
        let found = assigned(op, [0, 1, c], [a, b, of_c]);
        assert_eq!(found.err(), refused, "{op:?} {a:?} {b:?} {of_c:?}");
    }
    let (quotient, _) =
        assigned(Op::Divide, [0, 1, EXACT], [halves(1), divisor(16.0), low]).expect("it fits");
    assert_eq!((quotient.used, quotient.lost), (0, 0.0), "what counts of it is its floor");
    let (floor, _) =
        assigned(Op::Floor, [0, 1, EXACT], [with(0.0, 9.0, 20, 20, 1.0), low, low]).expect("it fits");
    assert_eq!((floor.used, floor.lost), (0, 0.0));
    for (digits, lost, refused) in [
        // The last digit is at most 1/1,000 of the greatest speed, the error a sixteenth.
        (10, 1.0, false),
        (9, 1.0, true),
        (9, 0.0, false),
        (20, 65_536.0, false),
        (20, 65_537.0, true),
    ] {
        let span = with(-1.0, 1.0, digits, 9, lost);
        for request in [[span, low, low], [low, low, span]] {
            assert_eq!(check_request(request, 1.0).is_err(), refused, "{digits} digits, {lost}");
        }
    }
    let coarse = Unfit::Coarse { lost: power(-9), max_speed: 1.0 };
    assert_eq!(check_request([with(0.0, 1.0, 9, 9, 1.0); 3], 1.0), Err(coarse));
}

/// One term with a sum over the neighbours within a radius. The results of both formulas are their first three registers.
fn summing(radius: f64, summand: &'static [Node], request: &'static [Node]) -> FormulaTerms {
    let parameter = FormulaParameter {
        name: "terms.x.radius",
        term: "x",
        key: "radius",
        unit: "len",
        default: radius,
        range: [0.0, 9.0],
        side: 0,
    };
    let formula = |nodes| Formula { text: "", nodes, values: &[], result: [0, 1, 2] };
    let each = Each { name: "", formula: formula(summand), radius: 0, perceived: None, nearest: None };
    let sums = Box::leak(Box::new([each]));
    let term = FormulaTerm { name: "x", help: "", sums, request: formula(request) };
    let (terms, parameters) = (Box::leak(Box::new([term])), Box::leak(Box::new([parameter])));
    FormulaTerms::new(Box::leak(Box::new(TermSet { terms, parameters, references: &[] })))
}

#[test]
fn spans_have_the_digits_that_a_word_has_room_for() {
    for (low, high, digits) in
        [(-3.0, 4.0, 28), (-4.5, 4.0, 27), (0.0, 0.25, 32), (0.0, 0.0, 30), (0.0, power(40), -10)]
    {
        assert_eq!(Span::of(low, high), exact(low, high, digits));
        assert_eq!(Span::within(low, high, 29).digits, digits.min(29));
    }
    assert_eq!([power(-80), power(90)].map(|most| Span::of(0.0, most).digits), [56, -56]);
    let of = |numbers: &[f64]| Span::of_numbers(numbers.iter().copied());
    assert_eq!(of(&[]), Span::ZERO);
    assert_eq!(of(&[0.5, -0.75, 0.25]), Span { used: 2, ..exact(-0.75, 0.5, 30) });
    assert_eq!(of(&[96.0, 32.0]), Span { used: -5, ..exact(32.0, 96.0, 23) });
    // A third has 31 digits: 2^31 / 3 = 715,827,882 + 2/3.
    let third = of(&[1.0 / 3.0]);
    assert_eq!((third.digits, third.used), (31, 31));
    assert!((third.lost * 3.0 * power(31) - 1.0).abs() < 1e-6, "{third:?}");
    assert_eq!([1.0, 1024.0, 0.25].map(Span::digits_of_unit), [20, 30, 18]);
    let sizes = |low, high| (exact(low, high, 0).magnitude(), exact(low, high, 0).least());
    assert_eq!([sizes(-3.0, 2.0), sizes(-3.0, -2.0), sizes(2.0, 3.0)], [(3.0, 0.0), (3.0, 2.0), (3.0, 2.0)]);
    assert_eq!([sizes(0.0, 2.0), sizes(-2.0, 0.0)], [(2.0, 0.0); 2]);
}

#[test]
fn inputs_have_the_ranges_of_their_flock() {
    let mut p = Parameters::default();
    (p.world.min, p.world.max, p.world.edges) = ([-2.0, 0.0, 1.0], [6.0, 4.0, 3.0], Edges::Turn);
    (p.motion.max_speed, p.motion.time_step) = (1.5, 0.5);
    p.terms = summing(2.5, &[], &[]);
    assert_eq!(["terms.x.radius", "terms.x.other"].map(|name| p.terms.get(name)), [Some(2.5), None]);
    let rule = Rule::<Fixed>::new(&p);
    // Lengths are scaled by 4: the largest coordinate, 6, comes to at most 32.
    assert_eq!(rule.unit.to_f64(), 4.0);
    let known = FlockRanges::by_rule(&rule);
    let whole = |most: f64| exact(0.0, most, 0);
    for (input, spans) in [
        // A world of 8 · 4 · 2, and as much again beyond each edge.
        (Input::Position, &[exact(-10.0, 14.0, 22), exact(-4.0, 8.0, 22), exact(-1.0, 5.0, 22)][..]),
        (Input::Velocity, &[exact(-3.0, 3.0, 22); 3]),
        (Input::Heading, &[exact(-1.0, 1.0, 30); 3]),
        (Input::Speed, &[exact(0.0, 6.0, 22)]),
        (Input::Id, &[whole(4_194_303.0)]),
        (Input::Group, &[whole(7.0)]),
        (Input::Bias, &[exact(0.0, 1.0, 20)]),
        (Input::Step, &[whole(4_194_303.0)]),
        (Input::Time, &[exact(0.0, 2_097_152.0, 9)]),
        (Input::Offset, &[exact(-2.5, 2.5, 22); 3]),
        (Input::Distance, &[exact(0.0, 2.5, 22)]),
        (Input::TheirVelocity, &[exact(-3.0, 3.0, 22); 3]),
        (Input::TheirGroup, &[whole(7.0)]),
        (Input::TheirId, &[whole(4_194_303.0)]),
        (Input::Count, &[whole(1_048_576.0)]),
    ] {
        assert_eq!(&known.spans[input as usize..][..spans.len()], spans, "{input:?}");
    }
    assert_eq!(known.spans[Input::Count.of_sum(3)], whole(1_048_576.0));
    assert_eq!(known.spans[Input::Sum.of_sum(1)], whole(0.0), "until the sum is known");
    // A sum of up to 4,096 others drops digits; of a flock of 100, fewer.
    let (of, few) = (exact(-2.0, 1.0, 22), known.of_boids(100));
    assert_eq!(known.sum(of), with(-8192.0, 4096.0, 17, 17, 4.0));
    assert_eq!(few.sum(of), exact(-198.0, 99.0, 22));
    assert_eq!(few.sum(exact(1.0, 2.0, 22)), exact(0.0, 198.0, 22));
    assert_eq!([known.of_boids(1), known.of_boids(0)].map(|one| one.sum(of).low), [-2.0; 2]);
    assert_eq!(known.of_boids(1_000_000).sum(of), known.sum(of));
    for slot in [Input::Id as usize, Input::TheirId as usize, Input::Count.of_sum(0), Input::Count.of_sum(3)]
    {
        assert_eq!(few.spans[slot], whole(99.0));
    }
    let prepared = Prepared::new(&rule).expect("it fits").expect("a term");
    let words = |all: [i32; 3]| all.map(|c| Fixed(c << 22));
    assert_eq!(prepared.limits(Input::Position), [words([-10, -4, -1]), words([14, 8, 5])]);
    p.world.edges = Edges::Open;
    // A word of 30 digits reaches as far.
    let open = FlockRanges::by_rule(&Rule::<Fixed>::new(&p)).spans[0];
    assert_eq!(open, exact(-256.0, 256.0, 22));
}

/// The errors of tables and turns, and the ranges of quotients by which errors grow.
#[test]
fn a_wrong_index_costs_the_width_of_a_table_and_quotients_have_their_sign() {
    let span = with(1.0, 4.0, 28, 20, 2.0);
    let lost = |op, a: f64, b: f64| {
        let (a, b) = (with(0.0, 7.0, 0, 0, a), with(0.0, 7.0, 0, 0, b));
        let node = Node { op, operands: [0, 1, 2] };
        with_losses(&node, [a, b, a], [a, b, a], (span, [0; 3])).lost * power(20)
    };
    let width = 3.0 * power(20);
    for (a, b, expected) in [(0.0, 0.0, 2.0), (0.25, 0.0, 2.0 + width), (0.0, 0.25, 2.0 + width)] {
        assert_eq!(lost(Op::Table, a, b), expected);
    }
    // A turn errs by as much as both, and a digit; at most by the width.
    for op in [Op::Turn, Op::TurnAway] {
        assert_eq!([lost(op, 1.0, 0.5), lost(op, 1e9, 0.0)], [1.5 + 1.0 / 256.0, width]);
    }
    let quotient = |a: [f64; 2], b: [f64; 2]| {
        let [a, b] = [a, b].map(|[low, high]| exact(low, high, 20));
        let found = quotient_range([a, b, b], span);
        (found.low, found.high)
    };
    // A divisor counts from an eighth of its greatest on, here 1/2.
    assert_eq!(quotient([-2.0, 6.0], [0.0, 4.0]), (-4.0, 12.0));
    assert_eq!(quotient([-2.0, 6.0], [-4.0, 0.0]), (-12.0, 4.0));
    assert_eq!(quotient([-2.0, 6.0], [-4.0, 1.0]), (-12.0, 12.0));
    assert_eq!(quotient([-2.0, 6.0], [2.0, 4.0]), (-1.0, 3.0));
    assert_eq!(quotient([1.0, 6.0], [0.0, 0.0]), (0.0, 0.0));
}

#[test]
fn nodes_and_terms_know_what_they_read() {
    let reads = |op, slot| Node { op, operands: [slot, 0, 0] }.reads();
    assert_eq!([0, 5, 31, 32, 39].map(|slot| reads(Op::Input, slot)), [1, 1 << 5, 1 << 31, 0, 0]);
    assert_eq!([reads(Op::Random, 2), reads(Op::Add, 1)], [1 << Input::TheirId as u32, 0]);
    let none = FormulaTerms::default();
    assert_eq!((none.side(0), none.value(MAX_PARAMETERS), none.reach()), (0, 0.0, 0.0));
}
