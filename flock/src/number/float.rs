//! f32 and f64.

use super::{Float, Lanes, Number};

macro_rules! float {
    ($type:ty, $sqrt:path, $floor:path) => {
        impl Lanes for $type {
            $crate::single_lane!();

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
            #[inline(always)]
            fn confine(self) -> $type {
                self
            }
            #[inline(always)]
            fn in_unit(self, _: $type) -> $type {
                self
            }
        }

        impl Float for $type {}

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
