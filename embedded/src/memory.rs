//! The arena: one block of memory, divided into the arrays of a flock of any size and dimension.
//!
//! Both cores access it, so every word is atomic. Relaxed atomics cost nothing on a Cortex-M0+.

use core::sync::atomic::{AtomicU16, AtomicU32, Ordering::Relaxed};

/// A word of the arena.
pub type Word = AtomicU32;

/// Half a word of the arena.
pub type Half = AtomicU16;

/// The minimum and the maximum number of grid cells.
pub const CELLS: [usize; 2] = [512, 16_384];

/// The arrays of a flock. A vector has one word per axis; z is left out in two dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Arrays<'m> {
    /// Positions by id, at this step and at the next; the two alternate.
    pub positions: [&'m [Word]; 2],
    /// Velocities by id. A step overwrites them in place, so neighbours read `packed`.
    pub velocities: &'m [Word],
    /// Biases by id.
    pub biases: &'m [Word],
    /// Group and rest by id.
    pub states: &'m [Word],
    /// Packed words in sorted order, as vectors.
    pub packed: &'m [Word],
    /// Ids in sorted order.
    pub order: &'m [Half],
    /// Cells by id.
    pub cells: &'m [Half],
    /// Velocities at the next step by id, for rules that read exact velocities; otherwise empty.
    pub next_velocities: &'m [Word],
    /// The first sorted index of each cell, and the end of the last cell.
    pub starts: &'m [Half],
}

/// Words of `starts` for the minimum number of cells.
const STARTS: usize = CELLS[0] / 2 + 1;

/// The largest number of boids that fit into `words`; `apart` as in [`Arrays::new`].
pub fn capacity(words: usize, flat: bool, apart: bool) -> usize {
    let axes = if flat { 2 } else { 3 };
    // Two positions, velocity, packed words; bias and state; half a word each for order and cell.
    let each = 4 * axes + 2 + 1 + if apart { axes } else { 0 };
    // Order and cells each lose half a word when the number of boids is odd.
    words.saturating_sub(STARTS + 1) / each
}

impl<'m> Arrays<'m> {
    /// Divides the arena for up to [`capacity`] boids. `apart` adds an array for the velocities at the next step; the
    /// arrays of the flock's state lie at the same addresses either way.
    pub fn new(arena: &'m [Word], boids: usize, flat: bool, apart: bool) -> Self {
        let mut rest = arena;
        let mut take = |count: usize| -> &'m [Word] {
            let (taken, left) = rest.split_at(count.min(rest.len()));
            rest = left;
            taken
        };
        let axes = if flat { 2 } else { 3 };
        let positions = [take(boids * axes), take(boids * axes)];
        let (velocities, biases, states) = (take(boids * axes), take(boids), take(boids));
        let packed = take(boids * axes);
        let mut halves = |count: usize| halves_of(take(count.div_ceil(2)), count);
        let (order, cells) = (halves(boids), halves(boids));
        let next_velocities = take(if apart { boids * axes } else { 0 });
        let starts = halves_of(rest, CELLS[1] + 1);
        Arrays { positions, velocities, biases, states, packed, order, cells, next_velocities, starts }
    }
}

/// The first `count` half-words of some words.
fn halves_of(words: &[Word], count: usize) -> &[Half] {
    // SAFETY: a word has the size of two halves and at least their alignment, every bit pattern is valid, and both
    // types are atomic.
    let all = unsafe { core::slice::from_raw_parts(words.as_ptr().cast::<Half>(), words.len() * 2) };
    &all[..count.min(all.len())]
}

/// Size of a value in words, including its alignment.
pub const fn words_of<T>() -> usize {
    (size_of::<T>() + align_of::<T>()).div_ceil(size_of::<Word>())
}

/// An aligned place for a value at the end of the arena; `None` if the arena is shorter than [`words_of`] it.
pub fn at_end<T>(arena: &[Word]) -> Option<*mut T> {
    let words = &arena[arena.len().checked_sub(words_of::<T>())?..];
    let first = words.as_ptr().cast_mut().cast::<u8>();
    let place = (first as usize).next_multiple_of(align_of::<T>());
    Some(first.wrapping_add(place - first as usize).cast())
}

/// Words of a vector.
pub const fn axes<const FLAT: bool>() -> usize {
    if FLAT { 2 } else { 3 }
}

/// Reads a vector; zeros beyond the end of the array.
#[inline(always)]
pub fn vector<const FLAT: bool>(array: &[Word], at: usize) -> [i32; 3] {
    let axes = axes::<FLAT>();
    let Some(words) = array.get(at * axes..).and_then(|rest| rest.get(..axes)) else { return [0; 3] };
    let read = |axis: usize| words[axis].load(Relaxed) as i32;
    [read(0), read(1), if FLAT { 0 } else { read(2) }]
}

/// Writes a vector; ignored beyond the end of the array.
#[inline(always)]
pub fn put_vector<const FLAT: bool>(array: &[Word], at: usize, vector: [i32; 3]) {
    let axes = axes::<FLAT>();
    if let Some(words) = array.get(at * axes..).and_then(|rest| rest.get(..axes)) {
        words.iter().zip(vector).for_each(|(word, component)| word.store(component as u32, Relaxed));
    }
}

/// Reads a word; zero beyond the end of the array.
#[inline(always)]
pub fn read(array: &[Word], at: usize) -> i32 {
    array.get(at).map_or(0, |word| word.load(Relaxed)) as i32
}

/// Writes a word; ignored beyond the end of the array.
#[inline(always)]
pub fn write(array: &[Word], at: usize, value: i32) {
    if let Some(word) = array.get(at) {
        word.store(value as u32, Relaxed);
    }
}

/// Reads a half; zero beyond the end of the array.
#[inline(always)]
pub fn read_half(array: &[Half], at: usize) -> usize {
    array.get(at).map_or(0, |half| half.load(Relaxed)).into()
}

/// Writes a half; ignored beyond the end of the array.
#[inline(always)]
pub fn write_half(array: &[Half], at: usize, value: usize) {
    if let Some(half) = array.get(at) {
        half.store(value as u16, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn the_arrays_of_the_largest_flock_fit_and_no_larger_one_does() {
        let arena: Vec<Word> = (0..26_000).map(|_| Word::new(0)).collect();
        for (flat, apart) in [(true, false), (true, true), (false, false), (false, true)] {
            let boids = capacity(arena.len(), flat, apart);
            let whole = |boids: usize| Arrays::new(&arena, boids, flat, apart).starts.len() > CELLS[0];
            assert!(whole(boids) && !whole(boids + 2), "{boids} boids, flat {flat}");
        }
        assert!(capacity(arena.len(), true, false) >= 2000 && capacity(10, true, false) == 0);
    }

    #[test]
    fn arrays_do_not_overlap() {
        let arena: Vec<Word> = (0..4000).map(|_| Word::new(0)).collect();
        let arrays = Arrays::new(&arena, 99, false, true);
        let [first, second] = arrays.positions;
        let Arrays { velocities, biases, states, packed, next_velocities, .. } = arrays;
        let words = [first, second, velocities, biases, states, packed, next_velocities].into_iter();
        let mut seen: Vec<usize> = words.flatten().map(|word| word.as_ptr() as usize).collect();
        let halves = arrays.order.iter().chain(arrays.cells).chain(arrays.starts);
        seen.extend(halves.map(|half| half.as_ptr() as usize));
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }
}
