//! The cost of a step.

use crate::cores::{Cores, elapsed};
use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A sum of one core's contributions.
#[derive(Debug, Default)]
pub struct Counter(AtomicU32);

impl Counter {
    pub fn get(&self) -> u32 {
        self.0.load(Relaxed)
    }

    pub fn add(&self, more: u32) {
        self.0.store(self.get().wrapping_add(more), Relaxed);
    }
}

/// Cycles that one core spent in a step, and the number of items processed.
#[derive(Debug, Default)]
pub struct Cost {
    /// The whole step, including the wait for the other core.
    pub total: Counter,
    /// Sorting and packing.
    pub sort: Counter,
    /// Summing over neighbours.
    pub search: Counter,
    /// Evaluating custom terms.
    pub terms: Counter,
    /// Updating boids.
    pub update: Counter,
    pub boids: Counter,
    pub candidates: Counter,
    pub neighbours: Counter,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [total, sort, terms, search, update] =
            [&self.total, &self.sort, &self.terms, &self.search, &self.update].map(Counter::get);
        write!(f, "total {total} sort {sort} terms {terms} search {search} update {update} ")?;
        let [boids, candidates, neighbours] =
            [&self.boids, &self.candidates, &self.neighbours].map(Counter::get);
        write!(f, "boids {boids} candidates {candidates} neighbours {neighbours}")
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
