//! Sensing between boids, in each number type: offsets, squares, fields of view, and sums of these.

use crate::number::{Format, Lanes};
use crate::parameters::Falloff;
use crate::vector::Vec3;

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

/// Lanes in which neighbours are summed.
///
/// An offset points from the perceiving boid to another one, between their coarse positions. A `fine` offset is between
/// their exact positions; only number types whose coarse positions differ from the exact ones compute it.
pub trait Sensing: Lanes {
    /// A position as it counts between boids.
    fn coarse_position(position: Vec3<Self>, format: &Format<Self>) -> Vec3<Self>;

    /// The direction of a velocity, with the length that [`Sensing::ahead`] expects; zero for a boid at rest.
    fn heading(velocity: Vec3<Self>) -> Vec3<Self>;

    /// The square of an offset, in the unit of squared radii.
    fn square(offset: Vec3<Self>) -> Self;

    /// The component h·o of an offset along the heading, and its square in the unit of [`Sensing::share`].
    fn ahead(heading: Vec3<Self>, offset: Vec3<Self>) -> (Self, Self);

    /// The least (h·o)² of an offset on the edge of a cone: cos²α·|h|²·|o|².
    fn share(cosine_square: Self, heading_square: Self, square: Self) -> Self;

    /// A unit vector perpendicular to a heading; zero where there is none.
    fn sideways(heading: Vec3<Self>, heading_square: Self) -> Vec3<Self>;

    /// The side of the heading on which an offset lies, as a vector across it of length |o|·(1 − sin θ), where θ is the
    /// angle between heading and offset: longest at the axis. −|o|·sideways for an offset exactly ahead, so that the
    /// boid gives way to a fixed side; zero for an offset that is not ahead, and for a boid at rest. `exact` are its
    /// velocity and the offset between exact positions.
    fn aside(
        heading: Vec3<Self>,
        heading_square: Self,
        sideways: Vec3<Self>,
        offset: Vec3<Self>,
        square: Self,
        exact: [Vec3<Self>; 2],
    ) -> Vec3<Self>;

    /// Adds −o·f(d) to a sum in the lanes of a mask; nothing where d counts as zero and f has a pole.
    fn add_separation(
        total: &mut Total<Self>,
        falloff: Falloff,
        format: &Format<Self>,
        offset: Vec3<Self>,
        fine: impl FnOnce() -> Vec3<Self>,
        square: Self,
        seen: Self::Mask,
    );

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
    fn add_velocity(total: &mut Total<Self>, format: &Format<Self>, velocity: Vec3<Self>, seen: Self::Mask);

    /// Adds an offset to a sum in the lanes of a mask.
    fn add_offset(
        total: &mut Total<Self>,
        format: &Format<Self>,
        offset: Vec3<Self>,
        fine: impl FnOnce() -> Vec3<Self>,
        seen: Self::Mask,
    );
}
