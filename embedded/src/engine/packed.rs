//! Coarse positions and velocities, packed into two words per boid in two dimensions and three in three, and the
//! innermost loop over them.
//!
//! A word holds 2¹⁶·y + x, modulo 2³². The difference of two words is 2¹⁶·Δy + Δx. While both differences fit 16 bits,
//! Δx is the sign-extended lower half, and Δy is the upper half after Δx is subtracted.

use crate::memory::{Word, axes, vector};
use core::sync::atomic::Ordering::Relaxed;
use flock::fixed::FixedSums;
use flock::{Fixed, Rule};

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

/// Added to the x of a velocity before packing. The lower half is then unsigned, so unpacking takes one instruction per
/// half.
pub const VELOCITY_OFFSET: i32 = 1 << 14;

/// The words of a boid: position, velocity, and in three dimensions the z of both.
#[inline(always)]
pub fn pack_boid(position: [i32; 3], velocity: [i32; 3]) -> [i32; 3] {
    let [vx, vy, vz] = velocity;
    // Masked, so that a negative position does not reach into the velocity.
    [pack(position[0], position[1]), pack(vx + VELOCITY_OFFSET, vy), vz << 16 | position[2] & 0xffff]
}

/// Unpacks the coarse velocity from a boid's words.
#[inline(always)]
pub fn velocity([_, xy, z]: [i32; 3]) -> [i32; 3] {
    [(xy & 0xffff) - VELOCITY_OFFSET, xy >> 16, z >> 16]
}

/// Squared radii in coarse units; zero for a term that has none.
#[derive(Clone, Copy, Debug)]
pub struct Radii {
    pub reach: u32,
    pub separation: u32,
    pub alignment: u32,
    pub cohesion: u32,
    pub exclusive: bool,
}

impl Radii {
    /// Radii of a rule without field of view and without falloff.
    pub fn new(rule: &Rule<Fixed>) -> Self {
        Radii {
            reach: rule.reach_square.0 as u32,
            separation: rule.separation.radius_square.0 as u32,
            alignment: rule.alignment.radius_square.0 as u32,
            cohesion: rule.cohesion.radius_square.0 as u32,
            exclusive: rule.exclusive,
        }
    }

    /// True if alignment and cohesion have the same neighbours: all within reach that separation does not claim.
    pub fn shared(&self) -> bool {
        let Radii { reach, alignment, cohesion, exclusive, .. } = *self;
        reach == alignment && reach == cohesion && (exclusive || self.separation == 0)
    }
}

/// The sums of the boid in slot `me` over the slots of the runs, each given by its first slot and its end. `position`
/// returns the exact position of the boid in a slot.
#[inline(always)]
pub fn sums<const FLAT: bool>(
    boids: &[Word],
    radii: &Radii,
    runs: &[[u32; 2]],
    me: usize,
    position: impl Fn(usize) -> [i32; 3],
) -> FixedSums {
    let (mut sums, axes) = (FixedSums::default(), axes::<FLAT>());
    let ([my_xy, _, my_z], my_position) = (vector::<FLAT>(boids, me), position(me));
    for [first, end] in runs.iter().map(|run| run.map(|slot| slot as usize)) {
        let slots = boids.get(first * axes..end * axes).unwrap_or_default();
        for (slot, words) in (first..end).zip(slots.chunks_exact(axes)) {
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
                let other = position(slot);
                grow(&mut sums.separation, [0, 1, 2].map(|k| my_position[k] - other[k]));
                sums.separation_count += 1;
            }
            if too_near && radii.exclusive {
                continue;
            }
            if square < radii.alignment {
                grow(&mut sums.alignment, velocity([0, words[1].load(Relaxed) as i32, packed_z]));
                sums.alignment_count += 1;
            }
            if square < radii.cohesion {
                grow(&mut sums.cohesion, [x, y, z]);
                sums.cohesion_count += 1;
            }
        }
    }
    sums
}

#[inline(always)]
fn grow(sum: &mut [i32; 3], by: [i32; 3]) {
    for (sum, by) in sum.iter_mut().zip(by) {
        *sum += by;
    }
}
