//! f32, f64 and other floating-point types: exact offsets, sums in one word, requests no wider than these.

use super::{Format, Lanes, Number, Requests, Total, Vec3};
use crate::parameters::Falloff;

/// Lanes of a floating-point type: lengths as they are, sums in one word. [`Requests`] follow.
pub trait Float: Lanes {}

macro_rules! float {
    ($type:ty, $bits:ty, $sqrt:path, $floor:path) => {
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
            const WORDS: u32 = <$bits>::BITS / 32;

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
            #[inline(always)]
            fn raw_bits(self) -> u64 {
                self.to_bits().into()
            }
            #[inline(always)]
            fn from_raw_bits(bits: u64) -> $type {
                <$type>::from_bits(bits as $bits)
            }
        }
    };
}

float!(f32, u32, libm::sqrtf, libm::floorf);
float!(f64, u64, libm::sqrt, libm::floor);

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
    #[inline]
    fn sum_of(total: Vec3<L>, _: [i8; 3]) -> Vec3<L> {
        total
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
        if !L::any_lane(near) {
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
        if !L::any_lane(moving) {
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
