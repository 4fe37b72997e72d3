//! A flock that collapses within a batch of steps: the batch stops where the flock becomes more crowded than it was
//! planned for, the rest is planned anew, and no bit is another for it.

#[path = "support/adapters.rs"]
mod adapters;
#[macro_use]
#[path = "support/every.rs"]
mod every;

use flock::parameters::{Edges, Scope};
use flock::{Fixed, Parameters};
use murmuration::engine::Engine;
use murmuration::gpu::number::OnGpu;
use murmuration::gpu::shaders::Shaders;
use murmuration::gpu::{Crowding, Gpu, GpuEngine};
use murmuration::state::{Numeric, State};

/// Three thousand that go most of the way to their centre at every step, hunted by two.
fn collapsing() -> Parameters {
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

/// The flock after ten steps, so many at once, and how its batches went.
fn run<T: OnGpu>(gpu: &Gpu, shaders: Shaders, at_once: u32) -> (State, Crowding) {
    let p = collapsing();
    let start = State::start(&p);
    let mut engine = GpuEngine::<T>::with_shaders(gpu, shaders, &p, &start).expect("fits");
    // As of a slow program on the CPU: what is planned must not depend on how fast this device is.
    engine.set_pace(40e-9, 100e-9);
    for _ in 0..10 / at_once {
        engine.advance(at_once).expect("steps");
    }
    let state = engine.state().expect("read back");
    (state, engine.crowding())
}

fn stopped_and_planned_anew<T: OnGpu>(gpu: &Gpu) {
    let (expected, _) = run::<T>(gpu, Shaders::default(), 1);
    let (state, crowding) = run::<T>(gpu, Shaders::default(), 10);
    assert!(crowding.stopped > 0 && crowding.beyond <= 1.0, "{crowding:?}");
    assert_eq!(state.step, 10);
    assert!(state == expected, "{crowding:?}");

    // With the guard off a batch goes on, beyond what it was planned for.
    let open = Shaders::default()
        .altered(
            "scatter.wgsl",
            "i == 0u && exceeds_plan()",
            "i == 0u && exceeds_plan() && dispatch.first > 0u",
        )
        .expect("it is there");
    let (state, crowding) = run::<T>(gpu, open, 10);
    assert!(crowding.stopped == 0 && crowding.beyond > 1.5, "{crowding:?}");
    // It also goes on without crowds, which shows where sums are rounded.
    assert!(state == expected || T::NUMERIC == Numeric::F32);
}

fn f32_is_stopped_and_planned_anew(gpu: &Gpu) {
    stopped_and_planned_anew::<f32>(gpu);
}

fn integers_are_stopped_and_planned_anew(gpu: &Gpu) {
    stopped_and_planned_anew::<Fixed>(gpu);
}

fn a_slip_in_stopping_is_seen(gpu: &Gpu) {
    let (expected, _) = run::<f32>(gpu, Shaders::default(), 10);
    // Predators that hunt on though the flock has stopped.
    let from = "    if (halted()) {\n        return;\n    }\n    let known";
    let slip = Shaders::default().altered("move_predators.wgsl", from, "    let known").expect("it is there");
    assert!(run::<f32>(gpu, slip, 10).0 != expected);
}

on_every_adapter![
    f32_is_stopped_and_planned_anew,
    integers_are_stopped_and_planned_anew,
    a_slip_in_stopping_is_seen,
];
