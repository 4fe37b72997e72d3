//! f32 and f64: lengths as they are, sums in one word.

use super::{Lanes, Number};

/// The part of [`Number`] that is the same in every floating-point type.
#[macro_export]
macro_rules! unscaled {
    () => {
        type Format = ();
        type Wide = $crate::Vec3<Self>;

        const COUNT: Self = Self::ONE;

        #[inline(always)]
        fn unit(_: &$crate::Parameters) -> f64 {
            1.0
        }
        #[inline(always)]
        fn format(_: &$crate::Parameters, _: f64) {}
        #[inline(always)]
        fn reach(reach: Self, (): &()) -> Self {
            reach
        }
        #[inline(always)]
        fn radius_square(radius: Self, (): &()) -> Self {
            radius * radius
        }
        #[inline(always)]
        fn cosine_square(value: f64) -> Self {
            Self::from_f64(value)
        }
        #[inline(always)]
        fn stretch(self, _: Self) -> Self {
            self
        }
        #[inline(always)]
        fn fraction(numerator: i32) -> Self {
            Self::from_f64(f64::from(numerator) / f64::from(1 << 24))
        }
        #[inline(always)]
        fn count(self) -> u32 {
            self.to_f64() as u32
        }
        #[inline(always)]
        fn confine(self) -> Self {
            self
        }
        #[inline(always)]
        fn within(vector: $crate::Vec3<Self>, radius: Self) -> bool {
            vector.dot(vector) < radius * radius
        }
        #[inline(always)]
        fn toward(offset: $crate::Vec3<Self>, radius: Self) -> $crate::Vec3<Self> {
            let square = offset.dot(offset);
            if radius * radius <= square || square < Self::TINY_SQUARE {
                return $crate::Vec3::zero();
            }
            offset * (Self::ONE / square.sqrt())
        }
        /// Divided by the largest component first, so that no square over- or underflows.
        #[inline(always)]
        fn direction(vector: $crate::Vec3<Self>) -> Option<($crate::Vec3<Self>, Self)> {
            let largest = vector.largest();
            if largest < Self::TINY {
                return None;
            }
            let scaled = vector.map(|c| c / largest);
            let length = scaled.dot(scaled).sqrt();
            Some((scaled.map(|c| c / length), length * largest))
        }
        #[inline(always)]
        fn widen(vector: $crate::Vec3<Self>) -> $crate::Vec3<Self> {
            vector
        }
        #[inline(always)]
        fn weigh(vector: $crate::Vec3<Self>, weight: Self) -> $crate::Vec3<Self> {
            vector * weight
        }
        #[inline(always)]
        fn narrow(vector: $crate::Vec3<Self>) -> $crate::Vec3<Self> {
            vector
        }
        #[inline(always)]
        fn divide(vector: $crate::Vec3<Self>, count: Self) -> $crate::Vec3<Self> {
            vector.map(|c| c / count)
        }
        #[inline(always)]
        fn pushes(
            total: &$crate::number::Total<Self>,
            _: $crate::parameters::Falloff,
            (): &(),
        ) -> $crate::Vec3<Self> {
            total.sum
        }
        #[inline(always)]
        fn push_way(
            total: &$crate::number::Total<Self>,
            _: $crate::parameters::Falloff,
            (): &(),
        ) -> $crate::Vec3<Self> {
            total.sum
        }
        #[inline(always)]
        fn mean_push(
            total: &$crate::number::Total<Self>,
            _: $crate::parameters::Falloff,
            count: Self,
            with_self: bool,
            (): &(),
        ) -> $crate::Vec3<Self> {
            let count = if with_self { count + Self::ONE } else { count };
            total.sum.map(|c| c / count)
        }
        #[inline(always)]
        fn mean_offset(
            total: &$crate::number::Total<Self>,
            count: Self,
            with_self: bool,
            (): &(),
            _: $crate::Vec3<Self>,
        ) -> $crate::Vec3<Self> {
            let own = if with_self { Self::ONE } else { Self::ZERO };
            total.sum.map(|c| c / (count + own))
        }
        #[inline(always)]
        fn mean_velocity(
            total: &$crate::number::Total<Self>,
            count: Self,
            own: Option<$crate::Vec3<Self>>,
            (): &(),
        ) -> $crate::Vec3<Self> {
            match own {
                Some(own) => (total.sum + own).map(|c| c / (count + Self::ONE)),
                None => total.sum.map(|c| c / count),
            }
        }
        #[inline(always)]
        fn differences(sum: $crate::Vec3<Self>, (): &()) -> $crate::Vec3<Self> {
            sum
        }
    };
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
            $crate::unscaled!();

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
