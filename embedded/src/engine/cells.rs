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
mod tests {
    use super::*;

    const CELLS: usize = 4096;
    use flock::Parameters;
    use flock::Vec3;
    use flock::random::draw;
    use std::collections::BTreeSet;
    use std::vec::Vec;

    fn rule(edges: Edges, dimensions: u32, size: f64, radius: f64) -> Rule<Fixed> {
        let mut p = Parameters::default();
        p.flock.dimensions = dimensions;
        p.world.edges = edges;
        p.world.min = [-size, -size * 0.7, -size * 0.5];
        p.world.max = [size, size, size];
        p.separation.radius = radius / 2.0;
        p.alignment.radius = radius;
        p.cohesion.radius = radius;
        Rule::new(&p)
    }

    /// Looks up a cell like the sort.
    fn at(cells: &Cells, place: Vec3<Fixed>) -> (usize, bool) {
        let (cell, place) = cells.cell::<false>(place.to_array().map(|c| c.0));
        (cell, place & BEYOND != 0)
    }

    /// Places inside the world and around it, in coarse units.
    fn places(rule: &Rule<Fixed>, count: u32, beyond: i32) -> Vec<Vec3<Fixed>> {
        let low = Fixed::coarse_position(rule.world_min, &rule.format).to_array();
        let size = rule.coarse_size.to_array();
        let one = |k: u32| {
            let words = draw(5, 6, k, 7);
            let at = |axis: usize| {
                let (size, word) = (i64::from(size[axis].0), i64::from(words[axis]));
                let spread = size * i64::from(100 + 2 * beyond) / 100;
                Fixed(low[axis].0 - (size * i64::from(beyond) / 100) as i32 + ((word * spread) >> 32) as i32)
            };
            Vec3 { x: at(0), y: at(1), z: if rule.flat { Fixed(0) } else { at(2) } }
        };
        (0..count).map(one).collect()
    }

    /// The offset as the rule sees it.
    fn square(rule: &Rule<Fixed>, a: Vec3<Fixed>, b: Vec3<Fixed>) -> Fixed {
        let (size, half) = (rule.coarse_size.to_array(), rule.coarse_half_size.to_array());
        let offset: [Fixed; 3] = from_fn(|k| {
            let o = (b - a).to_array()[k];
            match rule.edges {
                Edges::Wrap if half[k] < o => o - size[k],
                Edges::Wrap if o < -half[k] => o + size[k],
                _ => o,
            }
        });
        Fixed::square(offset.into())
    }

    #[test]
    fn all_within_reach_lie_in_the_cells_around() {
        for (edges, beyond) in [(Edges::Open, 0), (Edges::Open, 40), (Edges::Turn, 3), (Edges::Wrap, 0)] {
            for (dimensions, size, radius) in
                [(2, 100.0, 9.0), (2, 640.0, 3.0), (3, 50.0, 11.0), (3, 1.0, 0.9)]
            {
                let rule = rule(edges, dimensions, size, radius);
                let cells = Cells::new(&rule, CELLS);
                assert!(cells.count() <= CELLS && (cells.count() > 1 || size < 2.0));
                let places = places(&rule, 400, beyond);
                for a in &places {
                    let mut around = BTreeSet::new();
                    cells.around(at(&cells, *a).0, |first, end| {
                        assert!((first..end).all(|cell| around.insert(cell)), "a cell comes twice");
                    });
                    for b in &places {
                        let near = square(&rule, *a, *b) < rule.reach_square;
                        let (cell, _) = at(&cells, *b);
                        assert!(cell < cells.count());
                        assert!(
                            !near || around.contains(&cell),
                            "{edges:?} {dimensions} {size}: {a:?} {b:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn all_within_reach_lie_in_the_cells_that_are_touched() {
        let (mut inner, mut all, mut fewer) = (0, 0, 0);
        for (edges, size, radius, most) in [
            (Edges::Turn, 640.0, 40.0, 16_384),
            (Edges::Turn, 640.0, 40.0, 3000),
            (Edges::Open, 100.0, 9.0, 4096),
            (Edges::Turn, 30.0, 12.0, 70),
        ] {
            let rule = rule(edges, 2, size, radius);
            let cells = Cells::new(&rule, most);
            let widths = cells.widths((rule.reach.0 >> rule.format.position_shift) as u32);
            let places = places(&rule, 800, 5);
            for a in &places {
                all += 1;
                let mut around = 0;
                cells.around(at(&cells, *a).0, |first, end| around += end - first);
                let Some(touched) = cells.touched([a.x.0, a.y.0]) else { continue };
                let widths = &widths[touched.row_part][..touched.rows];
                let runs = widths.iter().zip(0..).map(|(width, row)| {
                    let end =
                        |part: u32| (touched.first + row * cells.columns() + (part >> PART_BITS)) as usize;
                    let width = u32::from(*width);
                    end(touched.part - width)..=end(touched.part + width)
                });
                let runs: Vec<_> = runs.collect();
                inner += 1;
                fewer +=
                    usize::from(runs.iter().map(|run| run.end() - run.start() + 1).sum::<usize>() < around);
                for b in places.iter().filter(|b| square(&rule, *a, **b) < rule.reach_square) {
                    let cell = at(&cells, *b).0;
                    assert!(runs.iter().any(|run| run.contains(&cell)), "{size} {most}: {a:?} {b:?}");
                }
            }
        }
        assert!(
            inner > all / 2 && inner < all && fewer > inner / 2,
            "{inner} of {all}, {fewer} with fewer cells"
        );
    }

    #[test]
    fn cells_are_finer_where_there_is_room() {
        let rule = rule(Edges::Turn, 2, 40.0, 9.0);
        let counts = [4096, 300, 100].map(|most| Cells::new(&rule, most).count());
        assert!(counts[0] > 300 && counts[1] <= 300 && counts[1] > counts[2], "{counts:?}");
    }

    #[test]
    fn packed_offsets_between_cells_side_by_side_tell_who_is_within_reach() {
        use crate::engine::packed::{pack, unpack};
        for (size, radius, narrow) in [(640.0, 40.0, true), (100.0, 9.0, true), (500.0, 0.3, false)] {
            let rule = rule(Edges::Turn, 2, size, radius);
            let cells = Cells::new(&rule, CELLS);
            assert_eq!(cells.narrow, narrow, "{size} {radius}");
            let places = places(&rule, 800, if narrow { 60 } else { 0 });
            let (inside, strayed): (Vec<Vec3<Fixed>>, Vec<Vec3<Fixed>>) =
                places.into_iter().partition(|place| !at(&cells, *place).1);
            assert!(!narrow || !strayed.is_empty());
            for a in inside.iter().filter(|_| narrow) {
                let mut runs = Vec::new();
                cells.around(at(&cells, *a).0, |first, end| runs.push(first..end));
                for b in inside.iter().filter(|b| runs.iter().any(|run| run.contains(&at(&cells, **b).0))) {
                    let word = |v: &Vec3<Fixed>| pack(v.x.0, v.y.0);
                    let (x, y) = unpack(word(b).wrapping_sub(word(a)));
                    let near = ((x * x) as u32 + (y * y) as u32) < rule.reach_square.0 as u32;
                    assert_eq!(near, square(&rule, *a, *b) < rule.reach_square, "{a:?} {b:?}");
                    assert!(!near || (x, y) == (b.x.0 - a.x.0, b.y.0 - a.y.0));
                }
            }
        }
    }
}
