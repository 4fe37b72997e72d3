//! The flock in integers: the same bits by every method, and parameters that do not fit are refused.

use config::presets::{self, PRESETS};
use engine::State;
use flock::{Boid, Fixed, Parameters, brute, fixed};

use crate::reference::reference;

/// A preset with other dimensions and another number of boids.
fn parameters(name: &str, dimensions: u32, boids: u32) -> Parameters {
    let mut p = presets::find(name).and_then(presets::Preset::parameters).expect("built in");
    p.flock.dimensions = dimensions;
    p.set_boids(boids);
    p
}

/// The CPU engine has the bits of brute force, step by step.
fn same_bits(name: &str, p: &Parameters, start: &State, steps: u32) {
    let mut engine = cpu::open_as::<Fixed>(p, start, Some(2)).expect("fits");
    let mut expected = start.clone();
    for step in 0..steps {
        engine.advance(1).expect("stepped");
        expected = reference::<Fixed>(p, &expected, 1);
        assert!(engine.state().expect("read") == expected, "{name}, step {step}");
    }
}

#[test]
fn dense_states_and_boids_outside_the_world_have_the_same_bits() {
    for (name, dimensions) in [("cornell", 2), ("holoviews", 3), ("yabi", 3), ("murmuration", 3)] {
        let p = parameters(name, dimensions, 150);
        let mut state = State::start(&p);
        let largest = 1000.0 / fixed::unit(&p);
        for (k, boid) in state.boids.iter_mut().enumerate() {
            match k % 5 {
                0 => boid.position = p.world.min,
                1 => boid.position[0] = largest * if k % 2 == 0 { 1.0 } else { -1.0 },
                2 => boid.position[1] = p.world.max[1] + k as f64,
                3 => boid.velocity = [largest; 3],
                _ => {}
            }
            if p.flat() {
                (boid.position[2], boid.velocity[2]) = (0.0, 0.0);
            }
        }
        same_bits(name, &p, &state, 20);
    }
}

#[test]
fn boids_half_a_world_away_are_perceived_once_and_in_one_image() {
    let mut p = parameters("holoviews", 2, 200);
    (p.cohesion.radius, p.alignment.radius) = (250.0, 250.0);
    let mut state = State::start(&p);
    for (k, boid) in state.boids.iter_mut().enumerate() {
        // Two clusters, half a world apart except for a few last digits.
        let last = (k % 7) as f64 / fixed::unit(&p) / f64::from(1 << 16);
        boid.position = [if k % 2 == 0 { 100.0 } else { 300.0 + last }, 200.0, 0.0];
    }
    same_bits("half a world away", &p, &state, 10);
    let mut turned = state.clone();
    turned.boids.reverse();
    let sum = |state: &State| {
        let rule = state.rule::<Fixed>(&p);
        let boids: Vec<Boid<Fixed>> = state.boids.iter().map(|boid| rule.quantise(boid)).collect();
        let id =
            boids.iter().position(|boid| boid.position[0] == boids[0].position[0].min(boids[1].position[0]));
        let seen =
            brute::sum_neighbours(&rule, &flock::perceive::Senses::new(&rule), &boids, id.expect("one"));
        (seen.cohesion.sum, seen.cohesion.rest)
    };
    // A sum that overflows depends on the order of its terms.
    assert_eq!(sum(&state), sum(&turned));
}

#[test]
fn parameters_that_do_not_fit_are_refused_by_name() {
    let refused = |change: fn(&mut Parameters)| {
        let mut p = parameters("cornell", 2, 500);
        change(&mut p);
        fixed::check(&p).map_err(|refused| refused.name())
    };
    assert_eq!(refused(|_| ()), Ok(()));
    assert_eq!(refused(|p| p.motion.max_speed = 9000.0), Err(Some("motion.max_speed")));
    assert_eq!(refused(|p| p.cohesion.radius = 1e6), Err(Some("cohesion.radius")));
    assert_eq!(refused(|p| p.flock.boids = 40_000_000), Err(Some("flock.boids")));
    assert_eq!(refused(|p| p.motion.time_step = 1e-9), Err(Some("motion.time_step")));
    // A radius that the rule does not use is not checked.
    assert_eq!(refused(|p| p.line_of_sight.radius = 1e6), Ok(()));
    let mut p = parameters("think", 3, 100);
    p.noise.weight = 100.0;
    let error = cpu::open_as::<Fixed>(&p, &State::start(&p), None).expect_err("too large").to_string();
    assert_eq!(error, "noise.weight must be at most 8 in fixed point in a world of this size, not 100.0");
    let file = "preset = 'swarm'\n[terms.x]\nradius = { default = 32.5, unit = 'len' }\n\
                weight = { default = 0.1, unit = '1/t' }\neach = 'offset'\n\
                request = 'weight * sum / max(count, 1)'\n";
    let mut p = config::parse(file, "a term").expect("it holds").parameters;
    let error = cpu::open_as::<Fixed>(&p, &State::start(&p), None).expect_err("too wide").to_string();
    assert_eq!(error, "terms.x.radius must be at most 32 in fixed point in a world of this size, not 32.5");
    p.terms.set("terms.x.radius", 32.0).expect("in its range");
    p.flock.boids = 64;
    assert_eq!(fixed::check(&p), Ok(()));
    let mut p = parameters("yabi", 3, 100);
    p.home.wander = 1e6;
    let refused = fixed::check(&p).expect_err("too slow").to_string();
    assert_eq!(refused, "at least 64 in fixed point in a world of this size, or 0");
}

#[test]
fn the_largest_allowed_flock_fits_its_sums() {
    for preset in PRESETS {
        let mut p = parameters(preset.name, 3, 500);
        p.flock.boids = 2_000_000_000;
        let message = fixed::check(&p).expect_err("too many").to_string();
        let most: u32 = message.split_whitespace().nth(2).and_then(|n| n.parse().ok()).expect("a number");
        p.flock.boids = most;
        assert!(fixed::check(&p).is_ok(), "{}: {most}", preset.name);
        p.flock.boids = most + 1;
        assert!(fixed::check(&p).is_err(), "{}: {most}", preset.name);
        println!("{}: {most}", preset.name);
    }
}
