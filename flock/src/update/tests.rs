//! Terms whose effect a few boids show by themselves.

use std::vec::Vec;

use super::probe::{Part, Probe, Stage};
use super::{BoidLanes, StepContext, UPRIGHT_SQUARE, course, update_lanes};
use crate::number::{Number, Vec3};
use crate::parameters::{Edges, Response, Sphere, Spheres};
use crate::perceive::Senses;
use crate::rule::Term;
use crate::state::group;
use crate::{Boid, Fixed, Parameters, Predator, Rule, brute};

macro_rules! in_every_number_type {
    ($($check:ident,)*) => {
        mod in_every_number_type {
            use super::Fixed;

            $(#[test]
            fn $check() {
                super::$check::<f32>();
                super::$check::<f64>();
                super::$check::<Fixed>();
            })*
        }
    };
}

in_every_number_type! {
    wind_accelerates,
    places_beyond_a_wrapped_world_count_by_their_nearest_image,
    a_turn_is_no_greater_than_its_angle_and_keeps_the_speed,
    angular_noise_keeps_the_speed,
    straight_back_turns_left,
    small_turns_keep_velocities,
    random_turns_have_their_distribution,
    errors_of_headings_are_normal,
    zones_begin_at_their_inner_radius,
    unit_vectors_are_added_up,
    separation_has_priority,
    scouts_are_drawn_to_their_directions,
    a_margin_begins_beyond_its_edge,
    a_surface_is_inside_its_obstacle,
}

/// The boids one step later, in users' units.
fn stepped<T: Number>(p: &Parameters, boids: &[Boid<f64>]) -> Vec<Boid<f64>> {
    after::<T>(p, boids, 7)
}

/// The boids after the step of a number.
fn after<T: Number>(p: &Parameters, boids: &[Boid<f64>], number: u64) -> Vec<Boid<f64>> {
    let rule = Rule::<T>::new(p);
    let boids: Vec<Boid<T>> = boids.iter().map(|boid| rule.quantise(boid)).collect();
    let mut next = boids.clone();
    brute::step(&rule, number, &boids, &mut [], &mut next).expect("its terms fit");
    next.iter().map(|boid| rule.dequantise(boid)).collect()
}

/// Two boids out of each other's reach, a step later.
fn step<T: Number>(p: &Parameters) -> Vec<Boid<f64>> {
    let velocity = [0.25, 0.0, -0.5];
    stepped::<T>(p, &[at(-30.0, 0.0, velocity), at(30.0, 0.0, velocity)])
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
fn a_predator_read_from_beyond_a_wrapped_world_is_brought_into_it() {
    let mut p = Parameters::default();
    (p.world.min, p.world.max, p.world.edges) = ([0.0; 3], [100.0; 3], Edges::Wrap);
    let read = |p: &Parameters| {
        let predator = Predator { position: [250.0, -30.0, 99.0], velocity: [0.0; 3] };
        Rule::<f64>::new(p).quantise_predator(&predator).position
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
        }
        // A turn within the limit changes no bit.
        p.motion.max_turn = 179.0;
        assert!(angle(old, free) > 178.0 || step::<T>(&p)[0].velocity == free);
        assert!(Rule::<T>::new(&p).terms.has(Term::MaxTurn));
        p.motion.max_turn = 180.0;
        assert!(!Rule::<T>::new(&p).terms.has(Term::MaxTurn));
    }
}

fn speed([x, y, z]: [f64; 3]) -> f64 {
    libm::sqrt(x * x + y * y + z * z)
}

fn angular_noise_keeps_the_speed<T: Number>() {
    let mut p = straight_on(2);
    (p.world.min, p.world.max, p.world.edges) = ([0.0; 3], [100.0; 3], Edges::Wrap);
    (p.noise.angle, p.motion.max_speed) = (90.0, 1000.0);
    let mut boid = Vec::from([at(0.0, 0.0, [0.6, 0.8, 0.0])]);
    for number in 0..40_000 {
        boid = after::<T>(&p, &boid, number);
    }
    assert!((speed(boid[0].velocity) - 1.0).abs() < 1e-3, "{:?}", boid[0]);
}

/// Boids whose velocity nothing changes keep their speed, even at tiny greatest turns.
fn small_turns_keep_velocities<T: Number>() {
    let part = |stream, k| f64::from(crate::random::signed(crate::random::draw(1, stream, k, 9)[0]));
    let velocity = |k| [0, 1, 2].map(|stream| part(stream, k) / f64::from(1 << 24));
    let boids: Vec<Boid<f64>> = (0..200).map(|k| at(0.0, 0.0, velocity(k))).collect();
    for max_turn in [0.0, 1e-9, 0.01] {
        let mut p = straight_on(3);
        (p.motion.max_turn, p.motion.max_speed) = (max_turn, 4.0);
        for (boid, moved) in boids.iter().zip(stepped::<T>(&p, &boids)) {
            let change = speed(moved.velocity) - speed(boid.velocity);
            assert!(change.abs() < 1e-5, "{max_turn}: {boid:?} → {moved:?}");
        }
    }
}

/// The sideways velocity after a step of a boid that flies along x and requests the opposite, and this much aside.
fn side_of<T: Number>(aside: f64) -> f64 {
    let mut p = Parameters::default();
    (p.motion.inertia, p.motion.max_turn) = (-1.0, 10.0);
    p.wind.acceleration = [0.0, aside, 0.0];
    stepped::<T>(&p, &[at(0.0, 0.0, [1.0, 0.0, 0.0])])[0].velocity[1]
}

fn straight_back_turns_left<T: Number>() {
    for aside in [0.0, 5e-5, -5e-5, 1e-3] {
        assert!((side_of::<T>(aside) - 10_f64.to_radians().sin()).abs() < 1e-3, "{aside}");
    }
    assert!((side_of::<T>(-1e-3) + 10_f64.to_radians().sin()).abs() < 1e-3);
}

/// Parameters by which boids fly straight on, whoever is near.
fn straight_on(dimensions: u32) -> Parameters {
    let mut p = Parameters::default();
    p.flock.dimensions = dimensions;
    (p.separation.weight, p.alignment.weight, p.cohesion.weight) = (0.0, 0.0, 0.0);
    p.world.edges = Edges::Open;
    p
}

fn at(x: f64, y: f64, velocity: [f64; 3]) -> Boid<f64> {
    Boid { position: [50.0 + x, 50.0 + y, 50.0], velocity, ..Boid::default() }
}

/// The turns in degrees of many boids by `noise.angle`, and the azimuths of these turns about the heading.
fn turns<T: Number>(dimensions: u32, most: f64) -> Vec<(f64, f64)> {
    turns_by::<T>(dimensions, |p| p.noise.angle = most)
}

/// The same by some noise.
fn turns_by<T: Number>(dimensions: u32, noise: impl FnOnce(&mut Parameters)) -> Vec<(f64, f64)> {
    let mut p = straight_on(dimensions);
    noise(&mut p);
    let z = if dimensions == 2 { 0.0 } else { 0.3 };
    let old = [0.5, 0.25, z];
    let boids: Vec<Boid<f64>> = (0..4000).map(|_| at(0.0, 0.0, old)).collect();
    let turn = |boid: &Boid<f64>| {
        let v = boid.velocity;
        assert!((speed(v) - speed(old)).abs() < 1e-4, "{v:?}");
        let left = [-old[1], old[0], 0.0];
        let along = |axis: [f64; 3]| (0..3).map(|k| v[k] * axis[k]).sum::<f64>();
        let up = [
            old[1] * left[2] - old[2] * left[1],
            old[2] * left[0] - old[0] * left[2],
            old[0] * left[1] - old[1] * left[0],
        ];
        (angle(old, v), libm::atan2(along(up) / speed(up), along(left) / speed(left)).to_degrees())
    };
    stepped::<T>(&p, &boids).iter().map(turn).collect()
}

/// The largest distance between the distribution of numbers in 0 to 1 and the uniform one (Kolmogorov and Smirnov).
fn from_uniform(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    let count = numbers.len() as f64;
    numbers.iter().enumerate().map(|(k, x)| (x - (k as f64 + 0.5) / count).abs()).fold(0.0, f64::max)
}

fn random_turns_have_their_distribution<T: Number>() {
    // Beyond it by chance in one of a thousand million.
    const FAR: f64 = 3.3 / 63.2;
    for most in [0.5, 20.0, 90.0, 180.0] {
        let flat = turns::<T>(2, most);
        let side = |(turn, azimuth): &(f64, f64)| if azimuth.abs() < 90.0 { *turn } else { -turn };
        assert!(from_uniform(flat.iter().map(side).map(|turn| 0.5 + 0.5 * turn / most)) < FAR, "{most}°");
        assert!(flat.iter().all(|(turn, _)| *turn < most + 0.01), "{most}°");

        let cap = turns::<T>(3, most);
        let share =
            |turn: f64| (libm::sin(turn.to_radians() / 2.0) / libm::sin(most.to_radians() / 2.0)).powi(2);
        assert!(from_uniform(cap.iter().map(|(turn, _)| share(*turn))) < FAR, "{most}°");
        assert!(from_uniform(cap.iter().map(|(_, azimuth)| 0.5 + azimuth / 360.0)) < FAR, "{most}°");
        assert!(cap.iter().all(|(turn, _)| *turn < most + 0.01), "{most}°");
        // An angle that is uniform is not uniform over a cap.
        assert!(from_uniform(cap.iter().map(|(turn, _)| turn / most)) > FAR, "{most}°");
    }
}

fn errors_of_headings_are_normal<T: Number>() {
    // Beyond it by chance in one of a thousand million, and by the tails of a sum of twelve.
    const FAR: f64 = 3.3 / 63.2 + 0.0024;
    let normal = |x: f64| 0.5 * libm::erfc(-x / core::f64::consts::SQRT_2);
    for deviation in [0.01, 0.05, 0.5] {
        let in_deviations = |turn: f64| turn.to_radians() / deviation;
        let flat = turns_by::<T>(2, |p| p.noise.gaussian = deviation);
        let side = |(turn, azimuth): &(f64, f64)| if azimuth.abs() < 90.0 { *turn } else { -turn };
        assert!(from_uniform(flat.iter().map(side).map(|turn| normal(in_deviations(turn)))) < FAR);
        let space = turns_by::<T>(3, |p| p.noise.gaussian = deviation);
        let either_way = |turn: f64| 2.0 * normal(in_deviations(turn)) - 1.0;
        assert!(from_uniform(space.iter().map(|(turn, _)| either_way(*turn))) < FAR, "{deviation}");
        assert!(from_uniform(space.iter().map(|(_, azimuth)| 0.5 + azimuth / 360.0)) < FAR, "{deviation}");
        // A deviation a fifth larger is told apart.
        assert!(from_uniform(space.iter().map(|(turn, _)| either_way(*turn / 1.2))) > FAR, "{deviation}");
    }
}

fn zones_begin_at_their_inner_radius<T: Number>() {
    let mut p = straight_on(3);
    (p.alignment.weight, p.alignment.radius, p.alignment.inner_radius) = (0.5, 9.0, 3.0);
    (p.cohesion.weight, p.cohesion.radius, p.cohesion.inner_radius) = (0.1, 9.0, 6.0);
    let rule = Rule::<T>::new(&p);
    assert!(rule.terms.has(Term::Zones) && !rule.shared_neighbourhood() && !rule.shares_nearest());
    let me = at(0.0, 0.0, [0.5, 0.0, 0.0]);
    for (distance, aligns, coheres) in
        [(2.9, false, false), (3.1, true, false), (5.9, true, false), (6.1, true, true)]
    {
        for nearest in [0, 3] {
            p.neighbours.nearest = nearest;
            let next = stepped::<T>(&p, &[me, at(distance, 0.0, [0.5, 0.25, 0.0])])[0].velocity;
            let expected =
                [if coheres { 0.5 + 0.1 * distance } else { 0.5 }, if aligns { 0.125 } else { 0.0 }];
            let close =
                next.iter().zip(expected).all(|(found, wanted)| (found - wanted.min(1.0)).abs() < 0.02);
            assert!(close, "{distance}: {next:?}, not {expected:?}");
        }
    }
}

fn unit_vectors_are_added_up<T: Number>() {
    let mut p = straight_on(3);
    (p.alignment.weight, p.alignment.radius, p.alignment.unit) = (0.25, 9.0, true);
    (p.cohesion.weight, p.cohesion.radius, p.cohesion.unit) = (0.125, 9.0, true);
    p.motion.max_speed = 8.0;
    let me = at(0.0, 0.0, [0.5, 0.0, 0.0]);
    // One on the same spot, one at rest, and two at unlike distances and speeds.
    let others = [
        at(0.0, 0.0, [0.0, 0.0, 0.25]),
        at(2.0, 0.0, [0.0; 3]),
        at(0.0, 7.0, [0.0, 2.0, 0.0]),
        at(3.0, 4.0, [0.375, -0.5, 0.0]),
    ];
    let boids = [[me].as_slice(), &others].concat();
    let rule = Rule::<T>::new(&p);
    assert!(rule.terms.has(Term::AlignmentUnit) && rule.terms.has(Term::CohesionUnit));
    assert!(!rule.shared_neighbourhood() && !rule.terms.within(crate::rule::Terms::PAIRWISE));
    let near = |p: &Parameters, wanted: [f64; 3]| {
        let found = stepped::<T>(p, &boids)[0].velocity;
        assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-3), "{found:?}, not {wanted:?}");
    };
    // Headings: z + y + (0.6, −0.8); directions: x + y + (0.6, 0.8).
    near(&p, [0.5 + 0.25 * 0.6 + 0.125 * 1.6, 0.25 * 0.2 + 0.125 * 1.8, 0.25]);
    p.neighbours.nearest = 4;
    near(&p, [0.5 + 0.25 * 0.6 + 0.125 * 1.6, 0.25 * 0.2 + 0.125 * 1.8, 0.25]);
    p.neighbours.nearest = 0;
    p.alignment.include_self = true;
    near(&p, [0.5 + 0.25 * 1.6 + 0.125 * 1.6, 0.25 * 0.2 + 0.125 * 1.8, 0.25]);
    // A sum is limited to length 1, and steers by its direction.
    (p.alignment.weight, p.cohesion.response) = (0.0, Response::Limited);
    let length = libm::hypot(1.6, 1.8);
    near(&p, [0.5 + 0.125 * 1.6 / length, 0.125 * 1.8 / length, 0.0]);
    (p.cohesion.response, p.cohesion.max_force) = (Response::Steer, 64.0);
    near(&p, [0.5 + 0.125 * (8.0 * 1.6 / length - 0.5), 0.125 * 8.0 * 1.8 / length, 0.0]);
}

fn separation_has_priority<T: Number>() {
    let mut p = straight_on(3);
    (p.alignment.weight, p.cohesion.weight, p.motion.max_speed) = (0.5, 0.1, 8.0);
    (p.separation.weight, p.separation.radius) = (0.25, 2.0);
    let boids = [at(0.0, 0.0, [0.5, 0.0, 0.0]), at(1.0, 0.0, [0.0; 3]), at(0.0, 6.0, [0.5, 0.5, 0.0])];
    let both = stepped::<T>(&p, &boids)[0].velocity;
    assert!(both[1] > 0.1, "{both:?}");
    p.separation.priority = true;
    let alone = stepped::<T>(&p, &boids)[0].velocity;
    assert!((alone[0] - 0.25).abs() < 1e-4 && alone[1].abs() < 1e-4, "{alone:?}");
    // Also where separation itself asks for nothing, and means are of the whole flock.
    p.separation.weight = 0.0;
    p.cohesion.scope = crate::parameters::Scope::Flock;
    assert!(Rule::<T>::new(&p).terms.has(Term::Priority));
    assert_eq!(stepped::<T>(&p, &boids)[0].velocity, [0.5, 0.0, 0.0]);
    // The third perceives nobody within the radius.
    assert!(stepped::<T>(&p, &boids)[2].velocity[1] < 0.4);
}

fn scouts_are_drawn_to_their_directions<T: Number>() {
    let mut p = straight_on(3);
    (p.scouts.pull, p.motion.max_speed) = (0.5, 8.0);
    (p.scouts.right_direction, p.scouts.left_direction) = ([0.0, 30.0, 40.0], [0.0; 3]);
    let of = |group: u32| Boid { group, ..at(0.0, 0.0, [1.0, 0.0, 0.0]) };
    let near = |found: [f64; 3], wanted: [f64; 3]| {
        assert!(found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-4), "{found:?}, not {wanted:?}");
    };
    let next = |p: &Parameters, group| stepped::<T>(p, &[of(group)])[0].velocity;
    near(next(&p, group::RIGHT), [1.0, 0.3, 0.4]);
    near(next(&p, group::LEFT), [1.0, 0.0, 0.0]);
    near(next(&p, group::NONE), [1.0, 0.0, 0.0]);
    p.scouts.left_direction = [-1.0, 0.0, 0.0];
    near(next(&p, group::LEFT), [0.5, 0.0, 0.0]);
    // In a flat world the part that lies in it counts.
    p.flock.dimensions = 2;
    near(next(&p, group::RIGHT), [1.0, 0.5, 0.0]);
}

/// A boid on the edge of a margin is not turned; a last digit beyond it is enough. Numbers that every type has exactly.
fn a_margin_begins_beyond_its_edge<T: Number>() {
    let mut p = straight_on(3);
    (p.world.min, p.world.max, p.world.edges) = ([0.0; 3], [128.0; 3], Edges::Turn);
    (p.world.margin, p.world.turn, p.motion.max_speed) = (16.0, 0.25, 8.0);
    for axis in 0..3 {
        for (place, turned) in [(16.0, 0.0), (15.9375, 0.25), (64.0, 0.0), (112.0, 0.0), (112.0625, -0.25)] {
            let mut boid = Boid { position: [64.0; 3], ..Boid::default() };
            boid.position[axis] = place;
            let mut expected = [0.0; 3];
            expected[axis] = turned;
            assert_eq!(stepped::<T>(&p, &[boid])[0].velocity, expected, "axis {axis} at {place}");
        }
    }
}

/// The push is full inside, falls to nothing over the margin, and points along x at the centre.
fn a_surface_is_inside_its_obstacle<T: Number>() {
    let mut p = straight_on(3);
    (p.obstacles.weight, p.motion.max_speed) = (0.5, 8.0);
    p.obstacles.spheres.push(Sphere { position: [50.0; 3], radius: 4.0 }).expect("room for one");
    for (margin, distance, push) in [
        (0.0, 4.0, 0.5),
        (0.0, 4.0625, 0.0),
        (2.0, 4.0, 0.5),
        (2.0, 5.0, 0.25),
        (2.0, 6.0, 0.0),
        (2.0, 0.0, 0.5),
    ] {
        p.obstacles.margin = margin;
        let found = stepped::<T>(&p, &[at(distance, 0.0, [0.0; 3])])[0].velocity;
        assert!((found[0] - push).abs() < 1e-5 && found[1] == 0.0, "{distance} of {margin}: {found:?}");
    }
}

#[test]
fn a_perpendicular_is_level_unless_its_heading_is_upright() {
    for (x, y) in [(0.6, 0.8), (2e-3, 0.0), (1e-3, 0.0), (8e-4, 0.0), (0.0, 8e-4), (0.0, 0.0), (6e-4, -7e-4)]
    {
        let unit = Vec3::new(x, y, libm::sqrt(f64::max(1.0 - x * x - y * y, 0.0)));
        let aside = course::perpendicular(unit);
        assert_eq!(aside.dot(unit), 0.0, "{unit:?}");
        let upright = x * x + y * y <= UPRIGHT_SQUARE;
        assert_eq!(if upright { aside.y } else { aside.z }, 0.0, "{unit:?}");
        assert!(aside.dot(aside) > 1e-6, "{unit:?}");
    }
}

/// The requests and velocities that a probe has seen.
#[derive(Default)]
struct Seen {
    parts: [Vec3<f64>; Part::COUNT],
    stages: Vec<(Stage, Vec3<f64>)>,
}

impl Probe<f64> for Seen {
    fn request(&mut self, part: Part, request: Vec3<f64>) {
        self.parts[part as usize] = self.parts[part as usize] + request;
    }
    fn velocity(&mut self, stage: Stage, velocity: Vec3<f64>) {
        self.stages.push((stage, velocity));
    }
}

/// The requests add up to the requested velocity, and the last stage is the next velocity.
#[test]
fn probes_see_every_request_and_stage() {
    let mut seen_parts = [0; Part::COUNT];
    for number in 0..300 {
        let mut p = crate::tests::random_flock::parameters(number, 30);
        p.motion.normalize_goal = false;
        let rule = Rule::<f64>::new(&p);
        let boids: Vec<Boid<f64>> =
            (0..p.flock.boids).map(|id| rule.quantise(&crate::start::boid(&p, id))).collect();
        let means = brute::means(&rule, boids.iter().copied());
        let predators = [Predator { position: [4.0, 5.0, 6.0], velocity: [0.0; 3] }];
        let context = StepContext::new(&rule, number.into(), means, &predators);
        for (id, boid) in boids.iter().enumerate() {
            let (sums, mut seen) =
                (brute::sum_neighbours(&rule, &Senses::new(&rule), &boids, id), Seen::default());
            let (position, velocity) = (boid.position.into(), Vec3::from(boid.velocity));
            let mut moved = [*boid];
            let lanes =
                BoidLanes { boids: &mut moved, ids: &[id as u32], position, velocity, requested: &[] };
            update_lanes(&context, &sums, lanes, &mut seen);
            let (edges, requests) = seen.parts.split_last().expect("parts");
            let request = requests.iter().fold(Vec3::zero(), |sum, part| sum + *part);
            let wind = if rule.terms.has(Term::Wind) { rule.wind * rule.time_step } else { Vec3::zero() };
            let sum = velocity * rule.inertia + request * rule.gain + wind + *edges;
            let off = sum - seen.stages[0].1;
            assert!(off.largest() <= 1e-12 * (1.0 + sum.largest()), "{number}, {id}: {off:?}");
            let stages = [
                Stage::Requested,
                Stage::Blended,
                Stage::Erred,
                Stage::TurnLimited,
                Stage::Scattered,
                Stage::SpeedLimited,
            ];
            assert!(seen.stages.iter().map(|(stage, _)| *stage).eq(stages));
            assert!(moved[0].rest != 0 || seen.stages[5].1.to_array() == moved[0].velocity, "{number}, {id}");
            for (count, part) in seen_parts.iter_mut().zip(seen.parts) {
                *count += u32::from(part != Vec3::zero());
            }
        }
    }
    assert!(seen_parts.iter().all(|count| *count > 50), "{seen_parts:?}");
}
