//! Operations in integers. Sums over neighbours are in coarse units, so that squares and sums fit a word; those of
//! formulas have digits of their own.

use super::direction::polar;
use super::layout::{FALLOFF_BITS, UNIT_SHIFT};
use super::word::{mul_high, mul_wide, reciprocal_root, shift_right, shift_right_word};
use super::{FRACTION, Fixed, Layout, saturate};
use crate::number::{Lanes, Number, Total, Vec3};
use crate::parameters::Falloff;

/// Binary digits after the point of a heading.
pub const HEADING: u32 = 14;

/// Components of an offset are clamped to this before squaring: beyond every reach, and three squares fit a word.
pub const FAR: i32 = 26_754;

/// A heading is upright where the square of its level part is at most this: 10⁻⁶ of the whole, rounded.
const UPRIGHT: i32 = 268;

/// The component across the heading up to which a unit vector is on the axis: 10⁻⁵, mostly rounding.
const ON_AXIS: i32 = 10;

/// Σ a·b of plain integers. Where it does not fit, the offset is out of every reach and the result of no use.
#[inline(always)]
fn product(a: Vec3<Fixed>, b: Vec3<Fixed>) -> i32 {
    let Vec3 { x, y, z } = a.zip(b, |a, b| a.0.wrapping_mul(b.0));
    x.wrapping_add(y).wrapping_add(z)
}

/// A number times a heading's component, back in the number's unit.
#[inline(always)]
fn along(heading: Fixed, by: i32) -> i32 {
    (heading.0.wrapping_mul(by).wrapping_add(1 << (HEADING - 1))) >> HEADING
}

impl Lanes for Fixed {
    crate::single_lane!();

    /// Zero for negative input.
    fn sqrt(self) -> Fixed {
        // The root of value · 2²⁰ in plain integers, digit by digit.
        let square = (self.0.max(0) as u64) << FRACTION;
        let root = (0..26).rev().fold(0_u64, |root, digit| {
            let next = root | 1 << digit;
            if next * next <= square { next } else { root }
        });
        Fixed(root as i32)
    }
    #[inline(always)]
    fn abs(self) -> Fixed {
        Fixed(self.0.saturating_abs())
    }
    #[inline(always)]
    fn min(self, other: Fixed) -> Fixed {
        Fixed(self.0.min(other.0))
    }
    #[inline(always)]
    fn max(self, other: Fixed) -> Fixed {
        Fixed(self.0.max(other.0))
    }
    #[inline(always)]
    fn wrapping_add(self, other: Fixed) -> Fixed {
        Fixed(self.0.wrapping_add(other.0))
    }
    /// Plain integers.
    #[inline(always)]
    fn wrapping_times(self, count: Fixed) -> Fixed {
        Fixed(self.0.wrapping_mul(count.0))
    }
    /// Below 1024: the difference of two fits.
    #[inline(always)]
    fn confine(self) -> Fixed {
        Fixed(self.0.clamp(1 - (1 << 30), (1 << 30) - 1))
    }
    #[inline]
    fn in_unit(self, unit: Fixed) -> Fixed {
        self * unit
    }

    // Sums over neighbours.

    #[inline(always)]
    fn coarse_position(position: Vec3<Fixed>, layout: &Layout) -> Vec3<Fixed> {
        position.map(|c| c.coarse(layout))
    }

    /// A unit vector; zero for a boid at rest.
    #[inline]
    fn heading(velocity: Vec3<Fixed>) -> Vec3<Fixed> {
        let Some(polar) = polar(velocity) else { return Vec3::zero() };
        polar.unit.map(|c| Fixed(shift_right_word(c, 30 - HEADING))).into()
    }

    #[inline(always)]
    fn square(offset: Vec3<Fixed>) -> Fixed {
        let near = offset.map(|c| Fixed(c.0.clamp(-FAR, FAR)));
        Fixed(product(near, near))
    }

    #[inline(always)]
    fn ahead(heading: Vec3<Fixed>, offset: Vec3<Fixed>) -> (Fixed, Fixed) {
        let ahead = product(heading, offset).wrapping_add(1 << (HEADING - 1)) >> HEADING;
        (Fixed(ahead), Fixed(ahead.wrapping_mul(ahead)))
    }

    /// Zero for a boid at rest, which sees all round.
    #[inline(always)]
    fn share(cosine_square: Fixed, heading_square: Fixed, square: Fixed) -> Fixed {
        if heading_square.0 == 0 {
            return Fixed(0);
        }
        Fixed(mul_high(square.0 as u32, cosine_square.0 as u32) as i32)
    }

    fn sideways(heading: Vec3<Fixed>, _: Fixed) -> Vec3<Fixed> {
        let level = Vec3 { z: Fixed(0), ..heading };
        let side = if product(level, level) <= UPRIGHT {
            Vec3 { x: heading.z, y: Fixed(0), z: -heading.x }
        } else {
            Vec3 { x: -heading.y, y: heading.x, z: Fixed(0) }
        };
        Self::heading(side)
    }

    /// The angle follows from the exact offset: a coarse one has few digits across the heading.
    fn aside(
        _: Vec3<Fixed>,
        _: Fixed,
        sideways: Vec3<Fixed>,
        offset: Vec3<Fixed>,
        _: Fixed,
        exact: [Vec3<Fixed>; 2],
    ) -> Vec3<Fixed> {
        let [heading, towards] = exact.map(|v| polar(v).map_or(Vec3::zero(), |polar| polar.unit_vector()));
        let ahead = heading.dot(towards);
        let (Some(distance), true) = (polar(offset), Fixed(0) < ahead) else { return Vec3::zero() };
        let across = towards - heading * ahead;
        let (side, sine) = match polar(across) {
            Some(polar) if across.largest().0 > ON_AXIS => (Self::heading(across), polar.length()),
            _ => (-sideways, Fixed(0)),
        };
        let length = distance.length() * (Fixed::ONE - sine);
        side.map(|c| Fixed(along(c, length.0)))
    }

    #[inline(always)]
    fn add_separation(
        total: &mut Total<Fixed>,
        falloff: Falloff,
        layout: &Layout,
        offset: Vec3<Fixed>,
        fine: impl FnOnce() -> Vec3<Fixed>,
        _square: Fixed,
        seen: bool,
    ) {
        if !seen {
            return;
        }
        if falloff == Falloff::None {
            total.sum = total.sum - offset;
            total.rest = total.rest - rest(fine(), offset, layout);
            return;
        }
        let Some(polar) = polar(fine()) else { return };
        // The unit vector, or its quotient by the distance, as words and a power of two.
        let (word, power) = if falloff == Falloff::Inverse {
            (polar.unit, layout.unit + UNIT_SHIFT)
        } else {
            let over = |c: i32| {
                let part = mul_high(c.unsigned_abs(), polar.root) as i32;
                if c < 0 { -part } else { part }
            };
            (polar.unit.map(over), 2 * layout.unit + polar.inverse_exponent() - 20 + FALLOFF_BITS)
        };
        let [x, y, z] = word.map(|c| {
            if power < 0 {
                shift_right(c.into(), power.unsigned_abs().min(62))
            } else {
                i64::from(c) << power.unsigned_abs().min(layout.separation_digits - 30)
            }
        });
        let less = |low: &mut Fixed, high: &mut Fixed, term: i64| {
            let left = both(*low, *high).wrapping_sub(term);
            (*low, *high) = (Fixed(left as i32), Fixed((left >> 32) as i32));
        };
        less(&mut total.sum.x, &mut total.rest.x, x);
        less(&mut total.sum.y, &mut total.rest.y, y);
        less(&mut total.sum.z, &mut total.rest.z, z);
    }

    #[inline(always)]
    fn add_velocity(total: &mut Total<Fixed>, layout: &Layout, velocity: Vec3<Fixed>, seen: bool) {
        if !seen {
            return;
        }
        total.sum = total.sum + coarse_velocity(velocity, layout);
        if layout.exact_alignment {
            let rest = |c: Fixed| {
                Fixed(c.0 - (shift_right_word(c.0, layout.velocity_shift) << layout.velocity_shift))
            };
            total.rest = total.rest + velocity.map(rest);
        }
    }

    #[inline(always)]
    fn add_offset(
        total: &mut Total<Fixed>,
        layout: &Layout,
        offset: Vec3<Fixed>,
        fine: impl FnOnce() -> Vec3<Fixed>,
        seen: bool,
    ) {
        if !seen {
            return;
        }
        total.sum = total.sum + offset;
        if layout.exact_cohesion {
            total.rest = total.rest + rest(fine(), offset, layout);
        }
    }

    // Operations of formulas.

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
        // A small word has more digits than 31.
        let from = from.clamp(0, 62);
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
        polar(vector).map_or(Vec3::zero(), |polar| polar.unit.map(Fixed).into())
    }
}

/// A number shifted right by `by` digits, rounded to the nearest, halves up, and clamped to a word; left if negative.
#[inline(always)]
pub fn shifted(value: i64, by: i32) -> Fixed {
    Fixed(match by {
        0 => saturate(value),
        1..=62 => saturate(shift_right(value, by as u32)),
        63.. => 0,
        // Beyond 31 digits nothing but zero fits.
        _ => saturate(value.clamp(-(1 << 31), 1 << 31) << (-by).min(31)),
    })
}

/// A velocity in coarse units, as neighbours perceive it.
#[inline(always)]
pub fn coarse_velocity(velocity: Vec3<Fixed>, layout: &Layout) -> Vec3<Fixed> {
    velocity.map(|c| {
        Fixed(shift_right_word(c.0, layout.velocity_shift).clamp(-layout.max_velocity, layout.max_velocity))
    })
}

/// The remainder of the exact offset: fine − offset · 2^shift.
#[inline(always)]
fn rest(fine: Vec3<Fixed>, offset: Vec3<Fixed>, layout: &Layout) -> Vec3<Fixed> {
    // Wrapping sums suffice: only their difference has to fit.
    fine.zip(offset, |fine, offset| Fixed(fine.0.wrapping_sub(offset.0 << layout.position_shift)))
}

/// The 64-bit number of a low and a high word.
#[inline(always)]
pub fn both(low: Fixed, high: Fixed) -> i64 {
    i64::from(high.0) << 32 | i64::from(low.0 as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::draw;

    #[test]
    fn a_side_is_perpendicular_to_its_heading() {
        for k in 0..2000 {
            let [x, y, z, scale] = draw(3, 1, k, 5).map(|word| word as i32 >> 2);
            // Every second one is upright, or nearly so.
            let down = if k % 2 == 0 { 8 + scale.unsigned_abs() % 8 } else { 0 };
            let heading = Fixed::heading(Vec3 { x: Fixed(x >> down), y: Fixed(y >> down), z: Fixed(z) });
            let side = Fixed::sideways(heading, Fixed::square(heading));
            let along = product(side, heading).abs();
            // Half a digit of each component of the side.
            let rounding = (heading.x.0.abs() + heading.y.0.abs() + heading.z.0.abs()) / 2;
            assert!(side != Vec3::zero() && along <= rounding, "{k}: {along} of {rounding}");
            let upright =
                product(Vec3 { z: Fixed(0), ..heading }, Vec3 { z: Fixed(0), ..heading }) <= UPRIGHT;
            assert_eq!(if upright { side.y } else { side.z }, Fixed(0), "{k}");
        }
    }

    #[test]
    fn quotients_and_shifts_hold_at_their_ends() {
        for (divisor, expected) in [(0, 0), (1, 6), (-1, -6), (2, 3)] {
            assert_eq!(Fixed(6).quotient(Fixed(divisor), 0), Fixed(expected), "{divisor}");
        }
        for by in [-31, -32, -100] {
            assert_eq!(
                [i64::MIN, -1, 0, 1, i64::MAX].map(|value| shifted(value, by).0),
                [i32::MIN, i32::MIN, 0, i32::MAX, i32::MAX]
            );
        }
    }

    #[test]
    fn roots_are_right_at_every_scale() {
        for k in 0..20_000 {
            let [a, by, ..] = draw(3, 2, k, 5);
            let (word, shift) = (a as i32 >> (by % 31), (by >> 8) as i8 / 2);
            let exact =
                libm::sqrt(libm::ldexp(f64::from(word.max(0)), -i32::from(shift))).min(f64::from(i32::MAX));
            let found = f64::from(Fixed(word).root(shift).0);
            assert!(
                (found - exact).abs() <= 0.5 + exact * 2.0_f64.powi(-26),
                "{word} {shift}: {found}, not {exact}"
            );
        }
    }

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
