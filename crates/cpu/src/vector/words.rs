//! Registers of [`Fixed`]: the bits of the scalar code, for numbers that fit a word as `flock::fixed::check` has made
//! sure of. Sums wrap where those of single words saturate; neither is ever reached.

use core::array;
use core::ops::{Div, Mul, Neg};

use fearless_simd::{Select, Simd, SimdBase, SimdMask};
use flock::fixed::{FAR, HEADING, Layout};
use flock::parameters::Falloff;
use flock::sensing::Total;
use flock::{Fixed, Lanes, Sensing, Vec3};

use super::{Vector, lanewise, token, write_lanes};

/// The widest register of words at a level of instructions.
#[derive(Clone, Copy, Debug)]
pub struct Words<S: Simd>(S::i32s);

impl<S: Simd> AsRef<[Fixed]> for Words<S> {
    #[inline(always)]
    fn as_ref(&self) -> &[Fixed] {
        // SAFETY: a Fixed is a word.
        unsafe { &*(self.0.as_slice() as *const [i32] as *const [Fixed]) }
    }
}

impl<S: Simd> AsMut<[Fixed]> for Words<S> {
    #[inline(always)]
    fn as_mut(&mut self) -> &mut [Fixed] {
        // SAFETY: as above.
        unsafe { &mut *(self.0.as_mut_slice() as *mut [i32] as *mut [Fixed]) }
    }
}

lanewise!(Add add: Words<S>, S: Simd);
lanewise!(Sub sub: Words<S>, S: Simd);

impl<S: Simd> Mul for Words<S> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self::by_lane([self, other], |[a, b]| a * b)
    }
}

impl<S: Simd> Div for Words<S> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        Self::by_lane([self, other], |[a, b]| a / b)
    }
}

impl<S: Simd> Neg for Words<S> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self::splat(Fixed(0)) - self
    }
}

impl<S: Simd> Words<S> {
    /// What registers have no instruction for.
    fn by_lane<const N: usize>(words: [Self; N], f: impl Fn([Fixed; N]) -> Fixed) -> Self {
        let mut result = words[0];
        for (k, number) in result.as_mut().iter_mut().enumerate() {
            *number = f(words.each_ref().map(|words| words.as_ref()[k]));
        }
        result
    }

    /// [`Words::by_lane`] for vectors.
    fn vectors_by_lane<const N: usize>(
        vectors: [Vec3<Self>; N],
        f: impl Fn([Vec3<Fixed>; N]) -> Vec3<Fixed>,
    ) -> Vec3<Self> {
        let mut result = vectors[0];
        for k in 0..Self::LANES {
            set_lane(&mut result, k, f(array::from_fn(|n| lane(&vectors[n], k))));
        }
        result
    }

    // No closures in what follows: one that is not inlined is compiled without the registers' instructions.

    #[inline(always)]
    fn clamp(Vec3 { x, y, z }: Vec3<Self>, most: i32) -> Vec3<Self> {
        let [x, y, z] = [x.0.max(-most), y.0.max(-most), z.0.max(-most)];
        Vec3::new(Words(x.min(most)), Words(y.min(most)), Words(z.min(most)))
    }

    /// Rounded to the nearest, halves up.
    #[inline(always)]
    fn shift_right(self, by: u32) -> Self {
        let half: i32 = (1 << by) >> 1;
        Words((self.0 + half) >> by)
    }

    #[inline(always)]
    fn shift_vector_right(Vec3 { x, y, z }: Vec3<Self>, by: u32) -> Vec3<Self> {
        Vec3::new(x.shift_right(by), y.shift_right(by), z.shift_right(by))
    }

    /// What an offset in coarse units leaves of the fine one.
    #[inline(always)]
    fn rest(fine: Vec3<Self>, offset: Vec3<Self>, by: u32) -> Vec3<Self> {
        let Vec3 { x, y, z } = offset;
        fine - Vec3::new(Words(x.0 << by), Words(y.0 << by), Words(z.0 << by))
    }

    /// Adds separations that weaken with the distance: they depend on the fine offset alone.
    fn add_weakened(
        total: &mut Total<Self>,
        falloff: Falloff,
        layout: &Layout,
        fine: Vec3<Self>,
        mut left: u32,
    ) {
        while left != 0 {
            let k = left.trailing_zeros() as usize;
            left &= left - 1;
            let mut single = Total { sum: lane(&total.sum, k), rest: lane(&total.rest, k) };
            let offset = lane(&fine, k);
            Fixed::add_separation(&mut single, falloff, layout, offset, || offset, Fixed(0), true);
            set_lane(&mut total.sum, k, single.sum);
            set_lane(&mut total.rest, k, single.rest);
        }
    }
}

fn lane<S: Simd>(Vec3 { x, y, z }: &Vec3<Words<S>>, k: usize) -> Vec3<Fixed> {
    Vec3 { x: x.as_ref()[k], y: y.as_ref()[k], z: z.as_ref()[k] }
}

fn set_lane<S: Simd>(Vec3 { x, y, z }: &mut Vec3<Words<S>>, k: usize, v: Vec3<Fixed>) {
    (x.as_mut()[k], y.as_mut()[k], z.as_mut()[k]) = (v.x, v.y, v.z);
}

impl<S: Simd> Lanes for Words<S> {
    type Scalar = Fixed;
    type Mask = S::mask32s;
    type Array = Self;
    const LANES: usize = S::i32s::LEN;

    #[inline(always)]
    fn from_array(array: Self) -> Self {
        array
    }
    #[inline(always)]
    fn to_array(self) -> Self {
        self
    }
    #[inline(always)]
    fn as_array(&self) -> &Self {
        self
    }
    #[inline(always)]
    fn splat(value: Fixed) -> Self {
        Words(S::i32s::splat(token(), value.0))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> S::mask32s {
        self.0.simd_lt(other.0)
    }
    #[inline(always)]
    fn le(self, other: Self) -> S::mask32s {
        self.0.simd_le(other.0)
    }
    #[inline(always)]
    fn select(self, mask: S::mask32s, other: Self) -> Self {
        Words(mask.select(self.0, other.0))
    }
    #[inline(always)]
    fn mask(self, mask: S::mask32s) -> Self {
        self.select(mask, Self::splat(Fixed(0)))
    }
    #[inline(always)]
    fn any(mask: S::mask32s) -> bool {
        mask.any_true()
    }
    fn sqrt(self) -> Self {
        Self::by_lane([self], |[a]| a.sqrt())
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Words(self.0.max(other.0))
    }
    /// Plain integers.
    #[inline(always)]
    fn wrapping_times(self, count: Self) -> Self {
        Words(self.0 * count.0)
    }
}

impl<S: Simd> Sensing for Words<S> {
    #[inline(always)]
    fn coarse_position(position: Vec3<Self>, layout: &Layout) -> Vec3<Self> {
        Self::shift_vector_right(position, layout.position_shift)
    }
    /// As of single words: never known.
    #[inline(always)]
    fn cone(_: Vec3<Self>, _: Self, _: [Self; 2], _: [Vec3<Self>; 2]) -> (S::mask32s, S::mask32s) {
        let none = S::mask32s::splat(token(), false);
        (none, none)
    }
    fn heading(velocity: Vec3<Self>) -> Vec3<Self> {
        Self::vectors_by_lane([velocity], |[v]| Fixed::heading(v))
    }
    #[inline(always)]
    fn square(offset: Vec3<Self>) -> Self {
        let Vec3 { x, y, z } = Self::clamp(offset, FAR);
        x.wrapping_times(x) + y.wrapping_times(y) + z.wrapping_times(z)
    }
    #[inline(always)]
    fn ahead(heading: Vec3<Self>, offset: Vec3<Self>) -> (Self, Self) {
        let product = heading.x.wrapping_times(offset.x)
            + heading.y.wrapping_times(offset.y)
            + heading.z.wrapping_times(offset.z);
        let ahead = product.shift_right(HEADING);
        (ahead, ahead.wrapping_times(ahead))
    }
    fn share(cosine_square: Self, heading_square: Self, square: Self) -> Self {
        let words = [cosine_square, heading_square, square];
        Self::by_lane(words, |[all, heading, square]| Fixed::share(all, heading, square))
    }
    fn sideways(heading: Vec3<Self>, _: Self) -> Vec3<Self> {
        Self::vectors_by_lane([heading], |[heading]| Fixed::sideways(heading, Fixed(0)))
    }
    fn aside(heading: Vec3<Self>, _: Self, sideways: Vec3<Self>, offset: Vec3<Self>, _: Self) -> Vec3<Self> {
        Self::vectors_by_lane([heading, sideways, offset], |[heading, sideways, offset]| {
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
        seen: S::mask32s,
    ) {
        if falloff == Falloff::None {
            total.sum = total.sum - offset.mask(seen);
            total.rest = total.rest - Self::rest(fine(), offset, layout.position_shift).mask(seen);
        } else {
            Self::add_weakened(total, falloff, layout, fine(), Self::bits(seen));
        }
    }
    #[inline(always)]
    fn add_velocity(total: &mut Total<Self>, layout: &Layout, velocity: Vec3<Self>, seen: S::mask32s) {
        let coarse = Self::shift_vector_right(velocity, layout.velocity_shift);
        total.sum = total.sum + Self::clamp(coarse, layout.max_velocity).mask(seen);
        if layout.exact_alignment {
            total.rest = total.rest + Self::rest(velocity, coarse, layout.velocity_shift).mask(seen);
        }
    }
    #[inline(always)]
    fn add_offset(
        total: &mut Total<Self>,
        layout: &Layout,
        offset: Vec3<Self>,
        fine: impl FnOnce() -> Vec3<Self>,
        seen: S::mask32s,
    ) {
        total.sum = total.sum + offset.mask(seen);
        if layout.exact_cohesion {
            total.rest = total.rest + Self::rest(fine(), offset, layout.position_shift).mask(seen);
        }
    }
}

impl<S: Simd> Vector for Words<S> {
    #[inline(always)]
    fn load(numbers: &[Fixed]) -> Self {
        let mut words = Self::splat(Fixed(0));
        words.as_mut().copy_from_slice(&numbers[..Self::LANES]);
        words
    }
    #[inline(always)]
    fn bits(mask: S::mask32s) -> u32 {
        mask.to_bitmask() as u32
    }
    #[inline(always)]
    fn vectorize<R>(f: impl FnOnce() -> R) -> R {
        token::<S>().vectorize(f)
    }
    #[inline(always)]
    fn write_set(bits: u32, first: u32, numbers: &mut [u32]) -> usize {
        write_lanes::<S>(Self::LANES, bits, first, numbers)
    }
}
