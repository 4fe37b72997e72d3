//! Formulas in floating-point numbers, and in integers.

use super::digits::Span;
use super::{DIRECTION_DIGITS, Formulas, Input, Operations, SLOTS};
use crate::fixed::word::{mul_high, mul_wide, reciprocal_root, shift_right};
use crate::fixed::{FRACTION, Fixed, Wide, polar, saturate};
use crate::float::Float;
use crate::number::{Lanes, Number};
use crate::parameters::Edges;
use crate::rule::Rule;
use crate::vector::Vec3;

/// [`crate::Requests::direction`] without its branch, for boids side by side.
#[inline(always)]
fn direction<L: Float>(vector: Vec3<L>) -> (Vec3<L>, L, L::Mask) {
    let largest = vector.largest();
    let exists = !largest.lt(L::splat(L::Scalar::TINY));
    let (unit, length) = L::normalize(vector, largest.select(exists, L::splat(L::Scalar::ONE)));
    (unit, length, exists)
}

impl<L: Float> Operations for L {
    #[inline(always)]
    fn length_of(vector: Vec3<L>) -> L {
        let (_, length, exists) = direction(vector);
        length.mask(exists)
    }
    #[inline(always)]
    fn direction_of(vector: Vec3<L>) -> Vec3<L> {
        let (unit, _, exists) = direction(vector);
        unit.mask(exists)
    }
}

impl<T: Float + Number> Formulas for T {}

/// A number shifted right by `by` digits, rounded to the nearest, halves up, and clamped to a word; left if negative.
#[inline(always)]
fn shifted(value: i64, by: i32) -> Fixed {
    Fixed(match by {
        0 => saturate(value),
        1..=62 => saturate(shift_right(value, by as u32)),
        63.. => 0,
        // Beyond 31 digits nothing but zero fits.
        _ => saturate(value.clamp(-(1 << 32), 1 << 32) << (-by).min(31)),
    })
}

impl Operations for Fixed {
    /// `shifted` in one word: 64 bits are slow on a board.
    #[inline]
    fn shifted(self, shift: i8) -> Fixed {
        let word = self.0;
        Fixed(match shift {
            0 => word,
            // Rounds halves up: adds the highest digit that is dropped.
            1..=31 => (word >> shift) + (word >> (shift - 1) & 1),
            32.. => 0,
            _ => {
                let left = (-i32::from(shift)).min(31);
                let long = word << left;
                if long >> left == word { long } else { i32::MAX ^ (word >> 31) }
            }
        })
    }
    #[inline]
    fn product(self, other: Fixed, shift: i8) -> Fixed {
        shifted(mul_wide(self.0, other.0), shift.into())
    }
    /// Shifts the dividend left before the division, or the quotient, truncated towards zero, right after it.
    #[inline]
    fn quotient(self, other: Fixed, shift: i8) -> Fixed {
        if other.0 == 0 {
            return Fixed(0);
        }
        let left = (-i32::from(shift)).clamp(0, 31);
        let quotient = (i64::from(self.0) << left) / i64::from(other.0);
        shifted(quotient, (i32::from(shift)).max(0))
    }
    /// x·2^shift is scaled to m / 2³² in [1/4, 1) by an even number of digits; its root is m times the reciprocal root.
    #[inline]
    fn root(self, shift: i8) -> Fixed {
        if self.0 <= 0 {
            return Fixed(0);
        }
        let x = self.0 as u32;
        // √(x·2^(−shift)) = √(m / 2³²) · 2^((32 − up − shift)/2), where m = x·2^up and the last exponent is whole.
        let mut up = x.leading_zeros() as i32;
        up -= (32 - up - i32::from(shift)) & 1;
        let m = if up < 0 { x >> 1 } else { x << up };
        // In 2⁻³⁰.
        let root = mul_high(m, reciprocal_root(m));
        shifted(root.into(), 30 - (32 - up - i32::from(shift)) / 2)
    }
    #[inline]
    fn floored(self, from: i8, to: i8) -> Fixed {
        shifted(i64::from(self.0) >> from.clamp(0, 31), -i32::from(to))
    }
    #[inline]
    fn fraction_part(self, from: i8, to: i8) -> Fixed {
        let from = from.clamp(0, 31);
        shifted(i64::from(self.0) & ((1 << from) - 1), i32::from(from) - i32::from(to))
    }
    #[inline(always)]
    fn one(digits: i8) -> Fixed {
        Fixed(1 << digits.clamp(0, 30))
    }
    #[inline]
    fn length_of(vector: Vec3<Fixed>) -> Fixed {
        polar(vector).map_or(Fixed(0), |polar| polar.length())
    }
    #[inline]
    fn direction_of(vector: Vec3<Fixed>) -> Vec3<Fixed> {
        const { assert!(DIRECTION_DIGITS == 30, "the digits of polar's unit vectors") };
        polar(vector).map_or(Vec3::zero(), |polar| polar.unit.map(Fixed).into())
    }
}

impl Formulas for Fixed {
    #[inline(always)]
    fn of_fraction(numerator: i32, digits: i8) -> Fixed {
        Fixed(numerator >> (24 - digits.clamp(0, 24)))
    }
    #[inline(always)]
    fn index(self, shift: i8) -> usize {
        self.shifted(shift).0.max(0) as usize
    }
    fn word(value: f64, digits: i8) -> Fixed {
        // The cast saturates; NaN gives 0.
        Fixed(libm::floor(libm::ldexp(value, digits.into()) + 0.5) as i32)
    }

    #[inline(always)]
    fn whole(number: u32) -> Fixed {
        Fixed(number as i32)
    }

    fn time(steps: u32, time_step: Fixed, digits: i8) -> Fixed {
        Self::word(f64::from(steps) * time_step.to_f64(), digits)
    }

    fn cut(self, [low, high]: [Fixed; 2]) -> Fixed {
        Lanes::max(low, Lanes::min(self, high))
    }

    fn sum_of(total: Wide, shift: [i8; 3]) -> Vec3<Fixed> {
        let part = |sum: i64, by: i8| shifted(sum, by.into());
        Vec3::new(part(total.x, shift[0]), part(total.y, shift[1]), part(total.z, shift[2]))
    }

    /// Positions span the world and its size beyond each edge, where it has edges; speeds up to twice the greatest.
    fn spans(rule: &Rule<Fixed>, reach: f64) -> Option<[Span; SLOTS]> {
        let unit = Span::digits_of_unit(rule.unit.to_f64());
        let far = libm::ldexp(1.0, 30 - i32::from(unit));
        let length = |low: f64, high: f64| Span::within(low.max(-far), high.min(far), unit);
        let axis = |min: Fixed, max: Fixed| {
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
        set(Input::Count, &[whole(1_048_576.0)]);
        Some(spans)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_shifted_in_one_word_as_in_two() {
        for word in (0..62).flat_map(|k| [1_i64 << (k / 2), -1 << (k / 2), 0x7654_3210 >> (k / 2)]) {
            for word in [word - 1, word, word + 1].map(|word| Fixed(word as i32)) {
                for shift in i8::MIN..=i8::MAX {
                    let expected = shifted(word.0.into(), shift.into());
                    assert_eq!(word.shifted(shift), expected, "{word:?} by {shift}");
                }
            }
        }
    }
}
