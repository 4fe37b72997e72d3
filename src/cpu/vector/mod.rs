//! Vector registers as [`flock::Lanes`].

#[cfg(target_arch = "x86_64")]
mod by_lane;
#[cfg(target_arch = "x86_64")]
mod set;
#[cfg(target_arch = "x86_64")]
pub mod words;
#[cfg(target_arch = "x86_64")]
pub mod x86;

use std::slice;

use flock::perceive::Sums;
use flock::update::{Flyers, StepContext, update_lanes};
use flock::{Fixed, Number, Requests, Rule, Sensing};

/// The most lanes a register has.
pub const MOST_LANES: usize = 16;

/// Lanes that boids look around in and are updated in.
pub trait Vector: Sensing<Scalar: Requests> {
    /// Lane k takes number k of at least as many numbers as there are lanes.
    fn load(numbers: &[Self::Scalar]) -> Self;
    /// Lane k takes the number k.
    #[inline(always)]
    fn numbers() -> Self {
        let mut array = Self::splat(Self::Scalar::ZERO).to_array();
        for (k, number) in array.as_mut().iter_mut().enumerate() {
            *number = Self::Scalar::from_f64(k as f64);
        }
        Self::from_array(array)
    }
    /// Bit k is that of lane k.
    fn bits(mask: Self::Mask) -> u32;

    /// Moves boids one step: all lanes at once in floating point, boid by boid in integers, whose requests are wider than
    /// the lanes.
    #[inline(always)]
    fn update(
        rule: &Rule<Self::Scalar>,
        context: &StepContext<'_, Self::Scalar>,
        sums: &Sums<Self>,
        flyers: Flyers<'_, Self>,
    ) {
        let sums = sums.unpack();
        for (k, (boid, id)) in flyers.boids.iter_mut().zip(flyers.ids).enumerate() {
            let (position, velocity) = (boid.position.into(), boid.velocity.into());
            let (boids, ids) = (slice::from_mut(boid), slice::from_ref(id));
            update_lanes(rule, context, &sums(k), Flyers { boids, ids, position, velocity });
        }
    }

    /// Writes the numbers of the bits that are set, counted from `first`, and returns how many there are. There must be
    /// room for as many numbers as there are lanes; those after the last written are overwritten too.
    #[inline(always)]
    fn write_set(bits: u32, first: u32, numbers: &mut [u32]) -> usize {
        let numbers = &mut numbers[..Self::LANES];
        let mut count = 0;
        for k in 0..Self::LANES {
            numbers[count] = first.wrapping_add(k as u32);
            // No branch: it would be guessed wrong every other time.
            count += (bits >> k & 1) as usize;
        }
        count
    }
}

macro_rules! single {
    ($($type:ty),*) => {$(
        impl Vector for $type {
            #[inline(always)]
            fn load(numbers: &[$type]) -> $type {
                numbers[0]
            }
            #[inline(always)]
            fn bits(mask: bool) -> u32 {
                u32::from(mask)
            }
        }
    )*};
}

single!(f32, f64, Fixed);
