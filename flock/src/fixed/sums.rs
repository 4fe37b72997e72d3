//! Sums over perceived boids, as plain integers.

use crate::number::Total;
use crate::perceive::Sums;
use crate::{Fixed, Vec3};

/// The part of [`Sums`] that rules with an all-round view and no falloff use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct FixedSums {
    /// Σ −o, to the last digit of a position.
    pub separation: [i32; 3],
    /// Number of boids that separation perceives.
    pub separation_count: i32,
    /// Σ v, in coarse units of velocity.
    pub alignment: [i32; 3],
    /// Number of boids that alignment perceives.
    pub alignment_count: i32,
    /// Σ o, in coarse units of length.
    pub cohesion: [i32; 3],
    /// Number of boids that cohesion perceives.
    pub cohesion_count: i32,
}

impl FixedSums {
    /// The sums as [`Sums`]; a coarse unit of length is 2^`shift` last digits of a position.
    pub fn sums(&self, shift: u32) -> Sums<Fixed> {
        let vector = |v: [i32; 3]| Vec3::from(v.map(Fixed));
        let coarse = |v: [i32; 3]| Total { sum: vector(v), rest: Vec3::zero() };
        Sums {
            separation: Total {
                sum: vector(self.separation.map(|c| c >> shift)),
                rest: vector(self.separation.map(|c| c - (c >> shift << shift))),
            },
            separation_count: Fixed(self.separation_count),
            alignment: coarse(self.alignment),
            alignment_count: Fixed(self.alignment_count),
            cohesion: coarse(self.cohesion),
            cohesion_count: Fixed(self.cohesion_count),
            line_of_sight: Vec3::zero(),
        }
    }
}
