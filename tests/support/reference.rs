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

/// The largest difference of a position and of a velocity, on the torus where there is one.
pub fn difference(p: &Parameters, a: &State, b: &State) -> (f64, f64) {
    let rule = Rule::<f64>::new(p);
    let far = |x: [f64; 3], y: [f64; 3]| {
        let offset: [f64; 3] = std::array::from_fn(|k| x[k] - y[k]);
        rule.nearest_image(offset.into()).largest()
    };
    let pairs = a.boids.iter().zip(&b.boids);
    let hunters = a.predators.iter().zip(&b.predators);
    let position = pairs.clone().map(|(x, y)| far(x.position, y.position)).fold(0.0, f64::max);
    let velocity = pairs.map(|(x, y)| far(x.velocity, y.velocity)).fold(0.0, f64::max);
    let hunted = hunters.map(|(x, y)| far(x.position, y.position)).fold(0.0, f64::max);
    (position.max(hunted), velocity)
}
