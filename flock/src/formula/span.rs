//! Ranges of numbers as words of integers.

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
    /// The error of the numbers by digits that were dropped: see `losses.rs`.
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
