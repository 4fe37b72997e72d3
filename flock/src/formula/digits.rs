//! The digits of each register in integers, by interval analysis of its operands, once when a rule is set.
//!
//! A word w of d digits stands for w · 2^−d. d is as large as the range allows, but no finer than the operands. Ranges
//! assume independent operands, so they may be wider than the values that occur; values beyond saturate.

use super::{DIRECTION_DIGITS, Instruction, MAX_INSTRUCTIONS, Node, Op, SLOTS, WHOLE_QUOTIENT};

/// The magnitude of a word stays below 2 to this power, so that the sum of two fits.
const BITS: i32 = 30;

/// The most digits of a register.
const MAX_DIGITS: i32 = 56;

/// A divisor that may be zero counts as at least its greatest magnitude over 2 to this power.
const MIN_DIVISOR: i32 = 10;

/// Numbers from `low` to `high`, as fixed-point words with `digits` fraction bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// Fraction bits of the words; negative for multiples of a power of two.
    pub digits: i8,
}

impl Span {
    const ZERO: Span = Span { low: 0.0, high: 0.0, digits: 0 };

    /// The span from `low` to `high`, with as many digits as it allows.
    #[must_use]
    pub fn of(low: f64, high: f64) -> Span {
        Span { low, high, digits: most_digits(low, high) as i8 }
    }

    /// The span from `low` to `high` with the given digits, or fewer where these do not fit.
    #[must_use]
    pub fn within(low: f64, high: f64, digits: i8) -> Span {
        Span { low, high, digits: digits.min(most_digits(low, high) as i8) }
    }

    /// The least span that contains all of these, with as many digits as it allows.
    #[must_use]
    pub fn hull(spans: &[Span]) -> Span {
        let low = spans.iter().map(|span| span.low).fold(f64::INFINITY, f64::min);
        let high = spans.iter().map(|span| span.high).fold(f64::NEG_INFINITY, f64::max);
        if low <= high { Span::of(low, high) } else { Span::ZERO }
    }

    /// The digits, in users' units, of a [`crate::Fixed`] length that is scaled by `unit`, a power of two.
    #[must_use]
    pub fn digits_of_unit(unit: f64) -> i8 {
        libm::log2(unit) as i8 + crate::fixed::FRACTION as i8
    }

    fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// The least magnitude.
    fn least(self) -> f64 {
        if self.low <= 0.0 && self.high >= 0.0 { 0.0 } else { self.low.abs().min(self.high.abs()) }
    }
}

/// 2 to a power.
fn power(exponent: i32) -> f64 {
    libm::ldexp(1.0, exponent)
}

fn square(number: f64) -> f64 {
    number * number
}

/// The most digits with which a range fits a word.
fn most_digits(low: f64, high: f64) -> i32 {
    let magnitude = low.abs().max(high.abs());
    if magnitude == 0.0 {
        return BITS;
    }
    // The least exponent e with magnitude ≤ 2^e.
    let exponent = libm::ceil(libm::log2(magnitude)) as i32;
    (BITS - exponent).clamp(-MAX_DIGITS, MAX_DIGITS)
}

/// The fewest digits with which numbers are compared, or the least of them chosen.
const FEW: i8 = 10;

/// The range of a sum over neighbours is this many times that of a summand; sums beyond it saturate.
const NEIGHBOURS: f64 = 4096.0;

/// The span of a sum over neighbours, from the span of its summands.
#[must_use]
pub fn sum(span: Span) -> Span {
    let (low, high) = (span.low.min(0.0) * NEIGHBOURS, span.high.max(0.0) * NEIGHBOURS);
    Span::within(low, high, span.digits)
}

/// An operation whose numbers, or operands, are too large for integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The operation.
    pub op: Op,
    /// True for a quotient of whole numbers.
    pub whole: bool,
}

impl core::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let op = self.op;
        if self.whole {
            let why = "so large that fixed point has too few digits for their quotient";
            return write!(f, "/ or % of whole numbers {why}: allowed are f32 and f64");
        }
        if matches!(op, Op::Floor | Op::Fraction | Op::Minimum | Op::Maximum | Op::Select) {
            let why = "of a number that may be so large that fixed point has no digits for less than 1";
            return write!(f, "{op:?} is {why}: allowed are f32 and f64");
        }
        let what = match op {
            Op::Value | Op::Table => "a number or parameter",
            Op::Add => "a sum",
            Op::Subtract => "a difference",
            Op::Multiply => "a product",
            Op::Divide => "a quotient",
            _ => "a result",
        };
        let why =
            format_args!("beyond 2^{MAX_DIGITS}, which fixed point cannot hold: allowed are f32 and f64");
        write!(f, "{what} in it may be {why}")
    }
}

/// The spans of the registers of a formula.
pub type Spans = [Span; MAX_INSTRUCTIONS];

/// Assigns digits to the code of a formula, one instruction per node, and returns the spans of its registers, from the
/// spans of `known` and `values`.
///
/// # Errors
/// When a number could reach 2⁵⁶, or is so large that a part of it, or a number chosen beside it, loses its digits.
pub fn assign(
    nodes: &[Node],
    known: &[Span; SLOTS],
    values: &[Span],
    code: &mut [Instruction],
) -> Result<Spans, TooLarge> {
    let mut spans = [Span::ZERO; MAX_INSTRUCTIONS];
    for (k, (Node { op, operands }, instruction)) in nodes.iter().zip(code).enumerate().take(MAX_INSTRUCTIONS)
    {
        let [a, b, c] = *operands;
        let at = |register: u8| spans[usize::from(register) % MAX_INSTRUCTIONS];
        let of = |place: Option<&Span>| place.copied().unwrap_or(Span::ZERO);
        let (span, shift) = match op {
            Op::Value => (of(values.get(usize::from(a))), [0; 3]),
            // The numbers of a table share one span.
            Op::Table => (of(values.get(usize::from(c))), [at(a).digits, at(b).digits, 0]),
            Op::Input => (known[usize::from(a) % SLOTS], [0; 3]),
            Op::Rest => (of(spans.get(k.wrapping_sub(1))), [0; 3]),
            _ => span(*op, [a, b, c].map(at), a == b),
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
        let whole = *op == Op::Divide && c == WHOLE_QUOTIENT;
        let coarse = at(a).digits < 1 || power(span.digits.into()) < 4.0 * at(b).magnitude();
        if at(a).digits < least || span.digits < -(MAX_DIGITS as i8) || lost || !fits || whole && coarse {
            return Err(TooLarge { op: *op, whole });
        }
        spans[k] = span;
        *instruction = Instruction { op: *op, a, b, c, digits: span.digits, shift };
    }
    Ok(spans)
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
        Op::Value | Op::Table | Op::Input | Op::Rest => (Span::ZERO, [0; 3]),
        Op::Random => (Span { low: 0.0, high: 1.0, digits: 24 }, [0; 3]),
        Op::Direction => (Span { low: -1.0, high: 1.0, digits: DIRECTION_DIGITS }, alike([a, b, c]).1),
        Op::Length => {
            let high = libm::sqrt([a, b, c].iter().map(|part| square(part.magnitude())).sum::<f64>());
            let (digits, shift) = alike([a, b, c]);
            (Span { low: 0.0, high, digits }, shift)
        }
        Op::Absolute => (Span { low: a.least(), high: a.magnitude(), digits: a.digits }, [0; 3]),
        Op::Floor => {
            let (low, high) = (libm::floor(a.low), libm::floor(a.high));
            let digits = most_digits(low, high).min(0).min(a.digits.into()) as i8;
            (Span { low, high, digits }, [a.digits, 0, 0])
        }
        Op::Fraction => {
            (Span { low: 0.0, high: 1.0, digits: a.digits.clamp(0, BITS as i8) }, [a.digits, 0, 0])
        }
        Op::Root => {
            let span = Span::of(libm::sqrt(a.low.max(0.0)), libm::sqrt(a.high.max(0.0)));
            // The word is √(word · 2^−a) · 2^digits: its square is the word shifted by a − 2 digits.
            let shift = i32::from(a.digits) - 2 * i32::from(span.digits);
            (span, [shift.clamp(-127, 127) as i8, 0, 0])
        }
        Op::Multiply => product(a, b, same),
        Op::Divide => quotient(a, b),
        Op::Less | Op::LessEqual | Op::Equal => (Span { low: 0.0, high: 1.0, digits: 0 }, compared(a, b).1),
        Op::Select => {
            let (digits, shift) = aligned(b, c);
            (Span { low: b.low.min(c.low), high: b.high.max(c.high), digits }, shift)
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
    (Span { low, high, digits: digits as i8 }, [(exact - digits).clamp(0, 127) as i8, 0, 0])
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
    (Span { low, high: most, digits: digits as i8 }, shift)
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
    let digits = a.digits.max(b.digits);
    (digits, [a.digits - digits, b.digits - digits, 0])
}
