//! Blocks of whole cells: the owner of a boid, the blocks that may perceive it, and how the grid is cut.
//!
//! Cells are counted modulo the grid's dimensions, also in an open world, where distant cells share a number: so a halo
//! reaches around the grid, and every pair within reach lies in the same cell or in two that touch.

use std::cmp::Reverse;

use flock::{Grid, Number, Vec3};

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
        (0..3).all(|k| {
            let whole = (self.first[k], self.end[k]) == (0, grid.dims[k]);
            whole || (self.first[k]..self.end[k]).contains(&grid.coordinate(position, k))
        })
    }

    fn widths(&self) -> Cell {
        std::array::from_fn(|k| self.end[k] - self.first[k])
    }

    /// True if a cell is in the block or its halo.
    #[inline]
    pub fn near(&self, cell: Cell, halo: &Halo) -> bool {
        let (widths, dims) = (self.widths(), halo.dims);
        #[cfg(test)]
        if !(halo.seen)([0, 1, 2].map(|k| self.first[k] <= cell[k] && cell[k] < self.end[k])) {
            return false;
        }
        !widths.contains(&0)
            && (0..3).all(|k| {
                let wide = widths[k] + 2;
                // The first cell's coordinate is less than the dimension: the difference is no less than zero.
                wide >= dims[k] || (cell[k] + dims[k] + 1 - self.first[k]) % dims[k] < wide
            })
    }

    /// The cells of the block that are in no other block's halo.
    pub fn inner(&self, halo: &Halo) -> Block {
        let dims = halo.dims;
        let alone = |k: usize| self.end[k] - self.first[k] == dims[k];
        let first = |k: usize| if alone(k) { 0 } else { self.first[k] + 1 };
        let end = |k: usize| if alone(k) { dims[k] } else { self.end[k].saturating_sub(1) };
        Block { first: [0, 1, 2].map(first), end: [0, 1, 2].map(end) }
    }
}

/// The halos of all blocks: the cells next to a block, on faces, edges and corners. Cells are wider than the reach, so
/// these hold all that a boid of the block may perceive.
#[derive(Clone, Copy, Debug)]
pub struct Halo {
    /// The dimensions of the grid.
    dims: Cell,
    /// Tests leave cells out, to show that this is noticed: whether a cell counts, by the axes along which it is within
    /// the block.
    #[cfg(test)]
    pub seen: fn([bool; 3]) -> bool,
}

impl Halo {
    /// The halos of blocks of a grid with these dimensions.
    pub fn new(dims: Cell) -> Self {
        Halo {
            dims,
            #[cfg(test)]
            seen: |_| true,
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
