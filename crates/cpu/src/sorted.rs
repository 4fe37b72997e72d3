//! A sorted flock, as the neighbour search reads it.

use std::ops::Range;

use flock::parameters::Edges;
use flock::{Grid, Number, Rule};

use super::bins::Bins;
use super::candidates::{Candidate, CoarsePositions};
use super::clusters::Clusters;

/// A sorted flock that is searched.
#[derive(Debug)]
pub struct Sorted<'a, T: Number> {
    pub rule: &'a Rule<T>,
    pub grid: &'a Grid<T>,
    pub bins: &'a Bins,
    /// By sorted index: a boid's cell, what other boids perceive of it, and its coarse position.
    pub cells: &'a [u32],
    pub candidates: &'a [Candidate<T>],
    pub positions: &'a CoarsePositions<T>,
    /// The clusters, where some cell is dense.
    pub clusters: Option<&'a Clusters<T>>,
    /// Every boid is inside the world.
    pub inside: bool,
}

impl<T: Number> Sorted<'_, T> {
    /// True if a boid of a run in a row may perceive another across the edge of a world that wraps.
    #[inline(always)]
    pub fn at_seam(&self, run: &Range<usize>) -> bool {
        let (low, high) = (self.cells[run.start], self.cells[run.end - 1]);
        self.rule.edges == Edges::Wrap && (!self.inside || self.grid.at_seam(low, high, self.rule.flat))
    }
}
