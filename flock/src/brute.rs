//! The reference: a step in which every boid looks at every other, in the order of their ids.

use crate::number::Number;
use crate::perceive::{Senses, Sums};
use crate::predators;
use crate::rule::Rule;
use crate::state::{Boid, Predator};
use crate::update::{Means, Surroundings, update};
use crate::vector::Vec3;

/// Sums for one boid of a flock in id order.
#[must_use]
pub fn look_around<T: Number>(rule: &Rule<T>, senses: &Senses<T>, boids: &[Boid<T>], id: usize) -> Sums<T> {
    let me = senses.observer(boids[id].position.into(), boids[id].velocity.into(), rule.detailed);
    let mut sums = Sums::new();
    for (j, other) in boids.iter().enumerate() {
        let present = Some(j != id && !other.resting());
        let velocity = || other.velocity.into();
        if rule.detailed {
            senses.add::<true>(&mut sums, &me, other.position.into(), velocity, present);
        } else {
            senses.add::<false>(&mut sums, &me, other.position.into(), velocity, present);
        }
    }
    sums
}

/// Means over the flock, those on their perch left out; none where nobody flies. Offsets from the world's centre
/// are summed, not positions.
#[must_use]
pub fn means<T: Number>(rule: &Rule<T>, boids: impl Iterator<Item = Boid<T>>) -> Option<Means<T>> {
    let centre = rule.world_min + rule.half_size;
    let nothing = T::widen(Vec3::zero());
    let (mut offset, mut velocity, mut count) = (nothing, nothing, T::ZERO);
    for boid in boids.filter(|b| !b.resting()) {
        offset = offset + T::widen(Vec3::from(boid.position) - centre);
        velocity = velocity + T::widen(Vec3::from(boid.velocity));
        count = count + T::COUNT;
    }
    (T::ZERO < count)
        .then(|| Means { position: centre + T::divide(offset, count), velocity: T::divide(velocity, count) })
}

/// Predator number `index` after step number `step`, from the flock's means and the boids it may attack.
#[must_use]
pub fn hunt<T: Number>(
    rule: &Rule<T>,
    step: u64,
    index: usize,
    hunter: &Predator<T>,
    means: Option<Means<T>>,
    boids: impl Iterator<Item = Boid<T>>,
) -> Predator<T> {
    let position = Vec3::from(hunter.position);
    let nothing = T::widen(Vec3::zero());
    let attack = boids.fold(nothing, |sum, b| sum + T::widen(predators::prey(rule, position, &b)));
    let mean = means.map_or(position, |m| m.position);
    let knot = predators::knot(step, index, rule.knot_period);
    predators::advance(rule, hunter, mean, attack, knot)
}

/// One whole step number `step`: the predators move, then `next` becomes the flock one step after `boids`.
/// Both slices are in id order and equally long.
pub fn step<T: Number>(
    rule: &Rule<T>,
    step: u64,
    boids: &[Boid<T>],
    hunters: &mut [Predator<T>],
    next: &mut [Boid<T>],
) {
    step_by(rule, step, boids, hunters, next, look_around);
}

/// The same with another way to look around, for comparisons.
pub fn step_by<T: Number>(
    rule: &Rule<T>,
    step: u64,
    boids: &[Boid<T>],
    hunters: &mut [Predator<T>],
    next: &mut [Boid<T>],
    look: impl Fn(&Rule<T>, &Senses<T>, &[Boid<T>], usize) -> Sums<T>,
) {
    let means = if rule.means { means(rule, boids.iter().copied()) } else { None };
    for (index, hunter) in hunters.iter_mut().enumerate() {
        *hunter = hunt(rule, step, index, hunter, means, boids.iter().copied());
    }
    let senses = Senses::new(rule);
    let around = Surroundings { step: step as u32, means, predators: hunters, senses };
    for (id, after) in next.iter_mut().enumerate() {
        let sums = look(rule, &senses, boids, id);
        *after = update(rule, &around, &boids[id], id as u32, sums);
    }
}
