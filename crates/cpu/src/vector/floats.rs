//! Registers of floating-point numbers. No operation fuses, so that a lane has the bits of scalar code.

use core::ops::Neg;

use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdFloatElement, SimdMask};
use flock::perceive::Sums;
use flock::update::{Flyers, StepContext, update_lanes};
use flock::{Float, Lanes, Number, Rule};

use super::{Vector, lanewise, token, write_lanes};

type Native<S, T> = <T as SimdFloatElement>::Native<S>;

/// The widest register of a type of numbers at a level of instructions.
#[derive(Clone, Copy, Debug)]
pub struct Floats<S: Simd, T: SimdFloatElement>(Native<S, T>);

lanewise!(Add add: Floats<S, T>, S: Simd, T: SimdFloatElement);
lanewise!(Sub sub: Floats<S, T>, S: Simd, T: SimdFloatElement);
lanewise!(Mul mul: Floats<S, T>, S: Simd, T: SimdFloatElement);
lanewise!(Div div: Floats<S, T>, S: Simd, T: SimdFloatElement);

impl<S: Simd, T: SimdFloatElement + Number> Neg for Floats<S, T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        // −0 − x is −x, zeros included.
        Self::splat(-T::ZERO) - self
    }
}

impl<S: Simd, T: SimdFloatElement + Number> Lanes for Floats<S, T> {
    type Scalar = T;
    type Mask = <Native<S, T> as SimdBase<S>>::Mask;
    type Array = <Native<S, T> as SimdBase<S>>::Array;
    const LANES: usize = Native::<S, T>::LEN;

    #[inline(always)]
    fn from_array(array: Self::Array) -> Self {
        Floats(Native::<S, T>::load_array(token(), array))
    }
    #[inline(always)]
    fn to_array(self) -> Self::Array {
        self.0.to_array()
    }
    #[inline(always)]
    fn as_array(&self) -> &Self::Array {
        self.0.as_array()
    }
    #[inline(always)]
    fn splat(value: T) -> Self {
        Floats(Native::<S, T>::splat(token(), value))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Self::Mask {
        self.0.simd_lt(other.0)
    }
    #[inline(always)]
    fn le(self, other: Self) -> Self::Mask {
        self.0.simd_le(other.0)
    }
    #[inline(always)]
    fn select(self, mask: Self::Mask, other: Self) -> Self {
        Floats(mask.select(self.0, other.0))
    }
    #[inline(always)]
    fn mask(self, mask: Self::Mask) -> Self {
        self.select(mask, Self::splat(T::ZERO))
    }
    #[inline(always)]
    fn any(mask: Self::Mask) -> bool {
        mask.any_true()
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Floats(self.0.sqrt())
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Floats(self.0.max(other.0))
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

impl<S: Simd, T: SimdFloatElement + Number> Float for Floats<S, T> {}

impl<S: Simd, T: SimdFloatElement + Number + Float> Vector for Floats<S, T> {
    #[inline(always)]
    fn load(numbers: &[T]) -> Self {
        Floats(Native::<S, T>::from_slice(token(), &numbers[..Self::LANES]))
    }
    #[inline(always)]
    fn bits(mask: Self::Mask) -> u32 {
        mask.to_bitmask() as u32
    }
    #[inline(always)]
    fn vectorize<R>(f: impl FnOnce() -> R) -> R {
        token::<S>().vectorize(f)
    }
    #[inline(never)]
    fn update(rule: &Rule<T>, context: &StepContext<'_, T>, sums: &Sums<Self>, flyers: Flyers<'_, Self>) {
        Self::vectorize(
            #[inline(always)]
            || update_lanes(rule, context, sums, flyers),
        );
    }
    #[inline(always)]
    fn write_set(bits: u32, first: u32, numbers: &mut [u32]) -> usize {
        write_lanes::<S>(Self::LANES, bits, first, numbers)
    }
}
