//! Vector registers as [`flock::Lanes`].

mod words;

use std::ptr::NonNull;

use fearless_simd::{Select, Simd, SimdBase, SimdFloat, SimdFloatElement, SimdMask};
use flock::perceive::Sums;
use flock::update::probe::Unobserved;
use flock::update::{BoidLanes, StepContext, update, update_lanes};
use flock::{Boid, Float, Lanes, Number, Requests, Vec3};

pub use words::Words;

/// The most lanes a register has.
pub const MAX_LANES: usize = 16;

/// A register of numbers.
pub trait Vector: Lanes {
    /// Lane k has the number k.
    #[inline(always)]
    fn numbers() -> Self {
        let mut numbers = Self::splat(Self::Scalar::ZERO);
        for (k, number) in numbers.lanes_mut().iter_mut().enumerate() {
            *number = Self::Scalar::counted(k as i32);
        }
        numbers
    }
    /// Mask of the lanes whose offset between exact positions is shorter than a radius, as in [`flock::Requests::within`].
    fn near(offset: Vec3<Self>, radius: Self::Scalar) -> Self::Mask;
    /// Bit k is that of lane k.
    fn bits(mask: Self::Mask) -> u32;
    /// A mask that holds in no lane.
    #[inline(always)]
    fn no_lane() -> Self::Mask {
        let zero = Self::splat(Self::Scalar::ZERO);
        zero.lt(zero)
    }

    /// Calls a function compiled with the register's instructions. Only what is `inline(always)` is compiled with them.
    fn vectorize<R>(f: impl FnOnce() -> R) -> R;

    /// Moves boids one step. A function of its own for each register: compiled into every loop that sums over
    /// neighbours, the rule would stand in the program a hundred times.
    ///
    /// Boid by boid, for integers, whose requests are wider than the lanes. This is scalar code: compiled with the
    /// registers' instructions it would be slower.
    fn update(context: &StepContext<'_, Self::Scalar>, sums: &Sums<Self>, flyers: BoidLanes<'_, Self>) {
        for (k, (boid, id)) in flyers.boids.iter_mut().zip(flyers.ids).enumerate() {
            let requested = flyers.requested.get(k..=k).unwrap_or_default();
            *boid = update_one(context, boid, *id, &sums.lane(k), requested);
        }
    }

    /// Writes the numbers of the bits that are set, counted from `first`, and returns how many there are. There must be
    /// room for [`MAX_LANES`] numbers; those after the last written are overwritten too.
    fn write_set(bits: u32, first: u32, numbers: &mut [u32]) -> usize;

    /// Writes the lanes of the bits that are set; there must be room as for [`Vector::write_set`].
    fn write_lanes(self, bits: u32, numbers: &mut [Self::Scalar]);
}

/// Moves a boid one step. A function of its own, so that the rule in scalar code is compiled once a number type.
#[inline(never)]
pub fn update_one<T: Number>(
    context: &StepContext<'_, T>,
    boid: &Boid<T>,
    id: u32,
    sums: &Sums<T>,
    requested: &[Vec3<T>],
) -> Boid<T> {
    update(context, boid, id, sums, requested)
}

/// Writes the numbers of the bits that are set, bit by bit, and returns how many there are.
#[inline(always)]
pub(crate) fn write_each<T>(bits: u32, from: impl Iterator<Item = T>, to: &mut [T]) -> usize {
    let mut count = 0;
    for (k, number) in from.enumerate() {
        to[count] = number;
        // No branch: it would be guessed wrong every other time.
        count += (bits >> k & 1) as usize;
    }
    count
}

/// [`Vector::write_set`] for the lanes of a register.
#[inline(always)]
fn write_numbers<S: Simd>(lanes: usize, bits: u32, first: u32, numbers: &mut [u32]) -> usize {
    // Registers so short take several instructions for it.
    if S::u32s::LEN <= 4 {
        return write_each(bits, (0..lanes).map(|k| first.wrapping_add(k as u32)), &mut numbers[..lanes]);
    }
    let all = S::u32s::from_fn(token(), |k| k as u32) + first;
    compressed::<S, S::u32s>(all, bits).store_slice(&mut numbers[..S::u32s::LEN]);
    bits.count_ones() as usize
}

/// The lanes of the bits that are set, side by side.
#[inline(always)]
fn compressed<S: Simd, R: SimdBase<S>>(lanes: R, bits: u32) -> R {
    lanes.compress(R::Mask::from_bitmask(token(), bits.into()))
}

/// The token of a level of instructions; without bytes, so that lanes can be made from numbers alone.
#[inline(always)]
fn token<S: Simd>() -> S {
    const { assert!(size_of::<S>() == 0) };
    // SAFETY: no byte is read. The token claims that the machine has the instructions: registers are only used below
    // `Registers::step_range` and `formula_requests`, which have made sure of them, and have no name outside of the crate.
    unsafe { NonNull::dangling().read() }
}

/// The part of [`flock::Lanes`] that the crate's registers have.
macro_rules! lanes_of_register {
    ($native:ty) => {
        type Mask = <$native as SimdBase<S>>::Mask;
        const LANES: usize = <$native as SimdBase<S>>::LEN;

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
            Self(mask.select(self.0, other.0))
        }
        #[inline(always)]
        fn any(mask: Self::Mask) -> bool {
            mask.any_true()
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            Self(self.0.min(other.0))
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            Self(self.0.max(other.0))
        }
    };
}
use lanes_of_register;

/// The part of [`Vector`] that is the same in all of the crate's registers.
macro_rules! vector_of_register {
    () => {
        #[inline(always)]
        fn bits(mask: Self::Mask) -> u32 {
            mask.to_bitmask() as u32
        }
        #[inline(always)]
        fn vectorize<R>(f: impl FnOnce() -> R) -> R {
            token::<S>().vectorize(f)
        }
        #[inline(always)]
        fn write_set(bits: u32, first: u32, numbers: &mut [u32]) -> usize {
            write_numbers::<S>(Self::LANES, bits, first, numbers)
        }
        #[inline(always)]
        fn write_lanes(self, bits: u32, numbers: &mut [Self::Scalar]) {
            let numbers = &mut numbers[..Self::LANES];
            // SSE2 has no instruction that puts lanes side by side: the crate would take a loop over bytes.
            if cfg!(target_arch = "x86_64") && S::u32s::LEN <= 4 {
                crate::vector::write_each(bits, self.lanes().iter().copied(), numbers);
                return;
            }
            const { assert!(size_of::<Self>() == Self::LANES * size_of::<Self::Scalar>()) };
            // SAFETY: a register is its lanes, and there is a number for each.
            unsafe {
                numbers.as_mut_ptr().cast::<Self>().write_unaligned(Self(compressed::<S, _>(self.0, bits)))
            };
        }
    };
}
use vector_of_register;

type Native<S, T> = <T as SimdFloatElement>::Native<S>;

/// The widest register of floating-point numbers at a level of instructions. No operation fuses, so that a lane has the bits
/// of scalar code.
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
