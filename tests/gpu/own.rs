//! Custom terms on the GPU: against the CPU engine and by brute force, with controls of each operation.

use conform::flocks::representable;
use engine::{Engine, Numeric, State};
use flock::formula::{Each, Formula, Node, Op, OwnTerm, OwnTerms, TermSet};
use flock::parameters::Edges;
use flock::{Fixed, Parameters};
use gpu::shaders::Shaders;
use gpu::{AdapterEntry, Gpu, GpuEngine, Kernel};

use crate::adapters::{is_slow, open};
use crate::altered::altered;
use crate::difference::difference;
use crate::kernels::tuned;
use crate::random_terms::terms;
use crate::reference::reference;
use crate::scope;

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
radius = { default = 2, range = [0, 20], unit = "len" }
nearest = 3
each = "their.velocity"
request = "0.3 * sum / max(count, 1)"
"#;

/// The terms before one of these.
fn before(term: &str) -> &'static str {
    ALL.split(term).next().expect("there are some")
}

/// The terms of a text, as a file has them.
pub fn written(text: &str) -> OwnTerms {
    config::parse(text, "test").unwrap_or_else(|error| panic!("{error}")).parameters.terms
}

/// A flock with scouts, or of eight groups.
fn flock(number: u32, boids: u32, text: &str) -> Parameters {
    let mut p = Parameters { terms: written(text), ..Parameters::default() };
    (p.flock.boids, p.flock.seed) = (boids, number);
    (p.world.min, p.world.max) = ([-4.0, -3.0, -5.0], [5.0, 6.0, 4.0]);
    (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (1.0, 1.5, 1.5);
    (p.motion.max_speed, p.motion.gain, p.motion.time_step) = (0.5, 0.5, 0.25);
    if number.is_multiple_of(2) {
        (p.scouts.right, p.scouts.left, p.scouts.bias) = (0.3, 0.1, 0.25);
    } else {
        for part in [3.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0] {
            p.flock.groups.push(part).expect("room for eight");
        }
    }
    p.world.edges = [Edges::Open, Edges::Turn, Edges::Wrap][number as usize % 3];
    p.world.margin = 1.0;
    p
}

/// Flocks 0 to 2: one that perches, one in the plane, one of the nearest.
pub fn varied(number: u32) -> Parameters {
    let mut p = flock(number, 400, ALL);
    match number {
        0 => (p.perching.height, p.perching.steps) = (0.5, 4),
        1 => p.flock.dimensions = 2,
        _ => p.neighbours.nearest = 5,
    }
    p
}

/// Indices of the flocks for an adapter. A slow adapter compiles formulas of all operations for minutes: it has one
/// flock in f32, and another in integers.
fn tried(gpu: &Gpu, numeric: Numeric) -> std::ops::Range<u32> {
    let slow = u32::from(numeric == Numeric::Fixed);
    if is_slow(gpu) { slow..slow + 1 } else { 0..3 }
}

/// The flock one step on, on the GPU; these are its shaders.
fn step(gpu: &Gpu, shaders: Shaders, p: &Parameters, state: &State) -> State {
    let mut engine = GpuEngine::<f32>::with_shaders(gpu, shaders, p, state).expect("fits");
    engine.advance(1).expect("steps");
    engine.state().expect("read back")
}

/// The part of the greatest speed by which velocities differ.
fn apart(p: &Parameters, a: &State, b: &State) -> f64 {
    difference(p, a, b).1 / p.motion.max_speed
}

/// An operation of WGSL is within 3 ulp, and a formula has some tens: 2^-24 * 3 * 50 = 9e-6.
pub const BOUND: f64 = 1e-5;

fn formulas_step_as_on_the_cpu_and_by_brute_force(gpu: &Gpu) {
    for number in tried(gpu, Numeric::F32) {
        let p = varied(number);
        let mut on_gpu = GpuEngine::<f32>::new(gpu, &p, &State::start(&p)).expect("fits");
        let mut on_cpu = cpu::open_as::<f32>(&p, &State::start(&p), Some(1)).expect("fits");
        for _ in 0..4 {
            let state = on_gpu.state().expect("read back");
            on_cpu.set_state(&state).expect("fits");
            on_gpu.advance(1).expect("steps");
            on_cpu.advance(1).expect("steps");
            let found = on_gpu.state().expect("read back");
            let by_cpu = apart(&p, &found, &on_cpu.state().expect("a state"));
            let by_brute = apart(&p, &found, &reference::<f64>(&p, &state, 1));
            assert!(by_cpu < BOUND && by_brute < BOUND, "{number}: {by_cpu:e} {by_brute:e}");
        }
    }
}

#[test]
fn the_formulas_have_every_operation() {
    let terms = written(ALL).terms();
    let formulas =
        terms.iter().flat_map(|term| term.each.iter().map(|each| &each.formula).chain([&term.request]));
    let used: Vec<Op> = formulas.flat_map(|formula| formula.nodes).map(|node| node.op).collect();
    let missing: Vec<Op> = Op::ALL.into_iter().filter(|op| !used.contains(op)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// A mutation of an operation; `None` for an operation that only reads.
fn other(Node { op, operands: [a, b, c] }: Node) -> Option<Node> {
    let (op, operands) = match op {
        Op::Add => (Op::Subtract, [a, b, c]),
        Op::Subtract | Op::Multiply => (Op::Add, [a, b, c]),
        Op::Divide => (Op::Multiply, [a, b, c]),
        Op::Minimum => (Op::Maximum, [a, b, c]),
        Op::Maximum => (Op::Minimum, [a, b, c]),
        Op::Absolute => (Op::Floor, [a, b, c]),
        Op::Floor => (Op::Fraction, [a, b, c]),
        Op::Fraction | Op::Root => (Op::Absolute, [a, b, c]),
        Op::Less => (Op::LessEqual, [a, b, c]),
        Op::LessEqual => (Op::Equal, [a, b, c]),
        Op::Equal => (Op::Less, [a, b, c]),
        Op::Select => (op, [a, c, b]),
        Op::Length | Op::Direction => (op, [a, b, a]),
        Op::Table => (op, [b, a, c]),
        Op::Random => (op, [a ^ 4, b, c]),
        Op::Value | Op::Input | Op::Rest => return None,
    };
    Some(Node { op, operands })
}

/// The terms with an operation of the first request exchanged for another.
fn exchanged(terms: OwnTerms, k: usize, node: Node) -> OwnTerms {
    let set = terms.compiled().expect("terms");
    let mut all = set.terms.to_vec();
    let mut nodes = all[0].request.nodes.to_vec();
    nodes[k] = node;
    let request = Formula { nodes: nodes.leak(), ..all[0].request.clone() };
    all[0] = OwnTerm { request, ..all[0].clone() };
    OwnTerms::new(Box::leak(Box::new(TermSet { terms: all.leak(), ..set.clone() })))
}

/// Another way to perceive.
type Perceive = fn(&mut Each);

/// The terms with sums that perceive otherwise.
fn perceiving(terms: OwnTerms, change: Perceive) -> OwnTerms {
    let set = terms.compiled().expect("terms");
    let mut all = set.terms.to_vec();
    all.iter_mut().filter_map(|term| term.each.as_mut()).for_each(change);
    OwnTerms::new(Box::leak(Box::new(TermSet { terms: all.leak(), ..set.clone() })))
}

fn another_operation_is_seen_in_f32(gpu: &Gpu) {
    // The term that has them all, alone: a shader of its code is compiled for each.
    let p = flock(0, 200, before("[terms.moving]"));
    let state = State::start(&p);
    let expected = reference::<f64>(&p, &state, 1);
    let nodes = p.terms.terms()[0].request.nodes;
    for op in Op::ALL.into_iter().filter(|op| other(Node { op: *op, operands: [0; 3] }).is_some()) {
        let mut places = (0..nodes.len()).filter(|k| nodes[*k].op == op);
        let seen = places.any(|k| {
            let terms = exchanged(p.terms, k, other(nodes[k]).expect("it has another"));
            let found = step(gpu, Shaders::default(), &Parameters { terms, ..p }, &state);
            apart(&p, &found, &expected) > 10.0 * BOUND
        });
        assert!(seen, "no exchange of {op:?} is seen");
    }
    let p = flock(0, 200, ALL);
    let expected = reference::<f64>(&p, &state, 1);
    let changes: [(&str, Perceive); 2] = [
        ("an angle or an inner radius", |each| each.perceived = None),
        ("nearer ones", |each| each.nearest = None),
    ];
    for (by, change) in changes {
        let terms = perceiving(p.terms, change);
        let found = step(gpu, Shaders::default(), &Parameters { terms, ..p }, &state);
        assert!(apart(&p, &found, &expected) > 10.0 * BOUND, "nobody is hidden by {by}");
    }
    let files = [
        (
            "number/f32_own.wgsl",
            "select(0.0, a / select(1.0, b, exists), exists)",
            "a / select(1.0, b, exists)",
        ),
        ("number/f32_own.wgsl", "select(0.0, a, 0.0 < a)", "abs(a)"),
        ("number/f32_own.wgsl", "a - floor(a)", "a - ceil(a)"),
        ("number/f32_own.wgsl", "word >> 8u", "word >> 9u"),
        ("rule/own.wgsl", "min(row, side - 1u)", "min(row + 1u, side - 1u)"),
        ("rule/own.wgsl", "min(column, side - 1u)", "column"),
        ("common/subgroup_broadcast.wgsl", "add_own(other, near != 0u)", "add_own(other, false)"),
    ];
    let seen = |gpu: &Gpu, file, from, to| {
        let shaders = altered(Shaders::default(), file, from, to);
        let found = apart(&p, &step(gpu, shaders, &p, &state), &expected);
        assert!(found > 10.0 * BOUND, "{to}: {found:e}");
    };
    for (file, from, to) in files {
        seen(gpu, file, from, to);
    }
    // The plain kernel adds them elsewhere.
    seen(&tuned(gpu, Kernel::Plain), "common/step.wgsl", "add_own(other, present)", "add_own(other, false)");
}

fn sums_of_a_dense_flock_are_right(gpu: &Gpu) {
    // All boids are in the same few cells.
    let mut p = flock(0, 2000, ALL);
    (p.world.min, p.world.max) = ([-1.0; 3], [1.0; 3]);
    let state = State::start(&p);
    let found = apart(&p, &step(gpu, Shaders::default(), &p, &state), &reference::<f64>(&p, &state, 1));
    assert!(found < 10.0 * BOUND, "{found:e}");
    p.terms = written(before("[terms.shy]"));
    let found = apart(&p, &step(gpu, Shaders::default(), &p, &state), &reference::<f64>(&p, &state, 1));
    assert!(found < 10.0 * BOUND, "{found:e}");
}

fn terms_and_values_change_in_flight(entry: &AdapterEntry) {
    // A device of its own: what it compiles is counted.
    let gpu = &open(entry);
    let mut p = Parameters { terms: OwnTerms::default(), ..flock(2, 300, ALL) };
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
    p.terms.set("terms.few.nearest", 6.0).expect("in its range");
    assert_eq!(change(&p), with, "another value is no other pipeline");
    p.terms = written(&ALL.replace("weight * sum", "-weight * sum"));
    let other = change(&p);
    assert_eq!(other, with + 1);
    p.terms = written(ALL);
    assert_eq!(change(&p), other);
    p.terms = OwnTerms::default();
    assert_eq!(change(&p), other);
}

/// Two steps in integers: at the first one the time is zero.
fn stepped_in_integers(gpu: &Gpu, shaders: Shaders, p: &Parameters, state: &State) -> State {
    let mut engine = GpuEngine::<Fixed>::with_shaders(gpu, shaders, p, state).expect("fits");
    engine.advance(2).expect("steps");
    engine.state().expect("read back")
}

fn formulas_have_the_same_bits_in_integers(gpu: &Gpu) {
    for number in tried(gpu, Numeric::Fixed) {
        let p = varied(number);
        let state = representable::<Fixed>(&p, &State::start(&p));
        let mut engine = GpuEngine::<Fixed>::new(gpu, &p, &state).expect("fits");
        engine.advance(4).expect("steps");
        let expected = reference::<Fixed>(&p, &state, 4);
        assert!(engine.state().expect("read back") == expected, "{number}");
    }
}

fn random_formulas_have_the_same_bits_in_integers(gpu: &Gpu) {
    let (count, mut refused) = (scope::choose(3, 6), 0);
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

fn another_operation_is_seen_in_integers(gpu: &Gpu) {
    let p = flock(0, 200, ALL);
    let state = representable::<Fixed>(&p, &State::start(&p));
    let expected = reference::<Fixed>(&p, &state, 2);
    assert!(stepped_in_integers(gpu, Shaders::default(), &p, &state) == expected);
    let slips = [
        ("((a >> (right - 1u)) & 1)", "0"),
        ("max(shift, 0)), 0, b == 0)", "max(shift, 1)), 0, b == 0)"),
        ("30 - (32 - up - shift) / 2", "29 - (32 - up - shift) / 2"),
        ("below - to", "below - to + 1"),
        ("a >> u32(clamp(digits, 0, 31))", "a"),
        ("word >> 8u", "word >> 9u"),
        ("i32(FRACTION) - digits", "1 + i32(FRACTION) - digits"),
        ("length_of(polar(v))", "2 * length_of(polar(v))"),
        ("polar(v).unit", "polar(-v).unit"),
        ("within(offset, radius)", "true"),
        ("own_word(z, shift.z)", "own_word(z, shift.z + 1)"),
        ("u32(max(own_shifted(a, shift), 0))", "u32(max(a, 0))"),
    ];
    let unseen = slips.into_iter().filter(|(from, to)| {
        let shaders = altered(Shaders::default(), "number/fixed_own.wgsl", from, to);
        stepped_in_integers(gpu, shaders, &p, &state) == expected
    });
    assert_eq!(unseen.collect::<Vec<_>>(), []);
    // Eight groups take three bits.
    let p = flock(1, 200, ALL);
    let state = representable::<Fixed>(&p, &State::start(&p));
    let shaders = altered(Shaders::default(), "common/boid.wgsl", "(1u << GROUP_BITS) - 1u", "3u");
    assert!(stepped_in_integers(gpu, shaders, &p, &state) != reference::<Fixed>(&p, &state, 2));
}

on_every_adapter![
    formulas_step_as_on_the_cpu_and_by_brute_force,
    sums_of_a_dense_flock_are_right,
    terms_and_values_change_in_flight,
    formulas_have_the_same_bits_in_integers,
    random_formulas_have_the_same_bits_in_integers,
];

/// A slip is one on every adapter: once is enough.
#[test]
fn another_operation_is_seen() {
    crate::every::on(crate::adapters::Slot::LlvmpipeVulkan, another_operation_is_seen_in_f32);
    crate::every::on(crate::adapters::Slot::LlvmpipeVulkan, another_operation_is_seen_in_integers);
}
