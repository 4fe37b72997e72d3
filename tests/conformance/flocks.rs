//! The flocks that engines are compared on.

use flock::Parameters;
use flock::parameters::{Edges, Falloff, Response, Scope, Sphere, Start};
pub use murmuration::conform::flocks::{advance, quantised};
use proptest::prelude::*;

/// Any flock of up to `most` boids in a world about ten units wide: all kinds of rules, edges and behaviours.
pub fn drawn(most: u32) -> impl Strategy<Value = Parameters> {
    let flock = (0..=most, 2..=3_u32, any::<u32>(), start(), edges());
    let local = || (0.0..4.0, angle(), weight(), response(), 0.01..2.0);
    let switches = || any::<[bool; 8]>();
    let rules = (local(), local(), local(), falloff(), scope(), scope(), switches());
    let motion = (-1.0..1.5, 0.05..1.0, 0.01..1.0, 0.0..1.0, 0.1..3.0, switches());
    let others = (weight(), weight(), weight(), weight(), weight(), 0.0..6.0, 0..3_u32, point());
    (flock, rules, motion, others).prop_map(build)
}

fn start() -> impl Strategy<Value = Start> {
    prop::sample::select(vec![Start::Uniform, Start::Rest, Start::Disc, Start::Ball])
}
fn edges() -> impl Strategy<Value = Edges> {
    prop::sample::select(vec![Edges::Open, Edges::Turn, Edges::Wrap])
}
fn response() -> impl Strategy<Value = Response> {
    prop::sample::select(vec![Response::Proportional, Response::Limited, Response::Steer])
}
fn falloff() -> impl Strategy<Value = Falloff> {
    prop::sample::select(vec![Falloff::None, Falloff::Inverse, Falloff::InverseSquare])
}
fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![3 => Just(Scope::Neighbours), 1 => Just(Scope::Flock)]
}
fn angle() -> impl Strategy<Value = f64> {
    prop_oneof![2 => Just(180.0), 1 => Just(90.0), 4 => 5.0..180.0]
}
fn weight() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 3 => -2.0..2.0, 1 => 0.0001..0.1]
}
fn point() -> impl Strategy<Value = [f64; 3]> {
    [-3.0..13.0, -3.0..13.0, -3.0..13.0]
}

type Local = (f64, f64, f64, Response, f64);
type Drawn = (
    (u32, u32, u32, Start, Edges),
    (Local, Local, Local, Falloff, Scope, Scope, [bool; 8]),
    (f64, f64, f64, f64, f64, [bool; 8]),
    (f64, f64, f64, f64, f64, f64, u32, [f64; 3]),
);

fn build((flock, rules, motion, others): Drawn) -> Parameters {
    let mut p = Parameters::default();
    (p.flock.boids, p.flock.dimensions, p.flock.seed, p.flock.start, p.world.edges) = flock;
    (p.world.min, p.world.max) = ([-1.0, 0.0, 1.0], [8.3, 10.0, 10.7]);
    (p.world.margin, p.world.turn) = (1.5, 0.2);
    let (separation, alignment, cohesion, falloff, align_scope, cohere_scope, flags) = rules;
    let (s, a, c) = (&mut p.separation, &mut p.alignment, &mut p.cohesion);
    (s.radius, s.angle, s.weight, s.response, s.max_force) = separation;
    (a.radius, a.angle, a.weight, a.response, a.max_force) = alignment;
    (c.radius, c.angle, c.weight, c.response, c.max_force) = cohesion;
    (s.falloff, a.scope, c.scope) = (falloff, align_scope, cohere_scope);
    [s.average, s.exclusive, s.include_self, a.include_self, c.include_self, p.attractor.avoid, ..] = flags;
    let (inertia, gain, time_step, slow, range, flags) = motion;
    (p.motion.inertia, p.motion.gain, p.motion.time_step) = (inertia, gain, time_step);
    (p.motion.min_speed, p.motion.max_speed) = (slow, slow + range);
    let [normalize, dynamic, scouts, perching, cube, obstacles, sight, hunting] = flags;
    (p.motion.normalize_goal, p.scouts.dynamic) = (normalize, dynamic);
    let (home, attractor, flee, noise, aside, radius, predators, place) = others;
    (p.home.weight, p.home.position) = (home, [4.0, 5.0, 6.0]);
    p.home.half_extent = if cube { 2.5 } else { 0.0 };
    (p.attractor.weight, p.attractor.position) = (attractor, place);
    (p.predators.count, p.predators.weight, p.predators.radius) = (predators, flee, radius);
    (p.predators.sight, p.predators.attack_weight) = (radius, 0.3);
    (p.predators.chase_weight, p.predators.knot_weight) = (if hunting { 0.1 } else { 0.0 }, 0.25);
    p.noise.weight = noise;
    if sight {
        (p.line_of_sight.weight, p.line_of_sight.radius, p.line_of_sight.angle) = (aside, radius, 25.0);
    }
    if scouts {
        (p.scouts.right, p.scouts.left, p.scouts.bias) = (0.3, 0.2, 0.005);
    }
    if perching {
        (p.perching.height, p.perching.steps) = (1.5, 20);
    }
    if obstacles {
        (p.obstacles.weight, p.obstacles.margin) = (flee, 1.5);
        for sphere in [Sphere { position: place, radius: 2.0 }, Sphere { position: [6.0; 3], radius: 0.5 }] {
            p.obstacles.spheres.push(sphere).expect("room for two");
        }
    }
    quantised(&p)
}
