//! What others see of a boid, packed into two words in two dimensions and three in three, and the innermost loop over
//! them in plain Rust.
//!
//! A word holds 2¹⁶·y + x, modulo 2³². Of two such words the difference is 2¹⁶·Δy + Δx: as long as both fit 16 bits,
//! its lower half with its sign is Δx, and what is left without it is Δy.

use crate::memory::{Word, load, store};
use core::sync::atomic::Ordering::Relaxed;
use flock::fixed::Tally;
use flock::{Fixed, Rule, Vec3};

/// Two numbers in a word.
#[inline(always)]
pub fn pack(x: i32, y: i32) -> i32 {
    (y << 16).wrapping_add(x)
}

/// The two numbers of a word, each of which fits 16 bits.
#[inline(always)]
pub fn unpack(word: i32) -> (i32, i32) {
    let x = i32::from(word as i16);
    (x, word.wrapping_sub(x) >> 16)
}

/// What is added to the x of a pace before it is packed: the lower half then has no sign, and each half comes out in one
/// instruction.
pub const BIAS: i32 = 1 << 14;

/// The words of all boids in the order of their cells: place and pace, and in space what is packed of z.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'m> {
    pub words: &'m [Word],
}

impl Seen<'_> {
    /// Words a boid.
    const fn each<const FLAT: bool>() -> usize {
        if FLAT { 2 } else { 3 }
    }

    /// Packs the place and the pace of the boid in a slot.
    #[inline(always)]
    pub fn put<const FLAT: bool>(&self, slot: usize, place: Vec3<Fixed>, pace: Vec3<Fixed>) {
        let (place_xy, pace_xy) = (pack(place.x.0, place.y.0), pack(pace.x.0 + BIAS, pace.y.0));
        if FLAT {
            store(self.words, slot, [place_xy, pace_xy]);
        } else {
            // The place is cut to its lower half: it must not spill into the pace.
            store(self.words, slot, [place_xy, pace_xy, pace.z.0 << 16 | place.z.0 & 0xffff]);
        }
    }

    /// The words of the boid in a slot; the last is zero on a plane.
    #[inline(always)]
    pub fn get<const FLAT: bool>(&self, slot: usize) -> [i32; 3] {
        if FLAT {
            let [place, pace] = load(self.words, slot);
            [place, pace, 0]
        } else {
            load(self.words, slot)
        }
    }

    /// The pace of the boid in a slot.
    #[inline(always)]
    pub fn pace<const FLAT: bool>(&self, slot: usize) -> Vec3<Fixed> {
        let [_, packed, deep] = self.get::<FLAT>(slot);
        let ([x, y], z) = (pace(packed), if FLAT { 0 } else { deep >> 16 });
        Vec3 { x: Fixed(x), y: Fixed(y), z: Fixed(z) }
    }
}

/// A pace out of its word.
#[inline(always)]
fn pace(word: i32) -> [i32; 2] {
    [(word & 0xffff) - BIAS, word >> 16]
}

/// Squared radii in coarse units, zero where a rule looks at nobody.
#[derive(Clone, Copy, Debug)]
pub struct Radii {
    pub reach: u32,
    pub separation: u32,
    pub alignment: u32,
    pub cohesion: u32,
    pub exclusive: bool,
}

impl Radii {
    /// Of a rule that looks all round and whose separation does not weaken with the distance.
    #[must_use]
    pub fn new(rule: &Rule<Fixed>) -> Self {
        Radii {
            reach: rule.reach_square.0 as u32,
            separation: rule.separation.radius_square.0 as u32,
            alignment: rule.alignment.radius_square.0 as u32,
            cohesion: rule.cohesion.radius_square.0 as u32,
            exclusive: rule.exclusive,
        }
    }

    /// Whether alignment and cohesion see the same boids: all within reach that separation does not see.
    #[cfg(target_arch = "arm")]
    pub fn shared(&self) -> bool {
        let Radii { reach, alignment, cohesion, exclusive, .. } = *self;
        reach == alignment && reach == cohesion && (exclusive || self.separation == 0)
    }
}

/// Adds the boids of the slots from `first` to before `end` to what the one in slot `me` perceives; `fine` is the position
/// of the boid in a slot.
#[inline(always)]
pub fn add<const FLAT: bool>(
    tally: &mut Tally,
    seen: &Seen<'_>,
    radii: &Radii,
    me: usize,
    first: usize,
    end: usize,
    fine: impl Fn(usize) -> [i32; 3],
) {
    let each = Seen::each::<FLAT>();
    let [spot, _, depth] = seen.get::<FLAT>(me);
    let slots = seen.words.get(first * each..end * each).unwrap_or_default();
    for (slot, words) in (first..end).zip(slots.chunks_exact(each)) {
        let (x, y) = unpack((words[0].load(Relaxed) as i32).wrapping_sub(spot));
        let deep = if FLAT { 0 } else { words[2].load(Relaxed) as i32 };
        let z = if FLAT { 0 } else { i32::from(deep.wrapping_sub(depth) as i16) };
        // Three squares of 16 bits with a sign fit a word without one.
        let square = ((x * x) as u32).wrapping_add((y * y) as u32).wrapping_add((z * z) as u32);
        if square >= radii.reach || slot == me {
            continue;
        }
        let too_near = square < radii.separation;
        if too_near {
            let (mine, other) = (fine(me), fine(slot));
            grow(&mut tally.separation, [0, 1, 2].map(|k| mine[k] - other[k]));
            tally.separation_count += 1;
        }
        if too_near && radii.exclusive {
            continue;
        }
        if square < radii.alignment {
            let [x, y] = pace(words[1].load(Relaxed) as i32);
            grow(&mut tally.alignment, [x, y, deep >> 16]);
            tally.alignment_count += 1;
        }
        if square < radii.cohesion {
            grow(&mut tally.cohesion, [x, y, z]);
            tally.cohesion_count += 1;
        }
    }
}

#[inline(always)]
fn grow(sum: &mut [i32; 3], by: [i32; 3]) {
    for (sum, by) in sum.iter_mut().zip(by) {
        *sum += by;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_packed_words_are_packed_differences() {
        for (x, y) in [(0, 0), (1, -1), (-1, 1), (32_767, -32_768), (-32_768, 32_767), (-5, -7)] {
            assert_eq!(unpack(pack(x, y)), (x, y));
            for (far_x, far_y) in [(0, 0), (123_456_789, -987_654_321), (-70_000, 65_536), (65_535, -65_537)]
            {
                let difference = pack(far_x + x, far_y + y).wrapping_sub(pack(far_x, far_y));
                assert_eq!(unpack(difference), (x, y));
            }
        }
    }
}
