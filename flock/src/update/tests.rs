//! Terms whose effect a few boids show by themselves.

mod terms;
mod turning;

use crate::number::Number;
use crate::parameters::{Edges, Sphere, Spheres};
use crate::rule::Term;
use crate::{Boid, Fixed, Parameters, Predator, Rule, brute};

/// Two boids out of each other's reach, a step later.
fn step<T: Number>(p: &Parameters) -> [Boid<f64>; 2] {
    let rule = Rule::<T>::new(p);
    let at = |x: f64| Boid { position: [x, 50.0, 50.0], velocity: [0.25, 0.0, -0.5], ..Boid::default() };
    let boids = [at(20.0), at(80.0)].map(|boid| rule.take_boid(&boid));
    let mut next = boids;
    brute::step(&rule, 0, &boids, &mut [], &mut next).expect("its terms fit");
    next.map(|boid| rule.give_boid(&boid))
}

/// v' = inertia·v + gain·a + time_step·wind, and p' = p + time_step·v'; numbers that every type has exactly.
fn wind_accelerates<T: Number>() {
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

/// An attractor, a home and an obstacle a world and a half away pull and push like their images inside.
fn places_beyond_a_wrapped_world_count_by_their_nearest_image<T: Number>() {
    let mut p = Parameters::default();
    (p.world.min, p.world.max, p.world.edges) = ([0.0; 3], [100.0; 3], Edges::Wrap);
    (p.attractor.weight, p.home.weight, p.home.half_extent) = (0.5, 0.25, 0.0);
    (p.obstacles.weight, p.obstacles.margin) = (0.5, 64.0);
    let place = |p: &mut Parameters, x: f64| {
        (p.attractor.position, p.home.position) = ([x, 50.0, 50.0], [x, 30.0, 50.0]);
        p.obstacles.spheres = Spheres::default();
        p.obstacles.spheres.push(Sphere { position: [x, 50.0, 50.0], radius: 1.0 }).expect("room for one");
    };
    place(&mut p, 50.0);
    let inside = step::<T>(&p);
    assert!(inside[0].velocity != inside[1].velocity, "the places pull in opposite directions");
    for beyond in [250.0, -150.0] {
        place(&mut p, beyond);
        // The same unit of length in integers, whatever the largest coordinate.
        if Rule::<T>::new(&p).unit == T::ONE {
            assert_eq!(step::<T>(&p), inside, "at {beyond}");
        } else {
            for (boid, other) in step::<T>(&p).iter().zip(&inside) {
                for (c, d) in boid.velocity.iter().zip(other.velocity) {
                    assert!((c - d).abs() < 0.01, "at {beyond}: {c} and {d}");
                }
            }
        }
    }
}

#[test]
fn places_beyond_a_wrapped_world_count_by_their_nearest_image_in_every_number_type() {
    places_beyond_a_wrapped_world_count_by_their_nearest_image::<f32>();
    places_beyond_a_wrapped_world_count_by_their_nearest_image::<f64>();
    places_beyond_a_wrapped_world_count_by_their_nearest_image::<Fixed>();
}

#[test]
fn a_predator_read_from_beyond_a_wrapped_world_is_brought_into_it() {
    let mut p = Parameters::default();
    (p.world.min, p.world.max, p.world.edges) = ([0.0; 3], [100.0; 3], Edges::Wrap);
    let read = |p: &Parameters| {
        let predator = Predator { position: [250.0, -30.0, 99.0], velocity: [0.0; 3] };
        Rule::<f64>::new(p).take_predator(&predator).position
    };
    assert_eq!(read(&p), [50.0, 70.0, 99.0]);
    p.world.edges = Edges::Open;
    assert_eq!(read(&p), [250.0, -30.0, 99.0]);
}

/// The angle in degrees between two velocities.
fn angle(a: [f64; 3], b: [f64; 3]) -> f64 {
    let dot = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    libm::acos((dot(a, b) / libm::sqrt(dot(a, a) * dot(b, b))).clamp(-1.0, 1.0)).to_degrees()
}

fn a_turn_is_no_greater_than_its_angle_and_keeps_the_speed<T: Number>() {
    let old = [0.25, 0.0, -0.5];
    let speed = |v: [f64; 3]| libm::sqrt(v.iter().map(|c| c * c).sum());
    // Aside, back, all but opposite, and, without wind, exactly opposite.
    for (inertia, wind) in
        [(1.0, [0.5, 1.0, 0.25]), (1.0, [-2.0, 0.5, 1.0]), (-1.0, [0.0, 0.001, 0.0]), (-1.0, [0.0; 3])]
    {
        let mut p = Parameters::default();
        (p.motion.inertia, p.motion.max_speed, p.wind.acceleration) = (inertia, 8.0, wind);
        let free = step::<T>(&p)[0].velocity;
        for most in [0.5, 5.0, 40.0, 90.0, 150.0] {
            p.motion.max_turn = most;
            let turned = step::<T>(&p)[0].velocity;
            let found = angle(old, turned);
            assert!(
                (found - most.min(angle(old, free))).abs() < 0.02,
                "{inertia}, {wind:?}: {found}° of {most}°"
            );
            assert!((speed(turned) - speed(free)).abs() < 1e-4, "{inertia}, {wind:?}, {most}°: {turned:?}");
            // In the plane of both, where they span one.
            let volume: f64 = [0, 1, 2]
                .iter()
                .map(|k| {
                    let (a, b) = ((k + 1) % 3, (k + 2) % 3);
                    turned[*k] * (old[a] * free[b] - old[b] * free[a])
                })
                .sum();
            assert!(volume.abs() < 1e-3, "{inertia}, {wind:?}, {most}°: {turned:?}");
        }
        // A turn within the limit changes no bit.
        p.motion.max_turn = 179.0;
        assert!(angle(old, free) > 178.0 || step::<T>(&p)[0].velocity == free);
        assert!(Rule::<T>::new(&p).terms.has(Term::MaxTurn));
        p.motion.max_turn = 180.0;
        assert!(!Rule::<T>::new(&p).terms.has(Term::MaxTurn));
    }
}

#[test]
fn a_turn_is_no_greater_than_its_angle_in_every_number_type() {
    a_turn_is_no_greater_than_its_angle_and_keeps_the_speed::<f32>();
    a_turn_is_no_greater_than_its_angle_and_keeps_the_speed::<f64>();
    a_turn_is_no_greater_than_its_angle_and_keeps_the_speed::<Fixed>();
}
