//! The flock in integers on every adapter: each number, and each step, has the very bits that it has on the CPU. Random
//! rules have them on the board, too; the recorded hashes are those of presets.

mod random_rules;
mod words;

use engine::{Engine, Numeric, State};
use flock::parameters::Edges;
use flock::{Fixed, Parameters};
use gpu::shaders::Shaders;
use gpu::{Gpu, GpuEngine, Kernel};

use crate::adapters::{Slot, is_slow};
use crate::altered;
use crate::every::on;
use crate::reference::reference;
use crate::rules::{base, cases};
use random_rules::random_rules_have_the_same_bits;
use words::words_have_the_same_bits;

/// The first step at which the flock differs from the one that is stepped by brute force, and how.
fn divergence(
    engine: &mut GpuEngine<Fixed>,
    p: &Parameters,
    start: &State,
    steps: u32,
) -> Option<(u64, String)> {
    let mut expected = start.clone();
    for _ in 0..steps {
        engine.advance(1).expect("steps");
        expected = reference::<Fixed>(p, &expected, 1);
        let found = engine.state().expect("read back");
        let hashes = [&found, &expected].map(|state| state.hash(Numeric::Fixed, p));
        if hashes[0] != hashes[1] || found != expected {
            let id =
                (0..expected.boids.len()).find(|id| found.boids[*id] != expected.boids[*id]).unwrap_or(0);
            let pair = (found.boids.get(id), expected.boids.get(id));
            return Some((found.step, format!("boid {id}: {pair:?}; {:?}", found.predators)));
        }
    }
    None
}

/// One engine steps all the flocks, so that none may leave a trace in the next.
fn all_have_the_same_bits(gpu: &Gpu, flocks: &[(String, Parameters, State)], steps: u32) {
    let (_, p, state) = &flocks[0];
    let mut engine = GpuEngine::<Fixed>::new(gpu, p, state).expect("fits");
    let mut bad = Vec::new();
    for (name, p, state) in flocks {
        engine.set_parameters(p).expect("fits");
        engine.set_state(state).expect("fits");
        if let Some((step, what)) = divergence(&mut engine, p, state, steps) {
            bad.push(format!("{name}, step {step}: {what}"));
        }
    }
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

fn every_part_of_the_rule_has_the_same_bits(gpu: &Gpu) {
    let mut flocks = Vec::new();
    for (name, mut p) in cases() {
        p.flock.boids = p.flock.boids.min(400);
        // The most that fits integers in a world of this size.
        p.cohesion.radius = p.cohesion.radius.min(500.0);
        let state = State::start(&p);
        // Some far outside of the world, beyond all cells, at rest and at great speed.
        let mut hostile = state.clone();
        for (id, boid) in (0_u32..).zip(&mut hostile.boids) {
            let far = f64::from(id % 7) * 4.0;
            boid.position = boid.position.map(|c| if p.world.edges == Edges::Wrap { c } else { c * far });
            boid.velocity = boid.velocity.map(|c| c * f64::from(id % 5) * 10.0);
        }
        flocks.push((name.to_owned(), p, state));
        flocks.push((format!("{name}, hostile"), p, hostile));
    }
    // By turns on an adapter that is slow.
    if is_slow(gpu) {
        let mut index = 0..;
        flocks.retain(|_| index.next().is_some_and(|index| index / 2 % 2 == index % 2));
    }
    all_have_the_same_bits(gpu, &flocks, 6);
}

/// Boids on the points of a lattice: nearly every distance is that of several boids, and cells end where boids are.
fn ties_for_the_nearest_have_the_same_bits(gpu: &Gpu) {
    let mut flocks = Vec::new();
    for (edges, nearest) in [(Edges::Wrap, 1), (Edges::Wrap, 7), (Edges::Open, 4), (Edges::Open, 32)] {
        let (p, state) = lattice(edges, nearest);
        flocks.push((format!("lattice {edges:?}, {nearest}"), p, state));
    }
    all_have_the_same_bits(gpu, &flocks, 3);
}

fn lattice(edges: Edges, nearest: u32) -> (Parameters, State) {
    let mut p = base(512, edges, 3);
    (p.world.min, p.world.max, p.neighbours.nearest) = ([0.0; 3], [16.0; 3], nearest);
    (p.separation.radius, p.alignment.radius, p.cohesion.radius) = (3.0, 4.0, 4.5);
    let mut state = State::start(&p);
    for (id, boid) in (0_u32..).zip(&mut state.boids) {
        boid.position = [id % 8, id / 8 % 8, id / 64].map(|c| 2.0 * f64::from(c));
    }
    (p, state)
}

fn other_parameters_and_boids_have_the_same_bits(gpu: &Gpu) {
    let mut p = base(600, Edges::Turn, 3);
    let start = State::start(&p);
    let mut ours = GpuEngine::<Fixed>::new(gpu, &p, &start).expect("fits");
    let mut theirs = cpu::open_as::<Fixed>(&p, &start, None).expect("threads");
    let changes: [fn(&mut Parameters); 10] = [
        |p| p.neighbours.nearest = 5,
        |p| p.neighbours.nearest = 0,
        |p| p.cohesion.radius = 9.0,
        |p| p.predators.count = 3,
        |p| p.world.max = [400.0, 300.0, 350.0],
        |p| p.world.edges = Edges::Wrap,
        |p| (p.separation.weight, p.alignment.weight, p.cohesion.weight) = (0.0, 0.0, 0.0),
        |p| p.alignment.weight = 0.1,
        |p| p.flock.dimensions = 2,
        |p| (p.predators.count, p.predators.attack_weight) = (2, 1.0),
    ];
    for change in changes {
        change(&mut p);
        let states = [&mut ours as &mut dyn Engine, &mut *theirs].map(|engine| {
            engine.set_parameters(&p).expect("fits");
            engine.advance(3).expect("steps");
            engine.state().expect("read back")
        });
        assert_eq!(states[0], states[1], "after {p:?}");
    }
    for boids in [0, 1, 2, 70, 3000] {
        p.flock.boids = boids;
        let start = State::start(&p);
        let states = [&mut ours as &mut dyn Engine, &mut *theirs].map(|engine| {
            engine.set_state(&start).expect("fits");
            engine.advance(3).expect("steps");
            engine.state().expect("read back")
        });
        assert!(states[0] == states[1] && states[0].boids.len() == boids as usize, "{boids}");
    }
}

on_every_adapter![
    words_have_the_same_bits,
    every_part_of_the_rule_has_the_same_bits,
    other_parameters_and_boids_have_the_same_bits,
    ties_for_the_nearest_have_the_same_bits,
    random_rules_have_the_same_bits,
];

#[test]
fn random_rules_have_the_same_bits_on_the_cpu_in_all_registers() {
    random_rules::on_the_cpu_in_all_registers();
}

#[test]
fn random_rules_have_the_same_bits_on_the_board() {
    random_rules::on_the_board();
}

/// A case of [`cases`], or else the lattice.
fn case(name: &str) -> (Parameters, State) {
    match cases().into_iter().find(|(known, _)| *known == name) {
        Some((_, mut p)) => {
            p.flock.boids = 400;
            (p, State::start(&p))
        }
        None => lattice(Edges::Open, 4),
    }
}

/// A slip is one on every adapter, and some take their time to compile: once is enough.
#[test]
fn slips_in_the_shaders_are_seen() {
    on(Slot::LlvmpipeVulkan, words::a_slip_is_seen);
    on(Slot::LlvmpipeVulkan, |gpu: &Gpu| {
        let dropped = match gpu.settings.kernel {
            Kernel::Plain => ("turning, 3-D", "step_plain.wgsl", "j + 3u, 8u", "j + 3u, 0u"),
            Kernel::Shared => ("turning, 3-D", "common/subgroup_broadcast.wgsl", "index != i", "index > i"),
        };
        let nearest = "rule/nearest.wgsl";
        for (name, file, from, to) in [
            dropped,
            (
                "turning, 3-D",
                "rule/update.wgsl",
                "minus(mean, velocity), mean",
                "minus(velocity, mean), mean",
            ),
            ("the seven nearest", nearest, "(squares.w == farthest)", "(squares.z == farthest)"),
            ("a lattice", nearest, "(*list).left_out == (*list).farthest", "false"),
            ("zones, 3-D", "rule/angular_noise.wgsl", "1332688", "1332720"),
            ("unit vectors, 3-D", "rule/gaussian_noise.wgsl", "rest.x + rest.y", "rest.x + rest.x"),
        ] {
            let (p, start) = case(name);
            let shaders = altered(Shaders::default(), file, from, to);
            let mut engine = GpuEngine::<Fixed>::with_shaders(gpu, shaders, &p, &start).expect("fits");
            assert!(divergence(&mut engine, &p, &start, 5).is_some(), "{to} in {file} goes unseen");
        }
    });
}
