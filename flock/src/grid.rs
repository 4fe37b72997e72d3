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
mod tests {
    use super::*;
    use crate::parameters::Parameters;
    use crate::random::draw;

    /// A random world: any edges, reaches from far below to far above its size, two or three dimensions.
    fn world(case: u32) -> Parameters {
        let words = draw(1, 0, case, 0);
        let mut p = Parameters::default();
        p.flock.dimensions = 2 + words[0] % 2;
        p.world.edges = [Edges::Open, Edges::Turn, Edges::Wrap][words[1] as usize % 3];
        for k in 0..3 {
            p.world.min[k] = f64::from(words[2] >> (8 * k) & 0xff) - 128.0;
            p.world.max[k] = p.world.min[k] + 0.5 + f64::from(words[3] >> (8 * k) & 0xff);
        }
        p.separation.weight = 0.0;
        p.alignment.weight = 0.0;
        p.line_of_sight.weight = 0.0;
        p.cohesion.weight = 1.0;
        p.cohesion.radius = libm::exp2(f64::from(words[0] >> 8 & 0xfff) / 4096.0 * 16.0 - 6.0);
        p
    }

    /// A position in the world, or far out of it where there are no edges; the second close to the first.
    fn pair(rule: &Rule<f32>, case: u32, k: u32) -> [Vec3<f32>; 2] {
        let part = |words: [u32; 4]| Vec3::from([0, 1, 2].map(|k| (words[k] >> 8) as f32 / (1 << 24) as f32));
        let share = part(draw(2, k, case, 0));
        let stretch = if rule.edges == Edges::Wrap { 1.0 } else { libm::exp2f((k % 32) as f32 - 8.0) };
        let mut a = rule.world_min
            + Vec3::new(rule.size.x * share.x, rule.size.y * share.y, rule.size.z * share.z) * stretch;
        // Near a border of the world or of a cell as often as not.
        if k.is_multiple_of(2) {
            a.x = if k.is_multiple_of(4) { rule.world_min.x } else { rule.world_max.x };
        }
        let near = part(draw(3, k, case, 0)).map(|c| (2.0 * c - 1.0) * rule.reach * 1.01);
        let near = if k.is_multiple_of(3) {
            Vec3::new(near.x.signum() * rule.reach * 0.999_999_9, 0.0, 0.0)
        } else {
            near
        };
        let near = if rule.flat { Vec3::new(near.x, near.y, 0.0) } else { near };
        [rule.wrap(a), rule.wrap(a + near)]
    }

    /// Number of times that a boid at `a` meets one at `b`.
    fn meetings(grid: &Grid<f32>, a: Vec3<f32>, b: Vec3<f32>) -> usize {
        let (home, other) = (grid.coordinates(a), grid.cell(b));
        let spans = Spans::new(grid.dims[0], grid.parts[0], core::iter::once(home[0]));
        grid.rows(grid.cell(a))
            .as_slice()
            .iter()
            .flat_map(|row| spans.as_slice().iter().map(move |s| row + s[0]..row + s[1]))
            .filter(|cells| cells.contains(&other))
            .count()
    }

    /// Numbers of pairs within reach not met exactly once, and of all, in grids with cells `narrow` times as wide.
    fn missed(narrow: f32, parts: [u32; 3]) -> (usize, usize) {
        let (mut missed, mut near) = (0, 0);
        for case in 0..400 {
            let rule = Rule::<f32>::new(&world(case));
            let mut grid = Grid::divided(&rule, case * 50, parts);
            grid.inverse = grid.inverse * (1.0 / narrow);
            for k in 0..200 {
                let [a, b] = pair(&rule, case, k);
                let offset = rule.nearest_image(b - a);
                if offset.dot(offset) < rule.reach_square {
                    near += 1;
                    missed += usize::from(meetings(&grid, a, b) != 1);
                }
            }
        }
        (missed, near)
    }

    #[test]
    fn all_within_reach_are_met_once() {
        for parts in [[1, 1, 1], [2, 2, 2], [5, 5, 5], [2, 1, 1], [1, 2, 1]] {
            let (missed, near) = missed(1.0, parts);
            assert!(near > 20_000, "only {near} pairs are near");
            assert_eq!(missed, 0, "of {near}, in parts {parts:?}");
        }
    }

    #[test]
    fn cells_too_narrow_would_be_noticed() {
        for parts in [[1, 1, 1], [2, 2, 2], [2, 1, 1]] {
            assert!(missed(0.97, parts).0 > 100, "{parts:?}");
        }
    }

    #[test]
    fn cells_are_as_many_as_allowed_and_wide_enough() {
        for case in 0..2000 {
            let rule = Rule::<f64>::new(&world(case));
            let grid = Grid::divided(&rule, case, [[1, 1, 1], [2, 1, 1], [2, 2, 1]][case as usize % 3]);
            assert!(u64::from(grid.cells()) <= u64::from(case).max(FEW) * u64::from(grid.parts[0]));
            for (k, inverse) in grid.inverse.to_array().into_iter().enumerate() {
                assert!(
                    grid.dims[k] > 0
                        && inverse * rule.reach <= f64::from(grid.parts[k]) / (1.0 + SLACK) + 1e-12
                );
            }
            if rule.edges == Edges::Wrap {
                let cells = rule.size.x * grid.inverse.x / f64::from(grid.dims[0]);
                assert!((cells - cells.round()).abs() < 1e-9, "the seam cuts a cell");
            }
        }
    }

    #[test]
    fn a_rule_that_reaches_nobody_and_numbers_that_are_none_have_a_cell() {
        let mut p = world(0);
        p.cohesion.weight = 0.0;
        assert_eq!(Grid::new(&Rule::<f32>::new(&p), 1000).dims, [1; 3]);
        let rule = Rule::<f32>::new(&world(1));
        let grid = Grid::new(&rule, 1000);
        for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN] {
            assert!(grid.cell(Vec3::new(x, x, x)) < grid.cells());
        }
    }
}
