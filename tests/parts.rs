//! Flocks that outgrow one binding: split over several, they have the very bits that they have in one. Devices are
//! opened with small bindings, so that small flocks show it.

#[path = "support/adapters.rs"]
mod adapters;
#[macro_use]
#[path = "support/every.rs"]
mod every;
#[path = "support/rules.rs"]
mod rules;

use flock::parameters::{Edges, Scope};
use flock::{Fixed, Parameters, Rule};
use murmuration::engine::{Engine, EngineError};
use murmuration::gpu::buffers::ROWS;
use murmuration::gpu::number::OnGpu;
use murmuration::gpu::room::room;
use murmuration::gpu::shaders::Shaders;
use murmuration::gpu::split::{Sizes, Splits};
use murmuration::gpu::{AdapterEntry, Choice, Gpu, GpuEngine, Tuning, grid, most_boids};
use murmuration::offscreen::Offscreen;
use murmuration::state::State;
use murmuration::view::camera::Camera;
use murmuration::view::scene::{Drawn, Look};

use adapters::open;
use rules::{base, cases};

/// Bytes of a binding: 2560 boids or 10,240 cells in one, or parts of 2048 boids or 8192 cells.
const BINDING: u64 = 40 << 10;

/// The adapter, with bindings that small.
fn small(entry: &AdapterEntry) -> Gpu {
    lowered(entry, |limits| limits.max_storage_buffer_binding_size = BINDING)
}

fn lowered(entry: &AdapterEntry, lower: impl FnOnce(&mut wgpu::Limits)) -> Gpu {
    let index = entry.index.to_string();
    let choice = Choice { adapter: Some(&index), ..Choice::default() };
    Gpu::open_within(&Gpu::instance(None), &choice, |mut limits| {
        lower(&mut limits);
        limits
    })
    .unwrap_or_else(|error| panic!("{entry}: {error}"))
}

/// So many boids, as crowded as [`base`] makes 1500 of them.
fn crowd(boids: u32, edges: Edges, dimensions: u32) -> Parameters {
    let mut p = base(boids, edges, dimensions);
    let side = (f64::from(boids) / 1500.0).powf(1.0 / f64::from(dimensions));
    p.world.max = p.world.max.map(|side_before| side_before * side);
    p
}

fn splits<T: OnGpu>(gpu: &Gpu, p: &Parameters) -> Splits {
    let cells = grid::of(&Rule::<T>::new(p), p.flock.boids).cells();
    let sizes = Sizes { boids: p.flock.boids, cells, rows: 4.max(2 + p.predators.count), predators: 0 };
    Splits::new::<T>(&gpu.limits, &sizes)
}

/// Flocks in 2 parts, 3, 4 and 6, the last with its cells in parts, too.
fn flocks() -> Vec<Parameters> {
    let mut hunted = crowd(8_000, Edges::Turn, 3);
    (hunted.predators.count, hunted.predators.attack_weight) = (19, 0.5);
    (hunted.alignment.scope, hunted.noise.weight) = (Scope::Flock, 0.1);
    let mut fine = crowd(12_000, Edges::Wrap, 3);
    (fine.separation.radius, fine.alignment.radius, fine.cohesion.radius) = (1.0, 2.0, 2.5);
    let mut all = vec![crowd(4_000, Edges::Wrap, 3), crowd(6_000, Edges::Wrap, 2), hunted, fine];
    // Crowds.
    let mut gathered = crowd(2_600, Edges::Wrap, 3);
    gathered.cohesion.radius = 20.0;
    all.push(gathered);
    // Narrow views, the whole flock's means, a carrot, scouts, perches and obstacles.
    for (_, mut p) in cases().into_iter().skip(6).take(3) {
        p.flock.boids = 2_800;
        all.push(p);
    }
    all
}

/// The flock after some steps, in one go and through its state, and what is measured of it.
fn run<T: OnGpu>(gpu: &Gpu, shaders: Shaders, p: &Parameters) -> Result<(State, String), EngineError> {
    // The kernels differ in what they take for crowded.
    let gpu = gpu.tuned(Tuning { crowded: Some(192), ..gpu.tuning })?;
    let mut engine = GpuEngine::<T>::with_shaders(&gpu, shaders, p, &State::start(p))?;
    engine.advance(12)?;
    let half = engine.state()?;
    engine.set_state(&half)?;
    assert_eq!(engine.state()?, half, "through its state");
    engine.advance(12)?;
    let measures = format!("{:?} {:?}", engine.measures()?, engine.occupancy());
    Ok((engine.state()?, measures))
}

fn in_parts_as_in_one<T: OnGpu>(entry: &AdapterEntry) {
    let (whole, small) = (open(entry), small(entry));
    let most = room::<T>(&small.limits, ROWS).expect("known").boids;
    assert!(most >= 4096, "{most}");
    let mut cut: Vec<&str> = Vec::new();
    for p in flocks() {
        let found = run::<T>(&small, Shaders::default(), &p);
        // Each device shows it with as many parts as its passes can have.
        if p.flock.boids > most {
            assert!(matches!(found, Err(EngineError::TooMany { .. })), "{found:?}");
            continue;
        }
        let splits = splits::<T>(&small, &p);
        assert_eq!(splits.boids().parts, p.flock.boids.div_ceil(2048));
        cut.extend(splits.iter().map(|(name, _)| name));
        let expected = run::<T>(&whole, Shaders::default(), &p).expect("steps");
        assert!(
            found.expect("steps") == expected,
            "{} boids, {} dimensions",
            p.flock.boids,
            p.flock.dimensions
        );
    }
    assert!(most < 12_000 || ["counts", "starts"].iter().all(|name| cut.contains(name)), "{cut:?}");
    assert!(most < 8000 || cut.contains(&"partials"), "{cut:?}");
}

fn f32_in_parts_is_as_in_one(entry: &AdapterEntry) {
    in_parts_as_in_one::<f32>(entry);
}

fn integers_in_parts_are_as_in_one(entry: &AdapterEntry) {
    in_parts_as_in_one::<Fixed>(entry);
}

fn a_wrong_mask_is_seen(entry: &AdapterEntry) {
    let small = small(entry);
    let p = crowd(3_000, Edges::Wrap, 3);
    let expected = run::<f32>(&small, Shaders::default(), &p).expect("steps");
    for (from, to) in [("- 1u)", "- 2u)"), ("entry >> shift", "(entry + 1u) >> shift")] {
        let shaders = Shaders::default().altered("common/parts.wgsl", from, to).expect("it is there");
        match run::<f32>(&small, shaders, &p) {
            Ok(found) => assert!(found != expected, "{to} goes unseen"),
            Err(error) => assert!(error.to_string().contains("lost"), "{error}"),
        }
    }
}

fn a_picture_of_parts_is_that_of_the_whole(entry: &AdapterEntry) {
    fn picture<T: OnGpu>(gpu: &Gpu, parts: usize) -> Vec<u8> {
        let p = crowd(3_000, Edges::Turn, 3);
        let mut engine = GpuEngine::<T>::new(gpu, &p, &State::start(&p)).expect("fits");
        engine.advance(3).expect("steps");
        let instances = engine.instances().expect("drawn");
        assert_eq!((instances.parts.len(), instances.count()), (parts, 3_000));
        let drawn = Drawn { instances, predators: &[], parameters: &p, centre: None };
        let mut offscreen = Offscreen::new(gpu, [320, 240]).expect("there is room");
        let mut camera = Camera::new(p.flat());
        camera.fit(p.world.min.map(|c| c as f32), p.world.max.map(|c| c as f32), offscreen.aspect());
        offscreen.draw(&drawn, &camera, &Look::new(&p)).expect("drawn")
    }
    let (whole, small) = (open(entry), small(entry));
    let expected = picture::<f32>(&whole, 1);
    let colours: std::collections::BTreeSet<&[u8]> = expected.chunks(4).collect();
    assert!(colours.len() > 100, "nobody is drawn");
    assert!(picture::<f32>(&small, 2) == expected);
    assert!(picture::<Fixed>(&small, 2) == picture::<Fixed>(&whole, 1));
}

fn parameters_and_number_change_between_parts(entry: &AdapterEntry) {
    let (whole, small) = (open(entry), small(entry));
    let run = |gpu: &Gpu| {
        let mut p = crowd(2_400, Edges::Turn, 3);
        let mut engine = GpuEngine::<f32>::new(gpu, &p, &State::start(&p)).expect("fits");
        let mut states = Vec::new();
        for boids in [4_000, 100, 2_600] {
            p.flock.boids = boids;
            engine.set_state(&State::start(&p)).expect("fits");
            engine.advance(2).expect("steps");
            p.cohesion.radius += 1.0;
            engine.set_parameters(&p).expect("fits");
            engine.advance(2).expect("steps");
            states.push(engine.state().expect("read back"));
        }
        states
    };
    assert!(run(&whole) == run(&small));
}

fn the_limit_is_told_by_name(entry: &AdapterEntry) {
    let few = lowered(entry, |limits| {
        limits.max_storage_buffer_binding_size = BINDING;
        limits.max_storage_buffers_per_shader_stage = 8;
    });
    // No pass has room for a second part of everything.
    assert_eq!(most_boids(&few.limits), 2560);
    let p = crowd(2561, Edges::Turn, 3);
    let refused = GpuEngine::<f32>::new(&few, &p, &State::start(&p)).expect_err("too many");
    assert!(matches!(refused, EngineError::TooMany { asked: 2561, most: 2560, .. }), "{refused}");
    assert!(refused.to_string().contains("max_storage_buffers_per_shader_stage = 8"), "{refused}");
}

on_every_adapter![
    f32_in_parts_is_as_in_one,
    integers_in_parts_are_as_in_one,
    a_wrong_mask_is_seen,
    a_picture_of_parts_is_that_of_the_whole,
    parameters_and_number_change_between_parts,
    the_limit_is_told_by_name,
];
