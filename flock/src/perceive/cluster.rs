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
mod tests {
    //! A cluster adds what its boids add, and stands for them wherever its box allows.

    use std::vec::Vec;

    use super::*;
    use crate::parameters::{Edges, Parameters};
    use crate::perceive::AllRound;
    use crate::random::draw;
    use crate::{Boid, Fixed, Rule};

    const SIDE: f64 = 32.0;

    /// An observer, a cluster and the boids in it.
    struct Case<T: Number> {
        senses: Senses<T>,
        me: Observer<T>,
        boids: Vec<Boid<T>>,
        cluster: Cluster<T>,
    }

    fn rule<T: Number>(k: u32) -> Rule<T> {
        let [a, b, c, d] = draw(3, k, 0, 1);
        let mut p = Parameters::default();
        (p.world.min, p.world.max) = ([0.0; 3], [SIDE; 3]);
        p.world.edges = if k.is_multiple_of(2) { Edges::Wrap } else { Edges::Open };
        let radius = |word: u32| 1.0 + f64::from(word % 64) / 8.0;
        (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (radius(a), radius(b), radius(c));
        p.separation.exclusive = d & 1 == 0;
        (p.separation.weight, p.alignment.weight, p.cohesion.weight) = (0.1, 0.1, 0.1);
        p.separation.falloff = if d % 5 == 0 { Falloff::Inverse } else { Falloff::None };
        // Means to the last digit, in integers.
        (p.motion.gain, p.flock.boids) = (if d % 3 == 0 { 1.0 } else { 0.001 }, 2000);
        Rule::new(&p)
    }

    impl<T: Number> Case<T> {
        /// The cluster of boids at some places, seen from another.
        fn new(rule: &Rule<T>, at: [f64; 3], places: &[[f64; 3]]) -> Self {
            let boid = |place: [f64; 3]| {
                let velocity = place.map(|c| (c - 16.0) / 64.0);
                rule.quantise(&Boid { position: place, velocity, ..Boid::default() })
            };
            let (senses, format) = (Senses::<T>::new(rule), &rule.format);
            let (own, boids) = (boid(at), places.iter().map(|place| boid(*place)).collect::<Vec<_>>());
            let corner = |pick: fn(T, T) -> T| {
                let pick = |a: [T; 3], b: [T; 3]| [0, 1, 2].map(|axis| pick(a[axis], b[axis]));
                Vec3::from(boids.iter().map(|boid| boid.position).reduce(pick).expect("a boid"))
            };
            let mut cluster = Cluster::empty(corner(T::min), corner(T::max));
            let corner = T::coarse_position(cluster.low, format);
            for boid in &boids {
                let position = Vec3::from(boid.position);
                cluster.boids = cluster.boids + T::COUNT;
                cluster.offsets = cluster.offsets + (position - cluster.low);
                cluster.coarse_offsets =
                    cluster.coarse_offsets + (T::coarse_position(position, format) - corner);
                T::add_velocity(&mut cluster.velocity, format, boid.velocity.into(), true);
            }
            let me = senses.observer(own.position.into(), own.velocity.into(), false);
            Case { senses, me, boids, cluster }
        }

        /// The sums over the boids, without the first one if that is the observer.
        fn by_boids(&self, own: bool) -> Sums<T> {
            let mut sums = Sums::new();
            for boid in self.boids.iter().skip(usize::from(own)) {
                self.senses.add::<AllRound>(
                    &mut sums,
                    &self.me,
                    boid.position.into(),
                    || boid.velocity.into(),
                    None,
                );
            }
            sums
        }

        fn by_cluster<P: Policy>(&self, own: bool) -> (Containment<T>, Sums<T>) {
            let found = self.senses.containment::<P>(&self.me, &self.cluster);
            let mut sums = Sums::new();
            self.senses.add_cluster::<P>(&mut sums, &self.me, &found, found.inside, own, &self.cluster);
            (found, sums)
        }

        /// True if the box lies on both sides of a radius, by its corners and by its nearest place, or across a seam.
        fn cuts_a_radius(&self) -> bool {
            let Cluster { low, high, .. } = self.cluster;
            let pick = |k: u32, axis: u32, low: T, high: T| if k >> axis & 1 == 0 { low } else { high };
            let corner = |k| {
                Vec3::new(pick(k, 0, low.x, high.x), pick(k, 1, low.y, high.y), pick(k, 2, low.z, high.z))
            };
            let offsets: Vec<Vec3<T>> = (0..8).map(|k| self.senses.offset(&self.me, corner(k))).collect();
            let most = offsets.iter().map(|offset| T::square(*offset)).fold(T::ZERO, T::max);
            let nearest = |from: T, to: T| {
                if from <= T::ZERO && T::ZERO <= to { T::ZERO } else { from.abs().min(to.abs()) }
            };
            let least = T::square(offsets[0].zip(offsets[7], nearest));
            let [separation, alignment, cohesion] =
                [&self.senses.separation, &self.senses.alignment, &self.senses.cohesion]
                    .map(|view| view.radius_square);
            let cuts = |square: T| least < square && square <= most;
            let all_close = self.senses.exclusive && most < separation;
            // Separation leaves boids that are not all close to the other two only if none is.
            cuts(separation) || !all_close && (cuts(alignment) || cuts(cohesion))
        }
    }

    fn vector<T: Number>(v: Vec3<T>) -> [f64; 3] {
        v.to_array().map(T::to_f64)
    }

    fn clusters_stand_for_their_boids<T: Number>() {
        let (mut inside, mut outside, mut partial, mut close) = (0, 0, 0, 0);
        for k in 0..20_000 {
            let rule = rule::<T>(k);
            let [place, box_at, size, others] = [1, 2, 3, 4].map(|stream| draw(3, k, stream, 1));
            let grid = |word: u32, cells: u32| f64::from(word % cells) / 8.0;
            let at = [0, 1, 2].map(|axis: usize| grid(place[axis], 256));
            // Boxes of no size, small ones and ones as large as a radius, near the observer or at the other side of a seam.
            let width = [1, 4, 20, 40][size[3] as usize % 4];
            let wraps = rule.edges == Edges::Wrap;
            let low = [0, 1, 2].map(|axis: usize| {
                let near = at[axis] + grid(box_at[axis], 160) - 10.0;
                let near = if wraps { near.rem_euclid(SIDE) } else { near.clamp(0.0, SIDE) };
                if box_at[3].is_multiple_of(8) { at[axis] } else { near }
            });
            let count = 1 + others[3] % 6;
            let places: Vec<[f64; 3]> = (0..count)
                .map(|n| {
                    let words = draw(3, k, 5 + n, 1);
                    [0, 1, 2].map(|axis: usize| (low[axis] + grid(words[axis], width)).min(SIDE - 0.125))
                })
                .collect();
            let own = others[0].is_multiple_of(3);
            let case = Case::<T>::new(&rule, if own { places[0] } else { at }, &places);
            let (found, sums) = case.by_cluster::<AllRound>(own);
            let expected = case.by_boids(own);
            if found.partial {
                assert!(!found.inside, "{k}");
                partial += 1;
                continue;
            }
            inside += u32::from(found.inside);
            outside += u32::from(!found.inside);
            // A weakened separation is none of boids at one place, which add nothing but their number.
            close += u32::from(rule.falloff != Falloff::None && T::ZERO < sums.separation_count);
            let fields = |sums: &Sums<T>| {
                let counts = [sums.separation_count, sums.alignment_count, sums.cohesion_count];
                let totals = [sums.separation, sums.alignment, sums.cohesion];
                (counts.map(T::to_f64), totals.map(|total| (vector(total.sum), vector(total.rest))))
            };
            assert_eq!(fields(&sums), fields(&expected), "{k}");
            if rule.shared_neighbourhood() {
                struct Shared;
                impl Policy for Shared {
                    const SHARED_NEIGHBOURHOOD: bool = true;
                }
                let (_, sums) = case.by_cluster::<Shared>(own);
                assert_eq!(fields(&sums), fields(&expected), "{k}");
            }
        }
        assert!(
            inside > 500 && outside > 500 && partial > 500 && close > 20,
            "{inside} {outside} {partial} {close}"
        );
    }

    #[test]
    fn clusters_stand_for_their_boids_in_every_number_type() {
        clusters_stand_for_their_boids::<f32>();
        clusters_stand_for_their_boids::<f64>();
        clusters_stand_for_their_boids::<Fixed>();
    }

    /// A test that is stricter than it has to be costs time alone, so no sum would show it.
    fn a_cluster_is_partial_only_where_its_box_is<T: Number>() {
        let mut known = 0;
        for k in (0..20_000).map(|k| 2 * k + 1) {
            let rule = rule::<T>(k);
            if rule.falloff != Falloff::None {
                continue;
            }
            let [at, low, size] = [1, 2, 3].map(|stream| {
                let words = draw(3, k, stream, 1);
                [0, 1, 2].map(|axis: usize| f64::from(words[axis] % 64) / 8.0)
            });
            let places = [low, [0, 1, 2].map(|axis| low[axis] + size[axis] / 2.0)];
            let case = Case::<T>::new(&rule, at, &places);
            let (found, _) = case.by_cluster::<AllRound>(false);
            assert_eq!(found.partial, case.cuts_a_radius(), "{k}: {at:?}, {places:?}, {rule:?}");
            known += u32::from(!found.partial);
        }
        assert!(known > 500, "{known}");
    }

    #[test]
    fn a_cluster_is_partial_only_where_its_box_is_in_every_number_type() {
        a_cluster_is_partial_only_where_its_box_is::<f64>();
        a_cluster_is_partial_only_where_its_box_is::<Fixed>();
    }

    /// In a world 32 wide that wraps: a box of which a part is nearer the other way round stands for nobody.
    #[test]
    fn a_box_across_half_a_world_stands_for_nobody() {
        let mut p = Parameters::default();
        (p.world.min, p.world.max, p.world.edges) = ([0.0; 3], [SIDE; 3], Edges::Wrap);
        (p.separation.weight, p.separation.exclusive) = (0.0, false);
        (p.alignment.radius, p.cohesion.radius) = (2.0, 2.0);
        let rule = Rule::<f64>::new(&p);
        for axis in 0..3 {
            let at = |c: f64| core::array::from_fn(|k| if k == axis { c } else { 8.0 });
            for (me, low, high, partial) in [
                (0.0, 12.0, 15.0, false),
                (0.0, 15.0, 18.0, true),
                (8.0, 0.0, 32.0, true),
                (31.0, 3.5, 5.0, false),
            ] {
                let found = Case::new(&rule, at(me), &[at(low), at(high)]).by_cluster::<AllRound>(false).0;
                assert_eq!(
                    (found.partial, found.inside),
                    (partial, false),
                    "axis {axis}, {me}, {low}…{high}"
                );
            }
        }
    }
}
