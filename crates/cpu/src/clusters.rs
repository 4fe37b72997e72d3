//! The clusters of a sorted flock: sums over aligned blocks of its boids, 32 boids, 32 times as many, and so on.
//!
//! A cluster that lies wholly within every radius adds its sums in place of its boids', exactly: the set of perceived
//! boids is the same. So a flock that collapses costs no more than its edge.

use flock::number::Format;
use flock::perceive::Cluster;
use flock::{Number, Vec3};
use rayon::prelude::*;

/// Boids of the smallest clusters; clusters of a cluster of the next level.
pub const FAN: usize = 32;

/// The clusters, level by level.
#[derive(Debug, Default)]
pub struct Clusters<T> {
    levels: Vec<Vec<Cluster<T>>>,
}

impl<T: Number> Clusters<T> {
    /// Room for the clusters of a number of boids.
    pub fn resize(&mut self, boids: usize) {
        let empty = Cluster::empty(Vec3::zero(), Vec3::zero());
        let sizes = std::iter::successors(Some(boids / FAN), |clusters| Some(clusters / FAN));
        let filled = sizes.take_while(|clusters| *clusters > 0);
        self.levels.resize_with(filled.clone().count(), Vec::new);
        self.levels.iter_mut().zip(filled).for_each(|(level, clusters)| level.resize(clusters, empty));
    }

    /// Sums up a sorted flock.
    pub fn sum_up(&mut self, candidates: &[Candidate<T>], format: &Format<T>) {
        let Some((first, others)) = self.levels.split_first_mut() else { return };
        first.par_iter_mut().zip(candidates.par_chunks(FAN)).for_each(|(cluster, boids)| {
            let one = |boid: &Candidate<T>| {
                let mut one = Cluster { boids: T::COUNT, ..Cluster::empty(boid.position, boid.position) };
                T::add_velocity(&mut one.velocity, format, boid.velocity, true);
                one
            };
            *cluster = join(boids.iter().map(one), format);
        });
        let mut below = first;
        for level in others {
            level.par_iter_mut().zip(below.par_chunks(FAN)).for_each(|(cluster, parts)| {
                *cluster = join(parts.iter().copied(), format);
            });
            below = level;
        }
    }

    /// The highest level with a cluster that begins at a sorted index and ends no later than another; 0 without any.
    #[inline(always)]
    pub fn level(&self, first: usize, end: usize) -> usize {
        let fits = |level: &usize| first.is_multiple_of(size(*level)) && first + size(*level) <= end;
        (1..=self.levels.len()).take_while(fits).last().unwrap_or(0)
    }

    /// The cluster of a level that begins with the boid at a sorted index.
    #[inline(always)]
    pub fn cluster(&self, level: usize, first: usize) -> &Cluster<T> {
        &self.levels[level - 1][first / size(level)]
    }
}

/// The most levels: they hold more boids than 32 bits count.
pub const LEVELS: usize = 7;

/// Number of boids in a cluster of a level.
#[inline(always)]
pub fn size(level: usize) -> usize {
    1 << (FAN.trailing_zeros() as usize * level)
}

/// Merges clusters into one.
fn join<T: Number>(parts: impl Iterator<Item = Cluster<T>> + Clone, format: &Format<T>) -> Cluster<T> {
    let pick = |a: Vec3<T>, b: Vec3<T>, pick: fn(T, T) -> T| {
        Vec3::new(pick(a.x, b.x), pick(a.y, b.y), pick(a.z, b.z))
    };
    let nowhere = T::from_f64(f64::INFINITY);
    let far = Vec3::new(nowhere, nowhere, nowhere);
    let low = parts.clone().fold(far, |low, part| pick(low, part.low, T::min));
    let high = parts.clone().fold(-far, |high, part| pick(high, part.high, T::max));
    let more = |sum: Vec3<T>, part: Vec3<T>, offset: Vec3<T>, boids: T| {
        let axis =
            |sum: T, part: T, offset: T| sum.wrapping_add(part).wrapping_add(offset.wrapping_times(boids));
        Vec3::new(axis(sum.x, part.x, offset.x), axis(sum.y, part.y, offset.y), axis(sum.z, part.z, offset.z))
    };
    let corner = T::coarse_position(low, format);
    let mut all = Cluster::empty(low, high);
    for part in parts {
        let coarse = T::coarse_position(part.low, format) - corner;
        all.coarse_offsets = more(all.coarse_offsets, part.coarse_offsets, coarse, part.boids);
        all.offsets = more(all.offsets, part.offsets, part.low - low, part.boids);
        all.boids = all.boids + part.boids;
        all.velocity.sum = all.velocity.sum + part.velocity.sum;
        all.velocity.rest = all.velocity.rest + part.velocity.rest;
    }
    all
}

/// The position and velocity that other boids perceive. A perched boid is out of every boid's reach.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<T> {
    /// Its position; infinitely far for a perched boid.
    pub position: Vec3<T>,
    /// Its velocity.
    pub velocity: Vec3<T>,
}

/// The boids' coarse positions, an array a component: a register takes those of neighbours in memory at once. There are
/// [`MAX_LANES`](super::vector::MAX_LANES) more entries than boids: a register may be filled from the last boid on.
pub type CoarsePositions<T> = [Vec<T>; 3];
