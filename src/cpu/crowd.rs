//! What a crowd comes to: sums over aligned stretches of the sorted flock, 32 boids, 32 times as many, and so on.
//!
//! Where such a group lies wholly within every radius, its sums stand in for its boids, exactly: the very boids count
//! that would be perceived one by one. So a flock that collapses costs no more than its edge.

use flock::number::{Format, Total};
use flock::perceive::Group;
use flock::{Number, Rule, Vec3};
use rayon::prelude::*;

use super::seen::Seen;

/// Boids of the smallest groups; groups of the next level.
pub const FAN: usize = 32;

/// The groups, level by level.
#[derive(Debug)]
pub struct Crowd<T> {
    levels: Vec<Vec<Group<T>>>,
}

impl<T: Number> Crowd<T> {
    /// Room for the groups of a number of boids.
    pub fn new(boids: usize) -> Self {
        let zero = Vec3::zero();
        let velocity = Total { sum: zero, rest: zero };
        let nobody = Group { boids: T::ZERO, low: zero, high: zero, places: zero, positions: zero, velocity };
        let sizes = std::iter::successors(Some(boids / FAN), |groups| Some(groups / FAN));
        Crowd { levels: sizes.take_while(|groups| *groups > 0).map(|groups| vec![nobody; groups]).collect() }
    }

    /// Sums up a sorted flock.
    pub fn gather(&mut self, seen: &[Seen<T>], format: &Format<T>) {
        let Some((first, others)) = self.levels.split_first_mut() else { return };
        first.par_iter_mut().zip(seen.par_chunks(FAN)).for_each(|(group, seen)| {
            let zero = Vec3::zero();
            let one = |seen: &Seen<T>| {
                let mut velocity = Total { sum: zero, rest: zero };
                T::join(&mut velocity, format, seen.velocity, true);
                let (low, high) = (seen.position, seen.position);
                Group { boids: T::COUNT, low, high, places: zero, positions: zero, velocity }
            };
            *group = join(seen.iter().map(one), format);
        });
        let mut below = first;
        for level in others {
            level.par_iter_mut().zip(below.par_chunks(FAN)).for_each(|(group, parts)| {
                *group = join(parts.iter().copied(), format);
            });
            below = level;
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

/// Whether a group is small beside the reach: a third of it from corner to corner.
#[inline(always)]
pub fn compact<T: Number>(rule: &Rule<T>, group: &Group<T>) -> bool {
    let size = T::place(group.high, &rule.format) - T::place(group.low, &rule.format);
    T::square(size) < rule.reach_square * T::from_f64(1.0 / 9.0)
}

/// The group of several.
fn join<T: Number>(parts: impl Iterator<Item = Group<T>> + Clone, format: &Format<T>) -> Group<T> {
    let pick = |a: Vec3<T>, b: Vec3<T>, pick: fn(T, T) -> T| {
        Vec3::new(pick(a.x, b.x), pick(a.y, b.y), pick(a.z, b.z))
    };
    let nowhere = T::from_f64(f64::INFINITY);
    let far = Vec3::new(nowhere, nowhere, nowhere);
    let low = parts.clone().fold(far, |low, part| pick(low, part.low, Number::min));
    let high = parts.clone().fold(-far, |high, part| pick(high, part.high, Number::max));
    let zero = Vec3::zero();
    let more = |sum: Vec3<T>, part: Vec3<T>, offset: Vec3<T>, boids: T| {
        let axis = |sum: T, part: T, offset: T| sum.plus(part).plus(offset.times(boids));
        Vec3::new(axis(sum.x, part.x, offset.x), axis(sum.y, part.y, offset.y), axis(sum.z, part.z, offset.z))
    };
    let corner = T::place(low, format);
    let mut group = Group {
        boids: T::ZERO,
        low,
        high,
        places: zero,
        positions: zero,
        velocity: Total { sum: zero, rest: zero },
    };
    for part in parts {
        let place = T::place(part.low, format) - corner;
        group.places = more(group.places, part.places, place, part.boids);
        group.positions = more(group.positions, part.positions, part.low - low, part.boids);
        group.boids = group.boids + part.boids;
        group.velocity.sum = group.velocity.sum + part.velocity.sum;
        group.velocity.rest = group.velocity.rest + part.velocity.rest;
    }
    group
}

#[cfg(test)]
impl<T: Number> Crowd<T> {
    /// Every group, to be altered.
    pub fn groups(&mut self) -> impl Iterator<Item = &mut Group<T>> {
        self.levels.iter_mut().flatten()
    }
}
