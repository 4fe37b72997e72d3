//! The digits of each register in integers, by interval analysis of its operands, once when a rule is set.
//!
//! A word w of d digits stands for w · 2^−d. d is as large as the range allows, but no finer than the operands. Ranges
//! assume independent operands, so they may be wider than the values that occur; values beyond saturate.

pub use super::span::Span;
use super::span::{BITS, MAX_DIGITS, most_digits, power, quotient_range, summed, with_losses};
use super::{DIRECTION_DIGITS, EXACT, Input, Instruction, MAX_INSTRUCTIONS, MAX_SUMS, Node, Op, SLOTS};
use crate::fixed::FRACTION;
use crate::number::Number;
use crate::parameters::Edges;
use crate::rule::Rule;

/// A divisor that may be zero counts as at least its greatest magnitude over 2 to this power.
const MIN_DIVISOR: i32 = 10;

fn square(number: f64) -> f64 {
    number * number
}

/// The fewest digits with which numbers are compared, or the least of them chosen.
const FEW: i8 = 10;

/// The ranges of a flock that formulas depend on.
#[derive(Clone, Copy, Debug)]
pub struct FlockRanges {
    /// The spans of the inputs.
    pub spans: [Span; SLOTS],
    /// The range of a sum over neighbours is this many times that of a summand; sums beyond it saturate.
    neighbours: f64,
}

impl FlockRanges {
    /// Whatever the number of boids: the digits do not depend on it.
    #[must_use]
    pub fn of_any_flock(spans: [Span; SLOTS]) -> FlockRanges {
        FlockRanges { spans, neighbours: 4096.0 }
    }

    /// By a rule, whatever the number of boids. Positions span the world and its size beyond each edge, where it has
    /// edges; speeds up to twice the greatest; offsets the greatest radius of a term.
    #[must_use]
    pub fn by_rule<T: Number>(rule: &Rule<T>) -> FlockRanges {
        let reach = rule.formula_values.terms.reach();
        let unit = Span::digits_of_unit(rule.unit.to_f64());
        let far = libm::ldexp(1.0, 30 - i32::from(unit));
        let length = |low: f64, high: f64| Span::within(low.max(-far), high.min(far), unit);
        let axis = |min: T, max: T| {
            let (min, max) = (rule.unscaled(min), rule.unscaled(max));
            let beyond = if rule.edges == Edges::Open { far } else { max - min };
            length(min - beyond, max + beyond)
        };
        let speed = 2.0 * rule.unscaled(rule.max_speed);
        let (velocity, offset) = (length(-speed, speed), length(-reach, reach));
        let whole = |most: f64| Span::exact(0.0, most, 0);
        let (unknown, direction) = (whole(0.0), Span::exact(-1.0, 1.0, DIRECTION_DIGITS));
        let mut spans = [unknown; SLOTS];
        let mut set = |input: Input, all: &[Span]| spans[input as usize..][..all.len()].copy_from_slice(all);
        let (min, max) = (rule.world_min, rule.world_max);
        set(Input::Position, &[axis(min.x, max.x), axis(min.y, max.y), axis(min.z, max.z)]);
        set(Input::Velocity, &[velocity; 3]);
        set(Input::Heading, &[direction; 3]);
        set(Input::Speed, &[length(0.0, 2.0 * speed)]);
        set(Input::Id, &[whole(4_194_303.0)]);
        set(Input::Group, &[whole(7.0)]);
        set(Input::Bias, &[Span::exact(0.0, 1.0, FRACTION as i8)]);
        set(Input::Step, &[whole(4_194_303.0)]);
        set(Input::Time, &[Span::of(0.0, 4_194_304.0 * rule.time_step.to_f64())]);
        set(Input::Offset, &[offset; 3]);
        set(Input::Distance, &[length(0.0, reach)]);
        set(Input::TheirVelocity, &[velocity; 3]);
        set(Input::TheirGroup, &[whole(7.0)]);
        set(Input::TheirId, &[whole(4_194_303.0)]);
        for sum in 0..MAX_SUMS {
            spans[Input::Count.of_sum(sum)] = whole(1_048_576.0);
        }
        FlockRanges::of_any_flock(spans)
    }

    /// With the ids and neighbours that a flock has at most: more digits.
    #[must_use]
    pub fn of_boids(&self, boids: u32) -> FlockRanges {
        let others = f64::from(boids.saturating_sub(1));
        let mut known = *self;
        let counts = (0..MAX_SUMS).map(|sum| Input::Count.of_sum(sum));
        for slot in counts.chain([Input::Id as usize, Input::TheirId as usize]) {
            let span = &mut known.spans[slot];
            span.high = span.high.min(others);
        }
        known.neighbours = known.neighbours.min(others.max(1.0));
        known
    }

    /// The span of a sum over neighbours, from the span of its summands.
    #[must_use]
    pub fn sum(&self, of: Span) -> Span {
        let (low, high) = (of.low.min(0.0) * self.neighbours, of.high.max(0.0) * self.neighbours);
        summed(of, Span::within(low, high, of.digits))
    }
}

/// Why integers refuse a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unfit {
    /// An operation whose numbers, or operands, are too large.
    TooLarge(Op),
    /// A quotient of whole numbers.
    Quotient,
    /// A whole number that would be rounded.
    Whole,
    /// A request that would be rounded by more than the share of the greatest speed that integers keep to.
    Coarse {
        /// The error, or the last digit (length/time).
        lost: f64,
        /// The greatest speed (length/time).
        max_speed: f64,
    },
}

impl core::fmt::Display for Unfit {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let op = match *self {
            Unfit::TooLarge(op) => op,
            Unfit::Quotient => {
                let why = "may be so large that fixed point has too few digits for their quotient";
                return write!(f, "whole numbers of / or % {why}; use f32 or f64");
            }
            Unfit::Whole => {
                return write!(f, "a whole number in it may exceed 2^{BITS}; use f32 or f64");
            }
            Unfit::Coarse { lost, max_speed } => {
                return write!(
                    f,
                    "its numbers may be so large that fixed point rounds the request by {lost:.1e}, too much for \
                     motion.max_speed = {max_speed}; use f32 or f64"
                );
            }
        };
        if matches!(op, Op::Floor | Op::Fraction | Op::Minimum | Op::Maximum | Op::Select) {
            let name = match op {
                Op::Floor => "floor()",
                Op::Fraction => "fract()",
                Op::Select => "select()",
                _ => "min() or max()",
            };
            let why = "may be of a number so large that fixed point has no digits for less than 1";
            return write!(f, "{name} {why}; use f32 or f64");
        }
        let what = match op {
            Op::Value | Op::Table => "a number or parameter",
            Op::Add => "a sum",
            Op::Subtract => "a difference",
            Op::Multiply => "a product",
            Op::Divide => "a quotient",
            _ => "a result",
        };
        let why = format_args!("beyond 2^{MAX_DIGITS}, which fixed point cannot hold; use f32 or f64");
        write!(f, "{what} in it may be {why}")
    }
}

/// The spans of the registers of a formula.
pub type Spans = [Span; MAX_INSTRUCTIONS];

/// The last digit of a request that is rounded may be this part of the greatest speed, as the error of a step
/// (docs/fixed-point.md).
const LAST_DIGIT: f64 = 1.0 / 1000.0;

/// The error of a request by the digits that were dropped on the way to it may be this part of the greatest speed:
/// ranges are wider than the numbers, so the error is mostly far below it.
const MOST_LOST: f64 = 1.0 / 16.0;

/// Checks the spans of a request, by the greatest speed (length/time).
///
/// # Errors
/// When the last digit, or the error by digits that were dropped before, is too large.
pub fn check_request(request: [Span; 3], max_speed: f64) -> Result<(), Unfit> {
    for Span { digits, lost, .. } in request {
        let last = power(-i32::from(digits));
        if lost > 0.0 && (last > LAST_DIGIT * max_speed || lost > MOST_LOST * max_speed) {
            return Err(Unfit::Coarse { lost: lost.max(last), max_speed });
        }
    }
    Ok(())
}

/// Assigns digits to the code of a formula, one instruction per node, and returns the spans of its registers, from the
/// spans of the inputs and of `values`.
///
/// # Errors
/// When a number could reach 2⁵⁶, or is so large that a part of it, or a number chosen beside it, loses its digits; when
/// a whole number would be rounded.
pub fn assign(
    nodes: &[Node],
    known: &[Span; SLOTS],
    values: &[Span],
    code: &mut [Instruction],
) -> Result<Spans, Unfit> {
    let mut spans = [Span::ZERO; MAX_INSTRUCTIONS];
    // The ranges by which losses grow: those of spans do not know the sign of a quotient.
    let mut ranges = [Span::ZERO; MAX_INSTRUCTIONS];
    for (k, (node, instruction)) in nodes.iter().zip(code).enumerate().take(MAX_INSTRUCTIONS) {
        let Node { op, operands: [a, b, c] } = *node;
        let at = |register: u8| spans[usize::from(register) % MAX_INSTRUCTIONS];
        let of = |place: Option<&Span>| place.copied().unwrap_or(Span::ZERO);
        let (span, shift) = match op {
            Op::Value => (of(values.get(usize::from(a))), [0; 3]),
            // The numbers of a table share one span.
            Op::Table => (of(values.get(usize::from(c))), [at(a).digits, at(b).digits, 0]),
            Op::Input => (known[usize::from(a) % SLOTS], [0; 3]),
            Op::Rest => (of(spans.get(k.wrapping_sub(1))), [0; 3]),
            Op::Turn | Op::TurnAway => {
                let value = |k: u8| of(values.get(usize::from(k))).digits - DIRECTION_DIGITS;
                (unit_part(), [value(c), value(c.saturating_add(1)), 0])
            }
            _ => span(op, [a, b, c].map(at), a == b),
        };
        let least = match op {
            Op::Floor => 0,
            Op::Fraction => 1,
            _ => i8::MIN,
        };
        let chosen = match op {
            Op::Minimum | Op::Maximum => [a, b],
            Op::Select => [b, c],
            _ => [a, a],
        };
        let word = power(-i32::from(span.digits));
        let vanishes = |operand: u8| at(operand).magnitude() > 0.0 && at(operand).magnitude() < word;
        let lost = chosen[0] != chosen[1] && span.digits < 0 && chosen.into_iter().any(vanishes);
        let fits = span.magnitude().is_finite() && span.magnitude() < power(MAX_DIGITS);
        // The added half is exact; a quotient by b is at least 1/(2b) from a whole number, a remainder from the next.
        let coarse = at(a).digits < 1 || power(span.digits.into()) < 4.0 * at(b).magnitude();
        if op == Op::Divide && c == EXACT && coarse {
            return Err(Unfit::Quotient);
        }
        if at(a).digits < least || span.digits < -(MAX_DIGITS as i8) || lost || !fits {
            return Err(Unfit::TooLarge(op));
        }
        let of_operands = [a, b, c].map(|register| ranges[usize::from(register) % MAX_INSTRUCTIONS]);
        ranges[k] = match op {
            Op::Value | Op::Table | Op::Input | Op::Rest | Op::Turn | Op::TurnAway => span,
            Op::Divide => quotient_range(of_operands, span),
            _ => self::span(op, of_operands, a == b).0,
        };
        let span = with_losses(node, [a, b, c].map(at), of_operands, (span, shift));
        if matches!(op, Op::Add | Op::Subtract | Op::Multiply) && c == EXACT && span.lost > 0.0 {
            return Err(Unfit::Whole);
        }
        spans[k] = span;
        *instruction = Instruction { op, a, b, c, digits: span.digits, shift };
    }
    Ok(spans)
}

/// The span of a component of a unit vector.
fn unit_part() -> Span {
    Span::exact(-1.0, 1.0, DIRECTION_DIGITS)
}

/// The common digits of a vector's components, and their shifts.
fn alike(parts: [Span; 3]) -> (i8, [i8; 3]) {
    let digits = parts.iter().map(|part| part.digits).min().unwrap_or(0);
    (digits, parts.map(|part| part.digits - digits))
}

/// The span of an operation's result, and the shifts; `same` if a and b are one register.
fn span(op: Op, [a, b, c]: [Span; 3], same: bool) -> (Span, [i8; 3]) {
    match op {
        // [`assign`] handles these.
        Op::Value | Op::Table | Op::Input | Op::Rest | Op::Turn | Op::TurnAway => (Span::ZERO, [0; 3]),
        Op::Random => (Span::exact(0.0, 1.0, 24), [0; 3]),
        Op::Direction => (unit_part(), alike([a, b, c]).1),
        Op::Length => {
            let high = libm::sqrt([a, b, c].iter().map(|part| square(part.magnitude())).sum::<f64>());
            let (digits, shift) = alike([a, b, c]);
            (Span::exact(0.0, high, digits), shift)
        }
        Op::Absolute => (Span::exact(a.least(), a.magnitude(), a.digits), [0; 3]),
        Op::Floor => {
            let (low, high) = (libm::floor(a.low), libm::floor(a.high));
            let digits = most_digits(low, high).min(0).min(a.digits.into()) as i8;
            (Span::exact(low, high, digits), [a.digits, 0, 0])
        }
        Op::Fraction => (Span::exact(0.0, 1.0, a.digits.clamp(0, BITS as i8)), [a.digits, 0, 0]),
        Op::Root => {
            let span = Span::of(libm::sqrt(a.low.max(0.0)), libm::sqrt(a.high.max(0.0)));
            // The word is √(word · 2^−a) · 2^digits: its square is the word shifted by a − 2 digits.
            let shift = i32::from(a.digits) - 2 * i32::from(span.digits);
            (span, [shift.clamp(-127, 127) as i8, 0, 0])
        }
        Op::Multiply => product(a, b, same),
        Op::Divide => quotient(a, b),
        Op::Less | Op::LessEqual | Op::Equal => (Span::exact(0.0, 1.0, 0), compared(a, b).1),
        Op::Select => {
            let (digits, shift) = aligned(b, c);
            (Span::exact(b.low.min(c.low), b.high.max(c.high), digits), shift)
        }
        Op::Add | Op::Subtract | Op::Minimum | Op::Maximum => {
            let (low, high) = match op {
                Op::Add => (a.low + b.low, a.high + b.high),
                Op::Subtract => (a.low - b.high, a.high - b.low),
                Op::Minimum => (a.low.min(b.low), a.high.min(b.high)),
                _ => (a.low.max(b.low), a.high.max(b.high)),
            };
            let chosen = matches!(op, Op::Minimum | Op::Maximum);
            let (least, _) = if chosen { compared(a, b) } else { aligned(a, b) };
            let span = Span::within(low, high, least);
            (span, [a.digits - span.digits, b.digits - span.digits, 0])
        }
    }
}

/// The span and the shifts of a product, or of a square.
fn product(a: Span, b: Span, is_square: bool) -> (Span, [i8; 3]) {
    let (low, high) = if is_square {
        (square(a.least()), square(a.magnitude()))
    } else {
        let all = [a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high];
        (all.into_iter().fold(f64::INFINITY, f64::min), all.into_iter().fold(f64::NEG_INFINITY, f64::max))
    };
    let exact = i32::from(a.digits) + i32::from(b.digits);
    let digits = most_digits(low, high).min(exact);
    (Span::exact(low, high, digits as i8), [(exact - digits).clamp(0, 127) as i8, 0, 0])
}

fn quotient(a: Span, b: Span) -> (Span, [i8; 3]) {
    let contains_zero = b.low <= 0.0 && b.high >= 0.0;
    let smallest = if contains_zero { b.magnitude() / f64::from(1 << MIN_DIVISOR) } else { b.least() };
    let most = if smallest > 0.0 { a.magnitude() / smallest } else { 0.0 };
    let low = if a.low >= 0.0 && b.low >= 0.0 { 0.0 } else { -most };
    // The dividend has room for 31 more digits; those that its own range allows come first.
    let (exact, wanted) = (i32::from(a.digits) - i32::from(b.digits), most_digits(low, most));
    let room = (most_digits(a.low, a.high) - i32::from(a.digits)).clamp(0, 31);
    let before = (wanted - exact - 31).clamp(0, room);
    let exact = exact + before;
    let digits = wanted.min(exact + 31);
    let shift = [(exact - digits).clamp(-31, 127) as i8, -before as i8, 0];
    (Span::exact(low, most, digits as i8), shift)
}

/// The digits in which both fit, at most those of the finer one, and the shifts.
fn aligned(a: Span, b: Span) -> (i8, [i8; 3]) {
    let room = most_digits(a.low, a.high).min(most_digits(b.low, b.high));
    let digits = room.min(a.digits.max(b.digits).into()) as i8;
    (digits, [a.digits - digits, b.digits - digits, 0])
}

/// Like [`aligned`]; where these digits are fewer than [`FEW`], those of the finer one: words of the other saturate.
fn compared(a: Span, b: Span) -> (i8, [i8; 3]) {
    let (digits, shift) = aligned(a, b);
    if digits >= FEW {
        return (digits, shift);
    }
    let most = a.digits.max(b.digits);
    (most, [a.digits - most, b.digits - most, 0])
}
