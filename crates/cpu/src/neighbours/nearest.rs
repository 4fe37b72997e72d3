//! The first walk of a rule that perceives the nearest alone: their squares, and whom the second walk visits.
//!
//! Boids of the run's own row come first. The nearest of them tell how far those of other rows may be: the others are culled.

use std::ops::Range;

use flock::Vec3;
use flock::perceive::{Observer, Policy, Ranking, Senses};

use super::others;
use crate::cull::Cull;
use crate::sorted::Sorted;
use crate::vector::Vector;
use crate::walk::{Row, Walk};

/// Boids that are kept for the second walk, at most.
const FOUND: usize = 512;

/// What a first walk finds: the squares of the nearest, and the boids within reach of some lane.
pub struct Found<V: Vector> {
    pub ranking: Ranking<V>,
    indices: [u32; FOUND],
    count: usize,
    /// How many of them were found before the walk came to the rows before the run's own.
    split: usize,
}

impl<V: Vector> Found<V> {
    #[inline(always)]
    pub fn new(senses: &Senses<V>) -> Self {
        Found { ranking: senses.ranking(), indices: [0; FOUND], count: 0, split: 0 }
    }

    /// Ranks all that may be within reach of a run. Those that are culled then need not be visited by a second walk, either.
    #[inline(always)]
    pub fn rank_each<P: Policy, const SEAM: bool>(
        &mut self,
        flock: &Sorted<'_, V::Scalar>,
        row: &Row,
        run: Range<usize>,
        senses: &Senses<V>,
        me: &Observer<V>,
        cull: &mut Cull<'_, V>,
    ) {
        let number = V::numbers();
        let mut walk = Walk::of_own_row_first(flock, row, run.clone());
        while let Some(mut part) = walk.next() {
            if part.own {
                for index in std::mem::take(&mut part.range) {
                    let others = others::<V>(number, index, run.start);
                    self.rank::<P>(flock, senses, me, index, Some(others));
                }
            }
            while !part.range.is_empty() {
                cull.keep(&mut part.range, SEAM, P::FLAT);
                for index in cull.take() {
                    self.rank::<P>(flock, senses, me, *index as usize, None);
                }
                cull.most = V::splat(senses.farthest(&self.ranking));
            }
            if !walk.turned {
                self.split = self.count;
            }
        }
    }

    #[inline(always)]
    fn rank<P: Policy>(
        &mut self,
        flock: &Sorted<'_, V::Scalar>,
        senses: &Senses<V>,
        me: &Observer<V>,
        index: usize,
        present: Option<V::Mask>,
    ) {
        let position = Vec3::splat(flock.candidates[index].position);
        let near = senses.rank::<P>(&mut self.ranking, me, position, present);
        self.indices[self.count.min(FOUND - 1)] = index as u32;
        self.count += usize::from(near);
    }

    /// The sorted indices of those that were found, in the order of memory; none where they are too many.
    #[inline(always)]
    pub fn in_order(&self) -> Option<impl Iterator<Item = &u32>> {
        let (first, last) = self.indices.get(..self.count)?.split_at(self.split);
        Some(last.iter().chain(first))
    }
}
