//! Clusters of boids: the test that a rule perceives all of a cluster or none, and its sums in place of its boids'.

use super::{Observer, Policy, Senses, Sums};
use crate::number::{Lanes, Number, Total, Vec3};
use crate::parameters::Falloff;
use crate::rule::View;

/// The sums over a cluster of boids.
#[derive(Clone, Copy, Debug)]
pub struct Cluster<L> {
    /// Number of boids.
    pub boids: L,
    /// The low corner of the box around their positions.
    pub low: Vec3<L>,
    /// The high corner.
    pub high: Vec3<L>,
    /// Σ of the offsets from the low corner between coarse positions, modulo the number type's range: the sum of the
    /// offsets that a boid perceives fits.
    pub coarse_offsets: Vec3<L>,
    /// Σ of the offsets between exact positions, in the same sense.
    pub offsets: Vec3<L>,
    /// Σ of the velocities, as [`Lanes::add_velocity`] adds them.
    pub velocity: Total<L>,
}

impl<L: Lanes> Cluster<L> {
    /// A cluster without boids, in a box of its own.
    #[inline(always)]
    pub fn empty(low: Vec3<L>, high: Vec3<L>) -> Self {
        let boids = L::splat(L::Scalar::ZERO);
        let zero = Vec3::zero();
        Cluster { boids, low, high, coarse_offsets: zero, offsets: zero, velocity: Total::zero() }
    }

    /// The same cluster in every lane.
    #[inline(always)]
    pub fn splat(cluster: &Cluster<L::Scalar>) -> Self {
        let Cluster { boids, low, high, coarse_offsets, offsets, velocity } = cluster;
        Cluster {
            boids: L::splat(*boids),
            low: Vec3::splat(*low),
            high: Vec3::splat(*high),
            coarse_offsets: Vec3::splat(*coarse_offsets),
            offsets: Vec3::splat(*offsets),
            velocity: Total { sum: Vec3::splat(velocity.sum), rest: Vec3::splat(velocity.rest) },
        }
    }
}

/// The part of a cluster that the rules perceive: all, none or some. Only for rules that see all round.
#[derive(Clone, Copy, Debug)]
pub struct Containment<L: Lanes> {
    /// The offset to the low corner of the cluster's box: between coarse positions, and between exact ones.
    coarse_offset: Vec3<L>,
    offset: Vec3<L>,
    /// The lanes whose rule perceives all of it.
    separation: L::Mask,
    alignment: L::Mask,
    cohesion: L::Mask,
    /// Each rule perceives all of it or none, and some rule all.
    pub inside: L::Mask,
    /// Some rule may perceive only a part of it.
    pub partial: L::Mask,
}

/// The lanes in which one rule perceives all of a cluster, and those in which it perceives none.
#[derive(Clone, Copy)]
struct RuleContainment<L: Lanes> {
    inside: L::Mask,
    outside: L::Mask,
}

impl<L: Lanes> RuleContainment<L> {
    #[inline(always)]
    fn known(self) -> L::Mask {
        self.inside | self.outside
    }

    /// The containment for a rule that leaves out the boids that another perceives.
    #[inline(always)]
    fn without(self, other: Self) -> Self {
        RuleContainment { inside: self.inside & other.outside, outside: self.outside | other.inside }
    }
}

impl<L: Lanes> Senses<L> {
    /// The containment of a cluster in each lane. Offsets and squares are rounded alike and grow with the distance:
    /// what holds for the corners of the box holds for the boids in it.
    #[inline(always)]
    pub fn containment<P: Policy>(&self, me: &Observer<L>, cluster: &Cluster<L>) -> Containment<L> {
        let (from, to) = (self.offset(me, cluster.low), self.offset(me, cluster.high));
        let offset = self.fine(me, cluster.low);
        let zero = L::splat(L::Scalar::ZERO);
        let most = Vec3::new((-from.x).max(to.x), (-from.y).max(to.y), (-from.z).max(to.z));
        let least =
            Vec3::new(from.x.max(-to.x).max(zero), from.y.max(-to.y).max(zero), from.z.max(-to.z).max(zero));
        let (nearest, farthest) = (L::square(least), L::square(most));
        // Otherwise a part of the box is nearer across the seam.
        let mut one_image = from.x.le(to.x) & from.y.le(to.y) & from.z.le(to.z);
        if self.wrap {
            let half = self.coarse_half_size;
            let size = L::coarse_position(cluster.high, &self.format)
                - L::coarse_position(cluster.low, &self.format);
            one_image = one_image & size.x.le(half.x) & size.y.le(half.y) & size.z.le(half.z);
        }

        let bounds = Bounds { nearest, farthest };
        let mut separation = bounds.containment(&self.separation);
        if self.falloff != Falloff::None {
            // A weakened sum is no sum of offsets. Boids at the very position of the observer add nothing.
            let size = cluster.high - cluster.low;
            separation.inside = separation.inside & is_zero(most) & is_zero(offset) & is_zero(size);
        }
        let mut cohesion = bounds.containment(&self.cohesion);
        let mut alignment =
            if P::SHARED_NEIGHBOURHOOD { cohesion } else { bounds.containment(&self.alignment) };
        if self.exclusive {
            let close = bounds.containment(&self.separation);
            cohesion = cohesion.without(close);
            alignment = alignment.without(close);
        }

        let known = one_image & separation.known() & alignment.known() & cohesion.known();
        Containment {
            coarse_offset: from,
            offset,
            separation: separation.inside,
            alignment: alignment.inside,
            cohesion: cohesion.inside,
            inside: known & (separation.inside | alignment.inside | cohesion.inside),
            partial: !known,
        }
    }

    /// Adds a cluster in the lanes of `seen`, all of which contain it. `own` are the lanes whose boid belongs to it.
    #[inline(always)]
    pub fn add_cluster<P: Policy>(
        &self,
        sums: &mut Sums<L>,
        me: &Observer<L>,
        containment: &Containment<L>,
        seen: L::Mask,
        own: L::Mask,
        cluster: &Cluster<L>,
    ) {
        let (boids, format) = (cluster.boids, &self.format);
        let count = boids - L::splat(L::Scalar::COUNT).mask(own);
        let coarse = total_offset(containment.coarse_offset, boids, cluster.coarse_offsets);
        let fine = total_offset(containment.offset, boids, cluster.offsets);
        let none = L::splat(L::Scalar::ZERO);

        let close = seen & containment.separation;
        if self.falloff == Falloff::None {
            L::add_separation(&mut sums.separation, Falloff::None, format, coarse, || fine, none, close);
        }
        sums.separation_count = sums.separation_count + count.mask(close);

        let aligned = seen & containment.alignment;
        let mut mine = Total::zero();
        L::add_velocity(&mut mine, format, me.velocity, own);
        let Total { sum, rest } = &mut sums.alignment;
        *sum = *sum + (cluster.velocity.sum - mine.sum).mask(aligned);
        *rest = *rest + (cluster.velocity.rest - mine.rest).mask(aligned);
        sums.alignment_count = sums.alignment_count + count.mask(aligned);

        let joined = seen & containment.cohesion;
        L::add_offset(&mut sums.cohesion, format, coarse, || fine, joined);
        sums.cohesion_count = if P::SHARED_NEIGHBOURHOOD {
            sums.alignment_count
        } else {
            sums.cohesion_count + count.mask(joined)
        };
    }
}

// No closures here: a closure that is not inlined lacks the registers of its caller.

/// The least and the greatest square of the distances from an observer to the boids of a cluster.
struct Bounds<L: Lanes> {
    nearest: L,
    farthest: L,
}

impl<L: Lanes> Bounds<L> {
    /// The containment of the cluster for a rule that sees all round.
    #[inline(always)]
    fn containment(&self, view: &View<L>) -> RuleContainment<L> {
        RuleContainment {
            inside: self.farthest.lt(view.radius_square),
            outside: !self.nearest.lt(view.radius_square),
        }
    }
}

/// Mask of the lanes with a zero vector.
#[inline(always)]
fn is_zero<L: Lanes>(v: Vec3<L>) -> L::Mask {
    let zero = L::splat(L::Scalar::ZERO);
    v.x.le(zero) & zero.le(v.x) & v.y.le(zero) & zero.le(v.y) & v.z.le(zero) & zero.le(v.z)
}

/// The sum of the offsets to all boids of a cluster: the offset to its low corner for each, and the offsets from there.
#[inline(always)]
fn total_offset<L: Lanes>(corner: Vec3<L>, boids: L, offsets: Vec3<L>) -> Vec3<L> {
    Vec3::new(
        corner.x.wrapping_times(boids).wrapping_add(offsets.x),
        corner.y.wrapping_times(boids).wrapping_add(offsets.y),
        corner.z.wrapping_times(boids).wrapping_add(offsets.z),
    )
}

#[cfg(test)]
mod tests;
