//! Floating-point lanes need no wider vectors.

use super::Requests;
use crate::number::{Float, Format, Lanes, Number};
use crate::parameters::Falloff;
use crate::sensing::Total;
use crate::vector::Vec3;

/// A count, with the boid itself or without.
#[inline(always)]
fn counted<L: Lanes>(count: L, with_self: bool) -> L {
    if with_self { count + L::splat(L::Scalar::ONE) } else { count }
}

impl<L: Float> Requests for L {
    type Wide = Vec3<L>;

    #[inline(always)]
    fn widen(vector: Vec3<L>) -> Vec3<L> {
        vector
    }
    #[inline(always)]
    fn weigh(vector: Vec3<L>, weight: L::Scalar) -> Vec3<L> {
        vector * L::splat(weight)
    }
    #[inline(always)]
    fn narrow(vector: Vec3<L>) -> Vec3<L> {
        vector
    }
    #[inline(always)]
    fn divide(vector: Vec3<L>, count: L) -> Vec3<L> {
        vector / count
    }
    #[inline(always)]
    fn select_wide(vector: Vec3<L>, mask: L::Mask, other: Vec3<L>) -> Vec3<L> {
        vector.select(mask, other)
    }

    #[inline(always)]
    fn within(vector: Vec3<L>, radius: L) -> L::Mask {
        vector.dot(vector).lt(radius * radius)
    }
    #[inline(always)]
    fn toward(offset: Vec3<L>, radius: L) -> Vec3<L> {
        let square = offset.dot(offset);
        let near = !(radius * radius).le(square);
        if !L::computes(near) {
            return Vec3::zero();
        }
        let apart = near & !square.lt(L::splat(L::Scalar::TINY_SQUARE));
        let one = L::splat(L::Scalar::ONE);
        (offset * (one / square.select(apart, one).sqrt())).mask(apart)
    }
    #[inline(always)]
    fn direction(vector: Vec3<L>) -> (Vec3<L>, L, L::Mask) {
        let largest = vector.largest();
        let moving = !largest.lt(L::splat(L::Scalar::TINY));
        if !L::computes(moving) {
            return (Vec3::zero(), L::splat(L::Scalar::ZERO), moving);
        }
        let (unit, length) = L::normalize(vector.to_array(), largest);
        (unit.into(), length, moving)
    }

    #[inline(always)]
    fn separation_sum(total: &Total<L>, _: Falloff, _: &Format<L>) -> Vec3<L> {
        total.sum
    }
    #[inline(always)]
    fn separation_direction(total: &Total<L>, _: Falloff, _: &Format<L>) -> Vec3<L> {
        total.sum
    }
    #[inline(always)]
    fn separation_mean(total: &Total<L>, _: Falloff, count: L, with_self: bool, _: &Format<L>) -> Vec3<L> {
        total.sum / counted(count, with_self)
    }
    #[inline(always)]
    fn mean_velocity(total: &Total<L>, count: L, own: Option<Vec3<L>>, _: &Format<L>) -> Vec3<L> {
        match own {
            Some(own) => (total.sum + own) / counted(count, true),
            None => total.sum / count,
        }
    }
    #[inline(always)]
    fn mean_offset(total: &Total<L>, count: L, with_self: bool, _: &Format<L>, _: Vec3<L>) -> Vec3<L> {
        total.sum / counted(count, with_self)
    }
    #[inline(always)]
    fn line_of_sight_sum(sum: Vec3<L>, _: &Format<L>) -> Vec3<L> {
        sum
    }
}
