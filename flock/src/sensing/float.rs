//! Floating-point lanes sense exact offsets.

use super::{Sensing, Total};
use crate::number::{Float, Format, Number};
use crate::parameters::Falloff;
use crate::vector::Vec3;

impl<L: Float> Sensing for L {
    #[inline(always)]
    fn coarse_position(position: Vec3<L>, _: &Format<L>) -> Vec3<L> {
        position
    }

    #[inline(always)]
    fn heading(velocity: Vec3<L>) -> Vec3<L> {
        velocity
    }

    #[inline(always)]
    fn square(offset: Vec3<L>) -> L {
        offset.dot(offset)
    }

    #[inline(always)]
    fn ahead(heading: Vec3<L>, offset: Vec3<L>) -> (L, L) {
        let ahead = heading.dot(offset);
        (ahead, ahead * ahead)
    }

    #[inline(always)]
    fn share(cosine_square: L, heading_square: L, square: L) -> L {
        cosine_square * heading_square * square
    }

    /// The box lies in the sphere of radius r around its centre c. With x = c·h/|h| and y = √(c² − x²), the centre lies
    /// w = x·sin α − y·cos α inside the cone's edge, and s = x·cos α + y·sin α along it from the apex:
    ///
    /// ```text
    ///          y
    ///          |        / edge of the cone
    ///          |      /
    ///          |    /  w  .
    ///          |  /    · c  ) r
    ///          |/α_______'________ heading, x
    ///        apex
    /// ```
    ///
    /// All of the sphere is inside where r < w, outside where r < −w. Where s < 0 the apex is the nearest point of the
    /// edge, at the distance |c|: a sphere that does not reach it is outside an acute cone and inside an obtuse one.
    #[inline(always)]
    fn cone(
        heading: Vec3<L>,
        heading_square: L,
        [cosine, sine]: [L; 2],
        [low, high]: [Vec3<L>; 2],
    ) -> (L::Mask, L::Mask) {
        let zero = L::splat(L::Scalar::ZERO);
        let half = L::splat(L::Scalar::from_f64(0.5));
        let (centre, radius) = ((low + high) * half, (high - low) * half);
        let square = centre.dot(centre);
        let (distance, radius) = (square.sqrt(), radius.dot(radius).sqrt());
        let x = heading.dot(centre) / heading_square.sqrt();
        let left = square - x * x;
        let y = left.select(zero.lt(left), zero).sqrt();
        // Far more than rounding can turn, here or in the test of a single offset.
        let margin = distance * L::splat(L::Scalar::from_f64(1.0 / 128.0));
        let clearance = radius + margin;
        let (within, along) = (x * sine - y * cosine, x * cosine + y * sine);
        let behind = along.lt(-margin) & clearance.lt(distance);
        // A perched boid counts as infinitely far away: nothing is known of it, since infinity is not below itself.
        let tiny = L::splat(L::Scalar::TINY_SQUARE);
        let known = tiny.le(heading_square) & tiny.le(square);
        let inside = clearance.lt(within) | behind & cosine.lt(zero);
        let outside = clearance.lt(-within) | behind & zero.lt(cosine);
        (known & inside, known & outside)
    }

    #[inline(always)]
    fn sideways(heading: Vec3<L>, heading_square: L) -> Vec3<L> {
        let level = heading.x * heading.x + heading.y * heading.y;
        let upright = level.le(heading_square * L::splat(L::Scalar::from_f64(0.000_001)));
        let zero = L::splat(L::Scalar::ZERO);
        let side =
            Vec3::new(heading.z, zero, -heading.x).select(upright, Vec3::new(-heading.y, heading.x, zero));
        let square = side.dot(side);
        let tiny = L::splat(L::Scalar::TINY_SQUARE);
        let moving = !square.lt(tiny);
        let one = L::splat(L::Scalar::ONE);
        let inverse = one / square.select(moving, one).sqrt();
        (side * inverse).mask(moving)
    }

    #[inline(always)]
    fn aside(heading: Vec3<L>, heading_square: L, sideways: Vec3<L>, offset: Vec3<L>, square: L) -> Vec3<L> {
        let zero = L::splat(L::Scalar::ZERO);
        let one = L::splat(L::Scalar::ONE);
        let moving = zero.lt(heading_square);
        let along = (heading.dot(offset) / heading_square.select(moving, one)).mask(moving);
        let across = offset - heading * along;
        let across_square = across.dot(across);
        // Within about 10⁻⁵ rad of the heading the direction is all rounding.
        let exactly = across_square.le(square * L::splat(L::Scalar::from_f64(1e-10)));
        let width = across_square.sqrt();
        let unit = across * (one / one.select(exactly, width));
        let direction = (-sideways).select(exactly, unit);
        (direction * (square.sqrt() - width)).mask(zero.lt(along))
    }

    #[inline(always)]
    fn add_separation(
        total: &mut Total<L>,
        falloff: Falloff,
        _: &Format<L>,
        offset: Vec3<L>,
        _fine: impl FnOnce() -> Vec3<L>,
        square: L,
        seen: L::Mask,
    ) {
        let divisor = match falloff {
            Falloff::None => {
                total.sum = total.sum - offset.mask(seen);
                return;
            }
            Falloff::Inverse => square.sqrt(),
            Falloff::InverseSquare => square,
        };
        let one = L::splat(L::Scalar::ONE);
        let apart = !square.lt(L::splat(L::Scalar::TINY_SQUARE));
        let weakened = (offset * (one / divisor.select(apart, one))).mask(apart);
        total.sum = total.sum - weakened.mask(seen);
    }

    #[inline(always)]
    fn add_velocity(total: &mut Total<L>, _: &Format<L>, velocity: Vec3<L>, seen: L::Mask) {
        total.sum = total.sum + velocity.mask(seen);
    }

    #[inline(always)]
    fn add_offset(
        total: &mut Total<L>,
        _: &Format<L>,
        offset: Vec3<L>,
        _fine: impl FnOnce() -> Vec3<L>,
        seen: L::Mask,
    ) {
        total.sum = total.sum + offset.mask(seen);
    }
}
