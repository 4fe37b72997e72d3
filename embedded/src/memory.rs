//! The arena: one stretch of memory, cut into the arrays of a flock of any size and dimension.
//!
//! Both cores read and write it, each its own boids, so every word is atomic; on these cores that costs nothing.

use core::sync::atomic::{AtomicU16, AtomicU32, Ordering::Relaxed};

/// A word of the arena.
pub type Word = AtomicU32;

/// Half of one.
pub type Half = AtomicU16;

/// There is room for this many cells of the grid at least, and never for more than the other number.
pub const CELLS: [usize; 2] = [512, 16_384];

/// The arrays of a flock. A record of a boid holds two or three coordinates; z is left out in two dimensions.
#[derive(Clone, Copy, Debug)]
pub struct Arrays<'m> {
    /// Positions at this step and at the next, a record a boid by id. Which is which alternates.
    pub positions: [&'m [Word]; 2],
    /// Velocity, bias, and group and rest: a record a boid by id. Overwritten boid by boid in a step; others look at
    /// `seen`.
    pub motions: &'m [Word],
    /// By cell: packed words, two a boid on a plane and three in space.
    pub seen: &'m [Word],
    /// The ids by cell.
    pub order: &'m [Half],
    /// The cell of each boid, by id.
    pub cells: &'m [Half],
    /// Velocities of the next step, two or three words a boid by id, where a step needs them kept apart; else empty.
    pub velocities: &'m [Word],
    /// Where each cell begins in `seen` and `order`, and where the last ends.
    pub starts: &'m [Half],
}

/// Words for the least number of cells, and for the end of the last.
const STARTS: usize = CELLS[0] / 2 + 1;

/// The most boids that fit a number of words; `apart` as for [`Arrays::new`].
#[must_use]
pub fn most(words: usize, flat: bool, apart: bool) -> usize {
    let axes = if flat { 2 } else { 3 };
    // Positions twice, velocities, bias, state, packed words, and a half for order and cell each.
    let each = 4 * axes + 2 + 1 + if apart { axes } else { 0 };
    // Half a word is lost twice where the number is odd.
    words.saturating_sub(STARTS + 1) / each
}

impl<'m> Arrays<'m> {
    /// Cuts the arena for so many boids; at most [`most`] have room. With the velocities of the next step kept `apart` or
    /// not, what a flock is made of lies in the same places.
    #[must_use]
    pub fn new(arena: &'m [Word], boids: usize, flat: bool, apart: bool) -> Self {
        let mut rest = arena;
        let mut take = |count: usize| -> &'m [Word] {
            let (taken, left) = rest.split_at(count.min(rest.len()));
            rest = left;
            taken
        };
        let axes = if flat { 2 } else { 3 };
        let positions = [take(boids * axes), take(boids * axes)];
        let motions = take(boids * (axes + 2));
        let seen = take(boids * axes);
        let mut halves = |count: usize| halves_of(take(count.div_ceil(2)), count);
        let (order, cells) = (halves(boids), halves(boids));
        let velocities = take(if apart { boids * axes } else { 0 });
        let starts = halves_of(rest, CELLS[1] + 1);
        Arrays { positions, motions, seen, order, cells, velocities, starts }
    }
}

/// Words as twice as many halves, of which the first `count` are wanted.
fn halves_of(words: &[Word], count: usize) -> &[Half] {
    // SAFETY: a word is as large as two halves and aligned for them, every bit pattern is a half, and both kinds may
    // be changed through shared references.
    let all = unsafe { core::slice::from_raw_parts(words.as_ptr().cast::<Half>(), words.len() * 2) };
    &all[..count.min(all.len())]
}

/// The record of so many words of a boid, or of the one in a slot.
#[inline(always)]
pub fn record<const WORDS: usize>(array: &[Word], at: usize) -> Option<&[Word; WORDS]> {
    array.get(at * WORDS..)?.first_chunk()
}

/// A record's words; zeros beyond the end of the array.
#[inline(always)]
pub fn load<const WORDS: usize>(array: &[Word], at: usize) -> [i32; WORDS] {
    record::<WORDS>(array, at)
        .map_or([0; WORDS], |record| core::array::from_fn(|k| record[k].load(Relaxed) as i32))
}

/// Writes a record; nothing beyond the end of the array.
#[inline(always)]
pub fn store<const WORDS: usize>(array: &[Word], at: usize, words: [i32; WORDS]) {
    if let Some(record) = record::<WORDS>(array, at) {
        for (to, word) in record.iter().zip(words) {
            to.store(word as u32, Relaxed);
        }
    }
}

/// Reads a word of an array; zero beyond its end.
#[inline(always)]
pub fn read(array: &[Word], at: usize) -> i32 {
    array.get(at).map_or(0, |word| word.load(Relaxed)) as i32
}

/// As [`read`].
#[inline(always)]
pub fn read_half(array: &[Half], at: usize) -> usize {
    array.get(at).map_or(0, |half| half.load(Relaxed)).into()
}

/// Writes a half of an array; nothing beyond its end.
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
            let boids = most(arena.len(), flat, apart);
            let whole = |boids: usize| Arrays::new(&arena, boids, flat, apart).starts.len() > CELLS[0];
            assert!(whole(boids) && !whole(boids + 2), "{boids} boids, flat {flat}");
        }
        assert!(most(arena.len(), true, false) >= 2000 && most(10, true, false) == 0);
    }

    #[test]
    fn arrays_do_not_overlap() {
        let arena: Vec<Word> = (0..4000).map(|_| Word::new(0)).collect();
        let arrays = Arrays::new(&arena, 99, false, true);
        let words = arrays.positions.into_iter().chain([arrays.motions, arrays.seen, arrays.velocities]);
        let mut seen: Vec<usize> = words.flatten().map(|word| word.as_ptr() as usize).collect();
        let halves = arrays.order.iter().chain(arrays.cells).chain(arrays.starts);
        seen.extend(halves.map(|half| half.as_ptr() as usize));
        let count = seen.len();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), count);
    }
}
