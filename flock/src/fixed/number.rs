//! What the update rule asks of a number type, in integers.

use super::direction::polar;
use super::sense::both;
use super::word::{mean, mul_wide, shift_right_word};
use super::{FRACTION, Fixed, Layout, Wide, saturate};
use crate::number::{Lanes, Number, Push};
use crate::parameters::{Falloff, Parameters};
use crate::vector::Vec3;

/// A boid's place less its position: what every offset from that place is off.
#[inline]
fn aloof(position: Vec3<Fixed>, layout: &Layout) -> Vec3<Fixed> {
    let place = Fixed::place(position, layout);
    let axis = |place: Fixed, fine: Fixed| Fixed((place.0 << layout.place) - fine.0);
    Vec3 { x: axis(place.x, position.x), y: axis(place.y, position.y), z: axis(place.z, position.z) }
}

impl Number for Fixed {
    type Format = Layout;
    type Wide = Wide;

    const ZERO: Fixed = Fixed(0);
    const ONE: Fixed = Fixed(1 << FRACTION);
    const COUNT: Fixed = Fixed(1);
    const TINY_SQUARE: Fixed = Fixed(1);
    const TINY: Fixed = Fixed(1);

    fn from_f64(value: f64) -> Fixed {
        // A conversion saturates, and makes 0 of what is no number.
        Fixed(libm::floor(value * f64::from(1 << FRACTION) + 0.5) as i32)
    }
    fn to_f64(self) -> f64 {
        f64::from(self.0) / f64::from(1 << FRACTION)
    }
    #[inline(always)]
    fn abs(self) -> Fixed {
        Fixed(self.0.saturating_abs())
    }
    #[inline(always)]
    fn floor(self) -> Fixed {
        Fixed(self.0 >> FRACTION << FRACTION)
    }
    #[inline(always)]
    fn floor_to_i32(self) -> i32 {
        self.0 >> FRACTION
    }
    #[inline(always)]
    fn min(self, other: Fixed) -> Fixed {
        Fixed(self.0.min(other.0))
    }
    #[inline(always)]
    fn max(self, other: Fixed) -> Fixed {
        Fixed(self.0.max(other.0))
    }

    fn unit(p: &Parameters) -> f64 {
        libm::exp2(f64::from(Layout::new(p, 0.0).unit))
    }
    fn format(p: &Parameters, reach: f64) -> Layout {
        Layout::new(p, reach)
    }
    /// A coarse unit more: two places within reach may be that much further apart.
    fn reach(_: Fixed, layout: &Layout) -> Fixed {
        if layout.reach == 0 { Fixed(0) } else { Fixed((layout.reach + 1) << layout.place) }
    }
    fn radius_square(radius: Fixed, layout: &Layout) -> Fixed {
        let coarse = shift_right_word(radius.0, layout.place);
        Fixed(coarse * coarse)
    }
    /// All 32 binary digits are after the point.
    fn cosine_square(value: f64) -> Fixed {
        Fixed(libm::floor(value * 4_294_967_296.0) as u32 as i32)
    }
    #[inline]
    fn stretch(self, unit: Fixed) -> Fixed {
        self * unit
    }
    #[inline]
    fn fraction(numerator: i32) -> Fixed {
        Fixed(shift_right_word(numerator, 24 - FRACTION))
    }
    #[inline(always)]
    fn count(self) -> u32 {
        self.0 as u32
    }
    /// Below 1024: the difference of two fits.
    #[inline(always)]
    fn confine(self) -> Fixed {
        Fixed(self.0.clamp(1 - (1 << 30), (1 << 30) - 1))
    }

    /// Exactly.
    #[inline]
    fn within(vector: Vec3<Fixed>, radius: Fixed) -> bool {
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
    fn direction(vector: Vec3<Fixed>) -> Option<(Vec3<Fixed>, Fixed)> {
        polar(vector).map(|polar| (polar.unit_vector(), polar.length()))
    }

    #[inline(always)]
    fn widen(vector: Vec3<Fixed>) -> Wide {
        Wide::from_words(vector)
    }
    #[inline]
    fn weigh(vector: Wide, weight: Fixed) -> Wide {
        vector.weighed(weight)
    }
    #[inline]
    fn narrow(vector: Wide) -> Vec3<Fixed> {
        vector.shortened().0
    }
    fn divide(vector: Wide, count: Fixed) -> Vec3<Fixed> {
        let Wide { x, y, z } = vector.divided(count.count());
        Vec3 { x: Fixed(saturate(x)), y: Fixed(saturate(y)), z: Fixed(saturate(z)) }
    }

    #[inline]
    fn pushes(
        sum: &Push<Fixed>,
        falloff: Falloff,
        count: Fixed,
        layout: &Layout,
        position: Vec3<Fixed>,
    ) -> Wide {
        let Push { low, high } = sum;
        if falloff != Falloff::None {
            return Wide { x: both(low.x, high.x), y: both(low.y, high.y), z: both(low.z, high.z) };
        }
        let off = aloof(position, layout);
        let axis = |sum: Fixed, off: Fixed| (i64::from(sum.0) << layout.place) - mul_wide(count.0, off.0);
        Wide { x: axis(low.x, off.x), y: axis(low.y, off.y), z: axis(low.z, off.z) }
    }

    #[inline]
    fn mean_push(
        sum: &Push<Fixed>,
        falloff: Falloff,
        count: Fixed,
        with_self: bool,
        layout: &Layout,
        position: Vec3<Fixed>,
    ) -> Wide {
        if falloff == Falloff::None {
            let offset = Self::mean_offset(-sum.low, count, with_self, layout, position);
            return Wide::from_words(-offset);
        }
        Self::pushes(sum, falloff, count, layout, position).divided(count.count() + u32::from(with_self))
    }

    #[inline]
    fn mean_offset(
        sum: Vec3<Fixed>,
        count: Fixed,
        with_self: bool,
        layout: &Layout,
        position: Vec3<Fixed>,
    ) -> Vec3<Fixed> {
        let all = count.count() + u32::from(with_self);
        let off = aloof(position, layout);
        let axis = |sum: Fixed, off: Fixed| {
            let own = if with_self { mean(off.0, 0, all) } else { 0 };
            Fixed(mean(sum.0, layout.place, all)) + Fixed(off.0 - own)
        };
        Vec3 { x: axis(sum.x, off.x), y: axis(sum.y, off.y), z: axis(sum.z, off.z) }
    }

    #[inline]
    fn mean_velocity(
        sum: Vec3<Fixed>,
        count: Fixed,
        own: Option<Vec3<Fixed>>,
        layout: &Layout,
    ) -> Vec3<Fixed> {
        let (sum, all) = match own {
            Some(own) => (sum + Self::pace(own, layout), count.count() + 1),
            None => (sum, count.count()),
        };
        sum.map(|c| Fixed(mean(c.0, layout.pace, all)))
    }

    #[inline]
    fn differences(sum: Vec3<Fixed>, layout: &Layout) -> Wide {
        Wide::from_words(sum).map(|c| c << layout.place)
    }
}
