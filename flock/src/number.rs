//! The number types a flock can be computed in: plain arithmetic, for one number or for several side by side.
//!
//! [`Number`] is one number. [`Lanes`] is one or several numbers of a type, so that the rule is written once for scalar
//! code and for vector registers. Every number is its own single lane. Comparisons give a mask, one truth value a lane.
//!
//! [`crate::Sensing`] has the sums over neighbours, [`crate::Requests`] the requests that follow from them.
//!
//! Floating-point types take lengths as they are. [`crate::Fixed`] scales them, and uses coarse positions between
//! neighbours: [`Number`] has these conversions.

use core::fmt::Debug;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use crate::parameters::Parameters;

/// The [`Number::Format`] of the number in each lane.
pub type Format<L> = <<L as Lanes>::Scalar as Number>::Format;

/// One lane or several of one number type.
///
/// No operation may fuse or reorder: lane k holds the very bits that the scalar code computes.
pub trait Lanes:
    Copy
    + Debug
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The number in one lane.
    type Scalar: Number;
    /// One truth value a lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;
    /// Number of lanes.
    const LANES: usize;

    /// The same number in every lane.
    fn splat(value: Self::Scalar) -> Self;
    /// Lane k takes number k of at least as many numbers as there are lanes.
    #[inline(always)]
    fn load(numbers: &[Self::Scalar]) -> Self {
        let mut lanes = Self::splat(Self::Scalar::ZERO);
        lanes.lanes_mut().copy_from_slice(&numbers[..Self::LANES]);
        lanes
    }
    /// The numbers in memory, that of lane k at index k.
    fn lanes(&self) -> &[Self::Scalar];
    /// The numbers, mutable.
    fn lanes_mut(&mut self) -> &mut [Self::Scalar];
    /// Mask of the lanes with `self < other`.
    fn lt(self, other: Self) -> Self::Mask;
    /// Mask of the lanes with `self <= other`.
    fn le(self, other: Self) -> Self::Mask;
    /// `self` where the mask holds, else `other`.
    fn select(self, mask: Self::Mask, other: Self) -> Self;
    /// True if the mask holds in any lane.
    fn any(mask: Self::Mask) -> bool;
    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;

    /// `self` where the mask holds, else zero.
    #[inline(always)]
    fn mask(self, mask: Self::Mask) -> Self {
        self.select(mask, Self::splat(Self::Scalar::ZERO))
    }

    /// True to compute what only the lanes of a mask need. Registers always do: a branch costs more than it saves.
    #[inline(always)]
    fn computes(_: Self::Mask) -> bool {
        true
    }

    /// The magnitude.
    #[inline(always)]
    fn abs(self) -> Self {
        (-self).select(self.lt(Self::splat(Self::Scalar::ZERO)), self)
    }

    /// The smaller of two that are numbers.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        other.select(other.lt(self), self)
    }

    /// The larger of two that are numbers.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        other.select(self.lt(other), self)
    }

    /// A function of one number, lane by lane: for what has no instruction.
    #[inline(always)]
    fn map_lanes(mut self, f: impl Fn(Self::Scalar) -> Self::Scalar) -> Self {
        for number in self.lanes_mut() {
            *number = f(*number);
        }
        self
    }

    /// The sum modulo the type's range. Partial sums may overflow where the final sum fits.
    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        self + other
    }

    /// The product with a count, modulo the type's range.
    #[inline(always)]
    fn wrapping_times(self, count: Self) -> Self {
        self * count
    }

    /// A coordinate clamped so that the difference of two stays in range; unchanged where lengths are not scaled.
    #[inline(always)]
    fn confine(self) -> Self {
        self
    }

    /// A pure number times the flock's unit of length, which is one where lengths are not scaled.
    #[inline(always)]
    fn in_unit(self, _unit: Self::Scalar) -> Self {
        self
    }
}

/// A number that a flock can be computed in.
pub trait Number: Lanes<Scalar = Self, Mask = bool> + PartialOrd + PartialEq + Default + 'static {
    /// The layout of a flock's lengths and velocities.
    type Format: Copy + Debug + Default + PartialEq + Send + Sync;

    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// The increment of a count per boid.
    const COUNT: Self = Self::ONE;
    /// A squared length below this counts as zero, in every floating-point type alike: it keeps quotients finite.
    const TINY_SQUARE: Self;
    /// A length below this counts as zero; the square root of [`Number::TINY_SQUARE`].
    const TINY: Self;

    /// The nearest representable number.
    fn from_f64(value: f64) -> Self;
    /// Exactly this number.
    fn to_f64(self) -> f64;
    /// The largest integer not above this number.
    fn floor(self) -> Self;
    /// The largest integer not above this number, clamped to the range of an i32; 0 for NaN.
    fn floor_to_i32(self) -> i32;

    // The defaults are those of floating-point numbers, which are not scaled.

    /// The format for the parameters' number of boids and a rule of this reach, in users' units.
    #[inline(always)]
    fn format(_parameters: &Parameters, _reach: f64) -> Self::Format {
        Self::Format::default()
    }
    /// A numerator over 2²⁴.
    #[inline(always)]
    fn fraction(numerator: i32) -> Self {
        Self::from_f64(f64::from(numerator) / f64::from(1 << 24))
    }
    /// The square root of a pure number from 0 to 1.
    #[inline(always)]
    fn unit_root(self) -> Self {
        self.sqrt()
    }
    /// A count as an integer.
    #[inline(always)]
    fn count(self) -> u32 {
        self.to_f64() as u32
    }
    /// An integer as a count: `count` times [`Number::COUNT`].
    #[inline(always)]
    fn counted(count: i32) -> Self {
        Self::from_f64(f64::from(count))
    }
    /// The factor of lengths and velocities: a power of two.
    #[inline(always)]
    fn unit(_: &Parameters) -> f64 {
        1.0
    }
    /// The least width of cells for a reach, a scaled length.
    #[inline(always)]
    fn reach(reach: Self, _: &Self::Format) -> Self {
        reach
    }
    /// The most by which a distance between coarse positions exceeds that between exact ones, a scaled length.
    #[inline(always)]
    fn blur(_: &Self::Format) -> Self {
        Self::ZERO
    }
    /// A scaled length or coordinate as it counts between boids.
    #[inline(always)]
    fn coarse(self, _: &Self::Format) -> Self {
        self
    }
    /// The square of a scaled radius, in the unit of [`crate::Sensing::square`].
    #[inline(always)]
    fn radius_square(radius: Self, _: &Self::Format) -> Self {
        radius * radius
    }
    /// [`Number::radius_square`] enlarged by [`Number::blur`]: contains all boids within the radius by exact positions.
    fn blurred_square(radius: Self, format: &Self::Format) -> Self {
        Self::radius_square(radius + Self::blur(format), format)
    }
    /// A squared cosine, for [`crate::Sensing::share`].
    #[inline(always)]
    fn cosine_square(value: f64) -> Self {
        Self::from_f64(value)
    }
}

/// The part of [`Lanes`] that every single number has.
#[macro_export]
macro_rules! single_lane {
    () => {
        type Scalar = Self;
        type Mask = bool;
        const LANES: usize = 1;

        #[inline(always)]
        fn splat(value: Self) -> Self {
            value
        }
        #[inline(always)]
        fn lanes(&self) -> &[Self] {
            ::core::slice::from_ref(self)
        }
        #[inline(always)]
        fn lanes_mut(&mut self) -> &mut [Self] {
            ::core::slice::from_mut(self)
        }
        #[inline(always)]
        fn lt(self, other: Self) -> bool {
            PartialOrd::lt(&self, &other)
        }
        #[inline(always)]
        fn le(self, other: Self) -> bool {
            PartialOrd::le(&self, &other)
        }
        #[inline(always)]
        fn select(self, mask: bool, other: Self) -> Self {
            if mask { self } else { other }
        }
        #[inline(always)]
        fn any(mask: bool) -> bool {
            mask
        }
        #[inline(always)]
        fn computes(mask: bool) -> bool {
            mask
        }
    };
}
