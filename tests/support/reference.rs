//! What a flock comes to by brute force: every boid meets every other, in any number type.

use flock::{Boid, Number, Parameters, Predator, Rule, brute};
use murmuration::state::State;

/// The flock so many steps later.
pub fn reference<T: Number>(p: &Parameters, state: &State, steps: u64) -> State {
    let rule: Rule<T> = state.rule(p);
    let mut boids: Vec<Boid<T>> = state.boids.iter().map(|boid| rule.take_boid(boid)).collect();
    let mut hunters: Vec<Predator<T>> =
        state.predators.iter().map(|predator| rule.take_predator(predator)).collect();
    let mut next = boids.clone();
    for step in state.step..state.step + steps {
        brute::step(&rule, step, &boids, &mut hunters, &mut next);
        std::mem::swap(&mut boids, &mut next);
    }
    State {
        step: state.step + steps,
        boids: boids.iter().map(|boid| rule.give_boid(boid)).collect(),
        predators: hunters.iter().map(|hunter| rule.give_predator(hunter)).collect(),
    }
}
