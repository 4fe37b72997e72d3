//! The neighbour grid: who may be near a boid, for worlds with edges, without any, and wrapping.
//!
//! Space is cut into cells a little wider than the reach of the rule, so that all a boid perceives lies in its own
//! cell and the ones next to it. Cells are numbered modulo the grid's dimensions: cells far apart may share a
//! number, which only adds candidates that the distance then rejects. So no bounds are needed and no boid is
//! lost, wherever it flies.

use crate::number::Number;
use crate::parameters::Edges;
use crate::rule::Rule;
use crate::vector::Vec3;

/// Cells are wider than the reach by this part. It outweighs the rounding of two cell coordinates below
/// [`LIMIT`] in f32: at most LIMIT · 2⁻²² for the coordinates and as much again for the wrap, together 2⁻⁸.
pub const SLACK: f64 = 1.0 / 128.0;

/// Cell coordinates are cut to ±`LIMIT`; boids beyond share the outermost cells. Neighbours stay next to each
/// other, for cutting never drives two numbers apart.
pub const LIMIT: i32 = 8192;

/// The fewest cells the grid may have where it is capped.
const FEW: u64 = 4096;

/// Where the cells lie. Cells are stored x first: (z · `dims[1]` + y) · `dims[0]` + x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid<T> {
    /// Numbers of cells, at least 1 each.
    pub dims: [u32; 3],
    /// Low corner of cell (0, 0, 0).
    pub origin: Vec3<T>,
    /// Cells a unit of length; zero along an axis with a single cell.
    pub inverse: Vec3<T>,
    /// A multiple of the dimension, at least [`LIMIT`]: added, it makes coordinates positive.
    pub shift: [u32; 3],
    /// How many cells reach as far as the rule, along each axis: as many have to be looked into on each side.
    pub parts: [u32; 3],
}

/// The most cells that a reach may be divided into along an axis: in space, on a plane.
pub const MOST_PARTS: [u32; 2] = [2, 12];

/// One axis of a [`Grid`].
#[derive(Clone, Copy)]
struct Axis {
    /// Cells from one end of the world to the other.
    cells: u32,
    origin: f64,
    inverse: f64,
}

impl Axis {
    const SINGLE: Axis = Axis { cells: 1, origin: 0.0, inverse: 0.0 };

    /// The world's edges are one: the cells divide its size exactly.
    fn wrapping(min: f64, size: f64, width: f64) -> Axis {
        // A quarter of the limit: boids that start outside the world are within it too.
        let cells = libm::floor(size / width).clamp(1.0, f64::from(LIMIT / 4));
        if cells < 2.0 {
            return Axis::SINGLE;
        }
        Axis { cells: cells as u32, origin: min, inverse: cells / size }
    }

    /// The cells begin about one before the world and end about one after it.
    fn open(min: f64, size: f64, width: f64) -> Axis {
        let width = width.max(size / f64::from(LIMIT - 4));
        let cells = libm::ceil(size / width) as u32 + 2;
        Axis { cells, origin: min - width, inverse: 1.0 / width }
    }
}

impl<T: Number> Grid<T> {
    /// The grid for a rule and a number of boids, which bounds the number of cells. A rule that reaches nobody
    /// has one cell.
    #[must_use]
    pub fn new(rule: &Rule<T>, boids: u32) -> Self {
        Self::divided(rule, boids, [1; 3])
    }

    /// The same with cells that divide the reach into so many parts along each axis, up to [`MOST_PARTS`]: boids of one
    /// cell are nearer to each other then, and there are more cells to look into. Cells along x lie one after the other
    /// in memory: there may be as many times more of them.
    #[must_use]
    pub fn divided(rule: &Rule<T>, boids: u32, parts: [u32; 3]) -> Self {
        let parts = parts.map(|parts| parts.clamp(1, MOST_PARTS[usize::from(rule.flat)]));
        let reach = rule.reach.to_f64() * (1.0 + SLACK);
        let (min, size) = (rule.world_min.to_array(), rule.size.to_array());
        let wraps = rule.edges == Edges::Wrap;
        let axes: [Axis; 3] = core::array::from_fn(|k| {
            let (min, size) = (min[k].to_f64(), size[k].to_f64());
            let width = reach / f64::from(parts[k]);
            if k == 2 && rule.flat || rule.reach_square <= T::ZERO {
                Axis::SINGLE
            } else if wraps {
                Axis::wrapping(min, size, width)
            } else {
                Axis::open(min, size, width)
            }
        });

        let mut dims = axes.map(|axis| axis.cells);
        let most = u64::from(boids).max(FEW) * u64::from(parts[0]);
        let product = |dims: [u32; 3]| dims.iter().map(|d| u64::from(*d)).product::<u64>();
        // Coordinates from -LIMIT to LIMIT fill no more than twice LIMIT.
        let wider = |dims: [u32; 3]| dims.map(|d| if d > 1 && d <= LIMIT as u32 { 2 * d } else { d });
        // A flock in the open may leave the box it started in: all the cells there can be keep its parts apart.
        while rule.edges == Edges::Open && wider(dims) != dims && product(wider(dims)) <= most {
            dims = wider(dims);
        }
        while product(dims) > most {
            // Folding the longest axis: two of its cells share a number then.
            let longest = (0..3).max_by_key(|k| dims[*k].div_ceil(parts[*k])).unwrap_or(0);
            dims[longest] = dims[longest].div_ceil(2);
        }

        let axis = |k: usize| {
            let Axis { cells, origin, inverse } = axes[k];
            // Where the world wraps the fold must divide it too: a few cells fewer, a little wider.
            let folded = cells / dims[k] * dims[k];
            let inverse = if wraps { inverse * f64::from(folded) / f64::from(cells) } else { inverse };
            let single = dims[k] == 1;
            (T::from_f64(origin), if single { T::ZERO } else { T::from_f64(inverse) })
        };
        let (x, y, z) = (axis(0), axis(1), axis(2));
        Grid {
            dims,
            origin: Vec3 { x: x.0, y: y.0, z: z.0 },
            inverse: Vec3 { x: x.1, y: y.1, z: z.1 },
            shift: dims.map(|d| (LIMIT as u32).div_ceil(d) * d),
            parts,
        }
    }

    /// Number of cells.
    #[must_use]
    pub fn cells(&self) -> u32 {
        self.dims.iter().product()
    }

    /// The cell of a position, as coordinates below the dimensions.
    #[inline]
    #[must_use]
    pub fn coordinates(&self, position: Vec3<T>) -> [u32; 3] {
        let offset = (position - self.origin).to_array();
        let inverse = self.inverse.to_array();
        core::array::from_fn(|k| {
            let c = (offset[k] * inverse[k]).floor_to_i32().clamp(-LIMIT, LIMIT);
            let dim = self.dims[k];
            // Most boids fly where no fold is needed, and a division is slow.
            if (c as u32) < dim { c as u32 } else { (c + self.shift[k] as i32) as u32 % dim }
        })
    }

    /// The number of the cell of a position.
    #[inline]
    #[must_use]
    pub fn cell(&self, position: Vec3<T>) -> u32 {
        let [x, y, z] = self.coordinates(position);
        (z * self.dims[1] + y) * self.dims[0] + x
    }

    /// Whether boids in cells `first` to `last` of one row may have neighbours across a seam, where a wrapping world
    /// begins again. Elsewhere, as long as all boids are inside the world, an offset within reach is the nearest
    /// image already.
    #[inline]
    #[must_use]
    pub fn at_seam(&self, first: u32, last: u32, flat: bool) -> bool {
        let [width, height, _] = self.dims;
        let (row, y, z) = (first / width, first / width % height, first / width / height);
        let outermost =
            |low: u32, high: u32, k: usize| low < self.parts[k] || high + self.parts[k] >= self.dims[k];
        let base = row * width;
        outermost(first - base, last - base, 0) || outermost(y, y, 1) || !flat && outermost(z, z, 2)
    }

    /// The first cells of the rows next to the row of a cell and of that row itself, each once.
    #[inline]
    #[must_use]
    pub fn rows(&self, cell: u32) -> Rows {
        let [width, height, depth] = self.dims;
        let row = cell / width;
        let ys = beside(row % height, height, self.parts[1]);
        let zs = beside(row / height, depth, self.parts[2]);
        let mut rows = Rows { first: [0; ROWS], count: 0 };
        for z in zs {
            for y in ys.clone() {
                rows.first[rows.count] = (z * height + y) * width;
                rows.count += 1;
            }
        }
        rows
    }
}

/// A coordinate and as many as there are `parts` on each side of it; where there are fewer, all there are.
#[inline]
fn beside(c: u32, dim: u32, parts: u32) -> impl Iterator<Item = u32> + Clone {
    let all = dim <= 2 * parts + 1;
    let (first, count) = if all { (0, dim) } else { (c + dim - parts, 2 * parts + 1) };
    // Below three times the dimension.
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

/// The most rows there are to look into.
const ROWS: usize = 25;

/// The rows of cells that a boid has to look into.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    first: [u32; ROWS],
    count: usize,
}

impl Rows {
    /// The first cell of each.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[u32] {
        &self.first[..self.count]
    }
}

/// The most boids a [`Spans`] can serve at once.
pub const RUN: usize = 16;

/// The x coordinates of the cells that a run of boids in one row has to look into, in ascending order and each
/// once: a boid meets its neighbours in the same order whoever else is in its run.
#[derive(Clone, Copy, Debug)]
pub struct Spans {
    /// First cell, and the one after the last. One a boid, and one at each end for neighbours across the seam.
    spans: [[u32; 2]; RUN + 2],
    count: usize,
}

impl Spans {
    /// For up to [`RUN`] boids with these x coordinates, ascending and below `dim`, and as many cells on each side as there
    /// are `parts`.
    #[inline]
    #[must_use]
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

    /// Pairs of a first cell and the one after the last.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[[u32; 2]] {
        &self.spans[..self.count]
    }
}

#[cfg(test)]
mod tests;
