//! The number types a flock can be computed in: plain arithmetic, for one number or for several side by side.
//!
//! [`Number`] is one number. [`Lanes`] is one or several numbers of a type, so that the rule is written once for scalar
//! code and for vector registers. Every number is its own single lane. Comparisons give a mask, one truth value a lane.
//! [`Requests`] has the requests that follow from sums over neighbours.
//!
//! Floating-point types take lengths as they are. [`crate::Fixed`] scales them, and uses coarse positions between
//! neighbours: [`Number`] has these conversions. The defaults of both traits are those of floating-point types.

use core::fmt::Debug;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use crate::parameters::{Falloff, Parameters};

mod float;
mod requests;
mod vector;

pub use float::Float;
pub use requests::Requests;
pub use vector::Vec3;

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
    fn any_lane(_: Self::Mask) -> bool {
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

    // Sums over neighbours. An offset points from the perceiving boid to another one, between their coarse positions. A
    // `fine` offset is between their exact positions; only number types whose coarse positions differ from the exact
    // ones compute it.

    /// A position as it counts between boids.
    #[inline(always)]
    fn coarse_position(position: Vec3<Self>, _: &Format<Self>) -> Vec3<Self> {
        position
    }

    /// The direction of a velocity, with the length that [`Lanes::ahead`] expects; zero for a boid at rest.
    #[inline(always)]
    fn heading(velocity: Vec3<Self>) -> Vec3<Self> {
        velocity
    }

    /// The square of an offset, in the unit of squared radii.
    #[inline(always)]
    fn square(offset: Vec3<Self>) -> Self {
        offset.dot(offset)
    }

    /// The component h·o of an offset along the heading, and its square in the unit of [`Lanes::share`].
    #[inline(always)]
    fn ahead(heading: Vec3<Self>, offset: Vec3<Self>) -> (Self, Self) {
        let ahead = heading.dot(offset);
        (ahead, ahead * ahead)
    }

    /// The least (h·o)² of an offset on the edge of a cone: cos²α·|h|²·|o|².
    #[inline(always)]
    fn share(cosine_square: Self, heading_square: Self, square: Self) -> Self {
        cosine_square * heading_square * square
    }

    /// A unit vector perpendicular to a heading; zero where there is none.
    #[inline(always)]
    fn sideways(heading: Vec3<Self>, heading_square: Self) -> Vec3<Self> {
        let level = heading.x * heading.x + heading.y * heading.y;
        let upright = level.le(heading_square * Self::splat(Self::Scalar::from_f64(0.000_001)));
        let zero = Self::splat(Self::Scalar::ZERO);
        let side =
            Vec3::new(heading.z, zero, -heading.x).select(upright, Vec3::new(-heading.y, heading.x, zero));
        let square = side.dot(side);
        let tiny = Self::splat(Self::Scalar::TINY_SQUARE);
        let moving = !square.lt(tiny);
        let one = Self::splat(Self::Scalar::ONE);
        let inverse = one / square.select(moving, one).sqrt();
        (side * inverse).mask(moving)
    }

    /// The side of the heading on which an offset lies, as a vector across it of length |o|·(1 − sin θ), where θ is the
    /// angle between heading and offset: longest at the axis. −|o|·sideways for an offset exactly ahead, so that the
    /// boid gives way to a fixed side; zero for an offset that is not ahead, and for a boid at rest. `exact` are its
    /// velocity and the offset between exact positions.
    #[inline(always)]
    fn aside(
        heading: Vec3<Self>,
        heading_square: Self,
        sideways: Vec3<Self>,
        offset: Vec3<Self>,
        square: Self,
        _: [Vec3<Self>; 2],
    ) -> Vec3<Self> {
        let zero = Self::splat(Self::Scalar::ZERO);
        let one = Self::splat(Self::Scalar::ONE);
        let moving = zero.lt(heading_square);
        let along = (heading.dot(offset) / heading_square.select(moving, one)).mask(moving);
        let across = offset - heading * along;
        let across_square = across.dot(across);
        // Within about 10⁻⁵ rad of the heading the direction is all rounding.
        let exactly = across_square.le(square * Self::splat(Self::Scalar::from_f64(1e-10)));
        let width = across_square.sqrt();
        let unit = across * (one / one.select(exactly, width));
        let direction = (-sideways).select(exactly, unit);
        (direction * (square.sqrt() - width)).mask(zero.lt(along))
    }

    /// Adds −o·f(d) to a sum in the lanes of a mask; nothing where d counts as zero and f has a pole.
    #[inline(always)]
    fn add_separation(
        total: &mut Total<Self>,
        falloff: Falloff,
        _format: &Format<Self>,
        offset: Vec3<Self>,
        _fine: impl FnOnce() -> Vec3<Self>,
        square: Self,
        seen: Self::Mask,
    ) {
        let divisor = match falloff {
            Falloff::None => {
                total.sum = total.sum - offset.mask(seen);
                return;
            }
            Falloff::Inverse => square.sqrt(),
            Falloff::InverseSquare => square,
        };
        let one = Self::splat(Self::Scalar::ONE);
        let apart = !square.lt(Self::splat(Self::Scalar::TINY_SQUARE));
        let weakened = (offset * (one / divisor.select(apart, one))).mask(apart);
        total.sum = total.sum - weakened.mask(seen);
    }

    /// Adds the unit vector of a velocity or an offset to a sum in the lanes of a mask; nothing where the vector counts
    /// as zero. The square is that of the vector. [`Falloff::Inverse`] names the format of the sum.
    #[inline(always)]
    fn add_unit(
        total: &mut Total<Self>,
        format: &Format<Self>,
        vector: Vec3<Self>,
        square: Self,
        seen: Self::Mask,
    ) {
        let opposite = -vector;
        let fine = inlined(
            #[inline(always)]
            || opposite,
        );
        Self::add_separation(total, Falloff::Inverse, format, opposite, fine, square, seen);
    }

    /// Adds a velocity to a sum in the lanes of a mask.
    #[inline(always)]
    fn add_velocity(total: &mut Total<Self>, _: &Format<Self>, velocity: Vec3<Self>, seen: Self::Mask) {
        total.sum = total.sum + velocity.mask(seen);
    }

    /// Adds an offset to a sum in the lanes of a mask.
    #[inline(always)]
    fn add_offset(
        total: &mut Total<Self>,
        _: &Format<Self>,
        offset: Vec3<Self>,
        _fine: impl FnOnce() -> Vec3<Self>,
        seen: Self::Mask,
    ) {
        total.sum = total.sum + offset.mask(seen);
    }

    // Operations of formulas. The digits and shifts are those of `formula::Instruction`; only integers use them.

    /// The sum.
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    /// The difference.
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self - other
    }

    /// The number with `shift` fewer digits.
    #[inline(always)]
    fn shifted(self, _shift: i8) -> Self {
        self
    }

    /// The product.
    #[inline(always)]
    fn product(self, other: Self, _shift: i8) -> Self {
        self * other
    }

    /// The quotient; 0 where the divisor counts as zero.
    #[inline(always)]
    fn quotient(self, other: Self, _shift: i8) -> Self {
        let exists = Self::splat(Self::Scalar::TINY).le(other.abs());
        (self / other.select(exists, Self::splat(Self::Scalar::ONE))).mask(exists)
    }

    /// The square root; 0 for negative input.
    #[inline(always)]
    fn root(self, _shift: i8) -> Self {
        self.mask(Self::splat(Self::Scalar::ZERO).lt(self)).sqrt()
    }

    /// The floor of a word of `from` digits, in `to` digits.
    #[inline(always)]
    fn floored(self, _from: i8, _to: i8) -> Self {
        self.map_lanes(Number::floor)
    }

    /// The part above the floor of a word of `from` digits, in `to` digits.
    #[inline(always)]
    fn fraction_part(self, from: i8, to: i8) -> Self {
        self - self.floored(from, to)
    }

    /// 1, in the given digits.
    #[inline(always)]
    fn one(_digits: i8) -> Self {
        Self::splat(Self::Scalar::ONE)
    }

    /// The length of a vector.
    #[inline(always)]
    fn length_of(vector: Vec3<Self>) -> Self {
        let (_, length, exists) = direction(vector);
        length.mask(exists)
    }

    /// The direction of a vector, in [`crate::formula::DIRECTION_DIGITS`]; zero for a vector that counts as zero.
    #[inline(always)]
    fn direction_of(vector: Vec3<Self>) -> Vec3<Self> {
        let (unit, _, exists) = direction(vector);
        unit.mask(exists)
    }

    /// The unit vector and the length of a vector whose largest magnitude is `largest`, and not 0.
    #[inline(always)]
    fn normalize(vector: Vec3<Self>, largest: Self) -> (Vec3<Self>, Self) {
        normalize(vector, largest)
    }
}

/// [`Lanes::normalize`]: a division by the largest magnitude comes first, so that no square over- or underflows.
#[inline(always)]
pub fn normalize<L: Lanes>(vector: Vec3<L>, largest: L) -> (Vec3<L>, L) {
    let scaled = vector / largest;
    let length = scaled.dot(scaled).sqrt();
    (scaled / length, length * largest)
}

/// [`Requests::direction`] without its branch, for boids side by side.
#[inline(always)]
fn direction<L: Lanes>(vector: Vec3<L>) -> (Vec3<L>, L, L::Mask) {
    let largest = vector.largest();
    let exists = !largest.lt(L::splat(L::Scalar::TINY));
    let (unit, length) = L::normalize(vector, largest.select(exists, L::splat(L::Scalar::ONE)));
    (unit, length, exists)
}

/// A sum of vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total<L> {
    /// The sum.
    pub sum: Vec3<L>,
    /// The remainder of the sum in number types that need two words for it; zero in others.
    pub rest: Vec3<L>,
}

impl<L: Lanes> Total<L> {
    /// The sum of no vector.
    #[inline(always)]
    pub fn zero() -> Self {
        Total { sum: Vec3::zero(), rest: Vec3::zero() }
    }
}

/// Passes a closure through, so that it can have attributes.
#[inline(always)]
pub(crate) fn inlined<R, F: FnOnce() -> R + Copy>(f: F) -> F {
    f
}

/// A number that a flock can be computed in.
pub trait Number: Requests<Scalar = Self, Mask = bool> + PartialOrd + PartialEq + Default + 'static {
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
    /// True if formulas have digits of their own in each register.
    const DIGITS: bool = false;
    /// The number of 32-bit words of its bits, at most 2.
    const WORDS: u32 = 2;

    /// The nearest representable number.
    fn from_f64(value: f64) -> Self;
    /// Exactly this number.
    fn to_f64(self) -> f64;
    /// The largest integer not above this number.
    fn floor(self) -> Self;
    /// The largest integer not above this number, clamped to the range of an i32; 0 for NaN.
    fn floor_to_i32(self) -> i32;

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
    /// The square of a scaled radius, in the unit of [`Lanes::square`].
    #[inline(always)]
    fn radius_square(radius: Self, _: &Self::Format) -> Self {
        radius * radius
    }
    /// [`Number::radius_square`] enlarged by [`Number::blur`]: contains all boids within the radius by exact positions.
    fn blurred_square(radius: Self, format: &Self::Format) -> Self {
        Self::radius_square(radius + Self::blur(format), format)
    }
    /// A squared cosine, for [`Lanes::share`].
    #[inline(always)]
    fn cosine_square(value: f64) -> Self {
        Self::from_f64(value)
    }

    /// `numerator` / 2²⁴, in the given digits.
    #[inline(always)]
    fn of_fraction(numerator: i32, _digits: i8) -> Self {
        Self::fraction(numerator)
    }

    /// A whole number as an index; 0 if negative.
    #[inline(always)]
    fn index(self, _shift: i8) -> usize {
        (self.to_f64() + 0.5) as usize
    }

    /// A number in the given digits.
    #[inline]
    fn word(value: f64, _digits: i8) -> Self {
        Self::from_f64(value)
    }

    /// A whole number below 2²², without digits.
    #[inline(always)]
    fn whole(number: u32) -> Self {
        Self::from_f64(number.into())
    }

    /// The time after a number of steps below 2²².
    #[inline]
    fn time(steps: u32, time_step: Self, _digits: i8) -> Self {
        Self::from_f64(steps.into()) * time_step
    }

    /// Clamped to a range, in number types with ranges.
    #[inline(always)]
    fn cut(self, _range: [Self; 2]) -> Self {
        self
    }

    /// Its bits, those of an f64 by default; further bits are zero.
    #[inline(always)]
    fn raw_bits(self) -> u64 {
        self.to_f64().to_bits()
    }
    /// The number of [`Number::raw_bits`].
    #[inline(always)]
    fn from_raw_bits(bits: u64) -> Self {
        Self::from_f64(f64::from_bits(bits))
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
        fn any_lane(mask: bool) -> bool {
            mask
        }
    };
}
