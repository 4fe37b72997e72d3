//! Negative controls: computations with one error each. Some tier must catch each of them.

use flock::perceive::{FieldOfView, Sums};
use flock::{Boid, Fixed, Rule, brute};

use super::{Mutation, Subject, SumNeighbours};
use cpu::Real;

/// A mutation and the flock that it is tried on.
#[derive(Debug)]
pub struct Control {
    pub name: &'static str,
    pub preset: &'static str,
    pub subject: Subject,
}

/// All controls.
pub fn all() -> Vec<Control> {
    let integers =
        |name, mutation| Control { name, preset: "cornell", subject: Subject::mutated::<Fixed>(mutation) };
    vec![
        integers("coarse positions rounded up", rounded_up()),
        integers("weights truncated", truncated_weights()),
        integers("an offset with its operands swapped", swapped()),
        integers("one neighbour dropped by one boid", dropped()),
        integers("a radius one coarse unit short", short_radius()),
        Control {
            name: "f32: one neighbour dropped by one boid",
            preset: "cornell",
            subject: Subject::mutated::<f32>(dropped()),
        },
    ]
}

fn rule(rule: fn(&mut Rule<Fixed>)) -> Mutation<Fixed> {
    Mutation { rule, ..Mutation::none() }
}

fn sums<T: Real>(sum_neighbours: SumNeighbours<T>) -> Mutation<T> {
    Mutation { sum_neighbours, ..Mutation::none() }
}

/// Adds half a coarse unit before a position is rounded to the nearest.
pub fn rounded_up() -> Mutation<Fixed> {
    sums(|_, rule, senses, boids, id| {
        let half = Fixed(1 << rule.format.position_shift >> 1);
        let shift = |boid: &Boid<Fixed>| Boid { position: boid.position.map(|c| c + half), ..*boid };
        brute::sum_neighbours(rule, senses, &boids.iter().map(shift).collect::<Vec<_>>(), id)
    })
}

/// 0.05 is 52,428.8 units in the last place: 52,429 when rounded, 52,428 when truncated.
fn truncated_weights() -> Mutation<Fixed> {
    rule(|rule| {
        for weight in [&mut rule.separation_request.weight, &mut rule.alignment_request.weight] {
            *weight = *weight - Fixed(1);
        }
    })
}

/// The boid's position minus the neighbour's, instead of the reverse.
pub fn swapped() -> Mutation<Fixed> {
    sums(|_, rule, senses, boids, id| {
        let mut sums = Sums::new();
        let (mine, velocity) = (boids[id].position.into(), boids[id].velocity.into());
        for (j, other) in boids.iter().enumerate() {
            let there = senses.observer(other.position.into(), velocity, rule.needs_general_sums);
            let present = Some(j != id && !other.resting());
            let velocity = || other.velocity.into();
            senses.add::<FieldOfView>(&mut sums, &there, mine, velocity, present);
        }
        sums
    })
}

/// In each step one boid, a different one each time, omits the last of its neighbours.
pub fn dropped<T: Real>() -> Mutation<T> {
    sums(|step, rule, senses, boids, id| {
        let all = brute::sum_neighbours(rule, senses, boids, id);
        if step as usize % boids.len() != id {
            return all;
        }
        let counts = |sums: &Sums<T>| [sums.separation_count, sums.alignment_count, sums.cohesion_count];
        let without = |other: usize| {
            let mut fewer = boids.to_vec();
            // A resting boid is not perceived.
            fewer[other].rest = 1;
            brute::sum_neighbours(rule, senses, &fewer, id)
        };
        let others = (0..boids.len()).rev().filter(|other| *other != id);
        others.map(without).find(|fewer| counts(fewer) != counts(&all)).unwrap_or(all)
    })
}

/// Shortens the alignment radius, which is the reach, by one coarse unit.
pub fn short_radius() -> Mutation<Fixed> {
    rule(|rule| {
        let radius = rule.format.reach - 1;
        rule.alignment.radius_square = Fixed(radius * radius);
    })
}
