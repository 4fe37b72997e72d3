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
mod tests;
