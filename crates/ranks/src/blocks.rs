//! Blocks of whole cells: the owner of a boid, the blocks that may perceive it, and how the grid is cut.
//!
//! Cells are counted modulo the grid's dimensions, also in an open world, where distant cells share a number: so a halo
//! reaches around the grid, and every pair within reach lies in nearby cells.

use std::cmp::Reverse;

use flock::grid::SLACK;
use flock::{Grid, Number, Rule, Vec3};

/// The coordinates of a cell.
pub type Cell = [u32; 3];

/// A box of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Block {
    pub first: Cell,
    /// One past the last cell on each axis.
    pub end: Cell,
}

impl Block {
    /// True if the block contains a cell.
    #[inline]
    pub fn contains(&self, cell: Cell) -> bool {
        (0..3).all(|k| self.first[k] <= cell[k] && cell[k] < self.end[k])
    }

    /// True if the block contains the cell of a position. On an axis where it spans the grid the cell is not computed.
    #[inline]
    pub fn holds<T: Number>(&self, grid: &Grid<T>, position: Vec3<T>) -> bool {
        let within = |k: usize| (self.first[k]..self.end[k]).contains(&grid.coordinate(position, k));
        (0..3).all(|k| (self.first[k], self.end[k]) == (0, grid.dims[k]) || within(k))
    }

    fn widths(&self) -> Cell {
        std::array::from_fn(|k| self.end[k] - self.first[k])
    }

    /// True if a cell is in the block or within its halo.
    #[inline]
    pub fn near(&self, cell: Cell, halo: &Halo) -> bool {
        let (widths, Halo { around, dims, .. }) = (self.widths(), halo);
        #[cfg(test)]
        let within = |k: usize| self.first[k] <= cell[k] && cell[k] < self.end[k];
        #[cfg(test)]
        if !halo.corners && (0..3).filter(|k| !within(*k)).count() > 1 {
            return false;
        }
        !widths.contains(&0)
            && (0..3).all(|k| {
                let wide = widths[k] + 2 * around[k];
                // Neither first nor around exceeds the dimension: the difference is no less than zero.
                wide >= dims[k] || (cell[k] + dims[k] + around[k] - self.first[k]) % dims[k] < wide
            })
    }

    /// The cells of the block that are in no other block's halo.
    pub fn inner(&self, halo: &Halo) -> Block {
        let Halo { around, dims, .. } = halo;
        let alone = |k: usize| self.end[k] - self.first[k] == dims[k];
        let first = |k: usize| if alone(k) { 0 } else { self.first[k] + around[k] };
        let end = |k: usize| if alone(k) { dims[k] } else { self.end[k].saturating_sub(around[k]) };
        Block { first: [0, 1, 2].map(first), end: [0, 1, 2].map(end) }
    }
}

/// Distance that halos reach beyond blocks.
#[derive(Clone, Copy, Debug)]
pub struct Halo {
    /// Cells on each side, at most `dims`.
    pub around: Cell,
    /// The dimensions of the grid.
    pub dims: Cell,
    /// Cleared by tests, to show that halos without edges and corners are noticed.
    #[cfg(test)]
    pub corners: bool,
}

impl Halo {
    /// The halo of all boids that can affect a block's boids within `steps` steps.
    ///
    /// A boid perceives to the reach r and moves by at most d per step. Its k-th step depends, through a chain of k
    /// neighbours, on boids up to k·r away from the chain's moved positions: each link moves by d per step, and so does
    /// the boid itself, so up to k·r + 2·(k − 1)·d from its current position.
    pub fn new<T: Number>(rule: &Rule<T>, grid: &Grid<T>, steps: u32) -> Self {
        let fastest = rule.max_speed.to_f64().max(rule.min_speed.to_f64()) * rule.time_step.to_f64();
        // Rounding may lengthen a unit vector.
        let moved = fastest * (1.0 + 1.0 / 256.0);
        let far = f64::from(steps) * rule.reach.to_f64() + 2.0 * (f64::from(steps) - 1.0) * moved;
        let inverse = grid.inverse.to_array().map(T::to_f64);
        // Half of the cells' slack over the reach covers the rounding of coordinates.
        let cells = |k: usize| (far * inverse[k] + SLACK / 2.0).ceil() as u32;
        Halo {
            around: [0, 1, 2].map(|k| cells(k).clamp(1, grid.dims[k])),
            dims: grid.dims,
            #[cfg(test)]
            corners: true,
        }
    }
}

/// Cuts a grid into one block per rank by recursive bisection: a block is cut across the axis of its load's greatest
/// extent, in proportion to the ranks. `loads` are this rank's cells; `sum` adds the loads of all ranks.
///
/// # Errors
/// The errors of `sum`.
pub fn bisect<E>(
    dims: Cell,
    ranks: usize,
    loads: &[(Cell, u64)],
    mut sum: impl FnMut(&mut [u64]) -> Result<(), E>,
) -> Result<Vec<Block>, E> {
    let mut pieces = vec![(Block { first: [0; 3], end: dims }, ranks)];
    while pieces.iter().any(|(_, ranks)| *ranks > 1) {
        // One histogram per axis and piece, one after the other.
        let mut length = 0;
        let mut start = |width: u32| {
            length += width as usize;
            length - width as usize
        };
        let starts: Vec<_> = pieces.iter().map(|(piece, _)| piece.widths().map(&mut start)).collect();
        let mut histograms = vec![0; length];
        for (cell, load) in loads {
            let piece = pieces.iter().position(|(piece, _)| piece.contains(*cell));
            for (k, piece) in (0..3).flat_map(|k| Some((k, piece?))) {
                histograms[starts[piece][k] + (cell[k] - pieces[piece].0.first[k]) as usize] += load;
            }
        }
        sum(&mut histograms)?;
        let cut = pieces.iter().zip(&starts).map(|((piece, ranks), starts)| {
            let along = |k: usize| &histograms[starts[k]..][..piece.widths()[k] as usize];
            halves(*piece, *ranks, along)
        });
        pieces = cut.flatten().collect();
    }
    Ok(pieces.into_iter().map(|(block, _)| block).collect())
}

/// Fraction of a load, as a divisor, by which an axis may be worse than another and still be cut.
const FINE: u64 = 32;

/// The two halves of a block for several ranks, or the block itself for one.
fn halves<'a>(
    block: Block,
    ranks: usize,
    along: impl Fn(usize) -> &'a [u64],
) -> impl Iterator<Item = (Block, usize)> {
    if ranks == 1 {
        return [Some((block, 1)), None].into_iter().flatten();
    }
    let extent = |k: usize| {
        let (loads, used) = (along(k), |load: &u64| *load > 0);
        let ends = loads.iter().position(used).zip(loads.iter().rposition(used));
        ends.map_or(0, |(first, last)| last - first + 1)
    };
    let low = ranks / 2;
    let total: u64 = along(0).iter().sum();
    let wanted = (u128::from(total) * low as u128 / ranks as u128) as u64;
    // Error of the best cut across an axis against the wanted loads, and its position.
    let nearest = |k: usize| {
        let mut below = 0;
        let ends = (1..).zip(along(k)).map(|(index, load)| {
            below += load;
            (below.abs_diff(wanted), index)
        });
        ends.fold((wanted, 0), Ord::min)
    };
    // An axis across which whole cells divide the load badly is taken only if no other does better. The last of equal
    // axes wins: boids of a slab of the last axis are contiguous in memory.
    let uneven = |k: usize| nearest(k).0 / (total / FINE).max(1);
    let axis = (0..3).max_by_key(|k| (Reverse(uneven(*k)), extent(*k), along(*k).len())).unwrap_or(0);
    let at = if total == 0 { (along(axis).len() * low / ranks) as u32 } else { nearest(axis).1 };
    let (mut left, mut right) = (block, block);
    left.end[axis] = block.first[axis] + at;
    right.first[axis] = left.end[axis];
    [Some((left, low)), Some((right, ranks - low))].into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIMS: Cell = [7, 5, 3];

    fn cells() -> impl Iterator<Item = Cell> {
        let [x, y, z] = DIMS;
        (0..x * y * z).map(move |k| [k % x, k / x % y, k / x / y])
    }

    /// Loads that gather in a corner of the grid.
    fn loads() -> Vec<(Cell, u64)> {
        cells().map(|cell| (cell, u64::from(cell[0] * cell[1] + cell[2] / 2))).collect()
    }

    fn blocks(ranks: usize, loads: &[(Cell, u64)]) -> Vec<Block> {
        bisect(DIMS, ranks, loads, |_| Ok::<(), ()>(())).expect("no sum fails")
    }

    #[test]
    fn each_cell_is_in_one_block() {
        for ranks in 1..=12 {
            for loads in [loads(), Vec::new(), vec![([6, 4, 2], 9)]] {
                let blocks = blocks(ranks, &loads);
                assert_eq!(blocks.len(), ranks);
                for cell in cells() {
                    let holders = blocks.iter().filter(|block| block.contains(cell)).count();
                    assert_eq!(holders, 1, "{cell:?}, {ranks} ranks");
                }
            }
        }
    }

    #[test]
    fn a_block_is_cut_where_the_loads_are_equal() {
        let even: Vec<_> = cells().map(|cell| (cell, 1)).collect();
        let cut = blocks(2, &even);
        assert_eq!((cut[0].end, cut[1].first), ([3, 5, 3], [3, 0, 0]), "across the longest axis");
        let heavy = |heavy: fn(Cell) -> bool| -> Vec<_> {
            cells().map(|cell| (cell, if heavy(cell) { 100 } else { 1 })).collect()
        };
        assert_eq!(blocks(2, &heavy(|cell| cell == [6, 2, 1]))[1].first, [6, 0, 0], "beside the heavy cell");
        assert_eq!(blocks(2, &heavy(|cell| cell[0] == 6))[1].first, [0, 2, 0], "through the heavy slab");
    }

    /// By definition: some cell of the block is as near along every axis, around the grid if that is shorter.
    #[test]
    fn near_cells_are_those_of_the_definition() {
        let apart = |a: u32, b: u32, dim: u32| a.abs_diff(b).min(dim - a.abs_diff(b));
        for around in [[1, 1, 1], [2, 1, 1], [3, 5, 1]] {
            let halo = Halo { around, dims: DIMS, corners: true };
            for block in [1, 2, 3, 8].into_iter().flat_map(|ranks| blocks(ranks, &loads())) {
                let inner = block.inner(&halo);
                for cell in cells() {
                    let close = |other: &Cell| (0..3).all(|k| apart(cell[k], other[k], DIMS[k]) <= around[k]);
                    let mut held = cells().filter(|other| block.contains(*other));
                    assert_eq!(
                        block.near(cell, &halo),
                        held.any(|other| close(&other)),
                        "{cell:?} {block:?}"
                    );
                    let others = || cells().filter(|other| !block.contains(*other));
                    let free = block.contains(cell) && !others().any(|other| close(&other));
                    assert!(!inner.contains(cell) || free, "{cell:?} {block:?}");
                }
            }
        }
    }
}
