//! Hashes, measures and counts that the GPU adds up over the flock, against the state that is read back; and the picture.

use cpu::Real;
use engine::{Engine, EngineError, HostInstances, State};
use flock::measures::order;
use flock::parameters::Edges;
use flock::{Fixed, Parameters, Rule};
use gpu::number::OnGpu;
use gpu::shaders::Shaders;
use gpu::{Gpu, GpuEngine, grid};
use profile::census::census;

use crate::adapters::Slot;
use crate::every::on;
use crate::rules::{base, some_cases};
use crate::scope::left_to_all;
use crate::{altered, limited, read};

/// An engine for any flock.
fn engine<T: OnGpu>(gpu: &Gpu, shaders: Shaders) -> GpuEngine<T> {
    let p = base(1, Edges::Open, 3);
    GpuEngine::<T>::with_shaders(gpu, shaders, &p, &State::start(&p)).expect("fits")
}

/// Loads a flock, and steps it.
fn fly<T: OnGpu>(engine: &mut GpuEngine<T>, p: &Parameters, start: &State, steps: u32) {
    engine.set_parameters(p).expect("fits");
    engine.set_state(start).expect("fits");
    engine.advance(steps).expect("steps");
}

/// The hash after so many steps, by the GPU and of the state that is read back then.
fn hashes<T: OnGpu>(engine: &mut GpuEngine<T>, p: &Parameters, start: &State, steps: u32) -> [u64; 2] {
    fly(engine, p, start, steps);
    let found = engine.hash().expect("a hash");
    assert_eq!(engine.hash().expect("a hash"), found, "twice");
    [found, engine.state().expect("read back").hash(T::NUMERIC, p)]
}

fn agrees<T: OnGpu>(engine: &mut GpuEngine<T>, what: &str, p: &Parameters, steps: u32) {
    let [found, expected] = hashes(engine, p, &State::start(p), steps);
    assert_eq!(found, expected, "{what}, {:?}", T::NUMERIC);
}

fn hashes_are_those_of_the_state(gpu: &Gpu) {
    let mut engine = engine::<f32>(gpu, Shaders::default());
    for (name, p) in some_cases() {
        agrees(&mut engine, name, &p, 3);
    }
    let mut p = base(0, Edges::Wrap, 3);
    // Workgroups are of 64; from 262,145 boids on an invocation takes several.
    for boids in [0, 1, 63, 64, 65, 4097, 300_001] {
        p.flock.boids = boids;
        let steps = if boids > 10_000 { 0 } else { 2 };
        agrees(&mut engine, &format!("{boids} boids"), &p, steps);
    }
    // A boid that turns round on a plane has a z of 0, not of −0, which its file has no more.
    let mut p = base(300, Edges::Wrap, 2);
    p.noise.angle = 180.0;
    agrees(&mut engine, "turned round", &p, 2);
    let state = engine.state().expect("read back");
    assert!(state.boids.iter().all(|boid| boid.position[2].is_sign_positive()));
    assert!(state.boids.iter().all(|boid| boid.velocity[2].is_sign_positive()));
}

/// Dispatches over all boids are folded into two dimensions.
fn hashes_of_folded_dispatches_are_those_of_the_state(gpu: &Gpu) {
    let narrow = limited(gpu, |limits| wgpu::Limits { max_compute_workgroups_per_dimension: 16, ..limits });
    let p = base(5001, Edges::Wrap, 3);
    agrees(&mut engine::<f32>(&narrow, Shaders::default()), "folded", &p, 2);
    agrees(&mut engine::<Fixed>(&narrow, Shaders::default()), "folded", &p, 2);
}

fn a_flock_with_a_number_that_is_not_finite_has_no_hash(gpu: &Gpu) {
    let p = base(100, Edges::Open, 3);
    let mut start = State::start(&p);
    start.boids[41].velocity[1] = f64::NAN;
    match GpuEngine::<f32>::new(gpu, &p, &start).expect("fits").hash() {
        Err(EngineError::NotFinite { which, .. }) => assert_eq!(which, "boid 41"),
        other => panic!("{other:?}"),
    }
}

fn measures_are_those_of_the_state(gpu: &Gpu) {
    fn check<T: OnGpu>(gpu: &Gpu) {
        let mut engine = engine::<T>(gpu, Shaders::default());
        for boids in [1, 2, 70, 5000] {
            let p = base(boids, Edges::Open, 3);
            fly(&mut engine, &p, &State::start(&p), 2);
            let found = engine.measures().expect("measured");
            let state = engine.state().expect("read back");
            let expected = order(&Rule::new(&p), &state.boids).expect("boids are there");
            for (k, deviation) in found.deviation.into_iter().enumerate() {
                let offsets = state.boids.iter().map(|boid| boid.position[k] - expected.centre[k]);
                let variance = offsets.map(|offset| offset * offset).sum::<f64>() / f64::from(boids);
                let apart = (f64::from(deviation) - variance.sqrt()).abs();
                assert!(apart < 1e-4 * variance.sqrt().max(1.0), "{boids}: {deviation} along axis {k}");
            }
            for (found, expected) in [
                (found.polarization, expected.polarization),
                (found.gyration, expected.gyration),
                (found.centre[0], expected.centre[0]),
                (found.centre[1], expected.centre[1]),
                (found.centre[2], expected.centre[2]),
            ] {
                let apart = (f64::from(found) - expected).abs();
                assert!(apart < 1e-4 * expected.abs().max(1.0), "{boids}: {found}, not {expected}");
            }
        }
    }
    check::<f32>(gpu);
    check::<Fixed>(gpu);
}

fn cells_are_as_full_as_the_census_counts(gpu: &Gpu) {
    let mut engine = engine::<f32>(gpu, Shaders::default());
    for (name, p) in some_cases() {
        fly(&mut engine, &p, &State::start(&p), 5);
        engine.finish().expect("done");
        let state = engine.state().expect("read back");
        let counted = census(&p, &state);
        // The census counts in cells as wide as the reach; those of the GPU are half as long in x.
        let rule = state.rule::<f32>(&p);
        let cells = grid::of(&rule, state.boids.len() as u32);
        let mut counts = vec![0_u32; cells.cells() as usize];
        for boid in &state.boids {
            counts[cells.cell(rule.quantise(boid).position.into()) as usize] += 1;
        }
        let fullest = counts.into_iter().max().unwrap_or(0);
        assert!(fullest <= counted.fullest_cell && counted.fullest_cell <= 2 * fullest, "{name}");
        // Boids that do not interact are not binned.
        let fullest = if counted.candidates > 0.0 { fullest } else { 0 };
        assert_eq!(fullest, engine.occupancy().0, "{name}");
    }
}

/// A boid that is drawn: its position, velocity and tag.
type Drawn = ([f32; 4], [f32; 4], [u32; 2]);

/// The boids that each engine draws after some steps, in the order of their numbers.
fn drawn<T: OnGpu + Real>(gpu: &Gpu, p: &Parameters, steps: u32) -> [Vec<Drawn>; 2] {
    let start = State::start(p);
    let mut here = GpuEngine::<T>::new(gpu, p, &start).expect("fits");
    here.advance(steps).expect("steps");
    let buffers = here.instances().expect("drawn");
    let on_gpu = HostInstances {
        position: read(gpu, &buffers.position),
        velocity: read(gpu, &buffers.velocity),
        tag: read(gpu, &buffers.tag),
    };
    let mut there = cpu::open_as::<T>(p, &start, None).expect("threads");
    there.advance(steps).expect("steps");
    let mut on_cpu = HostInstances::default();
    there.instances_into(&mut on_cpu);
    [on_gpu, on_cpu].map(|drawn| {
        let count = start.boids.len();
        let boid = |k: usize| (drawn.position[k], drawn.velocity[k], drawn.tag[k]);
        let mut all: Vec<Drawn> = (0..count).map(boid).collect();
        all.sort_by_key(|(_, _, tag)| tag[0]);
        all
    })
}

fn what_is_drawn_is_what_the_cpu_draws(gpu: &Gpu) {
    for (name, p) in some_cases() {
        let [on_gpu, on_cpu] = drawn::<Fixed>(gpu, &p, 3);
        assert_eq!(on_gpu, on_cpu, "{name}");
    }
    // In f32 a boid on the border of a view may be inside for one engine and outside for the other.
    let p = base(1500, Edges::Turn, 3);
    let [on_gpu, on_cpu] = drawn::<f32>(gpu, &p, 1);
    let differ = on_gpu.iter().zip(&on_cpu).filter(|(here, there)| here.1[3] != there.1[3]).count();
    assert!(differ * 100 <= on_cpu.len(), "{differ}");
    assert!(on_gpu.iter().any(|(_, velocity, _)| velocity[3] > 5.0), "no boid perceives another");
}

on_every_adapter![
    hashes_are_those_of_the_state,
    hashes_of_folded_dispatches_are_those_of_the_state,
    a_flock_with_a_number_that_is_not_finite_has_no_hash,
    measures_are_those_of_the_state,
    cells_are_as_full_as_the_census_counts,
    what_is_drawn_is_what_the_cpu_draws,
];

/// Four piles of boids, whose squares exceed 32 bits in sum alone. They are counted before a step, but to order so many
/// takes seconds.
#[test]
fn cells_are_counted_beyond_32_bits() {
    if left_to_all("counts beyond 32 bits") {
        return;
    }
    on(Slot::LlvmpipeVulkan, |gpu: &Gpu| {
        let pile = 33_000;
        let p = base(4 * pile, Edges::Open, 3);
        let mut state = State::start(&p);
        let places = [[2.0, 2.0, 2.0], [38.0, 28.0, 33.0], [20.0, 15.0, 17.0], [11.0, 3.0, 30.0]];
        for (boids, place) in state.boids.chunks_mut(pile as usize).zip(places) {
            for boid in boids {
                boid.position = place;
            }
        }
        let engine = GpuEngine::<f32>::new(gpu, &p, &state).expect("fits");
        assert_eq!(engine.occupancy(), (pile, f64::from(pile)));
    });
}

/// A slip is one on every adapter: once is enough.
#[test]
fn another_hash_is_seen() {
    on(Slot::LlvmpipeVulkan, |gpu: &Gpu| {
        for (file, right, wrong, boids) in [
            ("hash.wgsl", "absorb(v, velocity.z)", "absorb(v, velocity.y)", 100),
            ("hash.wgsl", "i += at.groups.x * GROUP", "i += 2u * at.groups.x * GROUP", 300_001),
        ] {
            let p = base(boids, Edges::Turn, 3);
            let shaders = altered(Shaders::default(), file, right, wrong);
            let [found, expected] = hashes(&mut engine::<f32>(gpu, shaders), &p, &State::start(&p), 0);
            assert_ne!(found, expected, "{wrong}");
        }
    });
}
