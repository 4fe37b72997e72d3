//! The difference of two states.

use engine::State;
use flock::{Parameters, Rule};

/// The largest difference of a position and of a velocity, between nearest images in a wrapping world.
pub fn difference(p: &Parameters, a: &State, b: &State) -> (f64, f64) {
    let rule = Rule::<f64>::new(p);
    let far = |x: [f64; 3], y: [f64; 3]| {
        let offset: [f64; 3] = std::array::from_fn(|k| x[k] - y[k]);
        rule.nearest_image(offset.into()).largest()
    };
    let pairs = a.boids.iter().zip(&b.boids);
    let predators = a.predators.iter().zip(&b.predators);
    let position = pairs.clone().map(|(x, y)| far(x.position, y.position)).fold(0.0, f64::max);
    let velocity = pairs.map(|(x, y)| far(x.velocity, y.velocity)).fold(0.0, f64::max);
    let predators = predators.map(|(x, y)| far(x.position, y.position)).fold(0.0, f64::max);
    (position.max(predators), velocity)
}
