//! Small flocks whose rules together use every term.

use flock::Parameters;
use flock::parameters::{Edges, Falloff, Response, Scope, Sphere, Start};

use crate::zones::zone;

/// A flock in which each boid has some neighbours.
pub fn base(boids: u32, edges: Edges, dimensions: u32) -> Parameters {
    let mut p = Parameters::default();
    p.flock.boids = boids;
    p.flock.dimensions = dimensions;
    p.world.edges = edges;
    p.world.max = if dimensions == 2 { [150.0, 100.0, 1.0] } else { [40.0, 30.0, 35.0] };
    (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (2.0, 5.0, 6.0);
    (p.motion.min_speed, p.motion.max_speed) = (0.3, 1.0);
    p
}

/// Those of [`cases`] that a test of something other than the rule takes: of open and closed worlds, 2-D and 3-D, with
/// predators, with the nearest alone, with zones, and without neighbours.
pub fn some_cases() -> Vec<(&'static str, Parameters)> {
    cases().into_iter().skip(1).step_by(2).collect()
}

/// Parameter sets that together use every term of the rule.
pub fn cases() -> Vec<(&'static str, Parameters)> {
    let mut all = Vec::new();
    for (name, edges, dimensions) in [
        ("open, 3-D", Edges::Open, 3),
        ("turning, 3-D", Edges::Turn, 3),
        ("wrapping, 3-D", Edges::Wrap, 3),
        ("turning, 2-D", Edges::Turn, 2),
        ("wrapping, 2-D", Edges::Wrap, 2),
    ] {
        all.push((name, base(1500, edges, dimensions)));
    }
    let mut p = base(1200, Edges::Wrap, 2);
    (p.separation.response, p.alignment.response) = (Response::Steer, Response::Steer);
    p.separation.radius = 4.0;
    p.cohesion.response = Response::Limited;
    (p.separation.falloff, p.separation.average) = (Falloff::InverseSquare, true);
    (p.separation.max_force, p.alignment.max_force) = (0.03, 0.03);
    all.push(("steering", p));

    let mut p = base(1000, Edges::Turn, 3);
    (p.separation.angle, p.alignment.angle, p.cohesion.angle) = (120.0, 60.0, 90.0);
    (p.separation.exclusive, p.separation.include_self, p.cohesion.include_self) = (true, true, true);
    p.noise.gaussian = 0.3;
    (p.alignment.include_self, p.separation.falloff, p.separation.average) = (true, Falloff::Inverse, true);
    (p.line_of_sight.weight, p.line_of_sight.radius, p.line_of_sight.angle) = (0.3, 5.0, 20.0);
    (p.noise.weight, p.motion.normalize_goal, p.motion.inertia, p.motion.gain) = (0.2, true, 0.8, 0.3);
    all.push(("narrow views and noise", p));

    let mut p = base(900, Edges::Open, 3);
    (p.alignment.scope, p.cohesion.scope) = (Scope::Flock, Scope::Flock);
    (p.predators.count, p.predators.attack_weight, p.predators.chase_weight) = (5, 0.5, 0.1);
    (p.predators.knot_weight, p.home.weight, p.home.position) = (1.0, 0.02, [20.0, 15.0, 15.0]);
    (p.predators.inertia, p.predators.stoop_period) = (0.75, 9.0);
    (p.home.wander, p.home.wander_period) = (6.0, 40.0);
    (p.attractor.weight, p.attractor.avoid, p.attractor.position) = (0.5, true, [10.0, 10.0, 10.0]);
    all.push(("whole flock, predators, home and carrot", p));

    let mut p = base(900, Edges::Turn, 3);
    (p.scouts.right, p.scouts.left, p.scouts.dynamic) = (0.3, 0.3, true);
    (p.perching.height, p.perching.steps, p.home.half_extent, p.home.weight) = (3.0, 7, 5.0, 0.01);
    for k in 0..3 {
        let sphere = Sphere { position: [10.0 * f64::from(k), 15.0, 15.0], radius: 3.0 };
        p.obstacles.spheres.push(sphere).expect("room for three");
    }
    all.push(("scouts, perches and obstacles", p));

    let mut p = base(700, Edges::Open, 3);
    (p.separation.weight, p.alignment.weight, p.cohesion.weight) = (0.0, 0.0, 0.0);
    p.noise.weight = 0.5;
    all.push(("nobody looks at anybody", p));

    let mut p = base(1100, Edges::Wrap, 3);
    (p.cohesion.radius, p.neighbours.nearest) = (p.alignment.radius, 7);
    all.push(("the seven nearest", p));

    let mut p = base(1000, Edges::Turn, 2);
    (p.separation.angle, p.alignment.angle, p.cohesion.angle) = (150.0, 70.0, 120.0);
    (p.separation.exclusive, p.separation.falloff) = (true, Falloff::Inverse);
    (p.line_of_sight.weight, p.line_of_sight.radius, p.neighbours.nearest) = (0.2, 4.0, 3);
    all.push(("the three nearest in narrow views", p));

    for (name, edges, dimensions) in [("zones, 3-D", Edges::Open, 3), ("zones, 2-D", Edges::Wrap, 2)] {
        let mut p = base(900, edges, dimensions);
        zone(&mut p);
        all.push((name, p));
    }

    for (name, edges, dimensions) in
        [("unit vectors, 3-D", Edges::Wrap, 3), ("unit vectors, 2-D", Edges::Turn, 2)]
    {
        let mut p = base(700, edges, dimensions);
        zone(&mut p);
        (p.alignment.unit, p.alignment.include_self, p.cohesion.unit) = (true, true, true);
        p.noise.gaussian = 0.3;
        all.push((name, p));
    }

    let mut p = base(300, Edges::Wrap, 3);
    (p.cohesion.radius, p.flock.start) = (1000.0, Start::Ball);
    all.push(("reach beyond the world", p));
    all
}
