//! The first walk of a rule that perceives the nearest only: ranks squares, and selects the boids of the second walk.
//!
//! The boids around a run are kept. Each boid of the run tests a register of them at a time, and appends the squares
//! within its reach to a list of its own. Then all lists are ranked at once, a boid a lane:
//!
//! ```text
//!      list of boid 0     9 4 7 2 8
//!      list of boid 1     3 6 5 ∞ ∞      ∞: the reach
//!                         │ └─ the next register
//!                         └─── the first
//! ```
//!
//! In a dense flock too many are around, and the run ranks them one by one. Boids of its own row come first: the
//! nearest of them tell how far those of other rows may be, and the others are culled.

use std::ops::Range;

use flock::perceive::{Observer, Policy, Ranking, Senses};
use flock::{Lanes, Number, Vec3};

use super::others;
use crate::cull::Cull;
use crate::vector::{MAX_LANES, Vector};
use crate::walk::{CellRow, Sorted, Walk};

/// Maximum number of boids kept around a run.
pub const CAPACITY: usize = 528;

/// The boids within reach of the boids of a run.
pub struct Near<V: Vector> {
    /// The coarse positions of the boids kept.
    pub positions: [[V::Scalar; CAPACITY]; 3],
    /// By boid of the run: the squares of all boids kept.
    squares: [[V::Scalar; CAPACITY]; MAX_LANES],
    /// Per register of the boids kept, and per boid that lists them: the lane of that boid itself.
    own: [[u32; 2]; CAPACITY],
    /// By boid of the run: those within its reach, and behind them the reach.
    lists: [[V::Scalar; CAPACITY + MAX_LANES]; MAX_LANES],
    /// The lists, one boid per lane.
    columns: [V; CAPACITY],
}

impl<V: Vector> Near<V> {
    #[inline(always)]
    pub fn new() -> Self {
        let zero = V::Scalar::ZERO;
        let lists = [[zero; CAPACITY + MAX_LANES]; MAX_LANES];
        let squares = [[zero; CAPACITY]; MAX_LANES];
        Near {
            positions: [[zero; CAPACITY]; 3],
            squares,
            own: [[0; 2]; CAPACITY],
            lists,
            columns: [V::splat(zero); CAPACITY],
        }
    }

    /// Ranks the boids kept.
    #[inline(always)]
    pub fn rank(&mut self, run: Range<usize>, senses: &Senses<V>, ranking: &mut Ranking<V>, kept: &[u32]) {
        let reach = senses.reach_square;
        let (registers, nowhere) = (kept.len().div_ceil(V::LANES), V::Scalar::from_f64(f64::INFINITY));
        V::splat(nowhere).write_lanes(u32::MAX, &mut self.positions[0][kept.len()..]);
        // The boids of the run are kept in their order, though a perched one may be missing.
        let own = kept.iter().position(|index| run.contains(&(*index as usize)));
        let mut own = own.unwrap_or(kept.len());
        let mut itself = [None; MAX_LANES + 1];
        for (itself, index) in itself.iter_mut().zip(run.clone()) {
            *itself = (kept.get(own) == Some(&(index as u32))).then_some(own);
            own += usize::from(itself.is_some());
        }
        let (mut counts, mut k) = ([0; MAX_LANES], 0);
        while k < run.len() {
            match (itself[k], itself[k + 1]) {
                // Two at a time share what they load.
                (Some(one), Some(other)) if V::LANES > 1 => {
                    [counts[k], counts[k + 1]] = self.list(k, [one, other], registers, reach);
                    k += 2;
                }
                (Some(one), _) => {
                    [counts[k]] = self.list(k, [one], registers, reach);
                    k += 1;
                }
                // A perched boid that is not kept has no boids within reach.
                (None, _) => k += 1,
            }
        }
        let most = counts.into_iter().max().unwrap_or_default();
        for (list, count) in self.lists[..V::LANES].iter_mut().zip(counts) {
            for first in (count..most).step_by(V::LANES) {
                reach.write_lanes(u32::MAX, &mut list[first..]);
            }
        }
        for (n, square) in self.columns[..most].iter_mut().enumerate() {
            for (lane, list) in square.lanes_mut().iter_mut().zip(&self.lists) {
                *lane = list[n];
            }
        }
        senses.rank_squares(ranking, &self.columns[..most]);
    }

    /// Lists the squares within reach of `N` boids of the run from boid `first` on, and returns their counts.
    #[inline(always)]
    fn list<const N: usize>(
        &mut self,
        first: usize,
        itself: [usize; N],
        registers: usize,
        reach: V,
    ) -> [usize; N] {
        let [x, y, z] = &self.positions;
        let mut me = [Vec3::<V>::zero(); N];
        for (n, k) in itself.into_iter().enumerate() {
            me[n] = Vec3::splat(Vec3::new(x[k], y[k], z[k]));
            // No boid perceives itself.
            self.own[k / V::LANES][n] = 1 << (k % V::LANES);
        }
        let mut counts = [0; N];
        for register in 0..registers.min(CAPACITY / V::LANES) {
            let at = register * V::LANES;
            let others = Vec3::new(V::load(&x[at..]), V::load(&y[at..]), V::load(&z[at..]));
            for n in 0..N {
                let square = V::square(others - me[n]);
                square.write_lanes(u32::MAX, &mut self.squares[first + n][at..]);
                let bits = V::bits(square.lt(reach)) & !self.own[register][n];
                square.write_lanes(bits, &mut self.lists[first + n][counts[n]..]);
                counts[n] += bits.count_ones() as usize;
            }
        }
        for (n, k) in itself.into_iter().enumerate() {
            self.squares[first + n][k] = V::Scalar::from_f64(f64::INFINITY);
            self.own[k / V::LANES][n] = 0;
        }
        counts
    }

    /// Visits the kept boids that some of the first `boids` of the run have within their squares `most`, in order.
    #[inline(always)]
    pub fn visit(&self, most: V, boids: usize, kept: &[u32], mut visit: impl FnMut(usize)) {
        for first in (0..kept.len()).step_by(V::LANES) {
            let mut seen = most.lt(most);
            for (squares, most) in self.squares[..boids].iter().zip(most.lanes()) {
                seen = seen | V::load(&squares[first..]).le(V::splat(*most));
            }
            let mut bits = V::bits(seen) & u32::MAX >> (32 - V::LANES.min(kept.len() - first));
            while bits != 0 {
                visit(kept[first + bits.trailing_zeros() as usize] as usize);
                bits &= bits - 1;
            }
        }
    }
}

/// Ranks all that may be within reach of a run, one after another. Then the cull keeps no more than may be perceived.
#[inline(always)]
pub fn rank_each<V: Vector, P: Policy>(
    flock: &Sorted<'_, V::Scalar>,
    row: &CellRow,
    run: Range<usize>,
    senses: &Senses<V>,
    me: &Observer<V>,
    cull: &mut Cull<'_, V, CAPACITY>,
    ranking: &mut Ranking<V>,
) {
    cull.take();
    let number = V::numbers();
    for mut part in Walk::of_own_row_first(flock, row, run.clone()) {
        if part.own {
            for index in std::mem::take(&mut part.range) {
                let others = others::<V>(number, index, run.start);
                senses.rank::<P>(ranking, me, Vec3::splat(flock.candidates[index].position), Some(others));
            }
        }
        while !part.range.is_empty() {
            cull.keep(&mut part.range, senses.at_seam(), P::FLAT);
            for index in cull.take() {
                senses.rank::<P>(ranking, me, Vec3::splat(flock.candidates[*index as usize].position), None);
            }
            let farthest = senses.farthest(ranking);
            let farthest =
                farthest.lanes().iter().fold(V::Scalar::ZERO, |most, square| Lanes::max(most, *square));
            cull.most = V::splat(farthest);
        }
    }
}
