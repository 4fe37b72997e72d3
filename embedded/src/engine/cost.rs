//! The cost of a step.

use crate::cores::{Cores, elapsed};
use core::array::from_fn;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// What one core spent in a step, in its cycles, and what it processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// The whole step, waiting for the other core included.
    pub total: u32,
    /// Sorting and packing.
    pub sort: u32,
    /// Summing over neighbours.
    pub search: u32,
    /// Updating boids.
    pub update: u32,
    pub boids: u32,
    pub candidates: u32,
    pub neighbours: u32,
}

/// The [`Cost`] of one core, shared between the cores; only that core adds to it.
#[derive(Debug, Default)]
pub struct SharedCost([AtomicU32; 7]);

impl SharedCost {
    pub fn add(&self, Cost { total, sort, search, update, boids, candidates, neighbours }: Cost) {
        let more = [total, sort, search, update, boids, candidates, neighbours];
        for (sum, more) in self.0.iter().zip(more) {
            sum.store(sum.load(Relaxed).wrapping_add(more), Relaxed);
        }
    }

    pub fn get(&self) -> Cost {
        let [total, sort, search, update, boids, candidates, neighbours] =
            from_fn(|k| self.0[k].load(Relaxed));
        Cost { total, sort, search, update, boids, candidates, neighbours }
    }
}

/// Measures the cycles between laps.
pub struct Stopwatch<'c, C> {
    pub cores: &'c C,
    last: u32,
}

impl<'c, C: Cores> Stopwatch<'c, C> {
    pub fn new(cores: &'c C) -> Self {
        Stopwatch { cores, last: cores.clock() }
    }

    pub fn lap(&mut self) -> u32 {
        let now = self.cores.clock();
        let passed = elapsed(self.last, now);
        self.last = now;
        passed
    }
}
