//! Steps in integers on a GPU against those by brute force on the CPU: equal hashes at every step.

use config::presets::PRESETS;
use engine::{Engine, Numeric, State};
use flock::parameters::Edges;
use flock::{Fixed, Parameters, Rule};
use gpu::shaders::Shaders;
use gpu::{Gpu, GpuEngine, Kernel};

use crate::adapters::is_slow;
use crate::altered::altered;
use crate::read::read;
use crate::reference::reference;
use crate::rules::{base, cases};

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

fn preset(name: &str, dimensions: u32, boids: u32) -> Parameters {
    let preset = PRESETS.iter().find(|preset| preset.name == name).expect("it is built in");
    let mut p = preset.parameters().expect("it holds");
    p.flock.dimensions = dimensions;
    p.set_boids(boids);
    p
}

pub fn presets_have_the_same_bits(gpu: &Gpu) {
    let mut flocks = Vec::new();
    for (k, known) in PRESETS.iter().enumerate() {
        // By turns on an adapter that is slow.
        for dimensions in if is_slow(gpu) { vec![2 + k as u32 % 2] } else { vec![2, 3] } {
            let p = preset(known.name, dimensions, 300);
            flocks.push((format!("{}, {dimensions}-D", known.name), p, State::start(&p)));
        }
    }
    all_have_the_same_bits(gpu, &flocks, if is_slow(gpu) { 10 } else { 30 });
}

pub fn every_part_of_the_rule_has_the_same_bits(gpu: &Gpu) {
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
    all_have_the_same_bits(gpu, &flocks, 8);
}

/// Boids on the points of a lattice: nearly every distance is that of several boids, and cells end where boids are.
pub fn ties_for_the_nearest_have_the_same_bits(gpu: &Gpu) {
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

pub fn other_parameters_have_the_same_bits(gpu: &Gpu) {
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
}

pub fn slips_in_the_shaders_are_seen(gpu: &Gpu) {
    let p = preset("cornell", 2, 300);
    let start = State::start(&p);
    let dropped = match gpu.settings.kernel {
        Kernel::Plain => ("step_plain.wgsl", "j + 3u, 8u", "j + 3u, 0u"),
        Kernel::Shared => ("common/subgroup_broadcast.wgsl", "index != i", "index > i"),
    };
    for (what, file, from, to) in [
        (
            "a wrong rounding",
            "number/fixed.wgsl",
            "remainder >= count - remainder",
            "remainder < vec3<u32>(0u)",
        ),
        ("another", "number/fixed_sense.wgsl", "position + units.position_half", "position"),
        (
            "swapped operands",
            "rule/update.wgsl",
            "minus(mean, velocity), mean",
            "minus(velocity, mean), mean",
        ),
        ("dropped neighbours", dropped.0, dropped.1, dropped.2),
        (
            "a radius one percent off",
            "rule/perceive.wgsl",
            "square < view.radius_square",
            "square < view.radius_square - 2000000",
        ),
    ] {
        let shaders = altered(Shaders::default(), file, from, to);
        let mut engine = GpuEngine::<Fixed>::with_shaders(gpu, shaders, &p, &start).expect("fits");
        assert!(divergence(&mut engine, &p, &start, 20).is_some(), "{what} goes unseen");
    }
}

/// A list of the nearest that is wrong shows in the bits, and so does a term of the zones.
pub fn slips_in_the_terms_are_seen(gpu: &Gpu) {
    let (ranking, turn, update) = ("rule/nearest.wgsl", "rule/angular_noise.wgsl", "rule/update.wgsl");
    let nearest = [
        ("one too few", "4u * QUADS - NEAREST)", "4u * QUADS - NEAREST + 1u)"),
        ("the farthest kept", "(squares.w == farthest)", "(squares.z == farthest)"),
        ("a list out of step", "(indices.yzw, index)", "(indices.yzw, indices.x)"),
        ("one list for all", "list_boid(&separation_nearest", "list_boid(&alignment_nearest"),
    ];
    let ties = [
        (
            "ties left out",
            ranking,
            "square <= alignment_nearest.farthest",
            "square < alignment_nearest.farthest",
        ),
        ("ties without a room", ranking, "(*list).left_out == (*list).farthest", "false"),
        ("no second walk", "common/step.wgsl", "add_neighbours(i, again, boid, &sums);", ""),
    ];
    let zones = [
        ("a coefficient", turn, "1332688", "1332720"),
        ("the azimuth", turn, "half_turns(numbers.z)", "half_turns(numbers.y)"),
        ("one of two for the larger", turn, "max(abs(numbers.x), abs(numbers.y))", "abs(numbers.x)"),
        ("no priority", update, "!USES_PRIORITY || perceived.separation_count <= 0", "true"),
        ("one direction for all", update, "rule.left_direction.xyz", "rule.right_direction.xyz"),
        ("a zone from its border on", "rule/perceive.wgsl", "(rule.cohesion_inner_square <= square)", "true"),
    ];
    let error = "rule/gaussian_noise.wgsl";
    let units = [
        ("eleven of twelve", error, "rest.x + rest.y", "rest.x + rest.x"),
        ("the azimuth of an error", error, "half_turns(numbers.y)", "half_turns(numbers.x)"),
        ("the opposite", "number/fixed_sense.wgsl", "polar(-vector)", "polar(vector)"),
    ];
    let units = units.map(|(what, file, from, to)| ("unit vectors, 3-D", what, file, from, to));
    let nearest = nearest.map(|(what, from, to)| ("the seven nearest", what, ranking, from, to));
    let zones = zones.map(|(what, file, from, to)| ("zones, 3-D", what, file, from, to));
    let ties = ties.map(|(what, file, from, to)| ("a lattice", what, file, from, to));
    for (case, what, file, from, to) in nearest.into_iter().chain(zones).chain(units).chain(ties) {
        let known = cases().into_iter().find(|(name, _)| *name == case);
        let (p, start) = known.map_or_else(
            || lattice(Edges::Open, 4),
            |(_, mut p)| {
                p.flock.boids = 400;
                (p, State::start(&p))
            },
        );
        let shaders = altered(Shaders::default(), file, from, to);
        let mut engine = GpuEngine::<Fixed>::with_shaders(gpu, shaders, &p, &start).expect("fits");
        assert!(divergence(&mut engine, &p, &start, 5).is_some(), "{what} goes unseen");
    }
}

pub fn what_is_drawn_is_the_flock(gpu: &Gpu) {
    let p = preset("murmuration", 3, 500);
    let mut engine = GpuEngine::<Fixed>::new(gpu, &p, &State::start(&p)).expect("fits");
    engine.advance(3).expect("steps");
    let state = engine.state().expect("read back");
    let drawn = engine.instances().expect("drawn");
    let positions: Vec<[f32; 4]> = read(gpu, &drawn.position);
    let velocities: Vec<[f32; 4]> = read(gpu, &drawn.velocity);
    let tags: Vec<[u32; 2]> = read(gpu, &drawn.tag);
    for ((position, velocity), [id, _]) in positions.iter().zip(&velocities).zip(&tags) {
        let boid = &state.boids[*id as usize];
        let [x, y, z] = boid.position.map(|c| c as f32);
        assert_eq!(*position, [x, y, z, boid.bias as f32]);
        assert_eq!(velocity[..3], boid.velocity.map(|c| c as f32));
    }
    assert!(velocities.iter().any(|v| v[3] > 0.0) && velocities.iter().all(|v| v[3] >= 0.0));
    let order = flock::measures::order(&Rule::new(&p), &state.boids).expect("boids are there");
    let measured = f64::from(engine.measures().expect("measured").polarization);
    assert!((measured / order.polarization - 1.0).abs() < 1e-4, "{measured} {}", order.polarization);
    // Passes dispatched for the picture are not part of the timed step.
    assert_eq!(engine.times_passes(), engine.pass_times().iter().any(|(pass, _)| *pass == "step"));
}
