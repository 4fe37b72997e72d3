//! A flock that collapses within a batch of steps: the guard stops the batch where the load exceeds the plan, the engine
//! plans the rest again, and no bit differs.

use engine::{Engine, State};
use flock::parameters::{Edges, Scope};
use flock::{Fixed, Parameters};
use gpu::cost::Costs;
use gpu::number::OnGpu;
use gpu::shaders::Shaders;
use gpu::{Gpu, GpuEngine};

use crate::altered::altered;

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

/// The flock after ten steps, `at_once` per call, and the number of batches that the guard stopped.
fn run<T: OnGpu>(gpu: &Gpu, shaders: Shaders, at_once: u32) -> (State, u32) {
    let p = collapsing();
    let start = State::start(&p);
    let mut engine = GpuEngine::<T>::with_shaders(gpu, shaders, &p, &start).expect("fits");
    // The costs of a slow software adapter: the plan must not depend on the speed of this device.
    engine.set_costs(Costs { candidate: 40e-9, boid: 100e-9 });
    for _ in 0..10 / at_once {
        engine.advance(at_once).expect("steps");
    }
    let state = engine.state().expect("read back");
    (state, engine.stopped_batches())
}

fn a_batch_is_stopped_and_planned_again<T: OnGpu>(gpu: &Gpu) {
    let (expected, _) = run::<T>(gpu, Shaders::default(), 1);
    let (state, stopped) = run::<T>(gpu, Shaders::default(), 10);
    assert!(stopped > 0, "no batch was stopped");
    assert_eq!(state.step, 10);
    assert!(state == expected, "{stopped} batches were stopped");
}

/// The control: without the guard a batch exceeds its plan.
fn an_open_guard_is_seen<T: OnGpu>(gpu: &Gpu) {
    let (expected, _) = run::<T>(gpu, Shaders::default(), 1);
    let closing = "i == 0u && exceeds_plan()";
    let never = "i == 0u && exceeds_plan() && dispatch.first > 0u";
    let open = altered(Shaders::default(), "scatter.wgsl", closing, never);
    let (state, stopped) = run::<T>(gpu, open, 10);
    assert_eq!(stopped, 0);
    assert!(state == expected);
}

fn f32_is_stopped_and_planned_again(gpu: &Gpu) {
    a_batch_is_stopped_and_planned_again::<f32>(gpu);
}

fn integers_are_stopped_and_planned_again(gpu: &Gpu) {
    a_batch_is_stopped_and_planned_again::<Fixed>(gpu);
}

fn a_mutation_of_stopping_is_detected(gpu: &Gpu) {
    let (expected, _) = run::<f32>(gpu, Shaders::default(), 10);
    // Predators move on though the flock has stopped.
    let from = "    if (halted()) {\n        return;\n    }\n    let known";
    let mutant = altered(Shaders::default(), "move_predators.wgsl", from, "    let known");
    assert!(run::<f32>(gpu, mutant, 10).0 != expected);
}

on_every_adapter![f32_is_stopped_and_planned_again, integers_are_stopped_and_planned_again,];

/// A slip is one on every adapter: once is enough.
#[test]
fn slips_are_seen() {
    let once = crate::adapters::Slot::LlvmpipeVulkan;
    crate::every::on(once, an_open_guard_is_seen::<f32>);
    crate::every::on(once, an_open_guard_is_seen::<Fixed>);
    crate::every::on(once, a_mutation_of_stopping_is_detected);
}
