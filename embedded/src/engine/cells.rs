//! The grid on the chip. One multiplication finds the cell of a coordinate.
//!
//! If memory allows, cells are smaller than the reach, and narrower than high. The runs of cells around a boid, one per
//! row, then hold fewer candidates out of reach without being many. Boids outside the grid belong to the outermost
//! cells: clamping never increases the distance between two coordinates.

use core::array::from_fn;
use core::iter::once;
use flock::grid::{Spans, beside};
use flock::parameters::Edges;
use flock::{Fixed, Lanes, Rule};

/// A position inside the grid.
pub const INSIDE: u32 = 0;
/// A position outside the grid, which belongs to an outermost cell.
pub const OUTSIDE: u32 = 1;
/// A position so far outside that packed offsets are ambiguous.
pub const BEYOND: u32 = 2;

/// One axis of the grid, in coarse units.
#[derive(Clone, Copy, Debug)]
struct CellAxis {
    /// Start of the first cell.
    origin: i32,
    /// Length from there to the end of the last cell, in units of 2^`shift` coarse units; below 2¹⁶.
    extent: u32,
    shift: u32,
    /// The cell at a distance d from the origin, in these units, is d · `factor` / 2^`scale`.
    factor: u32,
    scale: u32,
    cells: u32,
    /// Cells on each side that cover the reach.
    side: u32,
    /// Distance outside the grid up to which packed offsets are unambiguous.
    leeway: i32,
}

impl CellAxis {
    /// A single cell.
    const SINGLE: CellAxis =
        CellAxis { origin: 0, extent: 0, shift: 0, factor: 0, scale: 0, cells: 1, side: 1, leeway: 0 };

    /// Divides `extent` coarse units into cells, of which `side` are at least `width` wide together.
    fn new(origin: i32, extent: u32, width: u32, side: u32, wraps: bool) -> Self {
        let shift = (u32::BITS - extent.leading_zeros()).saturating_sub(16);
        // Truncation reduces the distance of two positions by at most one unit.
        let (units, mut wide) = ((extent >> shift) + 1, ((width >> shift) + 2).div_ceil(side));
        if wraps {
            // The last cell is narrower than the others by at most this, because the factor is truncated.
            wide += 8;
        }
        let cells = if wraps { units / wide } else { units.div_ceil(wide) };
        if cells < 2 {
            return CellAxis::SINGLE;
        }
        // Maximum digits for which the product fits: distances are below `cells` · `wide`.
        let scale = cells.leading_zeros() - 2;
        let factor = if wraps { (cells << scale) / units } else { (1 << scale) / wide };
        CellAxis { origin, extent: units, shift, factor, scale, cells, side, leeway: 0 }
    }

    /// The width of a cell in coarse units, rounded up.
    fn width(&self) -> i32 {
        (((1 << self.scale) / self.factor.max(1) + 1) << self.shift) as i32
    }

    /// Returns the cell of a position, and [`INSIDE`], [`OUTSIDE`] or [`BEYOND`].
    #[inline(always)]
    fn cell(&self, place: i32) -> (u32, u32) {
        if self.cells == 1 {
            return (0, INSIDE);
        }
        let far = |distance: i32| if distance > self.leeway { BEYOND } else { OUTSIDE };
        let distance = place - self.origin;
        if distance < 0 {
            return (0, far(-distance));
        }
        let units = distance as u32 >> self.shift;
        if units >= self.extent {
            return (self.cells - 1, far(distance - (self.extent << self.shift) as i32));
        }
        let cell = (units * self.factor) >> self.scale;
        (cell.min(self.cells - 1), INSIDE)
    }

    /// The part of a cell that contains a position, counted from the start of the grid; `None` near the grid's edges.
    #[inline(always)]
    fn part(&self, place: i32) -> Option<u32> {
        let units = place.wrapping_sub(self.origin) as u32 >> self.shift;
        let part = units.wrapping_mul(self.factor) >> (self.scale - PART_BITS);
        let inner = self.cells.saturating_sub(2 * self.side);
        (units < self.extent && (part >> PART_BITS).wrapping_sub(self.side) < inner).then_some(part)
    }
}

/// Binary digits of the number of parts of a cell along an axis.
pub const PART_BITS: u32 = 4;
const PARTS: usize = 1 << PART_BITS;
/// The rows around a boid on a plane: its own and at most two on each side.
const ROWS: usize = 5;

/// The cells that the reach of a boid touches on a plane.
pub struct Touched {
    /// The first cell of the lowest row.
    pub first: u32,
    /// The part of a cell that contains the boid, counted from the start of a row.
    pub part: u32,
    /// The part of the boid's row that contains it.
    pub row_part: usize,
    /// The number of rows.
    pub rows: usize,
}

/// Widths of the reach in parts of cells on each side, by the part of its row that contains the boid, and by row from
/// the lowest that its reach touches.
pub type Widths = [[u8; ROWS]; PARTS];

/// Minimum limit on the number of cells.
const MIN_CELLS: usize = 64;

/// The grid of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Cells {
    axes: [CellAxis; 3],
    /// True if the world wraps.
    pub wraps: bool,
    /// True if packed offsets are unambiguous while no boid is [`BEYOND`].
    pub narrow: bool,
}

impl Cells {
    /// Creates a grid over the world of a rule, with at most `most` cells.
    pub fn new(rule: &Rule<Fixed>, most: usize) -> Self {
        let low = Fixed::coarse_position(rule.world_min, &rule.format).to_array().map(|c| c.0);
        let size = rule.coarse_size.to_array().map(|c| c.0);
        Self::over(rule, low, from_fn(|k| low[k] + size[k]), most)
    }

    /// Creates a grid over the coarse positions from `low` to `high`, which must be the corners of a world that wraps.
    pub fn over(rule: &Rule<Fixed>, low: [i32; 3], high: [i32; 3], most: usize) -> Self {
        let reach = (rule.reach.0 >> rule.format.position_shift) as u32;
        let wraps = rule.edges == Edges::Wrap;
        if rule.reach_square.0 <= 0 {
            return Cells { axes: [CellAxis::SINGLE; 3], wraps, narrow: false };
        }
        let axes = |width: [u32; 3], sides: [u32; 3]| -> [CellAxis; 3] {
            from_fn(|k| {
                let around = if wraps { 0 } else { width[k] };
                let size = (high[k] - low[k]).max(0) as u32;
                let (origin, extent) = (low[k] - around as i32, size + 2 * around);
                let single = k == 2 && rule.flat;
                if single {
                    CellAxis::SINGLE
                } else {
                    CellAxis::new(origin, extent, width[k], sides[k], wraps)
                }
            })
        };
        let mut width = [reach + 1; 3];
        let finenesses: &[[u32; 3]] = match (wraps, rule.flat) {
            (true, _) => &[[1; 3]],
            (false, true) => &[[4, 2, 1], [4, 1, 1], [2, 1, 1], [1; 3]],
            (false, false) => &[[2, 1, 1], [1; 3]],
        };
        let mut fine = finenesses.iter().map(|sides| axes(width, *sides));
        let mut cut = fine.find(|axes| count(axes) <= most).unwrap_or_else(|| axes(width, [1; 3]));
        while count(&cut) > most.max(MIN_CELLS) {
            let longest = (0..3).max_by_key(|k| cut[*k].cells).unwrap_or(0);
            width[longest] += width[longest] / 2;
            cut = axes(width, [1; 3]);
        }
        // Packed offsets are exact below 2¹⁵. From there to 2¹⁶ minus the reach they are wrong but still out of reach.
        let mut narrow = !wraps;
        for axis in cut.iter_mut().take(if rule.flat { 2 } else { 3 }) {
            let leeway = (1 << 16) - (reach as i32 + 2) - (axis.side as i32 + 1) * axis.width();
            narrow &= axis.cells > 1 && leeway > 0;
            axis.leeway = if wraps { 0 } else { leeway.max(0) };
        }
        Cells { axes: cut, wraps, narrow }
    }

    /// Computes [`Widths`] for a reach in coarse units, on a plane and if packed offsets are unambiguous.
    pub fn widths(&self, reach: u32) -> Widths {
        from_fn(|part| from_fn(|row| row_width(&self.axes, reach + 1, part as u32, row as u32)))
    }

    /// The cells that the reach of a boid on a plane touches; `None` for a position near the edges of the grid, and if
    /// packed offsets are ambiguous.
    #[inline(always)]
    pub fn touched(&self, [x, y]: [i32; 2]) -> Option<Touched> {
        let [x_axis, y_axis, _] = &self.axes;
        let (part, y) = (x_axis.part(x)?, y_axis.part(y)?);
        let first = ((y >> PART_BITS) - y_axis.side) * x_axis.cells;
        let rows = 2 * y_axis.side as usize + 1;
        Some(Touched { first, part, row_part: y as usize % PARTS, rows })
    }

    /// Cells in a row.
    pub fn columns(&self) -> u32 {
        self.axes[0].cells
    }

    /// Number of cells.
    pub fn count(&self) -> usize {
        count(&self.axes)
    }

    /// The cell of a position, and the bits of [`INSIDE`], [`OUTSIDE`] or [`BEYOND`] for every axis.
    #[inline(always)]
    pub fn cell<const FLAT: bool>(&self, place: [i32; 3]) -> (usize, u32) {
        let [x_axis, y_axis, z_axis] = &self.axes;
        let ((x, beyond_x), (y, beyond_y)) = (x_axis.cell(place[0]), y_axis.cell(place[1]));
        let (z, beyond_z) = if FLAT { (0, INSIDE) } else { z_axis.cell(place[2]) };
        let cell = (z * y_axis.cells + y) * x_axis.cells + x;
        (cell as usize, beyond_x | beyond_y | beyond_z)
    }

    /// Visits each run of cells around a cell once, by first cell and end.
    #[inline(always)]
    pub fn around(&self, cell: usize, mut visit: impl FnMut(usize, usize)) {
        let [x_axis, y_axis, z_axis] = &self.axes;
        let (width, height, depth) = (x_axis.cells, y_axis.cells, z_axis.cells);
        let (row, x) = (cell as u32 / width, cell as u32 % width);
        let (z, y) = if depth == 1 { (0, row) } else { (row / height, row % height) };
        if self.wraps {
            let spans = Spans::new(width, 1, once(x));
            for row in beside(z, depth, 1).flat_map(|z| beside(y, height, 1).map(move |y| z * height + y)) {
                let spans = spans.as_slice().iter().map(|span| span.map(|x| (row * width + x) as usize));
                spans.for_each(|[first, end]| visit(first, end));
            }
            return;
        }
        let reach =
            |at: u32, axis: &CellAxis| (at.saturating_sub(axis.side), (at + axis.side + 1).min(axis.cells));
        let ((first, end), (low, high)) = (reach(x, x_axis), reach(y, y_axis));
        let (near, far) = reach(z, z_axis);
        for z in near..far {
            let mut start = (z * height + low) * width;
            for _ in low..high {
                visit((start + first) as usize, (start + end) as usize);
                start += width;
            }
        }
    }
}

/// An entry of [`Widths`]. Every rounding adds candidates.
fn row_width([x, y, _]: &[CellAxis; 3], reach: u32, part: u32, row: u32) -> u8 {
    // Parts between the boid and the row: from the end of its own part to the start of the row.
    let parts = if row < y.side {
        ((y.side - row - 1) << PART_BITS) + part
    } else {
        ((row - y.side) << PART_BITS).saturating_sub(part + 1)
    };
    // A distance times the truncated factor is too small by at most the extent.
    let units = (parts << (y.scale - PART_BITS)).saturating_sub(y.extent) / (y.factor + 1);
    let apart = (units.saturating_sub(1) << y.shift).min(reach);
    let width = (reach * reach - apart * apart).isqrt() + 1;
    let all = (((width >> x.shift) + 1) * (x.factor + 1) + x.extent) >> (x.scale - PART_BITS);
    (all + 1).min(x.side << PART_BITS) as u8
}

fn count(axes: &[CellAxis; 3]) -> usize {
    axes.iter().map(|axis| axis.cells as usize).product()
}

#[cfg(test)]
mod tests;
