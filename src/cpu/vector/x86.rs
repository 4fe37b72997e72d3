//! The registers of x86-64. No operation fuses, so that a lane has the bits of scalar code.

use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use flock::update::update_lanes;
use flock::{Float, Lanes};

use super::{Vector, set, updates};

/// Defines a register of lanes and its mask from the instructions that work on it.
macro_rules! register {
    (
        $name:ident: [$scalar:ty; $width:literal] in $raw:ty, $mask:ident in $raw_mask:ty,
        $add:ident, $sub:ident, $mul:ident, $div:ident, $sqrt:ident, $splat:ident,
        lt $lt:expr, le $le:expr,
        select |$m:ident, $a:ident, $b:ident| $select:expr,
        keep $keep:expr, and $and:expr, or $or:expr, not $not:expr, any $any:expr, larger $larger:ident, bits $bits:expr $(, write_set $write_set:path)? $(, feature $feature:literal)? $(,)?
    ) => {
        #[derive(Clone, Copy, Debug)]
        pub struct $name($raw);

        #[derive(Clone, Copy, Debug)]
        pub struct $mask($raw_mask);

        register!(@binary $name, Add, add, |$a, $b| $add($a, $b));
        register!(@binary $name, Sub, sub, |$a, $b| $sub($a, $b));
        register!(@binary $name, Mul, mul, |$a, $b| $mul($a, $b));
        register!(@binary $name, Div, div, |$a, $b| $div($a, $b));
        register!(@binary $mask, BitAnd, bitand, |$a, $b| $and);
        register!(@binary $mask, BitOr, bitor, |$a, $b| $or);

        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                // −0 − x is −x, zeros included.
                <Self as Lanes>::splat(-0.0) - self
            }
        }

        impl Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                let $m = self.0;
                register!(@call $mask($not))
            }
        }

        impl Lanes for $name {
            type Scalar = $scalar;
            type Mask = $mask;
            type Array = [$scalar; $width];
            const LANES: usize = $width;

            #[inline(always)]
            fn from_array(array: [$scalar; $width]) -> Self {
                // SAFETY: both are $width numbers without padding.
                $name(unsafe { core::mem::transmute::<[$scalar; $width], $raw>(array) })
            }
            #[inline(always)]
            fn to_array(self) -> [$scalar; $width] {
                // SAFETY: as above.
                unsafe { core::mem::transmute::<$raw, [$scalar; $width]>(self.0) }
            }
            #[inline(always)]
            fn as_array(&self) -> &[$scalar; $width] {
                // SAFETY: as above.
                unsafe { &*core::ptr::from_ref(self).cast::<[$scalar; $width]>() }
            }
            #[inline(always)]
            fn splat(value: $scalar) -> Self {
                register!(@call $name($splat(value)))
            }
            #[inline(always)]
            fn lt(self, other: Self) -> $mask {
                let ($a, $b) = (self.0, other.0);
                register!(@call $mask($lt))
            }
            #[inline(always)]
            fn le(self, other: Self) -> $mask {
                let ($a, $b) = (self.0, other.0);
                register!(@call $mask($le))
            }
            #[inline(always)]
            fn select(self, mask: $mask, other: Self) -> Self {
                let ($m, $a, $b) = (mask.0, self.0, other.0);
                register!(@call $name($select))
            }
            #[inline(always)]
            fn mask(self, mask: $mask) -> Self {
                let ($m, $a) = (mask.0, self.0);
                register!(@call $name($keep))
            }
            #[inline(always)]
            fn any(mask: $mask) -> bool {
                let $m = mask.0;
                register!(@call $any)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                register!(@call $name($sqrt(self.0)))
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                register!(@call $name($larger(self.0, other.0)))
            }
            #[inline(always)]
            fn abs(self) -> Self {
                self.max(-self)
            }
            #[inline(always)]
            fn confine(self) -> Self {
                self
            }
        }

        impl Float for $name {}

        impl Vector for $name {
            #[inline(always)]
            fn load(numbers: &[$scalar]) -> Self {
                assert!(numbers.len() >= $width);
                let first = numbers.as_ptr().cast::<$raw>();
                // SAFETY: there are $width numbers.
                $name(unsafe { first.read_unaligned() })
            }
            #[inline(always)]
            fn bits(mask: $mask) -> u32 {
                let $m = mask.0;
                register!(@call $bits)
            }
            updates!($name, $scalar, update_lanes $(, $feature)?);
            $(#[inline(always)]
            fn write_set(bits: u32, first: u32, numbers: &mut [u32]) -> usize {
                register!(@call $write_set(bits, first, &mut numbers[..$width]))
            })?
        }
    };
    (@binary $name:ident, $trait:ident, $method:ident, |$a:ident, $b:ident| $result:expr) => {
        impl $trait for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                register!(@call $name($result))
            }
        }
    };
    (@call $call:expr) => {{
        #[allow(unused_unsafe, reason = "SSE2 belongs to every x86-64, and some masks are plain integers")]
        // SAFETY: these types are only used below `Real::look`, which has made sure of the instructions.
        let result = unsafe { $call };
        result
    }};
}

register! {
    F32x4: [f32; 4] in __m128, M32x4 in __m128,
    _mm_add_ps, _mm_sub_ps, _mm_mul_ps, _mm_div_ps, _mm_sqrt_ps, _mm_set1_ps,
    lt _mm_cmplt_ps(a, b), le _mm_cmple_ps(a, b),
    select |m, a, b| _mm_or_ps(_mm_and_ps(m, a), _mm_andnot_ps(m, b)),
    keep _mm_and_ps(a, m), and _mm_and_ps(a, b), or _mm_or_ps(a, b),
    not _mm_xor_ps(m, _mm_castsi128_ps(_mm_set1_epi32(-1))), any _mm_movemask_ps(m) != 0,
    larger _mm_max_ps, bits _mm_movemask_ps(m) as u32,
}

register! {
    F64x2: [f64; 2] in __m128d, M64x2 in __m128d,
    _mm_add_pd, _mm_sub_pd, _mm_mul_pd, _mm_div_pd, _mm_sqrt_pd, _mm_set1_pd,
    lt _mm_cmplt_pd(a, b), le _mm_cmple_pd(a, b),
    select |m, a, b| _mm_or_pd(_mm_and_pd(m, a), _mm_andnot_pd(m, b)),
    keep _mm_and_pd(a, m), and _mm_and_pd(a, b), or _mm_or_pd(a, b),
    not _mm_xor_pd(m, _mm_castsi128_pd(_mm_set1_epi32(-1))), any _mm_movemask_pd(m) != 0,
    larger _mm_max_pd, bits _mm_movemask_pd(m) as u32,
}

register! {
    F32x8: [f32; 8] in __m256, M32x8 in __m256,
    _mm256_add_ps, _mm256_sub_ps, _mm256_mul_ps, _mm256_div_ps, _mm256_sqrt_ps, _mm256_set1_ps,
    lt _mm256_cmp_ps::<_CMP_LT_OQ>(a, b), le _mm256_cmp_ps::<_CMP_LE_OQ>(a, b),
    select |m, a, b| _mm256_blendv_ps(b, a, m),
    keep _mm256_and_ps(a, m), and _mm256_and_ps(a, b), or _mm256_or_ps(a, b),
    not _mm256_xor_ps(m, _mm256_castsi256_ps(_mm256_set1_epi32(-1))), any _mm256_movemask_ps(m) != 0,
    larger _mm256_max_ps, bits _mm256_movemask_ps(m) as u32, write_set set::write_8, feature "avx2",
}

register! {
    F64x4: [f64; 4] in __m256d, M64x4 in __m256d,
    _mm256_add_pd, _mm256_sub_pd, _mm256_mul_pd, _mm256_div_pd, _mm256_sqrt_pd, _mm256_set1_pd,
    lt _mm256_cmp_pd::<_CMP_LT_OQ>(a, b), le _mm256_cmp_pd::<_CMP_LE_OQ>(a, b),
    select |m, a, b| _mm256_blendv_pd(b, a, m),
    keep _mm256_and_pd(a, m), and _mm256_and_pd(a, b), or _mm256_or_pd(a, b),
    not _mm256_xor_pd(m, _mm256_castsi256_pd(_mm256_set1_epi32(-1))), any _mm256_movemask_pd(m) != 0,
    larger _mm256_max_pd, bits _mm256_movemask_pd(m) as u32, feature "avx2",
}

register! {
    F32x16: [f32; 16] in __m512, M32x16 in __mmask16,
    _mm512_add_ps, _mm512_sub_ps, _mm512_mul_ps, _mm512_div_ps, _mm512_sqrt_ps, _mm512_set1_ps,
    lt _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b), le _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b),
    select |m, a, b| _mm512_mask_blend_ps(m, b, a),
    keep _mm512_maskz_mov_ps(m, a), and a & b, or a | b,
    not !m, any m != 0,
    larger _mm512_max_ps, bits m.into(), write_set set::write_16, feature "avx512f",
}

register! {
    F64x8: [f64; 8] in __m512d, M64x8 in __mmask8,
    _mm512_add_pd, _mm512_sub_pd, _mm512_mul_pd, _mm512_div_pd, _mm512_sqrt_pd, _mm512_set1_pd,
    lt _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a, b), le _mm512_cmp_pd_mask::<_CMP_LE_OQ>(a, b),
    select |m, a, b| _mm512_mask_blend_pd(m, b, a),
    keep _mm512_maskz_mov_pd(m, a), and a & b, or a | b,
    not !m, any m != 0,
    larger _mm512_max_pd, bits m.into(), feature "avx512f",
}
