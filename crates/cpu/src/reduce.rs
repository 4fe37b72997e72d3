//! Sums over the whole flock: its means, and the predators' view of it.
//!
//! Blocks of fixed length are summed on all cores, then their sums in order: the bits depend on no thread.

use flock::predators::{Schedule, advance, prey};
use flock::update::Means;
use flock::{Boid, Number, Predator, Rule, Vec3};
use rayon::prelude::*;

/// Boids per block.
const BLOCK: usize = 4096;

/// Sums over the boids of a flock, or of a part of it: parts add theirs.
#[derive(Clone, Debug)]
pub struct Totals<T: Number> {
    /// Sum of the positions, from the world's centre, perched boids left out.
    pub offset: T::Wide,
    /// Sum of the velocities, likewise.
    pub velocity: T::Wide,
    /// Number of flying boids.
    pub count: T,
    /// Per predator: the sum of [`prey`] over all boids.
    pub prey: Vec<T::Wide>,
}

/// The sums, and the room that they need.
#[derive(Debug)]
pub struct Reduction<T: Number> {
    pub totals: Totals<T>,
    /// Sums of offsets and velocities over each block, and the number of flying boids there.
    partials: Vec<(T::Wide, T::Wide, T)>,
    /// For one predator at a time: the sum of [`prey`] over each block.
    prey: Vec<T::Wide>,
}

impl<T: Number> Reduction<T> {
    /// Without boids.
    pub fn new() -> Self {
        let zero = T::widen(Vec3::zero());
        let totals = Totals { offset: zero, velocity: zero, count: T::ZERO, prey: Vec::new() };
        Reduction { totals, partials: Vec::new(), prey: Vec::new() }
    }

    /// Makes room for a number of boids; nothing is allocated afterwards.
    pub fn resize(&mut self, boids: usize) {
        let (blocks, zero) = (boids.div_ceil(BLOCK), T::widen(Vec3::zero()));
        self.partials.resize(blocks, (zero, zero, T::ZERO));
        self.prey.resize(blocks, zero);
    }

    /// Sums over the boids that are `counted`, or over all where that is empty.
    pub fn sum_up(&mut self, rule: &Rule<T>, boids: &[Boid<T>], counted: &[bool], hunters: &[Predator<T>]) {
        if rule.means {
            self.sum_up_motion(rule, boids, counted);
        }
        let zero = T::widen(Vec3::zero());
        self.totals.prey.clear();
        self.totals.prey.resize(hunters.len(), zero);
        if rule.attack_weight == T::ZERO {
            return;
        }
        for (hunter, total) in hunters.iter().zip(&mut self.totals.prey) {
            let position = Vec3::from(hunter.position);
            boids.par_chunks(BLOCK).zip(&mut self.prey).enumerate().for_each(|(block, (boids, sum))| {
                let boids = of_block(boids, counted, block);
                *sum = boids.fold(zero, |sum, boid| sum + T::widen(prey(rule, position, boid)));
            });
            *total = self.prey.iter().fold(zero, |sum, block| sum + *block);
        }
    }

    fn sum_up_motion(&mut self, rule: &Rule<T>, boids: &[Boid<T>], counted: &[bool]) {
        let centre = rule.world_min + rule.half_size;
        let zero = T::widen(Vec3::zero());
        boids.par_chunks(BLOCK).zip(&mut self.partials).enumerate().for_each(|(block, (boids, partial))| {
            let (mut offset, mut velocity, mut count) = (zero, zero, T::ZERO);
            for boid in of_block(boids, counted, block).filter(|boid| !boid.resting()) {
                offset = offset + T::widen(Vec3::from(boid.position) - centre);
                velocity = velocity + T::widen(Vec3::from(boid.velocity));
                count = count + T::COUNT;
            }
            *partial = (offset, velocity, count);
        });
        let all = self
            .partials
            .iter()
            .copied()
            .reduce(|all, (offset, velocity, count)| (all.0 + offset, all.1 + velocity, all.2 + count));
        let Totals { offset, velocity, count, .. } = &mut self.totals;
        (*offset, *velocity, *count) = all.unwrap_or((zero, zero, T::ZERO));
    }

    /// The means over the flock; none where no rule needs them, or no boid flies.
    pub fn means(&self, rule: &Rule<T>) -> Option<Means<T>> {
        let Totals { offset, velocity, count, .. } = self.totals;
        (rule.means && T::ZERO < count).then(|| Means {
            position: rule.world_min + rule.half_size + T::divide(offset, count),
            velocity: T::divide(velocity, count),
        })
    }

    /// Moves the predators in step number `step`.
    pub fn move_predators(
        &self,
        rule: &Rule<T>,
        step: u64,
        means: Option<Means<T>>,
        hunters: &mut [Predator<T>],
    ) {
        for (index, (hunter, attack)) in hunters.iter_mut().zip(&self.totals.prey).enumerate() {
            let mean = means.map_or(Vec3::from(hunter.position), |means| means.position);
            *hunter = advance(rule, hunter, mean, *attack, Schedule::new(rule, step, index));
        }
    }
}

/// The boids of a block that are counted.
fn of_block<'a, T>(
    boids: &'a [Boid<T>],
    counted: &[bool],
    block: usize,
) -> impl Iterator<Item = &'a Boid<T>> {
    let counted = counted.get(block * BLOCK..).unwrap_or_default();
    let counts = |k: usize| counted.get(k).is_none_or(|counts| *counts);
    boids.iter().enumerate().filter(move |(k, _)| counts(*k)).map(|(_, boid)| boid)
}
