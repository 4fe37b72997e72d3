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
            *number = Self::Scalar::counted(k as i32);
        }
        Self::from_array(array)
    }
    /// Bit k is that of lane k.
    fn bits(mask: Self::Mask) -> u32;

    /// Moves boids one step. A function of its own for each register ([`updates`]): compiled into every loop that sums
    /// over neighbours, the rule would stand in the program a hundred times.
    fn update(
        rule: &Rule<Self::Scalar>,
        context: &StepContext<'_, Self::Scalar>,
        sums: &Sums<Self>,
        flyers: Flyers<'_, Self>,
    );

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

/// Moves boids one step, boid by boid: for integers, whose requests are wider than the lanes.
#[inline(always)]
fn update_each<V: Vector>(
    rule: &Rule<V::Scalar>,
    context: &StepContext<'_, V::Scalar>,
    sums: &Sums<V>,
    flyers: Flyers<'_, V>,
) {
    for (k, (boid, id)) in flyers.boids.iter_mut().zip(flyers.ids).enumerate() {
        let (position, velocity) = (boid.position.into(), boid.velocity.into());
        let (boids, ids) = (slice::from_mut(boid), slice::from_ref(id));
        update_lanes(rule, context, &sums.lane(k), Flyers { boids, ids, position, velocity });
    }
}

/// Defines [`Vector::update`] of a register by a function that is compiled once, with the register's instructions.
macro_rules! updates {
    ($name:ty, $scalar:ty, $with:path $(, $feature:literal)?) => {
        #[inline(always)]
        fn update(
            rule: &flock::Rule<$scalar>,
            context: &flock::update::StepContext<'_, $scalar>,
            sums: &flock::perceive::Sums<Self>,
            flyers: flock::update::Flyers<'_, Self>,
        ) {
            #[inline(never)]
            $(#[target_feature(enable = $feature)])?
            fn once(
                rule: &flock::Rule<$scalar>,
                context: &flock::update::StepContext<'_, $scalar>,
                sums: &flock::perceive::Sums<$name>,
                flyers: flock::update::Flyers<'_, $name>,
            ) {
                $with(rule, context, sums, flyers);
            }
            #[allow(unused_unsafe, reason = "SSE2 belongs to every x86-64")]
            // SAFETY: these types are only used below `Real::look`, which has made sure of the instructions.
            unsafe {
                once(rule, context, sums, flyers);
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
use updates;

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
            updates!($type, $type, update_each);
        }
    )*};
}

single!(f32, f64, Fixed);
