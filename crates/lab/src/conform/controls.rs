//! Negative controls: computations with one error each. Some tier must catch each of them.

use flock::perceive::{AllRound, FieldOfView, Senses, Sums};
use flock::{Boid, Fixed, Rule, Vec3, brute};

use super::brute::Mutation;
use super::subject::Subject;
use cpu::state::Numeric;

/// A mutation and the flock that it is tried on.
#[derive(Debug)]
pub struct Control {
    pub name: &'static str,
    pub preset: &'static str,
    pub dimensions: u32,
    pub subject: Subject,
}

/// All controls.
pub fn all() -> Vec<Control> {
    let integers = |name, mutation: Mutation<Fixed>| Control {
        name,
        preset: "cornell",
        dimensions: 2,
        subject: Subject::mutated(Numeric::Fixed, mutation),
    };
    let correct = Mutation::<Fixed>::none;
    vec![
        integers("coarse positions rounded up", Mutation { sum_neighbours: rounded_up, ..correct() }),
        integers("weights truncated", Mutation { rule: truncated_weights, ..correct() }),
        integers("an offset with its operands swapped", Mutation { sum_neighbours: swapped, ..correct() }),
        integers("one neighbour dropped by one boid", Mutation { sum_neighbours: dropped, ..correct() }),
        integers("a radius one coarse unit short", Mutation { rule: short_radius, ..correct() }),
        Control {
            name: "f32: steps counted in 8 bits",
            preset: "yabi",
            dimensions: 3,
            subject: Subject::mutated::<f32>(
                Numeric::F32,
                Mutation { count: |step| step % 256, ..Mutation::none() },
            ),
        },
    ]
}

fn shifted(boids: &[Boid<Fixed>], by: i32) -> Vec<Boid<Fixed>> {
    let shift = |boid: &Boid<Fixed>| Boid { position: boid.position.map(|c| c + Fixed(by)), ..*boid };
    boids.iter().map(shift).collect()
}

/// Adds half a coarse unit before a position is rounded to the nearest.
fn rounded_up(
    _: u64,
    rule: &Rule<Fixed>,
    senses: &Senses<Fixed>,
    boids: &[Boid<Fixed>],
    id: usize,
) -> Sums<Fixed> {
    brute::sum_neighbours(rule, senses, &shifted(boids, 1 << rule.format.position_shift >> 1), id)
}

/// 0.05 is 52,428.8 units in the last place: 52,429 when rounded, 52,428 when truncated.
fn truncated_weights(rule: &mut Rule<Fixed>) {
    for weight in [&mut rule.separation_request.weight, &mut rule.alignment_request.weight] {
        *weight = *weight - Fixed(1);
    }
}

/// Own position minus the neighbour's, in place of the reverse.
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
        let there = senses.observer(other.position.into(), boids[id].velocity.into(), rule.has_field_of_view);
        let present = Some(j != id && !other.resting());
        let velocity = || other.velocity.into();
        if rule.has_field_of_view {
            senses.add::<FieldOfView>(&mut sums, &there, mine, velocity, present);
        } else {
            senses.add::<AllRound>(&mut sums, &there, mine, velocity, present);
        }
    }
    sums
}

/// In each step one boid, a different one each time, omits the last of its neighbours.
fn dropped(
    step: u64,
    rule: &Rule<Fixed>,
    senses: &Senses<Fixed>,
    boids: &[Boid<Fixed>],
    id: usize,
) -> Sums<Fixed> {
    let all = brute::sum_neighbours(rule, senses, boids, id);
    if step as usize % boids.len() != id {
        return all;
    }
    let count = |sums: &Sums<Fixed>| {
        [sums.separation_count, sums.alignment_count, sums.cohesion_count].map(|count| count.0)
    };
    let without = |other: usize| {
        let mut fewer = boids.to_vec();
        // A resting boid is not perceived.
        fewer[other].rest = 1;
        brute::sum_neighbours(rule, senses, &fewer, id)
    };
    let others = (0..boids.len()).rev().filter(|other| *other != id);
    others.map(without).find(|fewer| count(fewer) != count(&all)).unwrap_or(all)
}

/// Shortens the alignment radius, which is the reach, by one coarse unit.
fn short_radius(rule: &mut Rule<Fixed>) {
    let radius = rule.format.reach - 1;
    rule.alignment.radius_square = Fixed(radius * radius);
}
