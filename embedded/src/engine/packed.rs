//! Coarse positions and velocities, packed into two words a boid in two dimensions and three in three, and the innermost
//! loop over them.
//!
//! A word holds 2¹⁶·y + x, modulo 2³². The difference of two words is 2¹⁶·Δy + Δx. While both differences fit 16 bits,
//! Δx is the sign-extended lower half, and Δy is the upper half after Δx is subtracted.

use crate::memory::{Word, load, store};
use core::sync::atomic::Ordering::Relaxed;
use flock::fixed::FixedSums;
use flock::{Fixed, Rule, Vec3};

/// Packs two numbers into a word.
#[inline(always)]
pub fn pack(x: i32, y: i32) -> i32 {
    (y << 16).wrapping_add(x)
}

/// Unpacks a word whose numbers fit 16 bits each.
#[inline(always)]
pub fn unpack(word: i32) -> (i32, i32) {
    let x = i32::from(word as i16);
    (x, word.wrapping_sub(x) >> 16)
}

/// Added to the x of a velocity before packing. The lower half is then unsigned, so unpacking takes one instruction a
/// half.
pub const VELOCITY_OFFSET: i32 = 1 << 14;

/// The words of all boids in sorted order: position, velocity, and in three dimensions the z of both.
#[derive(Clone, Copy, Debug)]
pub struct PackedBoids<'m> {
    pub words: &'m [Word],
}

impl PackedBoids<'_> {
    /// Words per boid.
    const fn each<const FLAT: bool>() -> usize {
        if FLAT { 2 } else { 3 }
    }

    /// Packs the coarse position and velocity of the boid in a slot.
    #[inline(always)]
    pub fn put<const FLAT: bool>(&self, slot: usize, position: Vec3<Fixed>, velocity: Vec3<Fixed>) {
        let position_xy = pack(position.x.0, position.y.0);
        let velocity_xy = pack(velocity.x.0 + VELOCITY_OFFSET, velocity.y.0);
        if FLAT {
            store(self.words, slot, [position_xy, velocity_xy]);
        } else {
            // Masked, so that a negative position does not reach into the velocity.
            let z = velocity.z.0 << 16 | position.z.0 & 0xffff;
            store(self.words, slot, [position_xy, velocity_xy, z]);
        }
    }

    /// The words of the boid in a slot; the last is zero in two dimensions.
    #[inline(always)]
    pub fn get<const FLAT: bool>(&self, slot: usize) -> [i32; 3] {
        if FLAT {
            let [position, velocity] = load(self.words, slot);
            [position, velocity, 0]
        } else {
            load(self.words, slot)
        }
    }

    /// The coarse velocity of the boid in a slot.
    #[inline(always)]
    pub fn velocity<const FLAT: bool>(&self, slot: usize) -> Vec3<Fixed> {
        let [_, packed, z] = self.get::<FLAT>(slot);
        let ([x, y], z) = (unpack_velocity(packed), if FLAT { 0 } else { z >> 16 });
        Vec3 { x: Fixed(x), y: Fixed(y), z: Fixed(z) }
    }
}

/// Unpacks a velocity.
#[inline(always)]
fn unpack_velocity(word: i32) -> [i32; 2] {
    [(word & 0xffff) - VELOCITY_OFFSET, word >> 16]
}

/// Squared radii in coarse units; zero where a term has none.
#[derive(Clone, Copy, Debug)]
pub struct Radii {
    pub reach: u32,
    pub separation: u32,
    pub alignment: u32,
    pub cohesion: u32,
    pub exclusive: bool,
}

impl Radii {
    /// For a rule without field of view and without falloff.
    pub fn new(rule: &Rule<Fixed>) -> Self {
        Radii {
            reach: rule.reach_square.0 as u32,
            separation: rule.separation.radius_square.0 as u32,
            alignment: rule.alignment.radius_square.0 as u32,
            cohesion: rule.cohesion.radius_square.0 as u32,
            exclusive: rule.exclusive,
        }
    }

    /// True if alignment and cohesion have the same neighbours: all within reach that separation does not take.
    #[cfg(target_arch = "arm")]
    pub fn shared(&self) -> bool {
        let Radii { reach, alignment, cohesion, exclusive, .. } = *self;
        reach == alignment && reach == cohesion && (exclusive || self.separation == 0)
    }
}

/// Adds the boids of the slots `first..end` to the sums of the boid in slot `me`. `position` returns the exact position of
/// the boid in a slot.
#[inline(always)]
pub fn add<const FLAT: bool>(
    sums: &mut FixedSums,
    boids: &PackedBoids<'_>,
    radii: &Radii,
    me: usize,
    (first, end): (usize, usize),
    position: impl Fn(usize) -> [i32; 3],
) {
    let each = PackedBoids::each::<FLAT>();
    let [my_xy, _, my_z] = boids.get::<FLAT>(me);
    let slots = boids.words.get(first * each..end * each).unwrap_or_default();
    for (slot, words) in (first..end).zip(slots.chunks_exact(each)) {
        let (x, y) = unpack((words[0].load(Relaxed) as i32).wrapping_sub(my_xy));
        let packed_z = if FLAT { 0 } else { words[2].load(Relaxed) as i32 };
        let z = if FLAT { 0 } else { i32::from(packed_z.wrapping_sub(my_z) as i16) };
        // The sum of three squares of signed 16-bit numbers fits an unsigned word.
        let square = ((x * x) as u32).wrapping_add((y * y) as u32).wrapping_add((z * z) as u32);
        if square >= radii.reach || slot == me {
            continue;
        }
        let too_near = square < radii.separation;
        if too_near {
            let (mine, other) = (position(me), position(slot));
            grow(&mut sums.separation, [0, 1, 2].map(|k| mine[k] - other[k]));
            sums.separation_count += 1;
        }
        if too_near && radii.exclusive {
            continue;
        }
        if square < radii.alignment {
            let [x, y] = unpack_velocity(words[1].load(Relaxed) as i32);
            grow(&mut sums.alignment, [x, y, packed_z >> 16]);
            sums.alignment_count += 1;
        }
        if square < radii.cohesion {
            grow(&mut sums.cohesion, [x, y, z]);
            sums.cohesion_count += 1;
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
