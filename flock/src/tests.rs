//! Random flocks vary every parameter, and every step reads every parameter.

use std::string::String;
use std::vec::Vec;

use crate::parameters::{PARAMETERS, Parameters, ValueKind};
use crate::random::{draw, stream};
use crate::{Boid, Predator, Rule, brute, start};
use random_flock::{parameters, value};

mod lanes;
#[path = "../../tests/support/quad.rs"]
pub mod quad;
#[path = "../../tests/support/random_flock.rs"]
pub mod random_flock;

/// Parameters that say where a flock starts, not how it steps.
const OF_THE_START: [&str; 7] = [
    "flock.boids",
    "flock.start",
    "flock.density",
    "flock.groups",
    "scouts.right",
    "scouts.left",
    "scouts.bias",
];

/// The flock some steps after its start, in f64.
fn after(p: &Parameters, from: &Parameters, steps: u64) -> Vec<Boid<f64>> {
    let (before, rule) = (Rule::<f64>::new(from), Rule::<f64>::new(p));
    let mut boids: Vec<_> = (0..from.flock.boids).map(|id| before.quantise(&start::boid(from, id))).collect();
    let predator = |index| before.quantise_predator(&start::predator(from, index));
    let mut predators: Vec<Predator<f64>> = (0..from.predators.count).map(predator).collect();
    for step in 0..=steps {
        let mut next = boids.clone();
        if step == steps {
            // The engines do the same when parameters change.
            predators.truncate(p.predators.count as usize);
            predators.extend((predators.len() as u32..p.predators.count).map(predator));
        }
        brute::step(if step < steps { &before } else { &rule }, step, &boids, &mut predators, &mut next)
            .expect("its terms fit");
        boids = next;
    }
    boids
}

#[test]
fn what_a_parameter_needs_can_be_on_or_off() {
    for parameter in PARAMETERS {
        for need in parameter.needs.iter().flat_map(|need| need.split('|')) {
            let (name, word) = need.split_once('=').unwrap_or((need, ""));
            let needed = crate::parameters::find(name).expect(need);
            let known = match needed.kind {
                ValueKind::Choice(words) => words.contains(&word),
                ValueKind::Vector { .. } | ValueKind::Shares { .. } => false,
                _ => word.is_empty(),
            };
            assert!(known && name != parameter.name, "{} needs {need}", parameter.name);
        }
    }
}

#[test]
fn every_parameter_is_drawn_with_several_values() {
    let flocks: Vec<Parameters> = (0..80).map(|number| parameters(number, 100)).collect();
    for flock in &flocks {
        flock.check().expect("fits");
    }
    let fixed = ["world.min", "world.max", "flock.density"];
    for parameter in PARAMETERS.iter().filter(|parameter| !fixed.contains(&parameter.name)) {
        let differs = flocks.iter().any(|flock| parameter.get(flock) != parameter.get(&flocks[0]));
        assert!(differs, "{} is never varied", parameter.name);
    }
}

/// The rule reads every parameter: one that is in the table and nowhere else fails here.
#[test]
fn every_parameter_changes_the_step_of_some_flock() {
    let mut unread: Vec<String> = Vec::new();
    for parameter in PARAMETERS.iter().filter(|parameter| !OF_THE_START.contains(&parameter.name)) {
        let changes = |number: u32| {
            let p = parameters(number, 60);
            let mut other = p;
            let words = draw(number, 2, 0, stream::DRAWN);
            if parameter.set(&mut other, value(parameter, words)).is_err() || other.check().is_err() {
                return false;
            }
            other != p && after(&other, &p, 3) != after(&p, &p, 3)
        };
        if !(0..400).any(changes) {
            unread.push(parameter.name.into());
        }
    }
    assert!(unread.is_empty(), "no step depends on {}", unread.join(", "));
}
