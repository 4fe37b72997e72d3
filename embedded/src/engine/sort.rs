//! Boids in the order of their cells: a counting sort, and what others see of each packed in that order.

use super::Engine;
use super::cells::{BEYOND, INSIDE, OUTSIDE};
use super::packed::Seen;
use crate::crew::WORKERS;
use crate::memory::{read_half, write_half};
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use flock::{Boid, Fixed};

/// In place of a cell: the boid sits on its perch, where nobody sees it.
const NOWHERE: usize = 0xffff;

/// Whether some boid was found outside the cells, and beyond them.
#[derive(Debug, Default)]
pub struct Strays {
    pub outside: AtomicBool,
    pub beyond: AtomicBool,
}

/// A worker's part of so many things.
pub fn part(worker: usize, count: usize) -> Range<usize> {
    count * worker / WORKERS..count * (worker + 1) / WORKERS
}

impl Engine<'_> {
    /// Finds the cells of a worker's boids. Those on a perch are given to `rest` at once. Notes where a boid lies
    /// outside the cells.
    pub(super) fn find_cells<const FLAT: bool>(
        &self,
        worker: usize,
        strays: &Strays,
        rest: impl Fn(usize, &Boid<Fixed>),
    ) {
        let mut places = INSIDE;
        for id in part(worker, self.boids) {
            let (_, _, state) = self.motion::<FLAT>(id);
            if state >> 2 > 0 {
                write_half(self.arrays.cells, id, NOWHERE);
                rest(id, &self.boid_of::<FLAT>(id));
                continue;
            }
            let place = self.position::<FLAT>(id).map(|c| self.place(c));
            let (cell, place) = self.cells.cell::<FLAT>(place);
            write_half(self.arrays.cells, id, cell);
            places |= place;
        }
        if places & OUTSIDE != 0 {
            strays.outside.store(true, Relaxed);
        }
        if places & BEYOND != 0 {
            strays.beyond.store(true, Relaxed);
        }
    }

    /// A coordinate in coarse units; as [`Fixed::place`], for what a boid's coordinates can be.
    #[inline(always)]
    fn place(&self, coordinate: i32) -> i32 {
        let place = self.rule.format.place;
        (coordinate + ((1 << place) >> 1)) >> place
    }

    /// A component of a velocity in coarse units; as [`flock::fixed`] has it.
    #[inline(always)]
    fn pace(&self, component: i32) -> i32 {
        let (pace, most) = (self.rule.format.pace, self.rule.format.most_pace);
        ((component + ((1 << pace) >> 1)) >> pace).clamp(-most, most)
    }

    /// Orders the boids by cell; returns how many there are to see.
    pub(super) fn order(&self) -> usize {
        let arrays = &self.arrays;
        let count = self.cells.count();
        let starts = arrays.starts.get(..=count).unwrap_or_default();
        starts.iter().for_each(|start| start.store(0, Relaxed));
        // Each cell's count one place further on, then its beginning there; placing its boids makes that its end, which
        // is the next one's beginning.
        for cell in arrays.cells {
            // Boids that nobody sees are nowhere, beyond all cells.
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

    /// Packs a worker's part of what there is to see.
    pub(super) fn pack<const FLAT: bool>(&self, worker: usize, count: usize) {
        let seen = self.seen();
        for slot in part(worker, count) {
            let id = read_half(self.arrays.order, slot);
            let place = self.position::<FLAT>(id).map(|c| Fixed(self.place(c)));
            let (velocity, ..) = self.motion::<FLAT>(id);
            let pace = velocity.map(|c| Fixed(self.pace(c)));
            seen.put::<FLAT>(slot, place.into(), pace.into());
        }
    }

    pub(super) fn seen(&self) -> Seen<'_> {
        Seen { words: self.arrays.seen }
    }
}
