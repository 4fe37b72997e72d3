//! A sorted flock, as the neighbour search reads it, and what other boids perceive of a boid.

use std::ops::Range;

use flock::parameters::Edges;
use flock::{Grid, Number, Rule, Vec3};

use super::bins::Bins;
use super::clusters::Clusters;

/// The position and velocity that other boids perceive. A perched boid is out of every boid's reach.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<T> {
    /// Its position; infinitely far for a perched boid.
    pub position: Vec3<T>,
    /// Its velocity.
    pub velocity: Vec3<T>,
}

/// The boids' coarse positions, an array a component: a register takes those of neighbours in memory at once. There are
/// [`MAX_LANES`](super::vector::MAX_LANES) more entries than boids: a register may be filled from the last boid on.
pub type CoarsePositions<T> = [Vec<T>; 3];

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
