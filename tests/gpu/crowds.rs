//! Dense flocks: steps that are cut into many dispatches and submits, and a flock that collapses within a batch of steps:
//! the guard stops the batch where the load exceeds the plan, the engine plans the rest again, and no bit differs.

use engine::{Engine, State};
use flock::parameters::{Edges, Falloff, Scope, Start};
use flock::{Fixed, Parameters};
use gpu::number::OnGpu;
use gpu::shaders::Shaders;
use gpu::{Costs, Gpu, GpuEngine};

use crate::adapters::{Slot, is_slow};
use crate::altered;
use crate::every::on;
use crate::reference::reference;
use crate::rules::base;

/// At these costs a workgroup takes seconds: each is a dispatch and a submit of its own.
const ALONE: Costs = Costs { candidate: 1e-3, boid: 1e-2 };

/// Flocks on one point, and in cells so few that boids are seen from both sides of a border.
fn flocks(gpu: &Gpu) -> [Parameters; 2] {
    let boids = if is_slow(gpu) { 300 } else { 800 };
    let mut on_one_point = base(boids, Edges::Wrap, 3);
    (on_one_point.separation.falloff, on_one_point.separation.weight) = (Falloff::Inverse, 0.5);
    on_one_point.flock.start = Start::Point;
    let mut narrow_torus = base(boids, Edges::Wrap, 3);
    narrow_torus.cohesion.radius = 19.0;
    [on_one_point, narrow_torus]
}

/// The state after four steps in two calls, of steps that are cut as the costs say.
fn stepped<T: OnGpu>(gpu: &Gpu, p: &Parameters, costs: Option<Costs>) -> State {
    let mut engine = GpuEngine::<T>::new(gpu, p, &State::start(p)).expect("fits");
    if p.flock.start == Start::Point {
        assert_eq!(engine.occupancy(), (p.flock.boids, f64::from(p.flock.boids)));
    }
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

/// 3000 boids that move most of the way to their centre at every step, with two predators.
pub fn collapsing() -> Parameters {
    let mut p = Parameters::default();
    (p.flock.boids, p.flock.dimensions, p.world.edges) = (3000, 3, Edges::Open);
    p.world.max = [40.0, 30.0, 35.0];
    (p.separation.radius, p.alignment.radius) = (2.0, 6.0);
    (p.separation.weight, p.alignment.weight) = (0.0, 0.01);
    (p.cohesion.scope, p.cohesion.weight) = (Scope::Flock, 0.8);
    (p.motion.inertia, p.motion.min_speed, p.motion.max_speed) = (0.0, 0.0, 100.0);
    (p.predators.count, p.predators.attack_weight, p.predators.knot_weight) = (2, 0.01, 1.0);
    p
}

/// The flock after ten steps with these requests, `at_once` per call, and one more step with the requests of others; and the
/// number of batches that the guard stopped.
pub fn after_a_halt<T: OnGpu>(
    gpu: &Gpu,
    shaders: Shaders,
    mut requests: Vec<[f64; 3]>,
    at_once: u32,
) -> (State, u32) {
    let p = collapsing();
    let mut engine = GpuEngine::<T>::with_shaders(gpu, shaders, &p, &State::start(&p)).expect("fits");
    // The costs of a slow software adapter: the plan must not depend on the speed of this device.
    engine.set_costs(Costs { candidate: 40e-9, boid: 100e-9 });
    for _ in 0..10 / at_once {
        engine.advance_by(&requests, at_once).expect("steps");
    }
    requests.reverse();
    engine.advance_by(&requests, 1).expect("steps");
    (engine.state().expect("read back"), engine.stopped_batches())
}

/// The same without requests.
fn run(gpu: &Gpu, shaders: Shaders, at_once: u32) -> (State, u32) {
    after_a_halt::<f32>(gpu, shaders, Vec::new(), at_once)
}

fn a_batch_is_stopped_and_planned_again(gpu: &Gpu) {
    let (expected, _) = run(gpu, Shaders::default(), 1);
    let (state, stopped) = run(gpu, Shaders::default(), 10);
    assert!(stopped > 0, "no batch was stopped");
    assert_eq!(state.step, 11);
    assert!(state == expected, "{stopped} batches were stopped");
}

on_every_adapter![bits_are_those_of_brute_force_however_a_step_is_cut, a_batch_is_stopped_and_planned_again,];

/// Without the guard a batch exceeds its plan; and what does not stop with the flock moves on.
#[test]
fn slips_of_the_guard_are_seen() {
    on(Slot::LlvmpipeVulkan, |gpu: &Gpu| {
        let closing = "i == 0u && exceeds_plan()";
        let never = "i == 0u && exceeds_plan() && dispatch.first > 0u";
        let open = altered(Shaders::default(), "scatter.wgsl", closing, never);
        let (expected, stopped) = run(gpu, open, 10);
        assert_eq!(stopped, 0);
        let halt = "    if (halted()) {\n        return;\n    }\n    let known";
        let moving = altered(Shaders::default(), "move_predators.wgsl", halt, "    let known");
        assert!(run(gpu, moving, 10).0 != expected);
    });
}
