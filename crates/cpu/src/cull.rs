//! Culling: keeps the boids of a range that may be within reach of the boids of a run.

use std::ops::Range;

use flock::perceive::Senses;
use flock::{Lanes, Number, Vec3};

use super::clusters::CoarsePositions;
use super::vector::{MAX_LANES, Vector};
use super::walk::Walk;

/// The boids kept around a run, up to a capacity.
#[derive(Debug)]
pub struct Cull<'a, V: Vector, const CAPACITY: usize = 272> {
    positions: &'a CoarsePositions<V::Scalar>,
    /// The corners of the box around the run.
    low: Vec3<V>,
    high: Vec3<V>,
    /// The largest square of an offset from the box at which boids are kept.
    pub most: V,
    kept: [u32; CAPACITY],
    count: usize,
}

impl<'a, V: Vector, const CAPACITY: usize> Cull<'a, V, CAPACITY> {
    /// Around a run, as far as the senses reach.
    #[inline(always)]
    pub fn new(
        positions: &'a CoarsePositions<V::Scalar>,
        run: Range<usize>,
        senses: &Senses<V>,
        flat: bool,
    ) -> Self {
        let (nowhere, most) = (Vec3::zero(), senses.reach_square);
        let mut cull = Cull { positions, low: nowhere, high: nowhere, most, kept: [0; CAPACITY], count: 0 };
        cull.surround(run, flat);
        cull
    }

    /// Moves the box to another run.
    #[inline(always)]
    pub fn surround(&mut self, run: Range<usize>, flat: bool) {
        let interval = |axis: &[V::Scalar]| {
            let first = axis[run.start];
            axis[run.clone()].iter().fold((first, first), |(low, high), c| (low.min(*c), high.max(*c)))
        };
        let [x, y, z] = self.positions;
        let (x, y) = (interval(x), interval(y));
        let z = if flat { (V::Scalar::ZERO, V::Scalar::ZERO) } else { interval(z) };
        // Differences from the corners stay in range, even for a perched boid at infinity.
        self.low = Vec3::splat(Vec3 { x: x.0, y: y.0, z: z.0 }.map(Lanes::confine));
        self.high = Vec3::splat(Vec3 { x: x.1, y: y.1, z: z.1 }.map(Lanes::confine));
    }

    /// Keeps the boids of a range that may be within reach, as many as there is capacity for; leaves the rest of the
    /// range. At a seam all are kept: the box around a run is of one image.
    #[inline(always)]
    pub fn keep(&mut self, range: &mut Range<usize>, seam: bool, flat: bool) {
        self.keep_each(range, seam, flat, |_, _, _| {});
    }

    /// [`Cull::keep`], a register of positions at a time; calls a function with the mask of kept lanes, their first
    /// index and the number kept before. Rounding keeps the order: the offset from the box is no longer than that from
    /// any boid in it.
    #[inline(always)]
    fn keep_each(
        &mut self,
        range: &mut Range<usize>,
        seam: bool,
        flat: bool,
        mut keep: impl FnMut(u32, usize, usize),
    ) {
        while range.start < range.end && self.has_room() {
            let first = range.start;
            let left = range.end - first;
            let mut kept = if left < V::LANES { (1 << left) - 1 } else { u32::MAX >> (32 - V::LANES) };
            if !seam {
                let [x, y, z] = self.positions;
                let zero = V::splat(V::Scalar::ZERO);
                let offset = Vec3::new(
                    beyond(x, first, self.low.x, self.high.x),
                    beyond(y, first, self.low.y, self.high.y),
                    if flat { zero } else { beyond(z, first, self.low.z, self.high.z) },
                );
                kept &= V::bits(V::square(offset).le(self.most));
            }
            keep(kept, first, self.count);
            self.count += V::write_set(kept, first as u32, &mut self.kept[self.count..]);
            range.start = range.end.min(first + V::LANES);
        }
    }

    /// Clears the list, then keeps the boids along a walk with their coarse positions. `rest` is the rest of the walk's
    /// current range; `on_kept` stores further data, as in [`Cull::keep_each`]. False if the list is full before the end.
    #[inline(always)]
    pub fn fill(
        &mut self,
        walk: &mut Walk<'_>,
        rest: &mut Range<usize>,
        [xs, ys, zs]: &mut [[V::Scalar; CAPACITY]; 3],
        seam: bool,
        mut on_kept: impl FnMut(u32, usize, usize),
    ) -> bool {
        let [x, y, z] = self.positions;
        self.take();
        while self.has_room() {
            if rest.start >= rest.end {
                let Some(range) = walk.next_range() else { return true };
                *rest = range;
            }
            self.keep_each(
                rest,
                seam,
                false,
                #[inline(always)]
                |bits, first, count| {
                    V::load(&x[first..]).write_lanes(bits, &mut xs[count..]);
                    V::load(&y[first..]).write_lanes(bits, &mut ys[count..]);
                    V::load(&z[first..]).write_lanes(bits, &mut zs[count..]);
                    on_kept(bits, first, count);
                },
            );
        }
        false
    }

    /// True if there is room for one more register.
    #[inline(always)]
    fn has_room(&self) -> bool {
        self.count + MAX_LANES <= CAPACITY
    }

    /// The sorted indices of the boids kept, in order.
    #[inline(always)]
    pub fn kept(&self) -> &[u32] {
        &self.kept[..self.count]
    }

    /// Retains the boids for which a function of the old number, the new number and the sorted index returns true.
    #[inline(always)]
    pub fn retain(&mut self, mut keep: impl FnMut(usize, usize, u32) -> bool) {
        let mut count = 0;
        for k in 0..self.count {
            self.kept[count] = self.kept[k];
            count += usize::from(keep(k, count, self.kept[count]));
        }
        self.count = count;
    }

    /// [`Cull::kept`]; empties the list.
    #[inline(always)]
    pub fn take(&mut self) -> &[u32] {
        &self.kept[..std::mem::take(&mut self.count)]
    }
}

/// Distances of a register of coordinates, from index `first` on, beyond the ends of an interval.
#[inline(always)]
fn beyond<V: Vector>(axis: &[V::Scalar], first: usize, low: V, high: V) -> V {
    let c = V::load(&axis[first..first + V::LANES]);
    V::splat(V::Scalar::ZERO).max(low - c).max(c - high)
}
