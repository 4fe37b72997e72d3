//! Turns keep the speed, and every boid finite.

use super::*;

/// A boid alone in the plane, at the unit speed.
fn alone<T: Number>(p: &Parameters, steps: u64, mut see: impl FnMut([f64; 3])) {
    let rule = Rule::<T>::new(p);
    let start = Boid { position: [50.0; 3], velocity: [0.6, 0.8, 0.0], ..Boid::default() };
    let mut boid = [rule.take_boid(&start)];
    for k in 0..steps {
        let mut next = boid;
        brute::step(&rule, k, &boid, &mut [], &mut next).expect("its terms fit");
        boid = next;
        see(rule.give_boid(&boid[0]).velocity);
    }
}

fn speed([x, y, z]: [f64; 3]) -> f64 {
    (x * x + y * y + z * z).sqrt()
}

fn wrapped_plane() -> Parameters {
    let mut p = Parameters::default();
    p.flock.dimensions = 2;
    (p.world.min, p.world.max, p.world.edges) = ([0.0; 3], [100.0; 3], Edges::Wrap);
    (p.noise.angle, p.motion.max_speed) = (90.0, 1000.0);
    p
}

fn angular_noise_keeps_the_speed_of<T: Number>() {
    let mut last = [0.0; 3];
    alone::<T>(&wrapped_plane(), 400_000, |velocity| last = velocity);
    assert!((speed(last) - 1.0).abs() < 1e-3, "{}", speed(last));
}

#[test]
fn angular_noise_keeps_the_speed() {
    angular_noise_keeps_the_speed_of::<f32>();
    angular_noise_keeps_the_speed_of::<f64>();
    angular_noise_keeps_the_speed_of::<Fixed>();
}

fn one_speed_is_never_exceeded_in<T: Number>(rounding: f64) {
    let mut p = wrapped_plane();
    (p.motion.min_speed, p.motion.max_speed) = (0.5, 0.5);
    let mut most = 0.0_f64;
    alone::<T>(&p, 10_000, |velocity| most = most.max(speed(velocity)));
    assert!(most <= 0.5 * (1.0 + rounding), "{most}");
}

#[test]
fn one_speed_is_never_exceeded() {
    one_speed_is_never_exceeded_in::<f32>(3e-7);
    one_speed_is_never_exceeded_in::<f64>(1e-15);
    // Two components, each rounded to 2^-18 of a unit of length.
    one_speed_is_never_exceeded_in::<Fixed>(1e-5);
}

/// Boids whose velocity nothing changes keep their speed, even at tiny greatest turns.
fn small_turns_keep_velocities_in<T: Number>() {
    for max_turn in [0.0, 1e-9, 0.01] {
        let mut p = Parameters::default();
        (p.motion.max_turn, p.motion.max_speed) = (max_turn, 4.0);
        for k in 0..200 {
            let part = |stream| f64::from(crate::random::signed(crate::random::draw(1, stream, k, 9)[0]));
            let velocity = [part(0), part(1), part(2)].map(|c| c / f64::from(1 << 24));
            let rule = Rule::<T>::new(&p);
            let start = Boid { position: [50.0; 3], velocity, ..Boid::default() };
            let boid = [rule.take_boid(&start)];
            let mut next = boid;
            brute::step(&rule, 0, &boid, &mut [], &mut next).expect("its terms fit");
            let moved = rule.give_boid(&next[0]).velocity;
            assert!((speed(moved) - speed(velocity)).abs() < 1e-5, "{max_turn}: {velocity:?} → {moved:?}");
        }
    }
}

/// The sideways velocity after a step of a boid that flies along x and requests the opposite, and this much aside.
fn side_of<T: Number>(aside: f64) -> f64 {
    let mut p = Parameters::default();
    (p.motion.inertia, p.motion.max_turn) = (-1.0, 10.0);
    p.wind.acceleration = [0.0, aside, 0.0];
    let rule = Rule::<T>::new(&p);
    let boid = [rule.take_boid(&Boid { position: [50.0; 3], velocity: [1.0, 0.0, 0.0], ..Boid::default() })];
    let mut next = boid;
    brute::step(&rule, 0, &boid, &mut [], &mut next).expect("its terms fit");
    rule.give_boid(&next[0]).velocity[1]
}

fn straight_back_turns_left_in<T: Number>() {
    for aside in [0.0, 5e-5, -5e-5, 1e-3] {
        assert!((side_of::<T>(aside) - 10_f64.to_radians().sin()).abs() < 1e-3, "{aside}");
    }
    assert!((side_of::<T>(-1e-3) + 10_f64.to_radians().sin()).abs() < 1e-3);
}

#[test]
fn straight_back_turns_left_and_all_else_to_its_side() {
    straight_back_turns_left_in::<f32>();
    straight_back_turns_left_in::<f64>();
    straight_back_turns_left_in::<Fixed>();
}

#[test]
fn small_turns_keep_velocities() {
    small_turns_keep_velocities_in::<f32>();
    small_turns_keep_velocities_in::<f64>();
    small_turns_keep_velocities_in::<Fixed>();
}
