//! Flocks so crowded that crowds stand in for their boids on the GPU: whom a boid perceives is what brute force says.

use std::sync::OnceLock;

use cpu::engine::Engine;
use cpu::state::{Numeric, State};
use flock::parameters::{Edges, Falloff, Start};
use flock::{Fixed, Parameters, Rule};
use gpu::cost::Costs;
use gpu::number::OnGpu;
use gpu::shaders::Shaders;
use gpu::{Gpu, GpuEngine, Settings};
use lab::conform::bounds::{Guarantee, bounds};
use lab::conform::flocks::{quantised, representable};

use crate::adapters::{Slot, is_slow};
use crate::altered::altered;
use crate::difference::difference;
use crate::reference::reference;
use crate::rules::{base, cases};

/// Occupancy above which the flocks here are clustered, on every adapter.
const CROWDED: u32 = 192;

/// The start, drawn together to some reaches about a place: there it fills few cells.
fn gathered(p: &Parameters, to: [f64; 3], reaches: f64) -> State {
    let rule = Rule::<f64>::new(p);
    let side: [f64; 3] = std::array::from_fn(|k| p.world.max[k] - p.world.min[k]);
    let share = (reaches * rule.reach_square.sqrt() / side[0]).min(1.0);
    let mut state = State::start(p);
    for boid in &mut state.boids {
        let centre: [f64; 3] = std::array::from_fn(|k| p.world.min[k] + 0.5 * side[k]);
        let place: [f64; 3] = std::array::from_fn(|k| to[k] + (boid.position[k] - centre[k]) * share);
        boid.position = rule.wrap(place.into()).to_array();
        if p.flock.dimensions == 2 {
            boid.position[2] = 0.0;
        }
    }
    // Some sit on their perches from the beginning.
    if p.perching.steps > 0 {
        for boid in state.boids.iter_mut().step_by(3) {
            (boid.rest, boid.velocity) = (5, [0.0; 3]);
        }
    }
    state
}

/// The state of one of [`flocks`] after two steps by brute force in integers: the same for every adapter.
fn two_steps(flocks: &[(String, Parameters, State)], index: usize) -> &'static State {
    static ALL: OnceLock<Vec<OnceLock<State>>> = OnceLock::new();
    let all = ALL.get_or_init(|| flocks.iter().map(|_| OnceLock::new()).collect());
    let (_, p, start) = &flocks[index];
    all[index].get_or_init(|| reference::<Fixed>(p, start, 2))
}

/// Flocks that between them use every part of the rule, in the middle of the world and about its corner.
fn flocks() -> Vec<(String, Parameters, State)> {
    let mut all = Vec::new();
    for (name, mut p) in cases() {
        if name == "nobody looks at anybody" {
            continue;
        }
        p.flock.boids = 2000;
        // The most that fits integers in a world of this size.
        p.cohesion.radius = p.cohesion.radius.min(500.0);
        let centre = std::array::from_fn(|k| 0.5 * (p.world.min[k] + p.world.max[k]));
        let reach = Rule::<f64>::new(&p).reach_square.sqrt();
        let corner = p.world.min.map(|c| c + 0.2 * reach);
        for (place, to) in [("in the middle", centre), ("about a corner", corner)] {
            all.push((format!("{name}, {place}"), p, gathered(&p, to, 1.0)));
        }
    }
    let mut p = base(1600, Edges::Wrap, 3);
    (p.separation.falloff, p.separation.weight, p.flock.start) = (Falloff::Inverse, 0.5, Start::Point);
    all.push(("on one point".to_owned(), p, State::start(&p)));
    // The grid has so few cells that crowds are seen from both sides of the boundary.
    let mut p = base(1600, Edges::Wrap, 3);
    p.cohesion.radius = 19.0;
    all.push(("a narrow torus".to_owned(), p, State::start(&p)));
    let mut p = base(2400, Edges::Wrap, 3);
    (p.separation.exclusive, p.separation.weight, p.alignment.radius) = (true, 0.001, 3.0);
    all.push(("three shells".to_owned(), p, gathered(&p, [1.0; 3], 1.0)));
    all
}

/// Indices of the flocks to test on an adapter with a number type. Each rule has two entries. A software adapter
/// compiles a rule for seconds: llvmpipe takes half of the rules in f32 and the others in integers, with OpenGL vice
/// versa and the other entries. SwiftShader is eight times slower: it takes half of those.
fn tried(gpu: &Gpu, numeric: Numeric, flocks: &[(String, Parameters, State)]) -> Vec<usize> {
    let software = ["llvmpipe", "SwiftShader"].iter().any(|name| gpu.info.name.contains(name));
    let gl = usize::from(gpu.info.backend == wgpu::Backend::Gl);
    let turn = (gl + usize::from(numeric == Numeric::Fixed)) % 2;
    let taken = |index: &usize| {
        let (rule, of_two) = (index / 2, index + 3 < flocks.len());
        !of_two || (index % 2 == (rule / 2 + gl) % 2 && (!software || rule % 2 == turn))
    };
    (0..flocks.len()).filter(taken).step_by(if is_slow(gpu) { 2 } else { 1 }).collect()
}

fn engine<T: OnGpu>(gpu: &Gpu, shaders: Shaders, p: &Parameters, start: &State) -> GpuEngine<T> {
    let gpu =
        gpu.with_settings(Settings { cluster_occupancy: CROWDED, ..gpu.settings }).expect("the same kernel");
    let engine = GpuEngine::<T>::with_shaders(&gpu, shaders, p, start).expect("fits");
    let occupancy = engine.occupancy().1;
    assert!(occupancy > f64::from(CROWDED), "not crowded: {occupancy}");
    engine
}

/// Loads a flock into an engine that had another.
fn load<T: OnGpu>(engine: &mut GpuEngine<T>, name: &str, p: &Parameters, start: &State) {
    engine.set_parameters(p).expect("fits");
    engine.set_state(start).expect("fits");
    let occupancy = engine.occupancy().1;
    assert!(occupancy > f64::from(CROWDED), "{name} is not crowded: {occupancy}");
}

fn integers_have_the_bits_of_brute_force(gpu: &Gpu) {
    let mut bad = Vec::new();
    let mut engine: Option<GpuEngine<Fixed>> = None;
    let flocks = flocks();
    for index in tried(gpu, Numeric::Fixed, &flocks) {
        let (name, p, start) = &flocks[index];
        let engine = engine.get_or_insert_with(|| self::engine(gpu, Shaders::default(), p, start));
        load(engine, name, p, start);
        engine.advance(2).expect("steps");
        if engine.state().expect("read back") != *two_steps(&flocks, index) {
            bad.push(name.clone());
        }
    }
    assert!(bad.is_empty(), "{bad:?}");
}

fn a_step_in_f32_agrees_with_brute_force(gpu: &Gpu) {
    let mut bad = Vec::new();
    let mut engine: Option<GpuEngine<f32>> = None;
    let flocks = flocks();
    for index in tried(gpu, Numeric::F32, &flocks) {
        let (name, p, start) = &in_f32(&flocks[index]);
        let engine = engine.get_or_insert_with(|| self::engine(gpu, Shaders::default(), p, start));
        load(engine, name, p, start);
        engine.advance(1).expect("steps");
        let state = engine.state().expect("read back");
        bad.extend(disagreement(p, start, &state).map(|why| format!("{name}: {why}")));
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

/// The flock with every number rounded to f32.
fn in_f32((name, p, start): &(String, Parameters, State)) -> (String, Parameters, State) {
    let p = quantised(p);
    (name.clone(), p, representable(&p, start, Numeric::F32))
}

/// The reason why a state differs from the one after a step; `None` if it does not. Brute force in f32 rounds like one
/// device: if another device's rounding changes whether a boid is perceived, the state is off by that boid's effect.
/// Then each number must lie within its derived bound, for one outcome of the open decisions.
fn disagreement(p: &Parameters, start: &State, state: &State) -> Option<String> {
    let (position, velocity) = difference(p, state, &reference::<f32>(p, start, 1));
    if position <= 1e-3 && velocity <= 1e-3 {
        return None;
    }
    let refusal = bounds(Guarantee::Wgsl32, p, start).expect("bounds")(state).refusal(false)?;
    Some(format!("{position:e} {velocity:e}, {refusal}"))
}

/// Brute force in f64 stands for other rounding: a decision that it changes agrees, an extra neighbour does not.
#[test]
fn a_turned_decision_agrees_and_one_neighbour_more_does_not() {
    let (_, mut p) =
        cases().into_iter().find(|case| case.0 == "the three nearest in narrow views").expect("a rule");
    p.flock.boids = 300;
    let turned = (1..100).find_map(|seed| {
        p.flock.seed = seed;
        let (_, p, start) = in_f32(&(String::new(), p, gathered(&p, [0.0; 3], 1.0)));
        let exact = reference::<f64>(&p, &start, 1);
        let turns = difference(&p, &exact, &reference::<f32>(&p, &start, 1)).1 > 1e-3;
        turns.then_some((p, start, exact))
    });
    let (p, start, exact) = turned.expect("a decision that turns");
    assert_eq!(disagreement(&p, &start, &exact), None);
    let mut four = p;
    four.neighbours.nearest += 1;
    let why = disagreement(&p, &start, &reference::<f32>(&four, &start, 1)).expect("four neighbours");
    assert!(why.contains("does not conform"), "{why}");
}

fn bits_are_the_same_in_one_go_or_two_and_in_rounds(gpu: &Gpu) {
    for (name, p, start) in flocks().into_iter().step_by(if is_slow(gpu) { 15 } else { 5 }) {
        let mut engine = engine::<f32>(gpu, Shaders::default(), &p, &start);
        engine.advance(6).expect("steps");
        let whole = engine.state().expect("read back");
        engine.set_state(&start).expect("fits");
        engine.advance(2).expect("steps");
        let some = engine.state().expect("read back");
        engine.set_state(&some).expect("fits");
        // At these costs a group of boids takes seconds: each is a separate round.
        engine.set_costs(Costs { candidate: 1e-3, boid: 1e-2 });
        engine.advance(4).expect("steps");
        assert!(engine.state().expect("read back") == whole, "{name}");
    }
}

fn many_on_one_point_are_stepped(gpu: &Gpu) {
    let mut p = base(50_000, Edges::Open, 3);
    p.motion.min_speed = 0.0;
    p.flock.start = Start::Point;
    let start = State::start(&p);
    let mut engine = engine::<f32>(gpu, Shaders::default(), &p, &start);
    engine.advance(1).expect("steps");
    let state = engine.state().expect("read back");
    // All perceive all, at no distance: the mean of the velocities is what they go by.
    let mean: [f64; 3] =
        std::array::from_fn(|k| start.boids.iter().map(|b| b.velocity[k]).sum::<f64>() / 50_000.0);
    for (before, after) in start.boids.iter().zip(&state.boids) {
        let others: [f64; 3] = std::array::from_fn(|k| (mean[k] * 50_000.0 - before.velocity[k]) / 49_999.0);
        let expected =
            (0..3).map(|k| before.velocity[k] + p.alignment.weight * (others[k] - before.velocity[k]));
        for (k, expected) in expected.enumerate() {
            assert!((after.velocity[k] - expected).abs() < 1e-4, "{after:?} {before:?} {mean:?}");
        }
    }
}

on_every_adapter![
    integers_have_the_bits_of_brute_force,
    a_step_in_f32_agrees_with_brute_force,
    bits_are_the_same_in_one_go_or_two_and_in_rounds,
    many_on_one_point_are_stepped,
];

/// The controls. A slip is one on every adapter: once is enough.
#[test]
fn slips_are_seen() {
    crate::every::on(Slot::LlvmpipeVulkan, |gpu| {
        let flocks = flocks();
        for (what, name, file, before, after) in [
            (
                "some of a crowd are not perceived",
                "open, 3-D, in the middle",
                "rule/clusters.wgsl",
                "bounds.farthest < radius_square",
                "bounds.nearest < radius_square",
            ),
            (
                "some of a crowd passed over are",
                "open, 3-D, in the middle",
                "rule/clusters.wgsl",
                "senses.reach_square <= bounds.nearest",
                "senses.reach_square <= bounds.farthest",
            ),
            (
                "a boid perceives itself",
                "on one point",
                "rule/clusters.wgsl",
                "if (own) {",
                "if (own && false) {",
            ),
            (
                "a crowd has two images",
                "a narrow torus",
                "rule/clusters.wgsl",
                "if (!bounds.one_image) {",
                "if (false) {",
            ),
            (
                "one too many",
                "turning, 2-D, in the middle",
                "rule/cluster.wgsl",
                "a.low.w + b.low.w)",
                "a.low.w + b.low.w + 1)",
            ),
            (
                "who rests is perceived",
                "scouts, perches and obstacles, about a corner",
                "rule/cluster.wgsl",
                "if (velocity.w < 0) {",
                "if (false) {",
            ),
            (
                "two in one place",
                "on one point",
                "merge.wgsl",
                "other.x == one.x && other.y < one.y",
                "other.x == one.x",
            ),
        ] {
            let index = flocks.iter().position(|known| known.0 == name).expect("there");
            let ((_, p, start), expected) = (&flocks[index], two_steps(&flocks, index));
            let shaders = altered(Shaders::default(), file, before, after);
            let mut engine = engine::<Fixed>(gpu, shaders, p, start);
            let found = engine.advance(2).and_then(|()| engine.state());
            // Two boids in one place leave an id without a boid. Any other error is the device's, and no evidence.
            let seen = match &found {
                Ok(state) => *state != *expected,
                Err(error) if error.to_string().contains("boids were lost on the GPU") => true,
                Err(error) => panic!("{what}: {error}"),
            };
            assert!(!gpu.lost(), "{what}: the device is lost");
            assert!(seen, "{what}: not seen");
        }
    });
}
