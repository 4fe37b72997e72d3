//! External requests of boids, by an array: with the CPU's bits in integers, within an error bound in f32.

use conform::flocks::representable;
use engine::{Engine, State, VectorOf, Vectors};
use flock::parameters::Edges;
use flock::{Fixed, Parameters};
use gpu::cost::Costs;
use gpu::number::OnGpu;
use gpu::shaders::Shaders;
use gpu::{AdapterEntry, Gpu, GpuEngine, Kernel};

use crate::adapters::open;
use crate::altered::altered;
use crate::difference::difference;
use crate::guard::collapsing;
use crate::own::{ALL, BOUND, varied, written};
use crate::rules::base;

/// A velocity for each boid, other for each: up to half the greatest speed.
fn requests(p: &Parameters) -> Vec<[f64; 3]> {
    let axes: u32 = if p.flat() { 2 } else { 3 };
    let scattered = |id: u32, axis: u32| f64::from((7919 * id + 271 * axis) % 1000) / 1000.0 - 0.5;
    let number = |id, axis| if axis < axes { scattered(id, axis) } else { 0.0 };
    (0..p.flock.boids).map(|id| [0, 1, 2].map(|axis| p.motion.max_speed * number(id, axis))).collect()
}

/// Flocks: one that perches, with formulas; one with nearest neighbours; a flat one without interaction; a dense one.
fn flocks() -> [Parameters; 4] {
    let bare = |number| Parameters { terms: flock::formula::OwnTerms::default(), ..varied(number) };
    let mut dense = bare(0);
    (dense.flock.boids, dense.world.min, dense.world.max) = (1500, [-1.0; 3], [1.0; 3]);
    let mut apart = bare(1);
    (apart.separation.weight, apart.alignment.weight, apart.cohesion.weight) = (0.0, 0.0, 0.0);
    apart.world.edges = Edges::Wrap;
    [varied(0), bare(2), apart, dense]
}

/// An engine that has flown by requests in calls of these steps.
fn flown<T: OnGpu>(
    gpu: &Gpu,
    shaders: Shaders,
    p: &Parameters,
    state: &State,
    steps: &[u32],
) -> GpuEngine<T> {
    let mut engine = GpuEngine::<T>::with_shaders(gpu, shaders, p, state).expect("fits");
    steps.iter().for_each(|steps| engine.advance_by(&requests(p), *steps).expect("steps"));
    engine
}

fn in_integers_they_have_the_bits_of_the_cpu(gpu: &Gpu) {
    for (number, p) in flocks().iter().enumerate() {
        let state = representable::<Fixed>(p, &State::start(p));
        let mut on_cpu = cpu::open_as::<Fixed>(p, &state, Some(1)).expect("fits");
        on_cpu.advance(4).expect("steps");
        let without = on_cpu.state().expect("a state");
        on_cpu.set_state(&state).expect("fits");
        on_cpu.advance_by(&requests(p), 4).expect("steps");
        let mut engine = flown::<Fixed>(gpu, Shaders::default(), p, &state, &[1, 0, 3]);
        let expected = on_cpu.state().expect("a state");
        assert!(engine.state().expect("read back") == expected && expected != without, "{number}");
        // None is left of them for the next step.
        on_cpu.advance(2).expect("steps");
        engine.advance(2).expect("steps");
        assert!(engine.state().expect("read back") == on_cpu.state().expect("a state"), "{number}");
    }
}

fn in_f32_they_step_as_on_the_cpu(gpu: &Gpu) {
    for (number, p) in flocks().iter().enumerate() {
        let mut on_gpu = GpuEngine::<f32>::new(gpu, p, &State::start(p)).expect("fits");
        let mut on_cpu = cpu::open_as::<f32>(p, &State::start(p), Some(1)).expect("fits");
        for _ in 0..4 {
            on_cpu.set_state(&on_gpu.state().expect("read back")).expect("fits");
            on_gpu.advance_by(&requests(p), 1).expect("steps");
            on_cpu.advance_by(&requests(p), 1).expect("steps");
            let states = (on_gpu.state().expect("read back"), on_cpu.state().expect("a state"));
            let apart = difference(p, &states.0, &states.1).1 / p.motion.max_speed;
            assert!(apart < 10.0 * BOUND, "{number}: {apart:e}");
        }
    }
}

fn zeros_change_no_bit_and_both_kernels_have_the_same(entry: &AdapterEntry) {
    // A device of its own: what it compiles is counted.
    let gpu = &open(entry);
    // Without sums of its own: those cost SwiftShader four minutes, and what is requested comes after them.
    let terms = written(&ALL[..ALL.find("[terms.shy]").expect("a sum")]);
    let p = Parameters { terms, ..varied(1) };
    let state = State::start(&p);
    let mut plain = GpuEngine::<f32>::new(gpu, &p, &state).expect("fits");
    let before = plain.pipelines();
    plain.advance(5).expect("steps");
    assert_eq!(plain.pipelines(), before, "compiled though nothing was requested");
    let mut zeros = GpuEngine::<f32>::new(gpu, &p, &state).expect("fits");
    zeros.advance_by(&vec![[0.0; 3]; state.boids.len()], 5).expect("steps");
    assert!(zeros.state().expect("read back") == plain.state().expect("read back"));
    let by = |(kernel, _)| {
        let gpu = gpu.with_settings(gpu.settings.with_kernel(kernel)).ok()?;
        Some(flown::<f32>(&gpu, Shaders::default(), &p, &state, &[3]).state().expect("read back"))
    };
    let [plain, shared] = Kernel::ALL.map(by);
    assert!(shared.is_none_or(|shared| Some(shared) == plain));
}

/// A flock that collapses: its batches are stopped, and completed with the requests that they began with.
fn after_a_halt<T: OnGpu>(gpu: &Gpu, shaders: Shaders, at_once: u32) -> (State, u32) {
    let p = collapsing();
    let mut engine = GpuEngine::<T>::with_shaders(gpu, shaders, &p, &State::start(&p)).expect("fits");
    engine.set_costs(Costs { candidate: 40e-9, boid: 100e-9 });
    let mut requests = requests(&p);
    for _ in 0..10 / at_once {
        engine.advance_by(&requests, at_once).expect("steps");
    }
    requests.reverse();
    engine.advance_by(&requests, 1).expect("steps");
    (engine.state().expect("read back"), engine.stopped_batches())
}

fn a_batch_that_is_stopped_is_completed_with_them(gpu: &Gpu) {
    let expected = after_a_halt::<Fixed>(gpu, Shaders::default(), 1).0;
    let (found, stopped) = after_a_halt::<Fixed>(gpu, Shaders::default(), 10);
    assert!(stopped > 0 && found == expected, "{stopped}");
    let slip = altered(Shaders::default(), "place_requests.wgsl", "halted() || ", "");
    assert!(after_a_halt::<Fixed>(gpu, slip, 10).0 != expected);
}

fn a_slip_is_seen(gpu: &Gpu) {
    let p = varied(1);
    let state = representable::<Fixed>(&p, &State::start(&p));
    let by = |shaders| flown::<Fixed>(gpu, shaders, &p, &state, &[2]).state().expect("read back");
    let expected = by(Shaders::default());
    for (file, from, to) in [
        ("place_requests.wgsl", "requests[tags[i].x]", "requests[i]"),
        ("common/step.wgsl", "own = own_request(i, boid);", "own = own_request(0u, boid);"),
        ("rule/update.wgsl", "a = add_wide(a, widen(own));", ""),
    ] {
        assert!(by(altered(Shaders::default(), file, from, to)) != expected, "{file}");
    }
}

fn vectors_are_those_of_the_state(gpu: &Gpu) {
    let p = base(300, Edges::Turn, 3);
    let mut engine = flown::<Fixed>(gpu, Shaders::default(), &p, &State::start(&p), &[3]);
    let state = engine.state().expect("read back");
    for of in [VectorOf::Position, VectorOf::Velocity] {
        let expected: Vec<[f64; 3]> = state.boids.iter().map(|boid| of.read(boid)).collect();
        let mut found = vec![[0.0; 3]; expected.len()];
        engine.vectors(of, Vectors::F64(&mut found)).expect("read back");
        assert!(found == expected, "{of:?}");
        let mut short = vec![[0.0_f32; 3]; 7];
        engine.vectors(of, Vectors::F32(&mut short)).expect("read back");
        assert!(short.iter().zip(&expected).all(|(a, b)| *a == b.map(|c| c as f32)), "{of:?}");
    }
}

on_every_adapter![
    in_integers_they_have_the_bits_of_the_cpu,
    in_f32_they_step_as_on_the_cpu,
    zeros_change_no_bit_and_both_kernels_have_the_same,
    a_batch_that_is_stopped_is_completed_with_them,
    vectors_are_those_of_the_state,
];

/// A slip is one on every adapter: once is enough.
#[test]
fn another_shader_is_seen() {
    crate::every::on(crate::adapters::Slot::LlvmpipeVulkan, a_slip_is_seen);
}
