//! Registers of floating-point numbers. No operation fuses, so that a lane has the bits of scalar code.

use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdFloatElement, SimdMask};
use flock::perceive::Sums;
use flock::update::probe::Unobserved;
use flock::update::{BoidLanes, StepContext, update_lanes};
use flock::{Float, Lanes, Number, Requests, Vec3};

use super::{Vector, compressed, lanes_of_register, token, vector_of_register, write_numbers};

type Native<S, T> = <T as SimdFloatElement>::Native<S>;

/// The widest register of a type of numbers at a level of instructions.
#[derive(Clone, Copy, Debug)]
pub struct Floats<S: Simd, T: SimdFloatElement>(Native<S, T>);

flock::operators! {
    (S: Simd, T: SimdFloatElement) Floats<S, T>: Add add |a, b: Self| Floats(a.0 + b.0);
    (S: Simd, T: SimdFloatElement) Floats<S, T>: Sub sub |a, b: Self| Floats(a.0 - b.0);
    (S: Simd, T: SimdFloatElement) Floats<S, T>: Mul mul |a, b: Self| Floats(a.0 * b.0);
    (S: Simd, T: SimdFloatElement) Floats<S, T>: Div div |a, b: Self| Floats(a.0 / b.0);
    // −0 − x is −x, zeros included.
    (S: Simd, T: SimdFloatElement + Number) Floats<S, T>: Neg neg |a| Self::splat(-T::ZERO) - a;
}

impl<S: Simd, T: SimdFloatElement + Number> Lanes for Floats<S, T> {
    type Scalar = T;
    lanes_of_register!(Native<S, T>);

    #[inline(always)]
    fn splat(value: T) -> Self {
        Floats(Native::<S, T>::splat(token(), value))
    }
    #[inline(always)]
    fn lanes(&self) -> &[T] {
        self.0.as_slice()
    }
    #[inline(always)]
    fn lanes_mut(&mut self) -> &mut [T] {
        self.0.as_mut_slice()
    }
    #[inline(always)]
    fn load(numbers: &[T]) -> Self {
        Floats(Native::<S, T>::from_slice(token(), &numbers[..Self::LANES]))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Floats(self.0.sqrt())
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.max(-self)
    }
}

impl<S: Simd, T: SimdFloatElement + Number> Float for Floats<S, T> {}

impl<S: Simd, T: SimdFloatElement + Number> Vector for Floats<S, T> {
    vector_of_register!();

    #[inline(always)]
    fn near(offset: Vec3<Self>, radius: T) -> Self::Mask {
        Self::within(offset, Self::splat(radius))
    }
    #[inline(never)]
    fn update(context: &StepContext<'_, T>, sums: &Sums<Self>, flyers: BoidLanes<'_, Self>) {
        Self::vectorize(
            #[inline(always)]
            || update_lanes(context, sums, flyers, &mut Unobserved),
        );
    }
}
