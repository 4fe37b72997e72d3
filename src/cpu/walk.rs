//! The way through the cells around a run of boids, stretch by stretch in the order of memory.

use std::ops::Range;

use flock::Number;
use flock::grid::{Rows, Spans};

use super::bins::Bins;
use super::look::Flock;

/// A row of cells.
#[derive(Debug)]
pub struct Row {
    /// Its first cell.
    pub first: u32,
    /// The rows to look into.
    beside: Rows,
}

impl Row {
    /// That of a cell.
    #[inline(always)]
    pub fn of<T: Number>(flock: &Flock<'_, T>, cell: u32) -> Self {
        let width = flock.grid.dims[0];
        let first = cell / width * width;
        Row { first, beside: flock.grid.rows(first) }
    }
}

/// The boids to be looked at, up to the end of a stretch.
#[derive(Debug)]
pub struct Walk<'a> {
    bins: &'a Bins,
    run: Range<usize>,
    rows: &'a Rows,
    spans: Spans,
    /// The next stretch.
    row: usize,
    span: usize,
    /// Others, then some of the run itself, then others again.
    pub others: Range<usize>,
    pub us: Range<usize>,
    rest: Range<usize>,
}

impl<'a> Walk<'a> {
    /// For a run in a row; nothing comes before [`Walk::go_on`].
    #[inline(always)]
    pub fn new<T: Number>(flock: &Flock<'a, T>, row: &'a Row, run: Range<usize>) -> Self {
        let xs = flock.cells[run.clone()].iter().map(|cell| cell - row.first);
        Walk {
            bins: flock.bins,
            run,
            rows: &row.beside,
            spans: Spans::new(flock.grid.dims[0], flock.grid.parts[0], xs),
            row: 0,
            span: 0,
            others: 0..0,
            us: 0..0,
            rest: 0..0,
        }
    }

    /// Goes on to the next stretch, if there is one.
    #[inline(always)]
    pub fn go_on(&mut self) -> bool {
        let (rows, spans) = (self.rows.as_slice(), self.spans.as_slice());
        let (Some(first), Some([begin, end])) = (rows.get(self.row), spans.get(self.span)) else {
            return false;
        };
        let (from, to) = (self.bins.start(first + begin), self.bins.start(first + end));
        let (low, high) = (self.run.start.max(from), self.run.end.min(to));
        (self.others, self.us, self.rest) =
            if low < high { (from..low, low..high, high..to) } else { (from..to, 0..0, 0..0) };
        self.span += 1;
        if self.span == spans.len() {
            (self.row, self.span) = (self.row + 1, 0);
        }
        true
    }

    /// The stretch with all in it.
    #[inline(always)]
    pub fn whole(&self) -> Range<usize> {
        self.others.start..self.others.end + self.us.len() + self.rest.len()
    }

    /// Passes those of the run, who are returned.
    #[inline(always)]
    pub fn pass_us(&mut self) -> Range<usize> {
        self.others = std::mem::take(&mut self.rest);
        std::mem::take(&mut self.us)
    }
}
