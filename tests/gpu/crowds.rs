//! Dense flocks: all boids in a few cells, where a step is cut into many dispatches and submits.

use engine::{Engine, State};
use flock::parameters::{Edges, Falloff, Start};
use flock::{Fixed, Parameters};
use gpu::cost::Costs;
use gpu::number::OnGpu;
use gpu::{Gpu, GpuEngine};

use crate::adapters::is_slow;
use crate::reference::reference;
use crate::rules::base;

/// At these costs a workgroup takes seconds: each is a dispatch and a submit of its own.
const ALONE: Costs = Costs { candidate: 1e-3, boid: 1e-2 };

/// Flocks on one point, and in cells so few that boids are seen from both sides of a border.
fn flocks(gpu: &Gpu) -> Vec<Parameters> {
    let boids = if is_slow(gpu) { 400 } else { 1600 };
    let mut on_one_point = base(boids, Edges::Wrap, 3);
    (on_one_point.separation.falloff, on_one_point.separation.weight) = (Falloff::Inverse, 0.5);
    on_one_point.flock.start = Start::Point;
    let mut narrow_torus = base(boids, Edges::Wrap, 3);
    narrow_torus.cohesion.radius = 19.0;
    vec![on_one_point, narrow_torus]
}

/// The state after four steps in two calls, of steps that are cut as the costs say.
fn stepped<T: OnGpu>(gpu: &Gpu, p: &Parameters, costs: Option<Costs>) -> State {
    let mut engine = GpuEngine::<T>::new(gpu, p, &State::start(p)).expect("fits");
    if let Some(costs) = costs {
        engine.set_costs(costs);
    }
    engine.advance(1).expect("steps");
    engine.advance(3).expect("steps");
    engine.state().expect("read back")
}

fn bits_are_those_of_brute_force_however_a_step_is_cut(gpu: &Gpu) {
    for p in flocks(gpu) {
        let expected = reference::<Fixed>(&p, &State::start(&p), 4);
        assert!(stepped::<Fixed>(gpu, &p, None) == expected);
        assert!(stepped::<Fixed>(gpu, &p, Some(ALONE)) == expected);
        assert!(stepped::<f32>(gpu, &p, None) == stepped::<f32>(gpu, &p, Some(ALONE)));
    }
}

fn many_on_one_point_are_stepped(gpu: &Gpu) {
    let mut p = base(if is_slow(gpu) { 2000 } else { 8000 }, Edges::Open, 3);
    p.motion.min_speed = 0.0;
    p.flock.start = Start::Point;
    let start = State::start(&p);
    let mut engine = GpuEngine::<f32>::new(gpu, &p, &start).expect("fits");
    engine.advance(1).expect("steps");
    let state = engine.state().expect("read back");
    // All perceive all, at no distance: the mean of the velocities is what they go by.
    let count = f64::from(p.flock.boids);
    let sum: [f64; 3] = std::array::from_fn(|k| start.boids.iter().map(|b| b.velocity[k]).sum());
    for (before, after) in start.boids.iter().zip(&state.boids) {
        for k in 0..3 {
            let of_others = (sum[k] - before.velocity[k]) / (count - 1.0);
            let expected = before.velocity[k] + p.alignment.weight * (of_others - before.velocity[k]);
            assert!((after.velocity[k] - expected).abs() < 1e-4, "{after:?} {before:?} {sum:?}");
        }
    }
}

on_every_adapter![bits_are_those_of_brute_force_however_a_step_is_cut, many_on_one_point_are_stepped];
