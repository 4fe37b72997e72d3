//! The hash that the GPU adds up is that of the state read back.

use config::presets::PRESETS;
use engine::{Engine, EngineError, State};
use flock::parameters::Edges;
use flock::{Fixed, Parameters};
use gpu::number::OnGpu;
use gpu::shaders::Shaders;
use gpu::{Choice, Gpu, GpuEngine};

use crate::adapters::is_slow;
use crate::altered::altered;
use crate::rules::{base, some_cases};
use crate::scope;

/// An engine for any flock.
fn engine<T: OnGpu>(gpu: &Gpu, shaders: Shaders) -> GpuEngine<T> {
    let p = base(1, Edges::Open, 3);
    GpuEngine::<T>::with_shaders(gpu, shaders, &p, &State::start(&p)).expect("fits")
}

/// The hash after so many steps, by the GPU and of the state that is read back then.
fn hashes<T: OnGpu>(engine: &mut GpuEngine<T>, p: &Parameters, start: &State, steps: u32) -> [u64; 2] {
    engine.set_parameters(p).expect("fits");
    engine.set_state(start).expect("fits");
    engine.advance(steps).expect("steps");
    let found = engine.hash().expect("a hash");
    assert_eq!(engine.hash().expect("a hash"), found, "twice");
    [found, engine.state().expect("read back").hash(T::NUMERIC, p)]
}

fn engines(gpu: &Gpu) -> (GpuEngine<f32>, GpuEngine<Fixed>) {
    (engine(gpu, Shaders::default()), engine(gpu, Shaders::default()))
}

fn agrees<T: OnGpu>(engine: &mut GpuEngine<T>, what: &str, p: &Parameters, steps: u32) {
    let [found, expected] = hashes(engine, p, &State::start(p), steps);
    assert_eq!(found, expected, "{what}, {:?}", T::NUMERIC);
}

fn hashes_of_presets_and_rules_are_those_of_the_state(gpu: &Gpu) {
    let (mut float, mut fixed) = engines(gpu);
    for preset in PRESETS.iter().step_by(if is_slow(gpu) { 4 } else { scope::choose(3, 1) }) {
        let mut p = preset.parameters().expect("built in");
        p.set_boids(333);
        agrees(&mut float, preset.name, &p, 5);
        agrees(&mut fixed, preset.name, &p, 5);
    }
    for (name, p) in some_cases(gpu) {
        agrees(&mut float, name, &p, 3);
    }
}

fn hashes_of_flocks_of_any_size_are_those_of_the_state(gpu: &Gpu) {
    let mut p = base(0, Edges::Wrap, 3);
    let mut engine = engine::<f32>(gpu, Shaders::default());
    // Workgroups are of 64; from 262,145 boids on an invocation takes several.
    for boids in [0, 1, 63, 64, 65, 4097, 300_001] {
        p.flock.boids = boids;
        let steps = if boids > 10_000 { 0 } else { 2 };
        agrees(&mut engine, &format!("{boids} boids"), &p, steps);
    }
    // Dispatches over all boids are folded into two dimensions.
    let choice = Choice { adapter: Some(&gpu.info.name), backend: Some(gpu.info.backend), surface: None };
    let lower = |limits| wgpu::Limits { max_compute_workgroups_per_dimension: 16, ..limits };
    let narrow = Gpu::open_within(&Gpu::instance(None).expect("drivers"), &choice, lower)
        .expect("the adapter was opened before");
    p.flock.boids = 5001;
    let (mut float, mut fixed) = engines(&narrow);
    agrees(&mut float, "folded", &p, 2);
    agrees(&mut fixed, "folded", &p, 2);
}

/// A boid that turns round on a plane has a z of 0, not of −0, which its file has no more.
fn no_zero_on_a_plane_is_negative(gpu: &Gpu) {
    let mut p = base(300, Edges::Wrap, 2);
    p.noise.angle = 180.0;
    let mut engine = engine::<f32>(gpu, Shaders::default());
    agrees(&mut engine, "turned round", &p, 2);
    let state = engine.state().expect("read back");
    let all = state.boids.iter().flat_map(|boid| [boid.position[2], boid.velocity[2]]);
    assert!(all.into_iter().all(f64::is_sign_positive));
}

fn a_mutation_of_the_hash_is_detected(gpu: &Gpu) {
    for (file, right, wrong, boids) in [
        ("hash.wgsl", "absorb(v, velocity.z)", "absorb(v, velocity.y)", 100),
        ("hash.wgsl", "group_of(tag.y)", "tag.y", 100),
        ("common/long.wgsl", "a.y + b.y + select(0u, 1u, low < a.x)", "a.y + b.y", 100),
        ("hash.wgsl", "i += at.groups.x * GROUP", "i += 2u * at.groups.x * GROUP", 300_001),
    ] {
        let p = base(boids, Edges::Turn, 3);
        let mut start = State::start(&p);
        start.boids[7].rest = 3;
        let shaders = altered(Shaders::default(), file, right, wrong);
        let [found, expected] = hashes(&mut engine::<f32>(gpu, shaders), &p, &start, 0);
        assert_ne!(found, expected, "{wrong}");
    }
}

fn a_flock_with_a_number_that_is_not_finite_has_no_hash(gpu: &Gpu) {
    let p = base(100, Edges::Open, 3);
    for lost in [f64::NAN, f64::INFINITY] {
        let mut start = State::start(&p);
        start.boids[41].velocity[1] = lost;
        let mut engine = GpuEngine::<f32>::new(gpu, &p, &start).expect("fits");
        match engine.hash() {
            Err(EngineError::NotFinite { which, .. }) => assert_eq!(which, "boid 41"),
            other => panic!("{other:?}"),
        }
    }
}

on_every_adapter![
    hashes_of_presets_and_rules_are_those_of_the_state,
    hashes_of_flocks_of_any_size_are_those_of_the_state,
    no_zero_on_a_plane_is_negative,
    a_flock_with_a_number_that_is_not_finite_has_no_hash,
];

/// A slip is one on every adapter: once is enough.
#[test]
fn another_hash_is_seen() {
    crate::every::on(crate::adapters::Slot::LlvmpipeVulkan, a_mutation_of_the_hash_is_detected);
}
