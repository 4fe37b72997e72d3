//! [`Fixed`] as a number type: conversions, and requests from sums.

use super::direction::polar;
use super::layout::FALLOFF_BITS;
use super::sense::{both, shifted};
use super::word::{mean, mul_wide, shift_right, shift_right_word, unit_root};
use super::{FRACTION, Fixed, Layout, Wide, saturate};
use crate::number::{Lanes, Number, Requests, Total, Vec3};
use crate::parameters::{Falloff, Parameters};

/// The mean of a sum in units of 2^shift, remainders included.
#[inline]
fn mean_total(total: &Total<Fixed>, count: Fixed, shift: u32) -> Vec3<Fixed> {
    total.sum.zip(total.rest, |sum, rest| Fixed(mean(sum.0, rest.0, shift, count.count())))
}

/// S, with [`FALLOFF_BITS`] more digits where the falloff has a pole.
#[inline]
fn full_separation(total: &Total<Fixed>, falloff: Falloff, layout: &Layout) -> Wide {
    total.sum.zip(total.rest, |sum, rest| match falloff {
        Falloff::None => (i64::from(sum.0) << layout.position_shift) + i64::from(rest.0),
        Falloff::Inverse | Falloff::InverseSquare => both(sum, rest),
    })
}

impl Number for Fixed {
    type Format = Layout;

    const ZERO: Fixed = Fixed(0);
    const ONE: Fixed = Fixed(1 << FRACTION);
    const COUNT: Fixed = Fixed(1);
    const TINY_SQUARE: Fixed = Fixed(1);
    const TINY: Fixed = Fixed(1);
    const DIGITS: bool = true;
    const WORDS: u32 = 1;

    fn from_f64(value: f64) -> Fixed {
        // The cast saturates; NaN gives 0.
        Fixed(libm::floor(value * f64::from(1 << FRACTION) + 0.5) as i32)
    }
    fn to_f64(self) -> f64 {
        f64::from(self.0) / f64::from(1 << FRACTION)
    }
    #[inline(always)]
    fn floor(self) -> Fixed {
        Fixed(self.0 >> FRACTION << FRACTION)
    }
    #[inline(always)]
    fn floor_to_i32(self) -> i32 {
        self.0 >> FRACTION
    }
    #[inline]
    fn fraction(numerator: i32) -> Fixed {
        Fixed(shift_right_word(numerator, 24 - FRACTION))
    }
    #[inline]
    fn unit_root(self) -> Fixed {
        Fixed(unit_root(self.0))
    }
    #[inline(always)]
    fn count(self) -> u32 {
        self.0 as u32
    }
    #[inline(always)]
    fn counted(count: i32) -> Fixed {
        Fixed(count)
    }

    fn unit(p: &Parameters) -> f64 {
        super::unit(p)
    }
    fn format(p: &Parameters, reach: f64) -> Layout {
        Layout::new(p, reach)
    }
    /// A coarse unit more: two coarse positions within reach may be that much further apart.
    fn reach(_: Fixed, layout: &Layout) -> Fixed {
        if layout.reach == 0 { Fixed(0) } else { Fixed((layout.reach + 1) << layout.position_shift) }
    }
    /// At most three coarse units per axis: coarse positions may select another nearest image.
    fn blur(layout: &Layout) -> Fixed {
        Fixed(6 << layout.position_shift)
    }
    #[inline(always)]
    fn coarse(self, layout: &Layout) -> Fixed {
        Fixed(shift_right_word(self.0, layout.position_shift))
    }
    fn radius_square(radius: Fixed, layout: &Layout) -> Fixed {
        let coarse = radius.coarse(layout).0;
        Fixed(coarse * coarse)
    }
    /// All 32 binary digits are after the point.
    fn cosine_square(value: f64) -> Fixed {
        Fixed(libm::floor(value * 4_294_967_296.0) as u32 as i32)
    }

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

    #[inline(always)]
    fn raw_bits(self) -> u64 {
        u64::from(self.0 as u32)
    }
    #[inline(always)]
    fn from_raw_bits(bits: u64) -> Fixed {
        Fixed(bits as i32)
    }
}

impl Requests for Fixed {
    type Wide = Wide;

    /// Exact. A component as long as the radius decides without squares.
    #[inline]
    fn within(vector: Vec3<Fixed>, radius: Fixed) -> bool {
        // The square of that component alone reaches the squared radius, of either sign.
        if radius.0.unsigned_abs() <= vector.largest().0 as u32 {
            return false;
        }
        let square = |c: Fixed| mul_wide(c.0, c.0) as u64;
        square(vector.x) + square(vector.y) + square(vector.z) < square(radius)
    }
    fn toward(offset: Vec3<Fixed>, radius: Fixed) -> Vec3<Fixed> {
        if !Self::within(offset, radius) {
            return Vec3::zero();
        }
        polar(offset).map_or(Vec3::zero(), |polar| polar.unit_vector())
    }
    #[inline]
    fn direction(vector: Vec3<Fixed>) -> (Vec3<Fixed>, Fixed, bool) {
        match polar(vector) {
            Some(polar) => (polar.unit_vector(), polar.length(), true),
            None => (Vec3::zero(), Fixed(0), false),
        }
    }

    #[inline(always)]
    fn widen(vector: Vec3<Fixed>) -> Wide {
        vector.map(|c| i64::from(c.0))
    }
    #[inline]
    fn weigh(vector: Wide, weight: Fixed) -> Wide {
        vector.weighed(weight)
    }
    #[inline]
    fn narrow(vector: Wide) -> Vec3<Fixed> {
        vector.shortened().0
    }
    fn sum_of(total: Wide, shift: [i8; 3]) -> Vec3<Fixed> {
        let part = |sum: i64, by: i8| shifted(sum, by.into());
        Vec3::new(part(total.x, shift[0]), part(total.y, shift[1]), part(total.z, shift[2]))
    }
    #[inline(always)]
    fn select_wide(vector: Wide, mask: bool, other: Wide) -> Wide {
        if mask { vector } else { other }
    }
    fn divide(vector: Wide, count: Fixed) -> Vec3<Fixed> {
        vector.divided(count.count()).map(|c| Fixed(saturate(c)))
    }

    #[inline]
    fn separation_sum(total: &Total<Fixed>, falloff: Falloff, layout: &Layout) -> Wide {
        let sum = full_separation(total, falloff, layout);
        if falloff == Falloff::None { sum } else { sum.map(|c| shift_right(c, FALLOFF_BITS as u32)) }
    }

    #[inline]
    fn separation_direction(total: &Total<Fixed>, falloff: Falloff, layout: &Layout) -> Vec3<Fixed> {
        Self::narrow(full_separation(total, falloff, layout))
    }

    #[inline]
    fn separation_mean(total: &Total<Fixed>, falloff: Falloff, count: Fixed, layout: &Layout) -> Wide {
        if falloff == Falloff::None {
            return Self::widen(mean_total(total, count, layout.position_shift));
        }
        Self::separation_sum(total, falloff, layout).divided(count.count())
    }

    #[inline]
    fn mean_offset(
        total: &Total<Fixed>,
        count: Fixed,
        with_self: bool,
        layout: &Layout,
        position: Vec3<Fixed>,
    ) -> Vec3<Fixed> {
        let coarse_mean = mean_total(total, count, layout.position_shift);
        if layout.exact_cohesion {
            return coarse_mean;
        }
        // The offsets are from the boid's coarse position, whose error is common to all of them: add the coarse
        // position less the exact one.
        coarse_mean
            + position.map(|c| {
                let off = (c.coarse(layout).0 << layout.position_shift) - c.0;
                Fixed(if with_self { off - mean(off, 0, 0, count.count()) } else { off })
            })
    }

    #[inline]
    fn mean_velocity(total: &Total<Fixed>, count: Fixed, layout: &Layout) -> Vec3<Fixed> {
        mean_total(total, count, layout.velocity_shift)
    }

    #[inline]
    fn line_of_sight_sum(sum: Vec3<Fixed>, layout: &Layout) -> Wide {
        Self::widen(sum).map(|c| c << layout.position_shift)
    }
}
