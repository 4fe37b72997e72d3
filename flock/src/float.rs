//! f32, f64 and other floating-point types: exact offsets, sums in one word, requests no wider than these.

use crate::number::{Format, Lanes, Number};
use crate::parameters::Falloff;
use crate::requests::Requests;
use crate::sensing::{Sensing, Total};
use crate::vector::Vec3;

/// Lanes of a floating-point type: lengths as they are, sums in one word. [`Sensing`] and [`Requests`] follow.
pub trait Float: Lanes {
    /// The unit vector and the length of a vector whose largest magnitude is `largest`, and not 0.
    #[inline(always)]
    fn normalize(vector: Vec3<Self>, largest: Self) -> (Vec3<Self>, Self) {
        normalize(vector, largest)
    }
}

/// [`Float::normalize`]: a division by the largest magnitude comes first, so that no square over- or underflows.
#[inline(always)]
pub fn normalize<L: Lanes>(vector: Vec3<L>, largest: L) -> (Vec3<L>, L) {
    let scaled = vector / largest;
    let length = scaled.dot(scaled).sqrt();
    (scaled / length, length * largest)
}

macro_rules! float {
    ($type:ty, $sqrt:path, $floor:path) => {
        impl Lanes for $type {
            $crate::single_lane!();

            #[inline(always)]
            fn sqrt(self) -> $type {
                #[cfg(feature = "std")]
                return <$type>::sqrt(self);
                #[cfg(not(feature = "std"))]
                return $sqrt(self);
            }
        }

        impl Float for $type {}

        impl Number for $type {
            type Format = ();

            const ZERO: $type = 0.0;
            const ONE: $type = 1.0;
            // 2⁻¹⁰⁰ and 2⁻⁵⁰: exact in f32 and f64.
            const TINY_SQUARE: $type = Self::TINY * Self::TINY;
            const TINY: $type = 1.0 / (1_u64 << 50) as $type;

            #[inline(always)]
            fn from_f64(value: f64) -> $type {
                value as $type
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn floor(self) -> $type {
                $floor(self)
            }
            #[inline(always)]
            fn floor_to_i32(self) -> i32 {
                let towards_zero = self as i32;
                let above = self < towards_zero as $type;
                towards_zero.saturating_sub(i32::from(above))
            }
        }
    };
}

float!(f32, libm::sqrtf, libm::floorf);
float!(f64, libm::sqrt, libm::floor);

impl<L: Float> Sensing for L {
    #[inline(always)]
    fn coarse_position(position: Vec3<L>, _: &Format<L>) -> Vec3<L> {
        position
    }

    #[inline(always)]
    fn heading(velocity: Vec3<L>) -> Vec3<L> {
        velocity
    }

    #[inline(always)]
    fn square(offset: Vec3<L>) -> L {
        offset.dot(offset)
    }

    #[inline(always)]
    fn ahead(heading: Vec3<L>, offset: Vec3<L>) -> (L, L) {
        let ahead = heading.dot(offset);
        (ahead, ahead * ahead)
    }

    #[inline(always)]
    fn share(cosine_square: L, heading_square: L, square: L) -> L {
        cosine_square * heading_square * square
    }

    #[inline(always)]
    fn sideways(heading: Vec3<L>, heading_square: L) -> Vec3<L> {
        let level = heading.x * heading.x + heading.y * heading.y;
        let upright = level.le(heading_square * L::splat(L::Scalar::from_f64(0.000_001)));
        let zero = L::splat(L::Scalar::ZERO);
        let side =
            Vec3::new(heading.z, zero, -heading.x).select(upright, Vec3::new(-heading.y, heading.x, zero));
        let square = side.dot(side);
        let tiny = L::splat(L::Scalar::TINY_SQUARE);
        let moving = !square.lt(tiny);
        let one = L::splat(L::Scalar::ONE);
        let inverse = one / square.select(moving, one).sqrt();
        (side * inverse).mask(moving)
    }

    #[inline(always)]
    fn aside(
        heading: Vec3<L>,
        heading_square: L,
        sideways: Vec3<L>,
        offset: Vec3<L>,
        square: L,
        _: [Vec3<L>; 2],
    ) -> Vec3<L> {
        let zero = L::splat(L::Scalar::ZERO);
        let one = L::splat(L::Scalar::ONE);
        let moving = zero.lt(heading_square);
        let along = (heading.dot(offset) / heading_square.select(moving, one)).mask(moving);
        let across = offset - heading * along;
        let across_square = across.dot(across);
        // Within about 10⁻⁵ rad of the heading the direction is all rounding.
        let exactly = across_square.le(square * L::splat(L::Scalar::from_f64(1e-10)));
        let width = across_square.sqrt();
        let unit = across * (one / one.select(exactly, width));
        let direction = (-sideways).select(exactly, unit);
        (direction * (square.sqrt() - width)).mask(zero.lt(along))
    }

    #[inline(always)]
    fn add_separation(
        total: &mut Total<L>,
        falloff: Falloff,
        _: &Format<L>,
        offset: Vec3<L>,
        _fine: impl FnOnce() -> Vec3<L>,
        square: L,
        seen: L::Mask,
    ) {
        let divisor = match falloff {
            Falloff::None => {
                total.sum = total.sum - offset.mask(seen);
                return;
            }
            Falloff::Inverse => square.sqrt(),
            Falloff::InverseSquare => square,
        };
        let one = L::splat(L::Scalar::ONE);
        let apart = !square.lt(L::splat(L::Scalar::TINY_SQUARE));
        let weakened = (offset * (one / divisor.select(apart, one))).mask(apart);
        total.sum = total.sum - weakened.mask(seen);
    }

    #[inline(always)]
    fn add_velocity(total: &mut Total<L>, _: &Format<L>, velocity: Vec3<L>, seen: L::Mask) {
        total.sum = total.sum + velocity.mask(seen);
    }

    #[inline(always)]
    fn add_offset(
        total: &mut Total<L>,
        _: &Format<L>,
        offset: Vec3<L>,
        _fine: impl FnOnce() -> Vec3<L>,
        seen: L::Mask,
    ) {
        total.sum = total.sum + offset.mask(seen);
    }
}

impl<L: Float> Requests for L {
    type Wide = Vec3<L>;

    #[inline(always)]
    fn widen(vector: Vec3<L>) -> Vec3<L> {
        vector
    }
    #[inline(always)]
    fn weigh(vector: Vec3<L>, weight: L::Scalar) -> Vec3<L> {
        vector * L::splat(weight)
    }
    #[inline(always)]
    fn narrow(vector: Vec3<L>) -> Vec3<L> {
        vector
    }
    #[inline(always)]
    fn divide(vector: Vec3<L>, count: L) -> Vec3<L> {
        vector / count
    }
    #[inline(always)]
    fn select_wide(vector: Vec3<L>, mask: L::Mask, other: Vec3<L>) -> Vec3<L> {
        vector.select(mask, other)
    }

    #[inline(always)]
    fn within(vector: Vec3<L>, radius: L) -> L::Mask {
        vector.dot(vector).lt(radius * radius)
    }
    #[inline(always)]
    fn toward(offset: Vec3<L>, radius: L) -> Vec3<L> {
        let square = offset.dot(offset);
        let near = !(radius * radius).le(square);
        if !L::computes(near) {
            return Vec3::zero();
        }
        let apart = near & !square.lt(L::splat(L::Scalar::TINY_SQUARE));
        let one = L::splat(L::Scalar::ONE);
        (offset * (one / square.select(apart, one).sqrt())).mask(apart)
    }
    #[inline(always)]
    fn direction(vector: Vec3<L>) -> (Vec3<L>, L, L::Mask) {
        let largest = vector.largest();
        let moving = !largest.lt(L::splat(L::Scalar::TINY));
        if !L::computes(moving) {
            return (Vec3::zero(), L::splat(L::Scalar::ZERO), moving);
        }
        let (unit, length) = L::normalize(vector, largest);
        (unit, length, moving)
    }

    #[inline(always)]
    fn separation_sum(total: &Total<L>, _: Falloff, _: &Format<L>) -> Vec3<L> {
        total.sum
    }
    #[inline(always)]
    fn separation_direction(total: &Total<L>, _: Falloff, _: &Format<L>) -> Vec3<L> {
        total.sum
    }
    #[inline(always)]
    fn separation_mean(total: &Total<L>, _: Falloff, count: L, _: &Format<L>) -> Vec3<L> {
        total.sum / count
    }
    #[inline(always)]
    fn mean_velocity(total: &Total<L>, count: L, _: &Format<L>) -> Vec3<L> {
        total.sum / count
    }
    #[inline(always)]
    fn mean_offset(total: &Total<L>, count: L, _: bool, _: &Format<L>, _: Vec3<L>) -> Vec3<L> {
        total.sum / count
    }
    #[inline(always)]
    fn line_of_sight_sum(sum: Vec3<L>, _: &Format<L>) -> Vec3<L> {
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiny_is_the_same_number_in_every_type() {
        assert_eq!(f64::from(<f32 as Number>::TINY), <f64 as Number>::TINY);
        assert_eq!(<f64 as Number>::TINY * <f64 as Number>::TINY, <f64 as Number>::TINY_SQUARE);
        assert_eq!(f64::from(<f32 as Number>::TINY_SQUARE), <f64 as Number>::TINY_SQUARE);
    }

    #[test]
    fn floors_as_integers() {
        for x in [-3.5_f32, -3.0, -0.1, -0.0, 0.0, 0.9, 7.0, 7.5, -1e9, 1e9] {
            assert_eq!(x.floor_to_i32(), x.floor() as i32);
            assert_eq!(f64::from(x).floor_to_i32(), x.floor() as i32);
        }
        assert_eq!((1e20_f32.floor_to_i32(), (-1e20_f32).floor_to_i32()), (i32::MAX, i32::MIN));
        assert_eq!(f32::NAN.floor_to_i32(), 0);
    }

    #[test]
    fn roots_with_and_without_std_have_the_same_bits() {
        for k in 1..2000_u32 {
            let x = f64::from(k) * 0.37;
            assert_eq!(libm::sqrt(x), x.sqrt());
            assert_eq!(libm::sqrtf(x as f32), (x as f32).sqrt());
        }
    }
}
