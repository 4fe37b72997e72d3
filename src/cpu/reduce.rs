//! What concerns the whole flock: its means, and what the predators see of it.
//!
//! Blocks of fixed length are summed on all cores, then their sums in order: the bits depend on no thread.

use flock::predators::{self, prey};
use flock::update::Means;
use flock::{Boid, Number, Predator, Rule, Vec3};
use rayon::prelude::*;

/// Boids a block.
const BLOCK: usize = 4096;

/// Sums over one block of boids.
#[derive(Clone, Copy, Debug)]
struct Partial<T> {
    /// Of the positions from the world's centre.
    offset: Vec3<T>,
    velocity: Vec3<T>,
    count: T,
}

/// The room that the sums need.
#[derive(Debug)]
pub struct Reduction<T> {
    partials: Vec<Partial<T>>,
    /// For one predator at a time: the sum of [`prey`] over each block.
    prey: Vec<Vec3<T>>,
}

impl<T: Number> Reduction<T> {
    /// For a number of boids; nothing is allocated afterwards.
    pub fn new(boids: usize) -> Self {
        let blocks = boids.div_ceil(BLOCK);
        let nothing = Partial { offset: Vec3::zero(), velocity: Vec3::zero(), count: T::ZERO };
        Reduction { partials: vec![nothing; blocks], prey: vec![Vec3::zero(); blocks] }
    }

    /// The means over the flock, boids on their perch left out; none where nobody flies.
    pub fn means(&mut self, rule: &Rule<T>, boids: &[Boid<T>]) -> Option<Means<T>> {
        let centre = rule.world_min + rule.half_size;
        boids.par_chunks(BLOCK).zip(&mut self.partials).for_each(|(block, partial)| {
            let (mut offset, mut velocity, mut count) = (Vec3::zero(), Vec3::zero(), T::ZERO);
            for boid in block.iter().filter(|boid| !boid.resting()) {
                offset = offset + (Vec3::from(boid.position) - centre);
                velocity = velocity + Vec3::from(boid.velocity);
                count = count + T::ONE;
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
            position: centre + all.offset.map(|c| c / all.count),
            velocity: all.velocity.map(|c| c / all.count),
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
            let mut attack = Vec3::zero();
            if rule.attack_weight != T::ZERO {
                boids.par_chunks(BLOCK).zip(&mut self.prey).for_each(|(block, sum)| {
                    *sum = block.iter().fold(Vec3::zero(), |sum, boid| sum + prey(rule, position, boid));
                });
                attack = self.prey.iter().fold(attack, |sum, block| sum + *block);
            }
            let mean = means.map_or(position, |means| means.position);
            let knot = predators::knot(step, index, rule.knot_period);
            *hunter = predators::advance(rule, hunter, mean, attack, knot);
        }
    }
}
