//! The first walk of a rule that perceives the nearest alone: their squares, and whom the second walk visits.
//!
//! The boids around a run are kept. Each boid of the run tests a register of them at a time, and appends the squares within
//! its reach to a list of its own. Then all lists are ranked at once, a boid a lane:
//!
//! ```text
//!      list of boid 0     9 4 7 2 8
//!      list of boid 1     3 6 5 ∞ ∞      ∞: the reach
//!                         │ └─ the next register
//!                         └─── the first
//! ```
//!
//! In a dense flock too many are around, and the run ranks them one by one. Boids of its own row come first: the nearest of
//! them tell how far those of other rows may be, and the others are culled.

use std::ops::Range;

use flock::perceive::{Observer, Policy, Ranking, Senses};
use flock::{Lanes, Number, Vec3};

use super::others;
use crate::cull::Cull;
use crate::sorted::Sorted;
use crate::vector::{MOST_LANES, Vector};
use crate::walk::{Row, Walk};

/// Boids that are kept around a run, at most.
pub const CAPACITY: usize = 528;

/// What the boids of a run have within reach.
pub struct Near<V: Vector> {
    /// The coarse positions of the boids kept.
    pub positions: [[V::Scalar; CAPACITY]; 3],
    /// By boid of the run: the squares of all boids kept.
    squares: [[V::Scalar; CAPACITY]; MOST_LANES],
    /// By boid of the run: those within its reach, and behind them the reach.
    lists: [[V::Scalar; CAPACITY + MOST_LANES]; MOST_LANES],
}

impl<V: Vector> Near<V> {
    #[inline(always)]
    pub fn new() -> Self {
        let zero = V::Scalar::ZERO;
        let lists = [[zero; CAPACITY + MOST_LANES]; MOST_LANES];
        Near { positions: [[zero; CAPACITY]; 3], squares: [[zero; CAPACITY]; MOST_LANES], lists }
    }

    /// Ranks the boids kept.
    #[inline(always)]
    pub fn rank<P: Policy>(
        &mut self,
        run: Range<usize>,
        senses: &Senses<V>,
        me: &Observer<V>,
        ranking: &mut Ranking<V>,
        kept: &[u32],
    ) {
        let reach = senses.reach_square;
        let (registers, nowhere) = (kept.len().div_ceil(V::LANES), V::Scalar::from_f64(f64::INFINITY));
        V::splat(nowhere).write_lanes(u32::MAX, &mut self.positions[0][kept.len()..]);
        // The boids of the run are kept in their order, though a perched one may be missing.
        let own = kept.iter().position(|index| run.contains(&(*index as usize)));
        let mut own = own.unwrap_or(kept.len());
        let (mut counts, mut most) = ([0; MOST_LANES], 0);
        for (k, index) in run.enumerate() {
            let itself = if kept.get(own) == Some(&(index as u32)) { own } else { usize::MAX };
            own += usize::from(itself == own);
            // A perched boid that is not kept has nobody within reach.
            counts[k] = if itself < kept.len() { self.list(k, itself, registers, reach) } else { 0 };
            most = most.max(counts[k]);
        }
        for (list, count) in self.lists[..V::LANES].iter_mut().zip(counts) {
            for first in (count..most).step_by(V::LANES) {
                reach.write_lanes(u32::MAX, &mut list[first..]);
            }
        }
        for n in 0..most {
            let mut square = reach;
            for (lane, list) in square.lanes_mut().iter_mut().zip(&self.lists) {
                *lane = list[n];
            }
            senses.rank_near::<P>(ranking, me, Vec3::zero(), square, square.lt(reach));
        }
    }

    /// Lists the squares within reach of a boid of the run, and returns how many there are.
    #[inline(always)]
    fn list(&mut self, boid: usize, itself: usize, registers: usize, reach: V) -> usize {
        let [x, y, z] = &mut self.positions;
        let here = Vec3::new(x[itself], y[itself], z[itself]);
        let me = Vec3::<V>::splat(here);
        // No boid perceives itself.
        x[itself] = V::Scalar::from_f64(f64::INFINITY);
        let (squares, list) = (self.squares[boid].chunks_exact_mut(V::LANES), &mut self.lists[boid]);
        let [xs, ys, zs] = [&*x, y, z].map(|axis| axis.chunks_exact(V::LANES));
        let mut count = 0;
        for (((x, y), z), squares) in xs.zip(ys).zip(zs).zip(squares).take(registers) {
            let square = V::square(Vec3::new(V::load(x), V::load(y), V::load(z)) - me);
            square.write_lanes(u32::MAX, squares);
            let bits = V::bits(square.lt(reach));
            square.write_lanes(bits, &mut list[count..]);
            count += bits.count_ones() as usize;
        }
        x[itself] = here.x;
        count
    }

    /// Visits the boids kept that some of so many boids of the run have within a square each, in order.
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
pub fn rank_each<V: Vector, P: Policy, const SEAM: bool>(
    flock: &Sorted<'_, V::Scalar>,
    row: &Row,
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
            cull.keep(&mut part.range, SEAM, P::FLAT);
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
