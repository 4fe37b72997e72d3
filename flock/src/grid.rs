//! The uniform grid for the neighbour search, in open, bounded and wrapping worlds (as in Hoetzlein, "Fast
//! fixed-radius nearest neighbors", GTC 2014).
//!
//! Cells are a little wider than the reach of the rule, so all neighbours of a boid lie in its own cell and the
//! adjacent ones. Cells are numbered modulo the grid's dimensions: distant cells may share a number, which only adds
//! candidates that the distance test rejects. So the grid needs no bounds and loses no boid.
//!
//! ```
//! use flock::{Grid, Parameters, Rule, Vec3};
//!
//! let rule = Rule::<f32>::new(&Parameters::default());
//! let grid = Grid::new(&rule, 1000);
//! let position = Vec3::new(50.0, 50.0, 50.0);
//! let near = position + Vec3::new(0.9 * rule.reach, 0.0, 0.0);
//!
//! // The cell of a position within reach is in one of the rows around, at most one cell away along x.
//! let rows = grid.rows(grid.cell(position));
//! let width = grid.dims[0];
//! assert!(rows.as_slice().contains(&(grid.cell(near) / width * width)));
//! let [x, near_x] = [position, near].map(|p| grid.coordinates(p)[0]);
//! assert!((near_x + width - x) % width <= 1);
//! ```

use crate::number::{Number, Vec3};
use crate::parameters::{Edges, List};
use crate::rule::Rule;

/// Cells are wider than the reach by this share of it. This exceeds the rounding of two cell coordinates below
/// [`LIMIT`] in f32: at most LIMIT · 2⁻²² for the coordinates and as much for the wrap, together 2⁻⁸.
pub const SLACK: f64 = 1.0 / 128.0;

/// Cell coordinates are clamped to ±`LIMIT`; boids beyond it share the outermost cells. Adjacent cells stay adjacent,
/// because clamping never increases a difference.
pub const LIMIT: i32 = 8192;

/// The number of cells is capped at the number of boids, but not below this.
const FEW: u64 = 4096;

/// The layout of the cells. The number of a cell is (z · `dims[1]` + y) · `dims[0]` + x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid<T> {
    /// Number of cells along each axis, at least 1.
    pub dims: [u32; 3],
    /// Low corner of cell (0, 0, 0), length in the rule's unit.
    pub origin: Vec3<T>,
    /// Cells per unit of length; zero along an axis with a single cell.
    pub inverse: Vec3<T>,
    /// A multiple of each dimension, at least [`LIMIT`]: it is added to make coordinates positive.
    pub shift: [u32; 3],
    /// Cells per reach along each axis, 1 to [`MAX_PARTS`]: neighbours lie up to this many cells to each side.
    pub parts: [u32; 3],
}

/// The most cells per reach along an axis: in three dimensions, in two.
pub const MAX_PARTS: [u32; 2] = [2, 12];

/// One axis of a [`Grid`].
#[derive(Clone, Copy)]
struct GridAxis {
    cells: u32,
    origin: f64,
    inverse: f64,
}

impl GridAxis {
    const SINGLE: GridAxis = GridAxis { cells: 1, origin: 0.0, inverse: 0.0 };

    /// The cells divide the size of the world exactly.
    fn wrapping(min: f64, size: f64, width: f64) -> GridAxis {
        // A quarter of the limit leaves room for boids that start outside the world.
        let cells = libm::floor(size / width).clamp(1.0, f64::from(LIMIT / 4));
        if cells < 2.0 {
            return GridAxis::SINGLE;
        }
        GridAxis { cells: cells as u32, origin: min, inverse: cells / size }
    }

    /// The cells extend about one cell beyond the world on each side.
    fn open(min: f64, size: f64, width: f64) -> GridAxis {
        let width = width.max(size / f64::from(LIMIT - 4));
        let cells = libm::ceil(size / width) as u32 + 2;
        GridAxis { cells, origin: min - width, inverse: 1.0 / width }
    }
}

impl<T: Number> Grid<T> {
    /// The grid for a rule and a number of boids, with cells as wide as the reach. The number of cells is at most that
    /// of boids or 4096, whichever is larger; it is 1 for a reach of zero.
    pub fn new(rule: &Rule<T>, boids: u32) -> Self {
        Self::divided(rule, boids, [1; 3])
    }

    /// A grid with several cells per reach along each axis, clamped to 1 to [`MAX_PARTS`]. Cells along x are
    /// contiguous in memory, so the cap on their number is multiplied by `parts[0]`.
    pub fn divided(rule: &Rule<T>, boids: u32, parts: [u32; 3]) -> Self {
        let parts = parts.map(|parts| parts.clamp(1, MAX_PARTS[usize::from(rule.flat)]));
        let reach = rule.reach.to_f64() * (1.0 + SLACK);
        let (min, size) = (rule.world_min.to_array(), rule.size.to_array());
        let wraps = rule.edges == Edges::Wrap;
        let axes: [GridAxis; 3] = core::array::from_fn(|k| {
            let (min, size) = (min[k].to_f64(), size[k].to_f64());
            let width = reach / f64::from(parts[k]);
            if k == 2 && rule.flat || rule.reach_square <= T::ZERO {
                GridAxis::SINGLE
            } else if wraps {
                GridAxis::wrapping(min, size, width)
            } else {
                GridAxis::open(min, size, width)
            }
        });

        let mut dims = axes.map(|axis| axis.cells);
        let most = u64::from(boids).max(FEW) * u64::from(parts[0]);
        let product = |dims: [u32; 3]| dims.iter().map(|d| u64::from(*d)).product::<u64>();
        // Coordinates from -LIMIT to LIMIT fill no more than twice LIMIT.
        let wider = |dims: [u32; 3]| dims.map(|d| if d > 1 && d <= LIMIT as u32 { 2 * d } else { d });
        // A flock in an open world may leave its box: as many cells as allowed keep distant boids in separate cells.
        while rule.edges == Edges::Open && wider(dims) != dims && product(wider(dims)) <= most {
            dims = wider(dims);
        }
        while product(dims) > most {
            // Fold the longest axis: pairs of its cells then share a number.
            let longest = (0..3).max_by_key(|k| dims[*k].div_ceil(parts[*k])).unwrap_or(0);
            dims[longest] = dims[longest].div_ceil(2);
        }

        let axis = |k: usize| {
            let GridAxis { cells, origin, inverse } = axes[k];
            // In a wrapping world the fold must divide the number of cells: slightly fewer and wider cells.
            let folded = cells / dims[k] * dims[k];
            let inverse = if wraps { inverse * f64::from(folded) / f64::from(cells) } else { inverse };
            let single = dims[k] == 1;
            (T::from_f64(origin), if single { T::ZERO } else { T::from_f64(inverse) })
        };
        let divided = [0, 1, 2].map(axis);
        Grid {
            dims,
            origin: divided.map(|axis| axis.0).into(),
            inverse: divided.map(|axis| axis.1).into(),
            shift: dims.map(|d| (LIMIT as u32).div_ceil(d) * d),
            parts,
        }
    }

    /// Number of cells.
    pub fn cells(&self) -> u32 {
        self.dims.iter().product()
    }

    /// The coordinates of the cell of a position, below `dims`.
    #[inline]
    pub fn coordinates(&self, position: Vec3<T>) -> [u32; 3] {
        core::array::from_fn(|k| self.coordinate(position, k))
    }

    /// One coordinate of the cell of a position.
    #[inline]
    pub fn coordinate(&self, position: Vec3<T>, k: usize) -> u32 {
        let [position, origin, inverse] = [position, self.origin, self.inverse].map(|v| v.to_array()[k]);
        let c = ((position - origin) * inverse).floor_to_i32().clamp(-LIMIT, LIMIT);
        let dim = self.dims[k];
        // Most boids need no modulo, and a division is slow.
        if (c as u32) < dim { c as u32 } else { (c + self.shift[k] as i32) as u32 % dim }
    }

    /// The number of the cell of a position, below [`Grid::cells`].
    #[inline]
    pub fn cell(&self, position: Vec3<T>) -> u32 {
        let [x, y, z] = self.coordinates(position);
        (z * self.dims[1] + y) * self.dims[0] + x
    }

    /// True if boids in cells `first` to `last` of one row may have neighbours across the border of a wrapping world.
    /// Elsewhere an offset within reach is already that of the nearest image, if all boids are inside the world.
    #[inline]
    pub fn at_seam(&self, first: u32, last: u32, flat: bool) -> bool {
        let [width, height, _] = self.dims;
        let (row, y, z) = (first / width, first / width % height, first / width / height);
        let outermost =
            |low: u32, high: u32, k: usize| low < self.parts[k] || high + self.parts[k] >= self.dims[k];
        let base = row * width;
        outermost(first - base, last - base, 0) || outermost(y, y, 1) || !flat && outermost(z, z, 2)
    }

    /// The rows of cells that may hold neighbours of boids in a cell, each once. A row is named by its first cell.
    #[inline]
    pub fn rows(&self, cell: u32) -> Rows {
        let [width, height, depth] = self.dims;
        let row = cell / width;
        let ys = beside(row % height, height, self.parts[1]);
        let zs = beside(row / height, depth, self.parts[2]);
        let mut rows = Rows::default();
        for z in zs {
            for y in ys.clone() {
                // A list holds all rows.
                let _ = rows.push((z * height + y) * width);
            }
        }
        rows
    }
}

/// A coordinate and `parts` more to each side modulo `dim`, each once.
#[inline]
pub fn beside(c: u32, dim: u32, parts: u32) -> impl Iterator<Item = u32> + Clone {
    let all = dim <= 2 * parts + 1;
    let (first, count) = if all { (0, dim) } else { (c + dim - parts, 2 * parts + 1) };
    // Values are below 3 · dim.
    (first..first + count).map(move |c| {
        if all || c < dim {
            c
        } else if c < 2 * dim {
            c - dim
        } else {
            c - 2 * dim
        }
    })
}

/// The most rows around a cell.
const ROWS: usize = 25;

/// The rows of cells around a cell, each by its first cell.
pub type Rows = List<u32, ROWS>;

/// The most boids of one [`Spans`].
pub const RUN: usize = 16;

/// The x coordinates of the cells that may hold neighbours of several boids in one row, ascending and each once. A boid
/// therefore meets its neighbours in the same order regardless of the other boids.
///
/// ```
/// use flock::grid::Spans;
///
/// // Boids in cells 2, 2 and 5 of a row of 10 cells, one cell to each side.
/// assert_eq!(Spans::new(10, 1, [2, 2, 5].into_iter()).as_slice(), [[1, 7]]);
/// // A boid in the first cell also has neighbours in the last.
/// assert_eq!(Spans::new(10, 1, [0].into_iter()).as_slice(), [[0, 2], [9, 10]]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Spans {
    /// First cell and end. One per boid, and one at each end for neighbours across the border.
    spans: [[u32; 2]; RUN + 2],
    count: usize,
}

impl Spans {
    /// The spans for up to [`RUN`] boids with these x coordinates, ascending, below `dim`; `parts` cells to each side.
    #[inline]
    pub fn new(dim: u32, parts: u32, ascending: impl Iterator<Item = u32> + Clone) -> Self {
        let mut spans = Spans { spans: [[0; 2]; RUN + 2], count: 0 };
        if let Some(last) = ascending.clone().last()
            && last + parts >= dim
        {
            spans.push(0, (last + parts + 1 - dim).min(dim));
        }
        for x in ascending.clone() {
            spans.push(x.saturating_sub(parts), (x + parts + 1).min(dim));
        }
        if let Some(first) = ascending.clone().next()
            && first < parts
        {
            spans.push((dim + first).saturating_sub(parts), dim);
        }
        spans
    }

    #[inline]
    fn push(&mut self, first: u32, end: u32) {
        if let Some(last) = self.spans[..self.count].last_mut()
            && first <= last[1]
        {
            last[1] = last[1].max(end);
            return;
        }
        self.spans[self.count] = [first, end];
        self.count += 1;
    }

    /// The spans as pairs of first cell and end.
    #[inline]
    pub fn as_slice(&self) -> &[[u32; 2]] {
        &self.spans[..self.count]
    }
}

#[cfg(test)]
mod tests;
