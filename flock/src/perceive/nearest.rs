//! The k nearest: each of separation, alignment and cohesion perceives, of the boids within its radius and angle, those
//! whose square is at most the k-th smallest.
//!
//! A boid walks over its candidates twice. The first walk keeps the k smallest squares of each rule in a list in
//! descending order. The head of a full list is the k-th smallest, and the second walk adds what is no farther:
//!
//! ```text
//!      square 5 ───► [ 9 7 4 2 ] ───► [ 7 5 4 2 ]      k = 4: the head falls out
//!                      ▲ head
//! ```
//!
//! `shaders/rule/nearest.wgsl` has another algorithm with the same sums: its lists hold the boids, so that most flocks are
//! walked over once.
//!
//! Two squares that are equal are two boids at one distance: both count, and both are perceived, so the order of the
//! candidates has no effect. Boids that an exclusive separation leaves out are no candidates of alignment and cohesion.
//! The attractor is an object, not a boid: it is neither counted nor limited. The line of sight has no limit.

use super::{Observer, Policy, Senses};
use crate::number::{Lanes, Vec3};
use crate::parameters::MAX_NEAREST;

/// The k smallest squares of the boids that each rule perceives, one list a rule, in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Ranking<L> {
    lists: [[L; MAX_NEAREST as usize]; 3],
}

impl<L: Lanes> Observer<L> {
    /// The lanes in which a boid is among the nearest of a rule; all where the policy has no limit.
    #[inline(always)]
    pub(super) fn ranked<P: Policy>(&self, rule: usize, square: L, seen: L::Mask) -> L::Mask {
        if P::NEAREST { seen & square.le(self.most[rule]) } else { seen }
    }
}

impl<L: Lanes> Senses<L> {
    /// The square of the offset to a position, in the unit of squared radii.
    #[inline(always)]
    pub fn square(&self, me: &Observer<L>, position: Vec3<L>) -> L {
        L::square(self.offset(me, position))
    }

    /// The lists before the first walk. The reach stands for boids that are not there: no perceived boid is as far.
    #[inline(always)]
    pub fn ranking(&self) -> Ranking<L> {
        Ranking { lists: [[self.reach_square; MAX_NEAREST as usize]; 3] }
    }

    /// Empties the lists for another walk.
    #[inline(always)]
    pub fn begin(&self, ranking: &mut Ranking<L>) {
        ranking.lists.iter_mut().for_each(|list| list[..self.room()].fill(self.reach_square));
    }

    /// The first walk: inserts one other boid into the lists of the rules that perceive it. `present` as in
    /// [`Senses::add`]. False if it is beyond the reach of all lanes.
    #[inline(always)]
    pub fn rank<P: Policy>(
        &self,
        ranking: &mut Ranking<L>,
        me: &Observer<L>,
        position: Vec3<L>,
        present: Option<L::Mask>,
    ) -> bool {
        let offset = self.offset(me, position);
        let square = L::square(offset);
        let mut near = square.lt(self.reach_square);
        if let Some(present) = present {
            near = near & present;
        }
        if !L::any(near) {
            return false;
        }
        let left = if self.exclusive { self.left(near, square) } else { near };
        let [separation, alignment, cohesion] = &mut ranking.lists;
        if self.separation.used {
            let seen = near & self.separation.sees(P::FIELD_OF_VIEW, me, offset, square);
            self.insert(separation, square, seen);
        }
        if self.alignment.used {
            let seen = left & self.alignment_sees::<P>(me, offset, square);
            self.insert(alignment, square, seen);
        }
        if self.cohesion.used && !self.shares_nearest {
            let seen = left & self.cohesion_sees::<P>(me, offset, square);
            self.insert(cohesion, square, seen);
        }
        true
    }

    /// [`Senses::rank`] for a rule without fields of view and for the squares of known boids, a different one in each lane.
    /// The reach stands for none. One list is filled after the other, so that it stays in registers.
    #[inline(always)]
    pub fn rank_squares(&self, ranking: &mut Ranking<L>, squares: &[L]) {
        let [separation, alignment, cohesion] = &mut ranking.lists;
        let (inner, none) = (self.separation.radius_square, self.reach_square);
        if self.separation.used {
            self.insert_all(
                separation,
                squares,
                #[inline(always)]
                |square| square.select(square.lt(inner), none),
            );
        }
        let shared = self.shares_nearest;
        for (view, list, shared) in [(&self.alignment, alignment, false), (&self.cohesion, cohesion, shared)]
        {
            if view.used && !shared {
                self.insert_all(
                    list,
                    squares,
                    #[inline(always)]
                    |square| {
                        let near = square.lt(view.radius_square);
                        square.select(if self.exclusive { self.left(near, square) } else { near }, none)
                    },
                );
            }
        }
    }

    /// Inserts a square into a list, in the lanes of a mask.
    #[inline(always)]
    fn insert(&self, list: &mut [L; MAX_NEAREST as usize], square: L, seen: L::Mask) {
        if L::LANES == 1 {
            return insert(&mut list[..self.room()], self.reach_square, square, seen);
        }
        let square = square.select(seen, self.reach_square);
        if L::any(square.lt(list[self.head()])) {
            self.insert_all(
                list,
                &[square],
                #[inline(always)]
                |square| square,
            );
        }
    }

    /// Inserts the results of a function of squares. In registers a list is longer than k where k is no power of two: a chain
    /// of a known length has no branches.
    #[inline(always)]
    fn insert_all(&self, list: &mut [L; MAX_NEAREST as usize], squares: &[L], seen: impl Fn(L) -> L) {
        if L::LANES == 1 {
            for square in squares {
                let square = seen(*square);
                insert(&mut list[..self.room()], self.reach_square, square, square.le(square));
            }
            return;
        }
        match self.room() {
            8 => chain::<L, 8>(list, squares, seen),
            16 => chain::<L, 16>(list, squares, seen),
            _ => chain::<L, { MAX_NEAREST as usize }>(list, squares, seen),
        }
    }

    /// The number of boids that each rule perceives, k.
    #[inline(always)]
    fn k(&self) -> usize {
        (self.nearest as usize).clamp(1, MAX_NEAREST as usize)
    }

    /// The capacity of a list, in squares.
    #[inline(always)]
    fn room(&self) -> usize {
        if L::LANES == 1 { self.k() } else { self.k().next_power_of_two().max(8) }
    }

    /// The index of the k-th smallest square in a list.
    #[inline(always)]
    fn head(&self) -> usize {
        self.room() - self.k()
    }

    /// The largest square at which a boid may be perceived by what is ranked so far. The line of sight has no limit.
    #[inline(always)]
    pub fn farthest(&self, ranking: &Ranking<L>) -> L {
        let mut farthest = self.line_of_sight.radius_square;
        for (k, view) in [&self.separation, &self.alignment, &self.cohesion].into_iter().enumerate() {
            // A view that sees nothing has radius 0.
            let list = &ranking.lists[if self.shares_nearest { k.min(1) } else { k }];
            farthest = farthest.max(list[self.head()].min(view.radius_square));
        }
        farthest
    }

    /// The observer for the second walk.
    #[inline(always)]
    pub fn nearest(&self, me: Observer<L>, ranking: &Ranking<L>) -> Observer<L> {
        let lists = [0, 1, if self.shares_nearest { 1 } else { 2 }];
        Observer { most: lists.map(|list| ranking.lists[list][self.head()]), ..me }
    }
}

/// Inserts a square into a list in descending order, in the lanes of a mask; the largest falls out. `beyond` is no
/// smaller than any square in the list. A list without room stays empty.
#[inline(always)]
pub(crate) fn insert<L: Lanes>(list: &mut [L], beyond: L, square: L, seen: L::Mask) {
    let mut square = square.select(seen, beyond);
    if list.is_empty() || !L::any(square.lt(list[0])) {
        return;
    }
    // A square not below the head falls out itself.
    square = square.select(square.lt(list[0]), list[0]);
    for n in 1..list.len() {
        let below = square.lt(list[n]);
        list[n - 1] = list[n].select(below, square);
        square = square.select(below, list[n]);
    }
    list[list.len() - 1] = square;
}

/// Inserts the results of a function of squares into the first N of a list in descending order; the largest fall out.
#[inline(always)]
fn chain<L: Lanes, const N: usize>(
    list: &mut [L; MAX_NEAREST as usize],
    squares: &[L],
    seen: impl Fn(L) -> L,
) {
    let mut smallest = [list[0]; N];
    smallest.copy_from_slice(&list[..N]);
    for square in squares {
        let square = seen(*square);
        let mut larger = smallest[0];
        for n in 1..N {
            let next = smallest[n];
            smallest[n - 1] = larger.min(next.max(square));
            larger = next;
        }
        smallest[N - 1] = larger.min(square);
    }
    list[..N].copy_from_slice(&smallest);
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::*;
    use crate::parameters::{Edges, Parameters};
    use crate::perceive::{FieldOfView, Sums};
    use crate::rule::Rule;
    use crate::state::Boid;
    use crate::tests::quad::Quad;
    use crate::tests::random_flock;
    use crate::{Fixed, Number, brute, start};

    /// A rule with a limit, the same without, and a flock.
    struct Case<T: Number> {
        limited: Rule<T>,
        free: Rule<T>,
        boids: Vec<Boid<T>>,
    }

    impl<T: Number> Case<T> {
        fn new(mut p: Parameters, nearest: u32, boid: impl Fn(u32) -> Boid<f64>) -> Self {
            p.neighbours.nearest = 0;
            let free = Rule::new(&p);
            p.neighbours.nearest = nearest;
            let boids = (0..p.flock.boids).map(|id| free.quantise(&boid(id))).collect();
            Case { limited: Rule::new(&p), free, boids }
        }

        /// The sums by the definition: of the boids that a rule perceives without a limit those are added of which fewer
        /// than k are nearer.
        fn defined(&self, id: usize) -> Sums<T> {
            let (senses, boids) = (Senses::new(&self.free), &self.boids);
            let me = senses.observer(boids[id].position.into(), boids[id].velocity.into(), true);
            let add = |sums: &mut Sums<T>, j: usize| {
                let (position, velocity) = (boids[j].position.into(), boids[j].velocity.into());
                let present = Some(j != id && !boids[j].resting());
                senses.add::<FieldOfView>(sums, &me, position, || velocity, present);
            };
            let square = |j: usize| T::square(senses.offset(&me, boids[j].position.into()));
            let counts: [fn(&Sums<T>) -> T; 3] =
                [|sums| sums.separation_count, |sums| sums.alignment_count, |sums| sums.cohesion_count];
            let [separation, alignment, cohesion] = counts.map(|count| {
                let candidates: Vec<usize> = (0..boids.len())
                    .filter(|j| {
                        let mut sums = Sums::new();
                        add(&mut sums, *j);
                        T::ZERO < count(&sums)
                    })
                    .collect();
                let nearer = |j: usize| candidates.iter().filter(|other| square(**other) < square(j)).count();
                let mut sums = Sums::new();
                for j in candidates.iter().filter(|j| nearer(**j) < self.limited.nearest as usize) {
                    add(&mut sums, *j);
                }
                sums
            });
            let mut all = Sums::new();
            (0..boids.len()).for_each(|j| add(&mut all, j));
            Sums {
                separation: separation.separation,
                separation_count: separation.separation_count,
                alignment: alignment.alignment,
                alignment_count: alignment.alignment_count,
                cohesion: cohesion.cohesion,
                cohesion_count: cohesion.cohesion_count,
                line_of_sight: all.line_of_sight,
            }
        }

        fn limited(&self, id: usize) -> Sums<T> {
            brute::sum_neighbours(&self.limited, &Senses::new(&self.limited), &self.boids, id)
        }

        fn free(&self, id: usize) -> Sums<T> {
            brute::sum_neighbours(&self.free, &Senses::new(&self.free), &self.boids, id)
        }

        /// Number of boids that perceive fewer than without the limit. All have the sums of the definition.
        fn hold(&self, name: &str) -> usize {
            let differs = |id: &usize| {
                let (found, defined) = (fields(&self.limited(*id)), fields(&self.defined(*id)));
                assert_eq!(found, defined, "{name}, boid {id}");
                found != fields(&self.free(*id))
            };
            (0..self.boids.len()).filter(differs).count()
        }
    }

    fn fields<T: Number>(sums: &Sums<T>) -> ([crate::number::Total<T>; 3], [T; 3], Vec3<T>) {
        let counts = [sums.separation_count, sums.alignment_count, sums.cohesion_count];
        ([sums.separation, sums.alignment, sums.cohesion], counts, sums.line_of_sight)
    }

    /// Boids on the points of a lattice: nearly every distance is that of several boids.
    fn lattice(edges: Edges, dimensions: u32) -> (Parameters, impl Fn(u32) -> Boid<f64>) {
        let mut p = Parameters::default();
        let side: u32 = if dimensions == 2 { 9 } else { 5 };
        (p.flock.boids, p.flock.dimensions) = (side.pow(dimensions), dimensions);
        (p.world.min, p.world.max, p.world.edges) = ([0.0; 3], [f64::from(side); 3], edges);
        (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (1.5, 2.5, 2.5);
        let boid = move |id: u32| {
            let place = [id % side, id / side % side, id / side / side];
            let velocity = [0.25, f64::from(id % 3) / 4.0, 0.0];
            Boid { position: place.map(f64::from), velocity, ..Boid::default() }
        };
        (p, boid)
    }

    fn rules_perceive_the_nearest<T: Number>() {
        let mut limited = 0;
        for number in 0..40 {
            let p = random_flock::parameters(number, 50);
            let case = Case::<T>::new(p, 1 + number % 8, |id| start::boid(&p, id));
            limited += case.hold(&std::format!("flock {number}"));
        }
        assert!(limited > 200, "only {limited} boids perceive fewer");
        for (edges, dimensions, nearest, exclusive) in [
            (Edges::Open, 2, 1, false),
            (Edges::Wrap, 2, 3, true),
            (Edges::Open, 3, 7, true),
            (Edges::Wrap, 3, 32, false),
        ] {
            let (mut p, boid) = lattice(edges, dimensions);
            p.separation.exclusive = exclusive;
            let name = std::format!("lattice {edges:?} {dimensions}-D, {nearest}");
            assert!(Case::<T>::new(p, nearest, boid).hold(&name) > 0, "{name}");
        }
    }

    #[test]
    fn rules_perceive_the_nearest_in_every_number_type() {
        rules_perceive_the_nearest::<f32>();
        rules_perceive_the_nearest::<f64>();
        rules_perceive_the_nearest::<Fixed>();
    }

    #[test]
    fn lanes_of_a_list_are_lists_of_their_own() {
        insert::<f64>(&mut [], 9.0, 1.0, true);
        let mut list = [Quad([9.0, 5.0, 9.0, 4.0]), Quad([3.0, 2.0, 8.0, 4.0])];
        insert(&mut list, Quad([9.0; 4]), Quad([4.0, 6.0, 7.0, 1.0]), 0b0111);
        assert_eq!(list.map(|lanes| lanes.0), [[4.0, 5.0, 8.0, 4.0], [3.0, 2.0, 7.0, 4.0]]);
    }

    #[test]
    fn a_list_too_short_or_without_ties_would_be_noticed() {
        let (p, boid) = lattice(Edges::Wrap, 3);
        let case = Case::<f64>::new(p, 7, &boid);
        let fewer = Case::<f64>::new(p, 6, &boid);
        let mut strict = Senses::new(&case.limited);
        let me = brute::observer::<super::super::NearestOnly, f64>(&strict, &case.boids, 0);
        assert_eq!(me.most[1], 2.0, "the seventh is as far as a diagonal");
        assert_ne!(fields(&fewer.limited(0)), fields(&case.defined(0)));
        strict.nearest = 1;
        let me = brute::observer::<super::super::NearestOnly, f64>(&strict, &case.boids, 0);
        assert_eq!(me.most[1], 1.0);
    }

    #[test]
    fn a_search_goes_as_far_as_a_boid_may_still_be_perceived() {
        let (p, boid) = lattice(Edges::Wrap, 3);
        let case = Case::<f64>::new(p, 7, boid);
        let senses = Senses::new(&case.limited);
        let mut ranking = senses.ranking();
        assert_eq!(senses.farthest(&ranking), 6.25, "the square of the largest radius");
        // With seven at 2, which separation does not see all, it has to look for more within 1.5.
        senses.rank_squares(&mut ranking, &[4.0; 7]);
        assert_eq!(senses.farthest(&ranking), 4.0);
        senses.rank_squares(&mut ranking, &[1.0; 6]);
        assert_eq!(senses.farthest(&ranking), 4.0);
        senses.rank_squares(&mut ranking, &[1.0]);
        assert_eq!(senses.farthest(&ranking), 1.0);
    }
}
