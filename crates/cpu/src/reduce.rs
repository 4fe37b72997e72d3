//! What concerns the whole flock: its means, and what the predators see of it.
//!
//! Blocks of fixed length are summed on all cores, then their sums in order: the bits depend on no thread.

use flock::predators::{Schedule, advance, prey};
use flock::update::Means;
use flock::{Boid, Number, Predator, Requests, Rule, Vec3};
use rayon::prelude::*;

/// Boids a block.
const BLOCK: usize = 4096;

/// Sums over one block of boids.
#[derive(Clone, Copy, Debug)]
struct Partial<T: Number + Requests> {
    /// Sum of the positions, from the world's centre.
    offset: T::Wide,
    velocity: T::Wide,
    count: T,
}

/// The room that the sums need.
#[derive(Debug)]
pub struct Reduction<T: Number + Requests> {
    partials: Vec<Partial<T>>,
    /// For one predator at a time: the sum of [`prey`] over each block.
    prey: Vec<T::Wide>,
}

impl<T: Number + Requests> Reduction<T> {
    /// For a number of boids; nothing is allocated afterwards.
    pub fn new(boids: usize) -> Self {
        let blocks = boids.div_ceil(BLOCK);
        let zero = T::widen(Vec3::zero());
        let nothing = Partial { offset: zero, velocity: zero, count: T::ZERO };
        Reduction { partials: vec![nothing; blocks], prey: vec![zero; blocks] }
    }

    /// The means over the flock, perched boids left out; none where no boid flies.
    pub fn means(&mut self, rule: &Rule<T>, boids: &[Boid<T>]) -> Option<Means<T>> {
        let centre = rule.world_min + rule.half_size;
        boids.par_chunks(BLOCK).zip(&mut self.partials).for_each(|(block, partial)| {
            let zero = T::widen(Vec3::zero());
            let (mut offset, mut velocity, mut count) = (zero, zero, T::ZERO);
            for boid in block.iter().filter(|boid| !boid.resting()) {
                offset = offset + T::widen(Vec3::from(boid.position) - centre);
                velocity = velocity + T::widen(Vec3::from(boid.velocity));
                count = count + T::COUNT;
            }
            *partial = Partial { offset, velocity, count };
        });
        let mut partials = self.partials.iter();
        let mut all = *partials.next()?;
        for partial in partials {
            all.offset = all.offset + partial.offset;
            all.velocity = all.velocity + partial.velocity;
            all.count = all.count + partial.count;
        }
        (T::ZERO < all.count).then(|| Means {
            position: centre + T::divide(all.offset, all.count),
            velocity: T::divide(all.velocity, all.count),
        })
    }

    /// Moves the predators in step number `step`.
    pub fn hunt(
        &mut self,
        rule: &Rule<T>,
        step: u64,
        means: Option<Means<T>>,
        boids: &[Boid<T>],
        hunters: &mut [Predator<T>],
    ) {
        for (index, hunter) in hunters.iter_mut().enumerate() {
            let position = Vec3::from(hunter.position);
            let zero = T::widen(Vec3::zero());
            let mut attack = zero;
            if rule.attack_weight != T::ZERO {
                boids.par_chunks(BLOCK).zip(&mut self.prey).for_each(|(block, sum)| {
                    *sum = block.iter().fold(zero, |sum, boid| sum + T::widen(prey(rule, position, boid)));
                });
                attack = self.prey.iter().fold(attack, |sum, block| sum + *block);
            }
            let mean = means.map_or(position, |means| means.position);
            *hunter = advance(rule, hunter, mean, attack, Schedule::new(rule, step, index));
        }
    }
}
