//! The registers of x86-64 as lanes of [`Fixed`]: the bits of the scalar code, for numbers that fit a word as
//! `flock::fixed::check` has made sure of. Sums wrap where those of single words saturate; neither is ever reached.

use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use flock::fixed::{FAR, HEADING, Layout};
use flock::parameters::Falloff;
use flock::sensing::Total;
use flock::{Fixed, Lanes, Sensing, Vec3};

use super::by_lane::{add_separation_each, each};
use super::{Vector, set, update_each, updates};

/// Defines a register of words and its mask from the instructions that work on it.
macro_rules! words {
    (
        $name:ident: [i32; $width:literal] in $raw:ty, $mask:ident in $raw_mask:ty,
        $add:path, $sub:path, $mul:path, $min:path, $max:path, $splat:path, $left:path, $right:path,
        lt |$a:ident, $b:ident| $lt:expr,
        select |$m:ident| $select:expr,
        keep $keep:expr, and $and:expr, or $or:expr, not $not:expr, any $any:expr, bits $bits:expr
        $(, write_set $write_set:path)? $(,)?
    ) => {
        #[derive(Clone, Copy, Debug)]
        pub struct $name($raw);

        #[derive(Clone, Copy, Debug)]
        pub struct $mask($raw_mask);

        words!(@binary $name, Add, add, |$a, $b| $add($a, $b));
        words!(@binary $name, Sub, sub, |$a, $b| $sub($a, $b));
        words!(@binary $mask, BitAnd, bitand, |$a, $b| $and);
        words!(@binary $mask, BitOr, bitor, |$a, $b| $or);

        impl Mul for $name {
            type Output = Self;
            fn mul(self, other: Self) -> Self {
                self.by_lane(other, |a, b| a * b)
            }
        }

        impl Div for $name {
            type Output = Self;
            fn div(self, other: Self) -> Self {
                self.by_lane(other, |a, b| a / b)
            }
        }

        impl Neg for $name {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                <Self as Lanes>::splat(Fixed(0)) - self
            }
        }

        impl Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                let $m = self.0;
                words!(@call $mask($not))
            }
        }

        impl $name {
            /// What the registers have no instruction for.
            fn by_lane(self, other: Self, f: impl Fn(Fixed, Fixed) -> Fixed) -> Self {
                let (mut a, b) = (self.to_array(), other.to_array());
                for (a, b) in a.iter_mut().zip(b) {
                    *a = f(*a, b);
                }
                Self::from_array(a)
            }

            #[inline(always)]
            fn clamp(self, most: i32) -> Self {
                words!(@call $name($min($max(self.0, $splat(-most)), $splat(most))))
            }

            #[inline(always)]
            fn shift_left(self, by: u32) -> Self {
                words!(@call $name($left(self.0, _mm_cvtsi32_si128(by as i32))))
            }

            /// Rounded to the nearest, halves up.
            #[inline(always)]
            fn shift_right(self, by: u32) -> Self {
                let half = <Self as Lanes>::splat(Fixed((1 << by) >> 1));
                words!(@call $name($right((self + half).0, _mm_cvtsi32_si128(by as i32))))
            }

            /// What an offset in coarse units leaves of the fine one.
            #[inline(always)]
            fn rest(fine: Vec3<Self>, offset: Vec3<Self>, by: u32) -> Vec3<Self> {
                let Vec3 { x, y, z } = offset;
                fine - Vec3::new(x.shift_left(by), y.shift_left(by), z.shift_left(by))
            }
        }

        impl Lanes for $name {
            type Scalar = Fixed;
            type Mask = $mask;
            type Array = [Fixed; $width];
            const LANES: usize = $width;

            #[inline(always)]
            fn from_array(array: [Fixed; $width]) -> Self {
                // SAFETY: a Fixed is a word, and both are $width of them without padding.
                $name(unsafe { core::mem::transmute::<[Fixed; $width], $raw>(array) })
            }
            #[inline(always)]
            fn to_array(self) -> [Fixed; $width] {
                // SAFETY: as above.
                unsafe { core::mem::transmute::<$raw, [Fixed; $width]>(self.0) }
            }
            #[inline(always)]
            fn as_array(&self) -> &[Fixed; $width] {
                // SAFETY: as above.
                unsafe { &*core::ptr::from_ref(self).cast::<[Fixed; $width]>() }
            }
            #[inline(always)]
            fn splat(value: Fixed) -> Self {
                words!(@call $name($splat(value.0)))
            }
            #[inline(always)]
            fn lt(self, other: Self) -> $mask {
                let ($a, $b) = (self.0, other.0);
                words!(@call $mask($lt))
            }
            #[inline(always)]
            fn le(self, other: Self) -> $mask {
                !other.lt(self)
            }
            #[inline(always)]
            fn select(self, mask: $mask, other: Self) -> Self {
                let ($m, $a, $b) = (mask.0, self.0, other.0);
                words!(@call $name($select))
            }
            #[inline(always)]
            fn mask(self, mask: $mask) -> Self {
                let ($m, $a) = (mask.0, self.0);
                words!(@call $name($keep))
            }
            #[inline(always)]
            fn any(mask: $mask) -> bool {
                let $m = mask.0;
                words!(@call $any)
            }
            fn sqrt(self) -> Self {
                self.by_lane(self, |a, _| a.sqrt())
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                words!(@call $name($max(self.0, other.0)))
            }
            /// Plain integers.
            #[inline(always)]
            fn wrapping_times(self, count: Self) -> Self {
                words!(@call $name($mul(self.0, count.0)))
            }
        }

        impl Sensing for $name {
            #[inline(always)]
            fn coarse_position(position: Vec3<Self>, layout: &Layout) -> Vec3<Self> {
                let Vec3 { x, y, z } = position;
                let by = layout.position_shift;
                Vec3::new(x.shift_right(by), y.shift_right(by), z.shift_right(by))
            }
            /// As of single words: never known.
            #[inline(always)]
            fn cone(_: Vec3<Self>, _: Self, _: [Self; 2], _: [Vec3<Self>; 2]) -> ($mask, $mask) {
                let zero = <Self as Lanes>::splat(Fixed(0));
                (zero.lt(zero), zero.lt(zero))
            }
            fn heading(velocity: Vec3<Self>) -> Vec3<Self> {
                each([velocity], |[v]| Fixed::heading(v))
            }
            #[inline(always)]
            fn square(offset: Vec3<Self>) -> Self {
                let (x, y, z) = (offset.x.clamp(FAR), offset.y.clamp(FAR), offset.z.clamp(FAR));
                x.wrapping_times(x) + y.wrapping_times(y) + z.wrapping_times(z)
            }
            #[inline(always)]
            fn ahead(heading: Vec3<Self>, offset: Vec3<Self>) -> (Self, Self) {
                let product =
                    heading.x.wrapping_times(offset.x) + heading.y.wrapping_times(offset.y) + heading.z.wrapping_times(offset.z);
                let ahead = product.shift_right(HEADING);
                (ahead, ahead.wrapping_times(ahead))
            }
            fn share(cosine_square: Self, heading_square: Self, square: Self) -> Self {
                let [all, heading] = [cosine_square.to_array(), heading_square.to_array()];
                let mut share = square.to_array();
                for (k, square) in share.iter_mut().enumerate() {
                    *square = Fixed::share(all[k], heading[k], *square);
                }
                Self::from_array(share)
            }
            fn sideways(heading: Vec3<Self>, _: Self) -> Vec3<Self> {
                each([heading], |[heading]| Fixed::sideways(heading, Fixed(0)))
            }
            fn aside(
                heading: Vec3<Self>,
                _: Self,
                sideways: Vec3<Self>,
                offset: Vec3<Self>,
                _: Self,
            ) -> Vec3<Self> {
                each([heading, sideways, offset], |[heading, sideways, offset]| {
                    Fixed::aside(heading, Fixed(0), sideways, offset, Fixed(0))
                })
            }
            #[inline(always)]
            fn add_separation(
                total: &mut Total<Self>,
                falloff: Falloff,
                layout: &Layout,
                offset: Vec3<Self>,
                fine: impl FnOnce() -> Vec3<Self>,
                _: Self,
                seen: $mask,
            ) {
                if falloff == Falloff::None {
                    total.sum = total.sum - offset.mask(seen);
                    total.rest = total.rest - Self::rest(fine(), offset, layout.position_shift).mask(seen);
                } else {
                    add_separation_each(total, falloff, layout, fine(), seen);
                }
            }
            #[inline(always)]
            fn add_velocity(total: &mut Total<Self>, layout: &Layout, velocity: Vec3<Self>, seen: $mask) {
                let Vec3 { x, y, z } = velocity;
                let (by, most) = (layout.velocity_shift, layout.max_velocity);
                let coarse = Vec3::new(x.shift_right(by), y.shift_right(by), z.shift_right(by));
                let cut = Vec3::new(coarse.x.clamp(most), coarse.y.clamp(most), coarse.z.clamp(most));
                total.sum = total.sum + cut.mask(seen);
                if layout.exact_alignment {
                    total.rest = total.rest + Self::rest(velocity, coarse, by).mask(seen);
                }
            }
            #[inline(always)]
            fn add_offset(
                total: &mut Total<Self>,
                layout: &Layout,
                offset: Vec3<Self>,
                fine: impl FnOnce() -> Vec3<Self>,
                seen: $mask,
            ) {
                total.sum = total.sum + offset.mask(seen);
                if layout.exact_cohesion {
                    total.rest = total.rest + Self::rest(fine(), offset, layout.position_shift).mask(seen);
                }
            }
        }

        impl Vector for $name {
            // Scalar code, compiled as such: with the features of the registers it would only be in their way.
            updates!($name, Fixed, update_each);
            #[inline(always)]
            fn load(numbers: &[Fixed]) -> Self {
                assert!(numbers.len() >= $width);
                let first = numbers.as_ptr().cast::<$raw>();
                // SAFETY: there are $width words.
                $name(unsafe { first.read_unaligned() })
            }
            #[inline(always)]
            fn bits(mask: $mask) -> u32 {
                let $m = mask.0;
                words!(@call $bits)
            }
            $(#[inline(always)]
            fn write_set(bits: u32, first: u32, numbers: &mut [u32]) -> usize {
                words!(@call $write_set(bits, first, &mut numbers[..$width]))
            })?
        }
    };
    (@binary $name:ident, $trait:ident, $method:ident, |$a:ident, $b:ident| $result:expr) => {
        impl $trait for $name {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                let ($a, $b) = (self.0, other.0);
                words!(@call $name($result))
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

words! {
    I32x4: [i32; 4] in __m128i, W32x4 in __m128i,
    _mm_add_epi32, _mm_sub_epi32, mul_4, min_4, max_4, _mm_set1_epi32, _mm_sll_epi32, _mm_sra_epi32,
    lt |a, b| _mm_cmplt_epi32(a, b),
    select |m| _mm_or_si128(_mm_and_si128(m, a), _mm_andnot_si128(m, b)),
    keep _mm_and_si128(a, m), and _mm_and_si128(a, b), or _mm_or_si128(a, b),
    not _mm_xor_si128(m, _mm_set1_epi32(-1)), any _mm_movemask_epi8(m) != 0,
    bits _mm_movemask_ps(_mm_castsi128_ps(m)) as u32,
}

words! {
    I32x8: [i32; 8] in __m256i, W32x8 in __m256i,
    _mm256_add_epi32, _mm256_sub_epi32, _mm256_mullo_epi32, _mm256_min_epi32, _mm256_max_epi32, _mm256_set1_epi32,
    _mm256_sll_epi32, _mm256_sra_epi32,
    lt |a, b| _mm256_cmpgt_epi32(b, a),
    select |m| _mm256_blendv_epi8(b, a, m),
    keep _mm256_and_si256(a, m), and _mm256_and_si256(a, b), or _mm256_or_si256(a, b),
    not _mm256_xor_si256(m, _mm256_set1_epi32(-1)), any _mm256_movemask_epi8(m) != 0,
    bits _mm256_movemask_ps(_mm256_castsi256_ps(m)) as u32, write_set set::write_8,
}

words! {
    I32x16: [i32; 16] in __m512i, W32x16 in __mmask16,
    _mm512_add_epi32, _mm512_sub_epi32, _mm512_mullo_epi32, _mm512_min_epi32, _mm512_max_epi32, _mm512_set1_epi32,
    _mm512_sll_epi32, _mm512_sra_epi32,
    lt |a, b| _mm512_cmplt_epi32_mask(a, b),
    select |m| _mm512_mask_blend_epi32(m, b, a),
    keep _mm512_maskz_mov_epi32(m, a), and a & b, or a | b,
    not !m, any m != 0,
    bits m.into(), write_set set::write_16,
}

/// Products of words; SSE2 has those of every other one only.
#[inline(always)]
unsafe fn mul_4(a: __m128i, b: __m128i) -> __m128i {
    #[allow(unused_unsafe, reason = "SSE2 belongs to every x86-64")]
    // SAFETY: the caller has SSE2.
    unsafe {
        let even = _mm_mul_epu32(a, b);
        let odd = _mm_mul_epu32(_mm_srli_epi64::<32>(a), _mm_srli_epi64::<32>(b));
        let low = |pairs| _mm_shuffle_epi32::<0b00_00_10_00>(pairs);
        _mm_unpacklo_epi32(low(even), low(odd))
    }
}

#[inline(always)]
unsafe fn min_4(a: __m128i, b: __m128i) -> __m128i {
    #[allow(unused_unsafe, reason = "SSE2 belongs to every x86-64")]
    // SAFETY: the caller has SSE2.
    unsafe {
        let less = _mm_cmplt_epi32(a, b);
        _mm_or_si128(_mm_and_si128(less, a), _mm_andnot_si128(less, b))
    }
}

#[inline(always)]
unsafe fn max_4(a: __m128i, b: __m128i) -> __m128i {
    #[allow(unused_unsafe, reason = "SSE2 belongs to every x86-64")]
    // SAFETY: the caller has SSE2.
    unsafe {
        let less = _mm_cmplt_epi32(a, b);
        _mm_or_si128(_mm_and_si128(less, b), _mm_andnot_si128(less, a))
    }
}
