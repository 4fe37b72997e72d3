//! A sorted flock as the neighbour search reads it, and the way through the cells around a run of boids, in the order of
//! memory.

use std::ops::Range;

use flock::grid::{Rows, Spans};
use flock::parameters::Edges;
use flock::{Grid, Number, Rule};

use super::bins::Bins;
use super::clusters::{Candidate, Clusters, CoarsePositions};

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

/// A row of cells.
#[derive(Debug)]
pub struct CellRow {
    /// Its first cell.
    pub first: u32,
    /// The rows to search.
    beside: Rows,
}

impl CellRow {
    /// The row of a cell.
    #[inline(always)]
    pub fn of<T: Number>(flock: &Sorted<'_, T>, cell: u32) -> Self {
        let width = flock.grid.dims[0];
        let first = cell / width * width;
        CellRow { first, beside: flock.grid.rows(first) }
    }
}

/// Consecutive boids to visit.
#[derive(Clone, Debug)]
pub struct Chunk {
    /// Their sorted indices; never empty.
    pub range: Range<usize>,
    /// They belong to the run that searches.
    pub own: bool,
}

/// All boids in the cells around a run, in the order of memory: contiguous ranges of cells, cut where the run begins
/// and ends.
#[derive(Debug)]
pub struct Walk<'a> {
    bins: &'a Bins,
    run: Range<usize>,
    rows: &'a Rows,
    spans: Spans,
    /// The row to begin with, the number of rows done, and the next range of cells.
    begin: usize,
    row: usize,
    span: usize,
    /// The boids left of the last range.
    left: Range<usize>,
}

impl<'a> Walk<'a> {
    /// For a run in a row.
    #[inline(always)]
    pub fn new<T: Number>(flock: &Sorted<'a, T>, row: &'a CellRow, run: Range<usize>) -> Self {
        let xs = flock.cells[run.clone()].iter().map(|cell| cell - row.first);
        Walk {
            bins: flock.bins,
            run,
            rows: &row.beside,
            spans: Spans::new(flock.grid.dims[0], flock.grid.parts[0], xs),
            begin: 0,
            row: 0,
            span: 0,
            left: 0..0,
        }
    }

    /// The walk from the run's own row on, and the rows before it last.
    #[inline(always)]
    pub fn of_own_row_first<T: Number>(flock: &Sorted<'a, T>, row: &'a CellRow, run: Range<usize>) -> Self {
        let first = row.beside.as_slice().iter().position(|first| *first == row.first).unwrap_or(0);
        Walk { begin: first, ..Walk::new(flock, row, run) }
    }

    /// The boids in the next range of cells, if there is one; the run's own among them.
    #[inline(always)]
    pub fn next_range(&mut self) -> Option<Range<usize>> {
        let (rows, spans) = (self.rows.as_slice(), self.spans.as_slice());
        if self.row == rows.len() {
            return None;
        }
        let k = self.begin + self.row;
        let first = rows[if k < rows.len() { k } else { k - rows.len() }];
        let [begin, end] = spans.get(self.span)?;
        self.span += 1;
        if self.span == spans.len() {
            (self.row, self.span) = (self.row + 1, 0);
        }
        Some(self.bins.start(first + begin)..self.bins.start(first + end))
    }
}

impl Iterator for Walk<'_> {
    type Item = Chunk;

    #[inline(always)]
    fn next(&mut self) -> Option<Chunk> {
        while self.left.is_empty() {
            self.left = self.next_range()?;
        }
        let Range { start, end } = self.left;
        let own = self.run.contains(&start);
        let cut = if own { self.run.end } else { self.run.start };
        let end = if start < cut { end.min(cut) } else { end };
        self.left.start = end;
        Some(Chunk { range: start..end, own })
    }
}
