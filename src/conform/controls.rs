//! Negative controls: computations that are wrong in one place. Each must be caught by some tier.

use flock::perceive::{Senses, Sums};
use flock::{Boid, Fixed, Rule, Vec3, brute};

use super::brute::Slip;
use super::subject::Subject;
use crate::state::Numeric;

/// A slip, and the flock it is tried on.
#[derive(Debug)]
pub struct Control {
    pub name: &'static str,
    pub preset: &'static str,
    pub dimensions: u32,
    pub subject: Subject,
}

/// All of them.
#[must_use]
pub fn all() -> Vec<Control> {
    let integers = |name, slip: Slip<Fixed>| Control {
        name,
        preset: "cornell",
        dimensions: 2,
        subject: Subject::slipping(Numeric::Fixed, slip),
    };
    let right = Slip::<Fixed>::none;
    vec![
        integers("places rounded up, not to the nearest", Slip { look: upper_places, ..right() }),
        integers("weights cut, not rounded", Slip { rule: cut_weights, ..right() }),
        integers("an offset with its operands swapped", Slip { look: swapped, ..right() }),
        integers("one neighbour dropped by one boid", Slip { look: dropped, ..right() }),
        integers("a radius one coarse unit short", Slip { rule: short_radius, ..right() }),
        Control {
            name: "f32: steps counted in 8 bits",
            preset: "yabi",
            dimensions: 3,
            subject: Subject::slipping::<f32>(
                Numeric::F32,
                Slip { count: |step| step % 256, ..Slip::none() },
            ),
        },
    ]
}

fn shifted(boids: &[Boid<Fixed>], by: i32) -> Vec<Boid<Fixed>> {
    let shift = |boid: &Boid<Fixed>| Boid { position: boid.position.map(|c| c + Fixed(by)), ..*boid };
    boids.iter().map(shift).collect()
}

/// Half a coarse unit more before the place is rounded: that rounds up.
fn upper_places(
    _: u64,
    rule: &Rule<Fixed>,
    senses: &Senses<Fixed>,
    boids: &[Boid<Fixed>],
    id: usize,
) -> Sums<Fixed> {
    brute::look_around(rule, senses, &shifted(boids, 1 << rule.format.place >> 1), id)
}

/// 0.05 is 52,428.8 last digits: 52,429 when it is rounded, 52,428 when it is cut.
fn cut_weights(rule: &mut Rule<Fixed>) {
    for weight in [&mut rule.separate.weight, &mut rule.align.weight] {
        *weight = *weight - Fixed(1);
    }
}

/// Me minus the other, in place of the other minus me.
fn swapped(
    _: u64,
    rule: &Rule<Fixed>,
    senses: &Senses<Fixed>,
    boids: &[Boid<Fixed>],
    id: usize,
) -> Sums<Fixed> {
    let mut sums = Sums::new();
    let mine = Vec3::from(boids[id].position);
    for (j, other) in boids.iter().enumerate() {
        let there = senses.observer(other.position.into(), boids[id].velocity.into(), rule.detailed);
        let present = Some(j != id && !other.resting());
        let velocity = || other.velocity.into();
        if rule.detailed {
            senses.add::<true>(&mut sums, &there, mine, velocity, present);
        } else {
            senses.add::<false>(&mut sums, &there, mine, velocity, present);
        }
    }
    sums
}

/// In each step one boid, another each time, does not see the last of its neighbours.
fn dropped(
    step: u64,
    rule: &Rule<Fixed>,
    senses: &Senses<Fixed>,
    boids: &[Boid<Fixed>],
    id: usize,
) -> Sums<Fixed> {
    let all = brute::look_around(rule, senses, boids, id);
    if step as usize % boids.len() != id {
        return all;
    }
    let count = |sums: &Sums<Fixed>| {
        [sums.separation_count, sums.alignment_count, sums.cohesion_count].map(|count| count.0)
    };
    let without = |other: usize| {
        let mut fewer = boids.to_vec();
        // Nobody perceives a boid on its perch.
        fewer[other].rest = 1;
        brute::look_around(rule, senses, &fewer, id)
    };
    let others = (0..boids.len()).rev().filter(|other| *other != id);
    others.map(without).find(|fewer| count(fewer) != count(&all)).unwrap_or(all)
}

/// Alignment, whose radius is the reach, sees one coarse unit less far.
fn short_radius(rule: &mut Rule<Fixed>) {
    let radius = rule.format.reach - 1;
    rule.alignment.radius_square = Fixed(radius * radius);
}
