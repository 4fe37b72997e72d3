//! Steps a flock by brute force, in any number type.

use engine::State;
use flock::Number;
use flock::{Boid, Parameters, Predator, Rule, brute};

/// The flock after `steps` steps.
pub fn reference<T: Number>(p: &Parameters, state: &State, steps: u64) -> State {
    let rule: Rule<T> = state.rule(p);
    let mut boids: Vec<Boid<T>> = state.boids.iter().map(|boid| rule.quantise(boid)).collect();
    let mut predators: Vec<Predator<T>> =
        state.predators.iter().map(|predator| rule.quantise_predator(predator)).collect();
    let mut next = boids.clone();
    for step in state.step..state.step + steps {
        brute::step(&rule, step, &boids, &mut predators, &mut next).expect("its terms fit");
        std::mem::swap(&mut boids, &mut next);
    }
    State {
        step: state.step + steps,
        boids: boids.iter().map(|boid| rule.dequantise(boid)).collect(),
        predators: predators.iter().map(|predator| rule.dequantise_predator(predator)).collect(),
    }
}
