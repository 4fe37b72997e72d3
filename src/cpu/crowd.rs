//! What a crowd comes to: sums over aligned stretches of the sorted flock, 32 boids, 32 times as many, and so on.
//!
//! Where such a group lies wholly within every radius, its sums stand in for its boids, exactly: the very boids count
//! that would be perceived one by one. So a flock that collapses costs no more than its edge.

use flock::{Number, Vec3};
use rayon::prelude::*;

use super::seen::Seen;

/// Boids of the smallest groups; groups of the next level.
pub const FAN: usize = 32;

/// A group.
#[derive(Clone, Copy, Debug)]
pub struct Group<T> {
    /// The corners of the box around its places.
    pub low: Vec3<T>,
    pub high: Vec3<T>,
    /// Sum of the places, from the low corner.
    pub offset: Vec3<T>,
    pub velocity: Vec3<T>,
}

/// The groups, level by level.
#[derive(Debug)]
pub struct Crowd<T> {
    levels: Vec<Vec<Group<T>>>,
}

impl<T: Number> Crowd<T> {
    /// Room for the groups of a number of boids.
    pub fn new(boids: usize) -> Self {
        let zero = Vec3::zero();
        let nobody = Group { low: zero, high: zero, offset: zero, velocity: zero };
        let sizes = std::iter::successors(Some(boids / FAN), |groups| Some(groups / FAN));
        Crowd { levels: sizes.take_while(|groups| *groups > 0).map(|groups| vec![nobody; groups]).collect() }
    }

    /// Sums up a sorted flock.
    pub fn gather(&mut self, seen: &[Seen<T>]) {
        let Some((first, others)) = self.levels.split_first_mut() else { return };
        first.par_iter_mut().zip(seen.par_chunks(FAN)).for_each(|(group, seen)| {
            let one = |seen: &Seen<T>| Group {
                low: seen.position,
                high: seen.position,
                offset: Vec3::zero(),
                velocity: seen.velocity,
            };
            *group = join(seen.iter().map(one), 1);
        });
        let mut below = first;
        let mut size = FAN;
        for level in others {
            level.par_iter_mut().zip(below.par_chunks(FAN)).for_each(|(group, parts)| {
                *group = join(parts.iter().copied(), size);
            });
            below = level;
            size *= FAN;
        }
    }

    /// The highest level with a group that begins at a place and ends where a stretch does at the latest; 0 without any.
    #[inline(always)]
    pub fn level(&self, place: usize, end: usize) -> usize {
        let fits = |level: &usize| place.is_multiple_of(size(*level)) && place + size(*level) <= end;
        (1..=self.levels.len()).take_while(fits).last().unwrap_or(0)
    }

    /// The group of a level that begins with the boid at a place.
    #[inline(always)]
    pub fn group(&self, level: usize, place: usize) -> &Group<T> {
        &self.levels[level - 1][place / size(level)]
    }
}

/// The most levels: so many hold more boids than a number of 32 bits counts.
pub const LEVELS: usize = 7;

/// Boids of a group of a level.
#[inline(always)]
pub fn size(level: usize) -> usize {
    1 << (FAN.trailing_zeros() as usize * level)
}

/// The group of several, each of so many boids.
fn join<T: Number>(parts: impl Iterator<Item = Group<T>> + Clone, boids: usize) -> Group<T> {
    let pick = |a: Vec3<T>, b: Vec3<T>, pick: fn(T, T) -> T| {
        Vec3::new(pick(a.x, b.x), pick(a.y, b.y), pick(a.z, b.z))
    };
    let nowhere = T::from_f64(f64::INFINITY);
    let far = Vec3::new(nowhere, nowhere, nowhere);
    let low = parts.clone().fold(far, |low, part| pick(low, part.low, Number::min));
    let high = parts.clone().fold(-far, |high, part| pick(high, part.high, Number::max));
    let boids = T::from_f64(boids as f64);
    let zero = Vec3::zero();
    let (offset, velocity) = parts.fold((zero, zero), |(offset, velocity), part| {
        (offset + part.offset + (part.low - low) * boids, velocity + part.velocity)
    });
    Group { low, high, offset, velocity }
}
