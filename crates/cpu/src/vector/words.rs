//! Registers of [`Fixed`]: the bits of the scalar code, for numbers that fit a word as `flock::fixed::check` has made
//! sure of. Sums wrap where those of single words saturate; neither is ever reached.

use core::ops::{Div, Mul, Neg};

use fearless_simd::{Select, Simd, SimdBase, SimdMask};
use flock::fixed::{FAR, HEADING, Layout};
use flock::parameters::Falloff;
use flock::sensing::Total;
use flock::{Fixed, Lanes, Sensing, Vec3};

use super::{Vector, lanes_of_register, lanewise, token, vector_of_register, write_lanes};

/// The widest register of words at a level of instructions.
#[derive(Clone, Copy, Debug)]
pub struct Words<S: Simd>(S::i32s);

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
        for (k, number) in result.lanes_mut().iter_mut().enumerate() {
            *number = f(words.each_ref().map(|words| words.lanes()[k]));
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
            result.set_lane(k, f(vectors.each_ref().map(|vector| vector.lane(k))));
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
            let mut single = Total { sum: total.sum.lane(k), rest: total.rest.lane(k) };
            let offset = fine.lane(k);
            Fixed::add_separation(&mut single, falloff, layout, offset, || offset, Fixed(0), true);
            total.sum.set_lane(k, single.sum);
            total.rest.set_lane(k, single.rest);
        }
    }
}

impl<S: Simd> Lanes for Words<S> {
    type Scalar = Fixed;
    lanes_of_register!(S::i32s);

    #[inline(always)]
    fn splat(value: Fixed) -> Self {
        Words(S::i32s::splat(token(), value.0))
    }
    #[inline(always)]
    fn lanes(&self) -> &[Fixed] {
        // SAFETY: a Fixed is a word.
        unsafe { &*(self.0.as_slice() as *const [i32] as *const [Fixed]) }
    }
    #[inline(always)]
    fn lanes_mut(&mut self) -> &mut [Fixed] {
        // SAFETY: as above.
        unsafe { &mut *(self.0.as_mut_slice() as *mut [i32] as *mut [Fixed]) }
    }
    fn sqrt(self) -> Self {
        self.map_lanes(Lanes::sqrt)
    }
    /// Plain integers.
    #[inline(always)]
    fn wrapping_times(self, count: Self) -> Self {
        Words(self.0 * count.0)
    }
    fn confine(self) -> Self {
        self.map_lanes(Lanes::confine)
    }
    fn in_unit(self, unit: Fixed) -> Self {
        self * Self::splat(unit)
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
    /// Sums saturate, and products need 64 bits.
    type Formula = Fixed;
    vector_of_register!();

    #[inline(always)]
    fn load(numbers: &[Fixed]) -> Self {
        let mut words = Self::splat(Fixed(0));
        words.lanes_mut().copy_from_slice(&numbers[..Self::LANES]);
        words
    }
}
