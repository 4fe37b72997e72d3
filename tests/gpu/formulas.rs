//! Custom terms on the GPU, and requests from outside of the rule by an array: with the CPU's bits in integers, within an
//! error bound in f32.

use conform::flocks::representable;
use engine::{Engine, State};
use flock::formula::{FormulaTerms, Op};
use flock::parameters::Edges;
use flock::{Fixed, Parameters};
use gpu::number::OnGpu;
use gpu::shaders::Shaders;
use gpu::{AdapterEntry, Gpu, GpuEngine, Kernel};

use crate::adapters::{Slot, is_slow, open};
use crate::crowds::{self, collapsing};
use crate::every::on;
use crate::random_terms::{terms, vary};
use crate::reference::reference;
use crate::{altered, difference};

/// Formulas of all operations and of all that a boid knows.
pub const ALL: &str = r#"
[terms.alone]
l = { default = 2, unit = "len" }
v = { default = 0.25, unit = "len/t" }
k = { default = [[0.5, -0.25, 1], [0.125, 2, -1], [0, 0.75, 0.25]], range = [-2, 2] }
request = """
let p = position / l;
let s = sqrt(abs(p.x)) + sqrt(p.y) + fract(p.y) * floor(p.z * 3.0 + 0.25) - random(2) / max(0.5, length(p));
let t = select(s, bias, id % 3u < 1u || id % 4u <= 1u && id % 5u == 1u) + 1.0 / (bias - bias) + min(p.z, 0.25);
v * (normalize(p) * t + heading * random(9) * table(k, group, id % 3u + 1u))
"""

[terms.moving]
v = { default = 0.25, unit = "len/t" }
request = "velocity * (0.1 * speed / v + fract(0.3 * time / motion.time_step) - 0.02 * f32(step) + 0.1 * f32(group))"

[terms.shy]
radius = { default = 1.5, range = [0, 20], unit = "len" }
weight = { default = 0.3, range = [0, 1], unit = "1/t" }
liking = [[0.5, 1], [-0.25, 2]]
each = "table(liking, their.group, group) * select(their.velocity * motion.time_step, -offset * (1 - distance / radius), their.group != group && their.id != id + 7)"
request = "weight * sum / max(count, 1)"

[terms.wide]
radius = { default = 2.5, range = [0, 20], unit = "len" }
inner_radius = { default = 0.5, unit = "len" }
angle = 110
each = "(random(1) + f32(step % 3u)) * offset"
request = "0.1 * sum / motion.time_step / (1 + count)"

[terms.few]
most = 25
request = "0.1 * turn_away(turn(velocity, near.sum, most), close.sum, 40.0)"
[terms.few.sums.near]
radius = { default = 2, range = [0, 20], unit = "len" }
nearest = 3
each = "their.velocity"
[terms.few.sums.close]
radius = 1
each = "offset"
"#;

/// The terms of a text, as a file has them.
pub fn written(text: &str) -> FormulaTerms {
    config::parse(text, "test").unwrap_or_else(|error| panic!("{error}")).parameters.terms
}

/// A flock with scouts, or of eight groups.
fn flock(number: u32, boids: u32, text: &str) -> Parameters {
    let mut p = Parameters { terms: written(text), ..Parameters::default() };
    vary(&mut p, number);
    p.flock.boids = boids;
    p.world.margin = 1.0;
    p
}

/// Flocks 0 to 2: one that perches, one in the plane, one of the nearest.
fn varied(number: u32) -> Parameters {
    let mut p = flock(number, 400, ALL);
    match number {
        0 => (p.perching.height, p.perching.steps) = (0.5, 4),
        1 => p.flock.dimensions = 2,
        _ => p.neighbours.nearest = 5,
    }
    p
}

/// Flocks for an adapter. A slow adapter compiles formulas of all operations for minutes.
fn tried(gpu: &Gpu) -> std::ops::Range<u32> {
    if is_slow(gpu) { 1..2 } else { 0..3 }
}

/// The flock one step on, on the GPU; these are its shaders.
fn step(gpu: &Gpu, shaders: Shaders, p: &Parameters, state: &State) -> State {
    let mut engine = GpuEngine::<f32>::with_shaders(gpu, shaders, p, state).expect("fits");
    engine.advance(1).expect("steps");
    engine.state().expect("read back")
}

/// The part of the greatest speed by which velocities differ.
fn apart(p: &Parameters, a: &State, b: &State) -> f64 {
    difference(a, b) / p.motion.max_speed
}

/// An operation of WGSL is within 3 ulp, and a formula has some tens: 2^-24 * 3 * 50 = 9e-6.
const BOUND: f64 = 1e-5;

fn formulas_step_as_by_brute_force(gpu: &Gpu) {
    // One flock: random formulas are in tests/conformance/, with bounds that are derived for each.
    let p = varied(0);
    let mut on_gpu = GpuEngine::<f32>::new(gpu, &p, &State::start(&p)).expect("fits");
    for _ in 0..3 {
        let state = on_gpu.state().expect("read back");
        on_gpu.advance(1).expect("steps");
        let found = apart(&p, &on_gpu.state().expect("read back"), &reference::<f64>(&p, &state, 1));
        assert!(found < BOUND, "{found:e}");
    }
    // All boids in the same few cells: the same shader.
    let mut dense = varied(0);
    (dense.flock.boids, dense.world.min, dense.world.max) = (1000, [-1.0; 3], [1.0; 3]);
    let state = State::start(&dense);
    on_gpu.set_parameters(&dense).expect("fits");
    on_gpu.set_state(&state).expect("fits");
    on_gpu.advance(1).expect("steps");
    let found = apart(&dense, &on_gpu.state().expect("read back"), &reference::<f64>(&dense, &state, 1));
    assert!(found < 10.0 * BOUND, "{found:e}");
}

#[test]
fn the_formulas_have_every_operation() {
    let terms = written(ALL).terms();
    let formulas =
        terms.iter().flat_map(|term| term.sums.iter().map(|each| &each.formula).chain([&term.request]));
    let used: Vec<Op> = formulas.flat_map(|formula| formula.nodes).map(|node| node.op).collect();
    let missing: Vec<Op> = Op::ALL.into_iter().filter(|op| !used.contains(op)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

fn change_in_flight(entry: &AdapterEntry) {
    // A device of its own: what it compiles is counted.
    let gpu = &open(entry);
    let mut p = Parameters { terms: FormulaTerms::default(), ..flock(2, 300, ALL) };
    let mut engine = GpuEngine::<f32>::new(gpu, &p, &State::start(&p)).expect("fits");
    let mut change = |p: &Parameters| {
        engine.set_parameters(p).expect("fits");
        let before = engine.state().expect("read back");
        engine.advance(1).expect("steps");
        let found = apart(p, &engine.state().expect("read back"), &reference::<f64>(p, &before, 1));
        assert!(found < BOUND, "{found:e}");
        engine.pipelines()
    };
    let none = change(&p);
    p.terms = written(ALL);
    let with = change(&p);
    assert!(with > none);
    p.terms.set("terms.shy.weight", 0.9).expect("in its range");
    p.terms.set("terms.shy.radius", 0.5).expect("in its range");
    p.terms.set("terms.wide.inner_radius", 0.75).expect("in its range");
    p.terms.set("terms.wide.angle", 60.0).expect("in its range");
    p.terms.set("terms.few.sums.near.nearest", 6.0).expect("in its range");
    p.terms.set("terms.few.most", 60.0).expect("in its range");
    assert_eq!(change(&p), with, "another value is no other pipeline");
    p.terms = written(&ALL.replace("0.1 * turn_away", "turn_away"));
    let other = change(&p);
    assert_eq!(other, with + 1);
    p.terms = written(ALL);
    assert_eq!(change(&p), other);
    p.terms = FormulaTerms::default();
    assert_eq!(change(&p), other);
}

fn formulas_have_the_same_bits_in_integers(gpu: &Gpu) {
    for number in tried(gpu) {
        let p = varied(number);
        let state = representable::<Fixed>(&p, &State::start(&p));
        let mut engine = GpuEngine::<Fixed>::new(gpu, &p, &state).expect("fits");
        engine.advance(4).expect("steps");
        let expected = reference::<Fixed>(&p, &state, 4);
        assert!(engine.state().expect("read back") == expected, "{number}");
    }
}

fn random_formulas_have_the_same_bits_in_integers(gpu: &Gpu) {
    let (count, mut refused) = (3, 0);
    for number in 0..count {
        let (text, terms) = terms(number);
        let p = Parameters { terms, ..flock(number, 90, "") };
        let state = representable::<Fixed>(&p, &State::start(&p));
        let Ok(mut engine) = GpuEngine::<Fixed>::new(gpu, &p, &state) else {
            refused += 1;
            continue;
        };
        engine.advance(3).expect("steps");
        let expected = reference::<Fixed>(&p, &state, 3);
        assert!(engine.state().expect("read back") == expected, "{number}: {text}");
    }
    assert!(refused < count / 2, "{refused} of {count} do not fit");
}

/// A velocity for each boid, other for each: up to half the greatest speed.
fn requests(p: &Parameters) -> Vec<[f64; 3]> {
    let axes: u32 = if p.flat() { 2 } else { 3 };
    let scattered = |id: u32, axis: u32| f64::from((7919 * id + 271 * axis) % 1000) / 1000.0 - 0.5;
    let number = |id, axis| if axis < axes { scattered(id, axis) } else { 0.0 };
    (0..p.flock.boids).map(|id| [0, 1, 2].map(|axis| p.motion.max_speed * number(id, axis))).collect()
}

/// The formulas without sums, which cost SwiftShader minutes; requests from outside come after them.
fn without_sums() -> FormulaTerms {
    written(ALL.split("[terms.shy]").next().expect("there are some"))
}

/// Flocks: one that perches, with formulas; one with nearest neighbours; a flat one without interaction; a dense one.
fn flocks_with_requests() -> [Parameters; 4] {
    let bare = |number| Parameters { terms: FormulaTerms::default(), ..varied(number) };
    let mut dense = bare(0);
    (dense.flock.boids, dense.world.min, dense.world.max) = (1000, [-1.0; 3], [1.0; 3]);
    let mut apart = bare(1);
    (apart.separation.weight, apart.alignment.weight, apart.cohesion.weight) = (0.0, 0.0, 0.0);
    apart.world.edges = Edges::Wrap;
    [Parameters { terms: without_sums(), ..varied(0) }, bare(2), apart, dense]
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

fn requests_have_the_bits_of_the_cpu_in_integers(gpu: &Gpu) {
    for (number, p) in flocks_with_requests().iter().enumerate() {
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

fn requests_in_f32_are_those_of_the_cpu_and_zeros_change_no_bit(entry: &AdapterEntry) {
    // A device of its own: what it compiles is counted.
    let gpu = &open(entry);
    let p = Parameters { terms: without_sums(), ..varied(1) };
    let state = State::start(&p);
    let mut plain = GpuEngine::<f32>::new(gpu, &p, &state).expect("fits");
    let before = plain.pipelines();
    plain.advance(5).expect("steps");
    assert_eq!(plain.pipelines(), before, "compiled though nothing was requested");
    let mut zeros = GpuEngine::<f32>::new(gpu, &p, &state).expect("fits");
    zeros.advance_by(&vec![[0.0; 3]; state.boids.len()], 5).expect("steps");
    assert!(zeros.state().expect("read back") == plain.state().expect("read back"));

    let mut on_cpu = cpu::open_as::<f32>(&p, &state, Some(1)).expect("fits");
    on_cpu.advance_by(&requests(&p), 1).expect("steps");
    let mut on_gpu = flown::<f32>(gpu, Shaders::default(), &p, &state, &[1]);
    let found = apart(&p, &on_gpu.state().expect("read back"), &on_cpu.state().expect("a state"));
    assert!(found < 10.0 * BOUND, "{found:e}");
    let by = |(kernel, _)| {
        let gpu = gpu.with_settings(gpu.settings.with_kernel(kernel)).ok()?;
        Some(flown::<f32>(&gpu, Shaders::default(), &p, &state, &[3]).state().expect("read back"))
    };
    let [plain, shared] = Kernel::ALL.map(by);
    assert!(shared.is_none_or(|shared| Some(shared) == plain));
}

/// A flock that collapses: its batches are stopped, and completed with the requests that they began with.
fn after_a_halt(gpu: &Gpu, shaders: Shaders, at_once: u32) -> (State, u32) {
    crowds::after_a_halt::<Fixed>(gpu, shaders, requests(&collapsing()), at_once)
}

fn a_batch_that_is_stopped_is_completed_with_its_requests(gpu: &Gpu) {
    let expected = after_a_halt(gpu, Shaders::default(), 1).0;
    let (found, stopped) = after_a_halt(gpu, Shaders::default(), 10);
    assert!(stopped > 0 && found == expected, "{stopped}");
}

on_every_adapter![
    formulas_step_as_by_brute_force,
    formulas_have_the_same_bits_in_integers,
    random_formulas_have_the_same_bits_in_integers,
    requests_have_the_bits_of_the_cpu_in_integers,
    requests_in_f32_are_those_of_the_cpu_and_zeros_change_no_bit,
    a_batch_that_is_stopped_is_completed_with_its_requests,
];

/// Pipelines are made alike on every adapter: once is enough.
#[test]
fn terms_and_values_change_in_flight() {
    on(Slot::LlvmpipeVulkan, change_in_flight);
}

/// A slip is one on every adapter, too.
#[test]
fn slips_in_formulas_and_requests_are_seen() {
    on(Slot::LlvmpipeVulkan, |gpu: &Gpu| {
        // Few formulas in each: a shader of all of them takes seconds to compile.
        let alone = Parameters { terms: without_sums(), ..flock(0, 200, "") };
        let all = flock(0, 200, ALL);
        for (p, file, from, to) in [
            (&alone, "rule/formulas.wgsl", "min(row, side - 1u)", "min(row + 1u, side - 1u)"),
            (
                &all,
                "common/subgroup_broadcast.wgsl",
                "add_formulas(other, near != 0u)",
                "add_formulas(other, false)",
            ),
        ] {
            let state = State::start(p);
            let found = step(gpu, altered(Shaders::default(), file, from, to), p, &state);
            assert!(apart(p, &found, &reference::<f64>(p, &state, 1)) > 10.0 * BOUND, "{to} goes unseen");
        }
        let state = representable::<Fixed>(&alone, &State::start(&alone));
        let in_integers =
            |shaders| flown::<Fixed>(gpu, shaders, &alone, &state, &[2]).state().expect("read back");
        let expected = in_integers(Shaders::default());
        for (file, from, to) in [
            ("number/fixed_formulas.wgsl", "((a >> (right - 1u)) & 1)", "0"),
            ("place_requests.wgsl", "requests[tags[i].x]", "requests[i]"),
        ] {
            assert!(in_integers(altered(Shaders::default(), file, from, to)) != expected, "{to} goes unseen");
        }
        let expected = after_a_halt(gpu, Shaders::default(), 10).0;
        let slip = altered(Shaders::default(), "place_requests.wgsl", "halted() || ", "");
        assert!(after_a_halt(gpu, slip, 10).0 != expected);
    });
}
