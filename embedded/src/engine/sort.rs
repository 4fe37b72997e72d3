//! Counting sort of the boids by cell, and packing in sorted order.

use super::Engine;
use super::cells::INSIDE;
use super::packed::pack_boid;
use crate::cores::part;
use crate::memory::{put_vector, read, read_half, vector, write_half};
use core::sync::atomic::Ordering::Relaxed;
use flock::state::split_tag;

/// The cell of a perching boid, which other boids do not perceive.
const NO_CELL: usize = 0xffff;

impl Engine<'_> {
    /// Finds the cells of a core's boids, and whether one lies outside the grid. Perching boids are passed to `rest`.
    pub(super) fn find_cells<const FLAT: bool>(&self, core: usize, rest: impl Fn(usize)) -> u32 {
        let mut flags = INSIDE;
        for id in part(core, self.boids) {
            if split_tag(read(self.arrays.states, id) as u32).1 > 0 {
                write_half(self.arrays.cells, id, NO_CELL);
                rest(id);
                continue;
            }
            let position = vector::<FLAT>(self.positions(), id).map(|c| self.coarse_position(c));
            let (cell, outside) = self.cells.cell::<FLAT>(position);
            write_half(self.arrays.cells, id, cell);
            flags |= outside;
        }
        flags
    }

    /// A coordinate in coarse units: [`flock::Lanes::coarse_position`] for the coordinates that a boid can have.
    #[inline(always)]
    pub(super) fn coarse_position(&self, coordinate: i32) -> i32 {
        let shift = self.rule.format.position_shift;
        (coordinate + ((1 << shift) >> 1)) >> shift
    }

    /// A component of a velocity in coarse units, as in [`flock::fixed`].
    #[inline(always)]
    fn coarse_velocity(&self, component: i32) -> i32 {
        let (shift, most) = (self.rule.format.velocity_shift, self.rule.format.max_velocity);
        ((component + ((1 << shift) >> 1)) >> shift).clamp(-most, most)
    }

    /// Sorts the boids by cell, and returns the number of boids that have a cell.
    pub(super) fn order(&self) -> usize {
        let arrays = &self.arrays;
        let count = self.cells.count();
        let starts = arrays.starts.get(..=count).unwrap_or_default();
        starts.iter().for_each(|start| start.store(0, Relaxed));
        // Entry c + 1 first counts cell c, then holds its start. Placing its boids advances it to its end, which is the
        // start of cell c + 1.
        for cell in arrays.cells {
            // `NO_CELL` is beyond all cells.
            if let Some(start) = starts.get(usize::from(cell.load(Relaxed)) + 1) {
                start.store(start.load(Relaxed) + 1, Relaxed);
            }
        }
        let mut begin = 0;
        for start in starts {
            let many = start.load(Relaxed);
            start.store(begin, Relaxed);
            begin += many;
        }
        for (id, cell) in arrays.cells.iter().enumerate() {
            if let Some(start) = starts.get(usize::from(cell.load(Relaxed)) + 1) {
                let slot = start.load(Relaxed);
                start.store(slot + 1, Relaxed);
                write_half(arrays.order, slot.into(), id);
            }
        }
        begin.into()
    }

    /// Packs a core's share of the sorted boids.
    pub(super) fn pack<const FLAT: bool>(&self, core: usize, count: usize) {
        for slot in part(core, count) {
            let id = read_half(self.arrays.order, slot);
            let position = vector::<FLAT>(self.positions(), id).map(|c| self.coarse_position(c));
            let velocity = vector::<FLAT>(self.arrays.velocities, id).map(|c| self.coarse_velocity(c));
            put_vector::<FLAT>(self.arrays.packed, slot, pack_boid(position, velocity));
        }
    }
}
