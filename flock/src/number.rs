//! The number types a flock can be computed in.
//!
//! [`Number`] is one number; [`Lanes`] is one or several of them side by side, so that the sums over the
//! neighbours are written once for scalar code and for vector registers. Every number is its own single lane.

use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// One lane or several of one number type, with the operations the sums over neighbours need.
///
/// No operation may fuse or reorder: lane k holds the very bits that the scalar code computes.
pub trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The number in one lane.
    type Scalar: Number;
    /// One truth value a lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;

    /// The same number in every lane.
    fn splat(value: Self::Scalar) -> Self;
    /// Where `self < other`.
    fn lt(self, other: Self) -> Self::Mask;
    /// Where `self <= other`.
    fn le(self, other: Self) -> Self::Mask;
    /// `self` where the mask holds, else `other`.
    fn select(self, mask: Self::Mask, other: Self) -> Self;
    /// `self` where the mask holds, else zero.
    fn keep(self, mask: Self::Mask) -> Self;
    /// Whether the mask holds in any lane.
    fn any(mask: Self::Mask) -> bool;
    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;
}

/// A number that a flock can be computed in.
pub trait Number:
    Lanes<Scalar = Self, Mask = bool> + PartialOrd + PartialEq + Default + core::fmt::Debug + Send + Sync
{
    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// A squared length below this counts as zero, in every number type alike: it keeps quotients finite.
    const TINY_SQUARE: Self;
    /// A length below this counts as zero; the square root of [`Number::TINY_SQUARE`].
    const TINY: Self;

    /// The nearest representable number.
    fn from_f64(value: f64) -> Self;
    /// Exactly this number.
    fn to_f64(self) -> f64;
    /// The magnitude.
    fn abs(self) -> Self;
    /// The largest integer not above this number.
    fn floor(self) -> Self;
    /// The largest integer not above this number, cut to the range of an i32; 0 where it is no number.
    fn floor_to_i32(self) -> i32;
    /// The smaller of two.
    fn min(self, other: Self) -> Self;
    /// The larger of two.
    fn max(self, other: Self) -> Self;
}

macro_rules! float {
    ($type:ty, $sqrt:path, $floor:path) => {
        impl Lanes for $type {
            type Scalar = $type;
            type Mask = bool;

            #[inline(always)]
            fn splat(value: $type) -> $type {
                value
            }
            #[inline(always)]
            fn lt(self, other: $type) -> bool {
                self < other
            }
            #[inline(always)]
            fn le(self, other: $type) -> bool {
                self <= other
            }
            #[inline(always)]
            fn select(self, mask: bool, other: $type) -> $type {
                if mask { self } else { other }
            }
            #[inline(always)]
            fn keep(self, mask: bool) -> $type {
                if mask { self } else { 0.0 }
            }
            #[inline(always)]
            fn any(mask: bool) -> bool {
                mask
            }
            #[cfg(feature = "std")]
            #[inline(always)]
            fn sqrt(self) -> $type {
                <$type>::sqrt(self)
            }
            #[cfg(not(feature = "std"))]
            #[inline(always)]
            fn sqrt(self) -> $type {
                $sqrt(self)
            }
        }

        impl Number for $type {
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
            fn abs(self) -> $type {
                if self < 0.0 { -self } else { self }
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
            fn min(self, other: $type) -> $type {
                if other < self { other } else { self }
            }
            #[inline(always)]
            fn max(self, other: $type) -> $type {
                if self < other { other } else { self }
            }
        }
    };
}

float!(f32, libm::sqrtf, libm::floorf);
float!(f64, libm::sqrt, libm::floor);

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
