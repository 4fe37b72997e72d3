//! Sorting the boids by cell, and by id within a cell: a counting sort on all cores. Within a dense cell, boids near
//! each other become neighbours in memory.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use flock::{Boid, Grid, Number};
use rayon::prelude::*;

/// Boids or cells per task.
const BLOCK: usize = 2048;

/// A cell with at least this many boids is dense, unless an engine uses no clusters.
pub const DENSE: usize = 128;

/// The sorted order, and the start of each cell in it.
#[derive(Debug, Default)]
pub struct Bins {
    /// Cell c holds the places `starts[c]..starts[c + 1]`; one entry more than there are cells.
    starts: Vec<AtomicU32>,
    /// Sums of the counts in each block of cells.
    blocks: Vec<u32>,
    /// Maximum number of boids in a cell.
    pub most: u32,
    /// Per boid before sorting: its cell, and its rank among the boids counted there.
    cells: Vec<u32>,
    slots: Vec<u32>,
    /// Per sorted index: `id << 32 | unsorted index`.
    order: Vec<AtomicU64>,
}

impl Bins {
    /// Room for the cells of a grid.
    pub fn new<T: Number>(grid: &Grid<T>) -> Self {
        let cells = grid.cells() as usize;
        Bins {
            starts: (0..=cells).map(|_| AtomicU32::new(0)).collect(),
            blocks: vec![0; (cells + 1).div_ceil(BLOCK)],
            ..Bins::default()
        }
    }

    /// Room for a number of boids; nothing is allocated afterwards.
    pub fn resize(&mut self, boids: usize) {
        self.cells.resize(boids, 0);
        self.slots.resize(boids, 0);
        self.order.resize_with(boids, AtomicU64::default);
    }

    /// Bytes of the arrays that sorting writes.
    pub fn bytes(&self) -> usize {
        let words = self.starts.len() + self.blocks.len() + self.cells.len() + self.slots.len();
        4 * words + size_of_val(&self.order[..])
    }

    /// Sorts; `ids` are the ids of the boids. A cell with `dense` boids or more is dense.
    pub fn sort<T: Number>(&mut self, grid: &Grid<T>, boids: &[Boid<T>], ids: &[u32], dense: usize) {
        let blocks = self.starts.par_chunks_mut(BLOCK);
        blocks.for_each(|counts| counts.iter_mut().for_each(|count| *count.get_mut() = 0));
        self.count(grid, boids);
        self.scan();
        self.place(ids);
        sort_cells(&self.starts, boids, ids, dense, &mut self.order);
    }

    /// The first sorted index of a cell; the number of boids for the cell after the last.
    #[inline(always)]
    pub fn start(&self, cell: u32) -> usize {
        self.starts[cell as usize].load(Relaxed) as usize
    }

    /// The unsorted index, the id and the cell of the boid at a sorted index.
    #[inline]
    pub fn source(&self, place: usize) -> (usize, u32, u32) {
        let key = self.order[place].load(Relaxed);
        let before = key as u32 as usize;
        (before, (key >> 32) as u32, self.cells[before])
    }

    /// Prefetches the boid of a sorted index, if there is one.
    #[inline(always)]
    #[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
    pub fn fetch<T: Number>(&self, place: usize, boids: &[Boid<T>]) {
        #[cfg(target_arch = "x86_64")]
        if let Some(key) = self.order.get(place) {
            let boid = boids.as_ptr().wrapping_add(key.load(Relaxed) as u32 as usize);
            // SAFETY: a hint, which touches nothing, wherever it points.
            unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(boid.cast()) };
        }
    }

    /// Finds the boids' cells and counts, a run of boids in one cell at a time: they come nearly sorted, and a
    /// flock in one cell must not make all threads wait for one counter.
    fn count<T: Number>(&mut self, grid: &Grid<T>, boids: &[Boid<T>]) {
        let counts = &self.starts;
        let blocks =
            (boids.par_chunks(BLOCK), self.cells.par_chunks_mut(BLOCK), self.slots.par_chunks_mut(BLOCK));
        blocks.into_par_iter().for_each(|(boids, cells, slots)| {
            for (cell, boid) in cells.iter_mut().zip(boids) {
                *cell = grid.cell(boid.position.into());
            }
            // No branch depends on where a run ends: it would be guessed wrong every other time.
            let (mut firsts, mut runs, mut last) = ([0; BLOCK + 1], 0, u32::MAX);
            for (k, (cell, slot)) in (0..).zip(cells.iter().zip(slots.iter_mut())) {
                firsts[runs] = k;
                runs += usize::from(*cell != last);
                last = *cell;
                *slot = runs as u32 - 1;
            }
            firsts[runs] = cells.len() as u32;
            for run in 0..runs {
                let (first, end) = (firsts[run], firsts[run + 1]);
                let number = counts[cells[first as usize] as usize].fetch_add(end - first, Relaxed);
                firsts[run] = number.wrapping_sub(first);
            }
            for (k, slot) in (0_u32..).zip(slots) {
                *slot = firsts[*slot as usize].wrapping_add(k);
            }
        });
    }

    /// Turns the counts into starts.
    fn scan(&mut self) {
        let sums = self.starts.par_chunks_mut(BLOCK).zip(&mut self.blocks);
        let most = sums.map(|(counts, sum)| {
            let counts = counts.iter_mut().map(|c| *c.get_mut());
            let (all, most) = counts.fold((0, 0), |(all, most), count| (all + count, count.max(most)));
            *sum = all;
            most
        });
        self.most = most.max().unwrap_or(0);
        exclusive_scan(0, self.blocks.iter_mut());
        let blocks = self.starts.par_chunks_mut(BLOCK).zip(&self.blocks);
        blocks.for_each(|(counts, before)| {
            exclusive_scan(*before, counts.iter_mut().map(AtomicU32::get_mut));
        });
    }

    fn place(&mut self, ids: &[u32]) {
        let (starts, order) = (&self.starts, &self.order);
        let blocks = (self.cells.par_chunks(BLOCK), self.slots.par_chunks(BLOCK), ids.par_chunks(BLOCK));
        blocks.into_par_iter().enumerate().for_each(|(block, (cells, slots, ids))| {
            for (before, ((cell, slot), id)) in (block * BLOCK..).zip(cells.iter().zip(slots).zip(ids)) {
                let place = starts[*cell as usize].load(Relaxed) + slot;
                order[place as usize].store(keyed(*id, before as u32), Relaxed);
            }
        });
    }
}

/// A key that is sorted by its first number; the second is the unsorted index of a boid.
fn keyed(first: u32, before: u32) -> u64 {
    u64::from(first) << 32 | u64::from(before)
}

/// Each number becomes the sum of `sum` and all the numbers before it.
fn exclusive_scan<'a>(mut sum: u32, numbers: impl Iterator<Item = &'a mut u32>) {
    for number in numbers {
        let count = std::mem::replace(number, sum);
        sum += count;
    }
}

/// Sorts each cell by id: the order in which threads counted must not show. A dense cell is sorted by position first.
/// `order` holds the places of the cells whose `starts` are given, with the start of the cell after the last.
fn sort_cells<T: Number>(
    starts: &[AtomicU32],
    boids: &[Boid<T>],
    ids: &[u32],
    dense: usize,
    order: &mut [AtomicU64],
) {
    let first = starts[0].load(Relaxed);
    let cells = starts.len() - 1;
    if cells > 1 && order.len() > BLOCK {
        let middle = cells / 2;
        let (low, high) = order.split_at_mut((starts[middle].load(Relaxed) - first) as usize);
        rayon::join(
            || sort_cells(&starts[..=middle], boids, ids, dense, low),
            || sort_cells(&starts[middle..], boids, ids, dense, high),
        );
        return;
    }
    let mut rest = order;
    for ends in starts.windows(2) {
        let (cell, later) = rest.split_at_mut((ends[1].load(Relaxed) - ends[0].load(Relaxed)) as usize);
        if cell.len() >= dense {
            sort_dense_cell(boids, ids, cell);
        } else if cell.len() > 1 {
            cell.sort_unstable_by_key(|key| key.load(Relaxed));
        }
        rest = later;
    }
}

/// Sorts a dense cell along a curve that keeps neighbours together, through the box around its boids; by id where the
/// curve does not tell them apart. Meanwhile the place on the curve stands where the id was.
fn sort_dense_cell<T: Number>(boids: &[Boid<T>], ids: &[u32], cell: &mut [AtomicU64]) {
    let place = |key: &mut AtomicU64| boids[*key.get_mut() as u32 as usize].position.map(T::to_f64);
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for place in cell.iter_mut().map(place) {
        low = std::array::from_fn(|k| low[k].min(place[k]));
        high = std::array::from_fn(|k| high[k].max(place[k]));
    }
    let widest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let scale = if widest > 0.0 { f64::from((1 << CURVE) - 1) / widest } else { 0.0 };
    let curve = |place: [f64; 3]| {
        (0..3).map(|k| spread(((place[k] - low[k]) * scale) as u32) << k).fold(0, |all, bits| all | bits)
    };
    cell.par_iter_mut().for_each(|key| {
        let along = curve(place(key));
        *key.get_mut() = keyed(along, *key.get_mut() as u32);
    });
    let id = |key: u64| ids[key as u32 as usize];
    cell.par_sort_unstable_by(|a, b| {
        let (a, b) = (a.load(Relaxed), b.load(Relaxed));
        (a >> 32).cmp(&(b >> 32)).then_with(|| id(a).cmp(&id(b)))
    });
    cell.par_iter_mut().for_each(|key| {
        let before = *key.get_mut();
        *key.get_mut() = keyed(id(before), before as u32);
    });
}

/// Bits of a coordinate on the curve.
const CURVE: u32 = 10;

/// The lower [`CURVE`] bits, two zeros between each and the next.
fn spread(bits: u32) -> u32 {
    (0..CURVE).fold(0, |all, bit| all | (bits >> bit & 1) << (3 * bit))
}
