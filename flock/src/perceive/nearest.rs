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
//! Two squares that are equal are two boids at one distance: both count, and both are perceived, so the order of the
//! candidates has no effect. Boids that an exclusive separation leaves out are no candidates of alignment and cohesion.
//! The attractor is an object, not a boid: it is neither counted nor limited. The line of sight has no limit.

use super::{Observer, Policy, Senses};
use crate::number::Lanes;
use crate::parameters::MOST_NEAREST;
use crate::sensing::Sensing;
use crate::vector::Vec3;

/// The k smallest squares of the boids that each rule perceives, one list a rule, in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Ranking<L> {
    lists: [[L; MOST_NEAREST as usize]; 3],
}

impl<L: Sensing> Observer<L> {
    /// The lanes in which a boid is among the nearest of a rule; all where the policy has no limit.
    #[inline(always)]
    pub(super) fn ranked<P: Policy>(&self, rule: usize, square: L, seen: L::Mask) -> L::Mask {
        if P::NEAREST { seen & square.le(self.most[rule]) } else { seen }
    }
}

impl<L: Sensing> Senses<L> {
    /// The square of the offset to a position, in the unit of squared radii.
    #[inline(always)]
    pub fn square(&self, me: &Observer<L>, position: Vec3<L>) -> L {
        L::square(self.offset(me, position))
    }

    /// The lists before the first walk. The reach stands for boids that are not there: no perceived boid is as far.
    #[inline(always)]
    pub fn ranking(&self) -> Ranking<L> {
        Ranking { lists: [[self.reach_square; MOST_NEAREST as usize]; 3] }
    }

    /// The first walk: inserts one other boid into the lists of the rules that perceive it. `present` as in
    /// [`Senses::add`].
    #[inline(always)]
    pub fn rank<P: Policy>(
        &self,
        ranking: &mut Ranking<L>,
        me: &Observer<L>,
        position: Vec3<L>,
        present: Option<L::Mask>,
    ) {
        let offset = self.offset(me, position);
        let square = L::square(offset);
        let mut near = square.lt(self.reach_square);
        if let Some(present) = present {
            near = near & present;
        }
        if !L::any(near) {
            return;
        }
        let left = if self.exclusive { self.left(near, square) } else { near };
        let [separation, alignment, cohesion] = &mut ranking.lists;
        if self.separation.used {
            let seen = near & self.separation.sees(P::FIELD_OF_VIEW, me, offset, square);
            insert(self.shortest(separation), self.reach_square, square, seen);
        }
        if self.alignment.used {
            let seen = left & self.alignment_sees::<P>(me, offset, square);
            insert(self.shortest(alignment), self.reach_square, square, seen);
        }
        if self.cohesion.used && !self.shares_nearest {
            let seen = left & self.cohesion_sees::<P>(me, offset, square);
            insert(self.shortest(cohesion), self.reach_square, square, seen);
        }
    }

    /// The part of a list that holds k squares.
    #[inline(always)]
    fn shortest<'a>(&self, list: &'a mut [L; MOST_NEAREST as usize]) -> &'a mut [L] {
        &mut list[..(self.nearest as usize).clamp(1, MOST_NEAREST as usize)]
    }

    /// The observer for the second walk.
    #[inline(always)]
    pub fn nearest(&self, me: Observer<L>, ranking: &Ranking<L>) -> Observer<L> {
        let lists = &ranking.lists;
        let cohesion = if self.shares_nearest { &lists[1] } else { &lists[2] };
        Observer { most: [lists[0][0], lists[1][0], cohesion[0]], ..me }
    }
}

/// Inserts a square into a list in descending order, in the lanes of a mask; the largest falls out. `beyond` is no smaller
/// than any square in the list. A list without room stays empty.
#[inline(always)]
pub(crate) fn insert<L: Lanes>(list: &mut [L], beyond: L, square: L, seen: L::Mask) {
    let mut square = square.select(seen, beyond);
    if list.is_empty() || !L::any(square.lt(list[0])) {
        return;
    }
    // What is not below the head falls out itself.
    square = square.select(square.lt(list[0]), list[0]);
    for n in 1..list.len() {
        let below = square.lt(list[n]);
        list[n - 1] = list[n].select(below, square);
        square = square.select(below, list[n]);
    }
    list[list.len() - 1] = square;
}

#[cfg(test)]
mod tests;
