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
            cluster.coarse_offsets = cluster.coarse_offsets + (T::coarse_position(position, format) - corner);
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
        let corner =
            |k| Vec3::new(pick(k, 0, low.x, high.x), pick(k, 1, low.y, high.y), pick(k, 2, low.z, high.z));
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
            assert_eq!((found.partial, found.inside), (partial, false), "axis {axis}, {me}, {low}…{high}");
        }
    }
}
