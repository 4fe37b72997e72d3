//! The number types a flock can be computed in.
//!
//! [`Number`] is one number; [`Lanes`] is one or several of them side by side, so that the sums over the
//! neighbours are written once for scalar code and for vector registers. Every number is its own single lane.
//!
//! Floats take lengths as they are. [`crate::Fixed`] scales them and sees its neighbours in coarser units: what that
//! needs is asked of the number type here, and costs floats nothing.

use core::fmt::Debug;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use crate::parameters::{Falloff, Parameters};
use crate::vector::Vec3;

mod float;

/// The [`Number::Format`] of the number in each lane.
pub type Format<L> = <<L as Lanes>::Scalar as Number>::Format;

/// A sum of vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Total<L> {
    pub sum: Vec3<L>,
    /// What the sum cannot say in number types that need two words for it; zero in others.
    pub rest: Vec3<L>,
}

/// One lane or several of one number type, with the operations the sums over neighbours need.
///
/// No operation may fuse or reorder: lane k holds the very bits that the scalar code computes.
pub trait Lanes:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The number in one lane.
    type Scalar: Number;
    /// One truth value a lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;

    /// The same number in every lane.
    fn splat(value: Self::Scalar) -> Self;
    /// Where `self < other`.
    fn lt(self, other: Self) -> Self::Mask;
    /// Where `self <= other`.
    fn le(self, other: Self) -> Self::Mask;
    /// `self` where the mask holds, else `other`.
    fn select(self, mask: Self::Mask, other: Self) -> Self;
    /// `self` where the mask holds, else zero.
    fn keep(self, mask: Self::Mask) -> Self;
    /// Whether the mask holds in any lane.
    fn any(mask: Self::Mask) -> bool;
    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;

    /// A sum of which only the last digits need be right: where what it leads to fits, and it itself may not.
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    /// As many times as a count says, in the same sense.
    #[inline(always)]
    fn times(self, count: Self) -> Self {
        self * count
    }

    /// A position as it counts for offsets between boids.
    #[inline(always)]
    fn place(position: Vec3<Self>, _: &Format<Self>) -> Vec3<Self> {
        position
    }

    /// The direction of a velocity, of whatever length suits [`Lanes::ahead`].
    #[inline(always)]
    fn heading(velocity: Vec3<Self>) -> Vec3<Self> {
        velocity
    }

    /// The square of an offset between boids, in the unit of squared radii.
    #[inline(always)]
    fn square(offset: Vec3<Self>) -> Self {
        offset.dot(offset)
    }

    /// How far ahead an offset lies, and its square in the unit of [`Lanes::share`].
    #[inline(always)]
    fn ahead(heading: Vec3<Self>, offset: Vec3<Self>) -> (Self, Self) {
        let ahead = heading.dot(offset);
        (ahead, ahead * ahead)
    }

    /// The part of an offset's square that its share ahead must reach to be seen.
    #[inline(always)]
    fn share(cosine_square: Self, heading_square: Self, square: Self) -> Self {
        cosine_square * heading_square * square
    }

    /// Whether all offsets in a box surely lie inside the cone about the heading, and whether all surely lie outside;
    /// neither where it is not known. The cosine and the sine are those of the cone's half angle.
    #[inline(always)]
    fn cone(
        heading: Vec3<Self>,
        heading_square: Self,
        [cosine, sine]: [Self; 2],
        [low, high]: [Vec3<Self>; 2],
    ) -> (Self::Mask, Self::Mask) {
        let zero = Self::splat(Self::Scalar::ZERO);
        let half = Self::splat(Self::Scalar::from_f64(0.5));
        // The sphere around the box, from the apex.
        let (centre, radius) = ((low + high) * half, (high - low) * half);
        let square = centre.dot(centre);
        let (distance, radius) = (square.sqrt(), radius.dot(radius).sqrt());
        let ahead = heading.dot(centre) / heading_square.sqrt();
        let left = square - ahead * ahead;
        let aside = left.select(zero.lt(left), zero).sqrt();
        // Far more than rounding can turn, here or in the test of a single offset.
        let margin = distance * Self::splat(Self::Scalar::from_f64(1.0 / 128.0));
        let clearance = radius + margin;
        // How far the centre lies inside the cone's edge, and where it lies along it.
        let (within, along) = (ahead * sine - aside * cosine, ahead * cosine + aside * sine);
        // Behind the apex that is what is nearest of the cone, or of all outside it.
        let behind = along.lt(-margin) & clearance.lt(distance);
        // Of boids on their perch, infinitely far, nothing is known either: infinity is not below itself.
        let tiny = Self::splat(Self::Scalar::TINY_SQUARE);
        let known = tiny.le(heading_square) & tiny.le(square);
        let inside = clearance.lt(within) | behind & cosine.lt(zero);
        let outside = clearance.lt(-within) | behind & zero.lt(cosine);
        (known & inside, known & outside)
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
        (side * inverse).keep(moving)
    }

    /// The part of an offset perpendicular to the heading; for one exactly ahead, d in the fixed direction opposite
    /// to `sideways`, so that the boid gives way sideways.
    #[inline(always)]
    fn aside(
        heading: Vec3<Self>,
        heading_square: Self,
        sideways: Vec3<Self>,
        offset: Vec3<Self>,
        square: Self,
    ) -> Vec3<Self> {
        let zero = Self::splat(Self::Scalar::ZERO);
        let one = Self::splat(Self::Scalar::ONE);
        let moving = zero.lt(heading_square);
        let along = (heading.dot(offset) / heading_square.select(moving, one)).keep(moving);
        let across = offset - heading * along;
        // Within about 10⁻⁶ rad of the heading counts as exactly ahead.
        let exactly = across.dot(across).le(square * Self::splat(Self::Scalar::from_f64(1e-12)));
        (-(sideways * square.sqrt())).select(exactly, across)
    }

    /// Takes o·f(d) off a sum in the lanes of a mask; nothing where d counts as zero and f has a pole. `offset` is as
    /// between [`Lanes::place`]s, `fine` as between positions.
    #[inline(always)]
    fn push(
        total: &mut Total<Self>,
        falloff: Falloff,
        _: &Format<Self>,
        offset: Vec3<Self>,
        _fine: impl FnOnce() -> Vec3<Self>,
        square: Self,
        seen: Self::Mask,
    ) {
        let divisor = match falloff {
            Falloff::None => {
                total.sum = total.sum - offset.keep(seen);
                return;
            }
            Falloff::Inverse => square.sqrt(),
            Falloff::InverseSquare => square,
        };
        let one = Self::splat(Self::Scalar::ONE);
        let apart = !square.lt(Self::splat(Self::Scalar::TINY_SQUARE));
        let weakened = (offset * (one / divisor.select(apart, one))).keep(apart);
        total.sum = total.sum - weakened.keep(seen);
    }

    /// Adds a velocity to a sum in the lanes of a mask.
    #[inline(always)]
    fn join(total: &mut Total<Self>, _: &Format<Self>, velocity: Vec3<Self>, seen: Self::Mask) {
        total.sum = total.sum + velocity.keep(seen);
    }

    /// Adds an offset to a sum in the lanes of a mask; `offset` and `fine` as for [`Lanes::push`].
    #[inline(always)]
    fn pull(
        total: &mut Total<Self>,
        _: &Format<Self>,
        offset: Vec3<Self>,
        _fine: impl FnOnce() -> Vec3<Self>,
        seen: Self::Mask,
    ) {
        total.sum = total.sum + offset.keep(seen);
    }
}

/// A number that a flock can be computed in.
pub trait Number:
    Lanes<Scalar = Self, Mask = bool> + PartialOrd + PartialEq + Default + Debug + Send + Sync + 'static
{
    /// How lengths and velocities of one flock are laid out.
    type Format: Copy + Debug + PartialEq + Send + Sync;
    /// A vector with room for sums and products.
    type Wide: Copy + Debug + PartialEq + Add<Output = Self::Wide> + Send + Sync;

    /// Zero.
    const ZERO: Self;
    /// One.
    const ONE: Self;
    /// What one boid adds to a count.
    const COUNT: Self;
    /// A squared length below this counts as zero, in every floating-point type alike: it keeps quotients finite.
    const TINY_SQUARE: Self;
    /// A length below this counts as zero; the square root of [`Number::TINY_SQUARE`].
    const TINY: Self;

    /// The nearest representable number.
    fn from_f64(value: f64) -> Self;
    /// Exactly this number.
    fn to_f64(self) -> f64;
    /// The magnitude.
    fn abs(self) -> Self;
    /// The largest integer not above this number.
    fn floor(self) -> Self;
    /// The largest integer not above this number, cut to the range of an i32; 0 where it is no number.
    fn floor_to_i32(self) -> i32;
    /// The smaller of two.
    fn min(self, other: Self) -> Self;
    /// The larger of two.
    fn max(self, other: Self) -> Self;

    /// What lengths and velocities are multiplied by: a power of two.
    fn unit(parameters: &Parameters) -> f64;
    /// The format for a flock of the parameters' size whose rule reaches so far, in users' units.
    fn format(parameters: &Parameters, reach: f64) -> Self::Format;
    /// The distance that cells must be wide for a reach, a scaled length.
    fn reach(reach: Self, format: &Self::Format) -> Self;
    /// The square of a scaled radius, in the unit of [`Lanes::square`].
    fn radius_square(radius: Self, format: &Self::Format) -> Self;
    /// A squared cosine, for [`Lanes::share`].
    fn cosine_square(value: f64) -> Self;
    /// A pure number times the flock's unit of length.
    fn stretch(self, unit: Self) -> Self;
    /// A numerator over 2²⁴.
    fn fraction(numerator: i32) -> Self;
    /// A count as an integer.
    fn count(self) -> u32;
    /// A coordinate kept where differences of two stay in range.
    fn confine(self) -> Self;

    /// Whether a vector is shorter than a radius.
    fn within(vector: Vec3<Self>, radius: Self) -> bool;
    /// The unit vector of an offset shorter than a radius; zero for others, and for zero.
    fn toward(offset: Vec3<Self>, radius: Self) -> Vec3<Self>;
    /// The direction and the length; none for a vector that counts as zero.
    fn direction(vector: Vec3<Self>) -> Option<(Vec3<Self>, Self)>;

    /// A vector in a wider one.
    fn widen(vector: Vec3<Self>) -> Self::Wide;
    /// Times a pure number.
    fn weigh(vector: Self::Wide, weight: Self) -> Self::Wide;
    /// Back; one too long for the type keeps its direction.
    fn narrow(vector: Self::Wide) -> Vec3<Self>;
    /// Divided by a count.
    fn divide(vector: Self::Wide, count: Self) -> Vec3<Self>;

    /// S from what [`Lanes::push`] summed.
    fn pushes(total: &Total<Self>, falloff: Falloff, format: &Self::Format) -> Self::Wide;
    /// The direction of S, of any length.
    fn push_way(total: &Total<Self>, falloff: Falloff, format: &Self::Format) -> Vec3<Self>;
    /// The mean of the pushes; `with_self` counts one more.
    fn mean_push(
        total: &Total<Self>,
        falloff: Falloff,
        count: Self,
        with_self: bool,
        format: &Self::Format,
    ) -> Self::Wide;
    /// The mean of what [`Lanes::pull`] summed; `with_self` counts one more.
    fn mean_offset(
        total: &Total<Self>,
        count: Self,
        with_self: bool,
        format: &Self::Format,
        position: Vec3<Self>,
    ) -> Vec3<Self>;
    /// The mean of what [`Lanes::join`] summed, and of the own velocity where there is one.
    fn mean_velocity(
        total: &Total<Self>,
        count: Self,
        own: Option<Vec3<Self>>,
        format: &Self::Format,
    ) -> Vec3<Self>;
    /// A sum of differences between offsets, as a vector.
    fn differences(sum: Vec3<Self>, format: &Self::Format) -> Self::Wide;
}
