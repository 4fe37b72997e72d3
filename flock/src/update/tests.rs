//! Terms whose effect a few boids show by themselves.

use crate::{Boid, Fixed, Number, Parameters, Requests, Rule, brute};

/// Two boids out of each other's reach, a step later.
fn step<T: Number + Requests>(p: &Parameters) -> [Boid<f64>; 2] {
    let rule = Rule::<T>::new(p);
    let at = |x: f64| Boid { position: [x, 50.0, 50.0], velocity: [0.25, 0.0, -0.5], ..Boid::default() };
    let boids = [at(20.0), at(80.0)].map(|boid| rule.take_boid(&boid));
    let mut next = boids;
    brute::step(&rule, 0, &boids, &mut [], &mut next);
    next.map(|boid| rule.give_boid(&boid))
}

/// v' = inertia·v + gain·a + time_step·wind, and p' = p + time_step·v'; numbers that every type has exactly.
fn wind_accelerates<T: Number + Requests>() {
    let mut p = Parameters::default();
    (p.motion.inertia, p.motion.time_step, p.motion.max_speed) = (0.5, 0.5, 4.0);
    p.wind.acceleration = [0.5, -1.0, 0.25];
    for (boid, x) in step::<T>(&p).iter().zip([20.0, 80.0]) {
        assert_eq!(boid.velocity, [0.375, -0.5, -0.125]);
        assert_eq!(boid.position, [x + 0.1875, 49.75, 49.9375]);
    }
    p.flock.dimensions = 2;
    assert_eq!(step::<T>(&p)[0].velocity[1], -0.5);
}

#[test]
fn wind_accelerates_every_boid_in_every_number_type() {
    wind_accelerates::<f32>();
    wind_accelerates::<f64>();
    wind_accelerates::<Fixed>();
}
