//! Ranges of numbers as words of integers, and the error of each register by the digits that are dropped on the way to it,
//! to first order.
//!
//! A product or a sum has errors of the order of its last digit. An operation that narrows its operands, like a minimum
//! or a comparison, has a finer last digit than they had: there the last digit of the result says nothing of the error.

use super::{EXACT, Node, Op};

/// The magnitude of a word stays below 2 to this power, so that the sum of two fits.
pub(super) const BITS: i32 = 30;

/// The most digits of a register.
pub(super) const MAX_DIGITS: i32 = 56;

/// Numbers from `low` to `high`, as fixed-point words with `digits` fraction bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// Fraction bits of the words; negative for multiples of a power of two.
    pub digits: i8,
    /// Fraction bits that the numbers use, at most `digits`: each is a multiple of 2^−used.
    pub used: i32,
    /// The error of the numbers by digits that were dropped: see [`with_losses`].
    pub lost: f64,
}

impl Span {
    pub(super) const ZERO: Span = Span::exact(0.0, 0.0, 0);

    /// The span from `low` to `high` of words that stand for their numbers exactly.
    #[must_use]
    pub const fn exact(low: f64, high: f64, digits: i8) -> Span {
        Span { low, high, digits, used: digits as i32, lost: 0.0 }
    }

    /// The span from `low` to `high`, with as many digits as it allows.
    #[must_use]
    pub fn of(low: f64, high: f64) -> Span {
        Span::exact(low, high, most_digits(low, high) as i8)
    }

    /// The span from `low` to `high` with the given digits, or fewer where these do not fit.
    #[must_use]
    pub fn within(low: f64, high: f64, digits: i8) -> Span {
        Span::exact(low, high, digits.min(most_digits(low, high) as i8))
    }

    /// The least span that contains these numbers, rounded to words with as many digits as it allows.
    #[must_use]
    pub fn of_numbers(numbers: impl Iterator<Item = f64> + Clone) -> Span {
        let low = numbers.clone().fold(f64::INFINITY, f64::min);
        let high = numbers.clone().fold(f64::NEG_INFINITY, f64::max);
        if low > high {
            return Span::ZERO;
        }
        let mut span = Span { used: -BITS, ..Span::of(low, high) };
        let digits = i32::from(span.digits);
        for number in numbers {
            let scaled = libm::ldexp(number, digits);
            let word = libm::floor(scaled + 0.5);
            let zeros = (word as i64).trailing_zeros() as i32;
            span.used = span.used.max(digits - zeros);
            span.lost = span.lost.max((scaled - word).abs() * power(-digits));
        }
        span
    }

    /// The digits, in users' units, of a [`crate::Fixed`] length that is scaled by `unit`, a power of two.
    #[must_use]
    pub fn digits_of_unit(unit: f64) -> i8 {
        libm::log2(unit) as i8 + crate::fixed::FRACTION as i8
    }

    pub(super) fn magnitude(self) -> f64 {
        self.low.abs().max(self.high.abs())
    }

    /// The least magnitude.
    pub(super) fn least(self) -> f64 {
        if self.low <= 0.0 && self.high >= 0.0 { 0.0 } else { self.low.abs().min(self.high.abs()) }
    }
}

/// 2 to a power.
pub(super) fn power(exponent: i32) -> f64 {
    libm::ldexp(1.0, exponent)
}

/// The most digits with which a range fits a word.
pub(super) fn most_digits(low: f64, high: f64) -> i32 {
    let magnitude = low.abs().max(high.abs());
    if magnitude == 0.0 {
        return BITS;
    }
    // The least exponent e with magnitude ≤ 2^e.
    let exponent = libm::ceil(libm::log2(magnitude)) as i32;
    (BITS - exponent).clamp(-MAX_DIGITS, MAX_DIGITS)
}

/// The divisors and the vectors whose quotients and directions count, as a part of the greatest: those of smaller ones
/// have larger errors, in every number type.
const SMALL: f64 = 1.0 / 8.0;

/// Numbers that differ by this part of the smaller operand are to be told apart by a comparison.
const APART: f64 = 1.0 / 64.0;

/// The least divisor that counts; 0 if it is always 0, where the quotient is 0, too.
fn least_divisor(range: Span) -> f64 {
    range.least().max(SMALL * range.magnitude())
}

/// The range of a quotient with the sign that it has; no smaller divisor counts than a part of the greatest.
pub(super) fn quotient_range([a, b, _]: [Span; 3], span: Span) -> Span {
    let divisor = least_divisor(b);
    if divisor == 0.0 {
        return Span { low: 0.0, high: 0.0, ..span };
    }
    let (low, high) = (a.low.min(0.0) / divisor, a.high.max(0.0) / divisor);
    let most = high.max(-low);
    match (b.low >= 0.0, b.high <= 0.0) {
        (true, _) => Span { low, high, ..span },
        (_, true) => Span { low: -high, high: -low, ..span },
        _ => Span { low: -most, high: most, ..span },
    }
}

/// The span of a result with its error, from the operands: their spans, and their ranges.
pub(super) fn with_losses(
    node: &Node,
    [a, b, c]: [Span; 3],
    [range_a, range_b, range_c]: [Span; 3],
    (span, shift): (Span, [i8; 3]),
) -> Span {
    let digits = i32::from(span.digits);
    let (last, width) = (power(-digits), span.high - span.low);
    let [of_a, of_b, of_c] = [(a, shift[0]), (b, shift[1]), (c, shift[2])].map(shifted);
    // Half a last digit of the result, where its numbers use more.
    let rounded = |used: i32| if used > digits { 0.5 * last } else { 0.0 };
    let (used, lost) = match node.op {
        Op::Value | Op::Input | Op::Rest => return span,
        // The index of another number.
        Op::Table if a.lost > 0.0 || b.lost > 0.0 => (span.used, span.lost + width),
        Op::Table => (span.used, span.lost),
        Op::Random => (digits, 0.0),
        // Exact, or refused.
        Op::Divide | Op::Floor if node.operands[2] == EXACT => (digits.min(0), 0.0),
        Op::Add | Op::Subtract => (a.used.max(b.used), of_a + of_b),
        Op::Multiply => {
            let by_factors = a.lost * range_b.magnitude() + b.lost * range_a.magnitude() + a.lost * b.lost;
            (a.used + b.used, by_factors + rounded(a.used + b.used))
        }
        Op::Divide if least_divisor(range_b) == 0.0 => (digits, 0.0),
        // The quotient is truncated before it is shifted.
        Op::Divide => {
            let divisor = least_divisor(range_b);
            (digits, (a.lost + range_a.magnitude() / divisor * b.lost) / divisor + last)
        }
        Op::Minimum | Op::Maximum => (a.used.max(b.used), of_a.max(of_b).min(width)),
        Op::Absolute => (a.used, a.lost),
        Op::Floor => (a.used.min(0), a.lost + rounded(a.used.min(0))),
        Op::Fraction => (a.used, a.lost.min(1.0) + rounded(a.used)),
        Op::Root => {
            let root = libm::sqrt(range_a.least());
            let of_root = if root > 0.0 { a.lost / root } else { f64::INFINITY };
            (digits, of_root.min(libm::sqrt(a.lost)) + 0.5 * last)
        }
        Op::Less | Op::LessEqual | Op::Equal => {
            (0, if tells_apart([range_a, range_b], of_a + of_b) { 0.0 } else { 1.0 })
        }
        // A wrong condition chooses the other number.
        Op::Select => {
            let chosen = shifted((b, shift[0])).max(shifted((c, shift[1])));
            (b.used.max(c.used), chosen + a.lost.min(1.0) * width)
        }
        Op::Length => (digits, of_a + of_b + of_c + 0.5 * last),
        Op::Direction => {
            let length = SMALL * range_a.magnitude().max(range_b.magnitude()).max(range_c.magnitude());
            (digits, if length > 0.0 { ((of_a + of_b + of_c) / length).min(width) } else { 0.0 })
        }
        // A turned vector errs by as much as both.
        Op::Turn | Op::TurnAway => (digits, (a.lost + b.lost + last).min(width)),
    };
    Span { used: used.min(digits), lost, ..span }
}

/// The error of an operand that is shifted right: it may drop digits.
fn shifted((of, by): (Span, i8)) -> f64 {
    let digits = i32::from(of.digits) - i32::from(by);
    of.lost + if by > 0 && of.used > digits { 0.5 * power(-digits) } else { 0.0 }
}

/// True if a comparison of operands with this error tells apart what it is to: see [`APART`].
fn tells_apart(operands: [Span; 2], lost: f64) -> bool {
    let magnitudes = operands.map(Span::magnitude).into_iter().filter(|magnitude| *magnitude > 0.0);
    let least = magnitudes.fold(f64::INFINITY, f64::min);
    lost <= APART * least
}

/// The span of a sum over neighbours with the error of a summand, besides the digits that the sum drops.
pub(super) fn summed(of: Span, total: Span) -> Span {
    let digits = i32::from(total.digits);
    let cut = if of.used > digits { 0.5 * power(-digits) } else { 0.0 };
    Span { used: of.used.min(digits), lost: of.lost + cut, ..total }
}
