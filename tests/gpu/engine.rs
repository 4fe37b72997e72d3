//! GPU-only behaviour, on every adapter. `tests/conformance/` compares all engines and presets with the reference, with
//! bounds derived for each number, and runs with runs, bit by bit.

use std::sync::atomic::{AtomicBool, Ordering};

use engine::{Engine, EngineError, State};
use flock::parameters::{Edges, Start};
use flock::{Boid, Fixed, Parameters, Predator};
use gpu::capacity::capacity;
use gpu::cost::Costs;
use gpu::number::OnGpu;
use gpu::{Choice, Gpu, GpuEngine, grid, readback};
use profile::census::census;

use crate::difference::difference;
use crate::read::read;
use crate::reference::reference;
use crate::rules::{base, cases, some_cases};

/// An engine that was opened for another flock: a case then compiles what no case before it has.
fn used(gpu: &Gpu) -> GpuEngine<f32> {
    let p = base(1, Edges::Open, 3);
    GpuEngine::<f32>::new(gpu, &p, &State::start(&p)).expect("fits")
}

/// Loads a flock.
fn load(engine: &mut GpuEngine<f32>, p: &Parameters, state: &State) {
    engine.set_parameters(p).expect("fits");
    engine.set_state(state).expect("fits");
}

fn parameters_boids_and_dimensions_change_during_a_run(gpu: &Gpu) {
    let (_, mut p) = cases().remove(1);
    let mut engine = GpuEngine::<f32>::new(gpu, &p, &State::start(&p)).expect("fits");
    engine.advance(3).expect("steps");
    let changes: [fn(&mut Parameters); 7] = [
        |p| p.cohesion.radius = 9.0,
        |p| p.predators.count = 3,
        |p| p.world.edges = Edges::Wrap,
        |p| (p.separation.weight, p.alignment.weight, p.cohesion.weight) = (0.0, 0.0, 0.0),
        |p| p.alignment.weight = 0.1,
        |p| p.flock.dimensions = 2,
        |p| (p.predators.count, p.predators.attack_weight) = (2, 1.0),
    ];
    for change in changes {
        change(&mut p);
        engine.set_parameters(&p).expect("fits");
        let before = engine.state().expect("read back");
        engine.advance(1).expect("steps");
        let (position, _) =
            difference(&p, &engine.state().expect("read back"), &reference::<f64>(&p, &before, 1));
        assert!(position < 2e-4, "{position:e} after {p:?}");
        assert_eq!(before.predators.len(), p.predators.count as usize);
    }
    for boids in [0, 1, 2, 70, 5000] {
        p.flock.boids = boids;
        engine.set_state(&State::start(&p)).expect("fits");
        engine.advance(5).expect("steps");
        let state = engine.state().expect("read back");
        assert_eq!(state.boids.len(), boids as usize);
        assert!(state.boids.iter().all(|b| b.position.iter().all(|c| c.is_finite())));
        let measures = engine.measures().expect("measured");
        let expected = polarization(&state);
        assert!((f64::from(measures.polarization) - expected).abs() < 1e-4, "{measures:?}, not {expected}");
    }
}

/// |Σ v/|v|| / N, zero without boids.
fn polarization(state: &State) -> f64 {
    let length = |v: &[f64; 3]| v.iter().map(|c| c * c).sum::<f64>().sqrt();
    let mut sum = [0.0; 3];
    for boid in state.boids.iter().filter(|boid| length(&boid.velocity) > 0.0) {
        sum.iter_mut().zip(boid.velocity).for_each(|(sum, c)| *sum += c / length(&boid.velocity));
    }
    length(&sum) / state.boids.len().max(1) as f64
}

fn boids_are_coloured_by_density_as_on_the_cpu(gpu: &Gpu) {
    let mut most = 0.0_f32;
    let mut engine = used(gpu);
    for (name, p) in some_cases(gpu) {
        let start = State::start(&p);
        let count = start.boids.len();
        load(&mut engine, &p, &start);
        engine.advance(1).expect("steps");
        let drawn = engine.instances().expect("drawn");
        let velocities: Vec<[f32; 4]> = read(gpu, &drawn.velocity);
        let tags: Vec<[u32; 2]> = read(gpu, &drawn.tag);
        let mut counts = vec![f32::NAN; count];
        for (velocity, tag) in velocities.iter().zip(&tags) {
            counts[tag[0] as usize] = velocity[3];
        }

        let mut on_cpu = cpu::open_as::<f32>(&p, &start, None).expect("threads");
        on_cpu.advance(1).expect("steps");
        let mut instances = engine::HostInstances::default();
        on_cpu.instances_into(&mut instances);
        let other = |(velocity, tag): &(&[f32; 4], &[u32; 2])| counts[tag[0] as usize] != velocity[3];
        let others = instances.velocity.iter().zip(&instances.tag).filter(other).count();
        // A boid on the border of a view may be inside for one engine and outside for the other.
        assert!(others * 100 <= count, "{name}: {others} of {count}");
        most = counts.into_iter().fold(most, f32::max);
    }
    assert!(most > 5.0, "no boid perceives another: {most}");
}

fn a_flock_on_one_point_loses_no_boid(gpu: &Gpu) {
    let mut p = base(3000, Edges::Open, 3);
    p.flock.start = Start::Point;
    let mut engine = GpuEngine::<f32>::new(gpu, &p, &State::start(&p)).expect("fits");
    assert_eq!(engine.occupancy(), (3000, 3000.0));
    engine.advance(2).expect("steps");
    let state = engine.state().expect("read back");
    let (position, _) = difference(&p, &state, &reference::<f64>(&p, &State::start(&p), 2));
    assert!(position < 1e-3, "{position:e}");

    // Boids that perceive nobody are in no cells.
    (p.separation.weight, p.alignment.weight, p.cohesion.weight) = (0.0, 0.0, 0.0);
    engine.set_parameters(&p).expect("fits");
    engine.advance(2).expect("steps");
    engine.finish().expect("done");
    assert_eq!(engine.occupancy(), (0, 0.0));
}

fn measures_are_those_of_the_flock(gpu: &Gpu) {
    let (_, p) = cases().remove(0);
    let start = State::start(&p);
    let mut engine = GpuEngine::<f32>::new(gpu, &p, &start).expect("fits");
    let found = engine.measures().expect("measured");
    let n = start.boids.len() as f64;
    let sum = |f: &dyn Fn(&Boid<f64>) -> f64| start.boids.iter().map(f).sum::<f64>() / n;
    let centre: [f64; 3] = std::array::from_fn(|k| sum(&|b| b.position[k]));
    let speed = |b: &Boid<f64>| b.velocity.iter().map(|c| c * c).sum::<f64>().sqrt();
    let heading: [f64; 3] = std::array::from_fn(|k| sum(&|b| b.velocity[k] / speed(b)));
    let spread = sum(&|b| (0..3).map(|k| (b.position[k] - centre[k]).powi(2)).sum());
    let near = |a: f32, b: f64| (f64::from(a) - b).abs() < 1e-4 * b.abs().max(1.0);
    assert!((0..3).all(|k| near(found.centre[k], centre[k])));
    assert!(near(found.gyration, spread.sqrt()));
    assert!(near(found.polarization, heading.iter().map(|c| c * c).sum::<f64>().sqrt()));
}

fn more_boids_than_fit_are_refused_and_the_old_flock_stays(gpu: &Gpu) {
    let p = base(100, Edges::Open, 3);
    // Small, so that a flock beyond the limit is refused on every adapter.
    let small = with_small_bindings(gpu);
    let mut engine = GpuEngine::<f32>::new(&small, &p, &State::start(&p)).expect("fits");
    engine.advance(1).expect("steps");
    let before = engine.state().expect("read back");
    let most = u64::from(capacity(&small.limits).boids);
    let state = State { step: 0, boids: vec![Boid::default(); most as usize + 1], predators: vec![] };
    match engine.set_state(&state) {
        Err(EngineError::TooMany { asked, most: told, .. }) => assert_eq!((asked, told), (most + 1, most)),
        other => panic!("{other:?}"),
    }
    assert_eq!((engine.boids(), engine.state().expect("read back")), (100, before));
    engine.advance(1).expect("steps");
}

/// The same adapter, opened with storage bindings of at most 40 KiB.
fn with_small_bindings(gpu: &Gpu) -> Gpu {
    let choice = Choice { adapter: Some(&gpu.info.name), backend: Some(gpu.info.backend), surface: None };
    let lower = |limits| wgpu::Limits { max_storage_buffer_binding_size: 40 << 10, ..limits };
    Gpu::open_within(&Gpu::instance(None).expect("drivers"), &choice, lower)
        .expect("the adapter was opened before")
}

fn the_largest_flock_of_a_device_steps_and_one_boid_more_is_refused_by_the_limits_name(gpu: &Gpu) {
    fn check<T: OnGpu>(gpu: &Gpu, small: &Gpu, p: &Parameters) {
        let most = capacity(&small.limits).boids;
        let after_two_steps = |gpu: &Gpu, boids: u32| {
            let mut p = *p;
            p.flock.boids = boids;
            let mut engine = GpuEngine::<T>::new(gpu, &p, &State::start(&p))?;
            engine.advance(2)?;
            engine.state()
        };
        let refused = after_two_steps(small, most + 1).expect_err("too many");
        let named = u64::from(most);
        assert!(
            matches!(refused, EngineError::TooMany { asked, most, .. } if (asked, most) == (named + 1, named))
        );
        assert!(refused.to_string().contains("max_storage_buffer_binding_size = 40960"), "{refused}");
        let found = after_two_steps(small, most).expect("fits");
        assert!(found == after_two_steps(gpu, most).expect("fits"));
    }
    let small = with_small_bindings(gpu);
    assert_eq!(capacity(&small.limits).boids, 2560);
    let mut p = base(100, Edges::Wrap, 3);
    check::<f32>(gpu, &small, &p);
    check::<Fixed>(gpu, &small, &p);
    // Predators that attack need a row of sums each.
    (p.predators.count, p.predators.attack_weight) = (40, 0.5);
    check::<f32>(gpu, &small, &p);
    check::<Fixed>(gpu, &small, &p);
}

fn a_predator_is_steered_and_timed_passes_have_names(gpu: &Gpu) {
    let (_, mut p) = cases().remove(0);
    p.predators.count = 2;
    let mut engine = GpuEngine::<f32>::new(gpu, &p, &State::start(&p)).expect("fits");
    engine.steer_predator(1, [1.0, 2.0, 3.0]).expect("steered");
    engine.steer_predator(9, [0.0; 3]).expect("ignored");
    engine.advance(1).expect("steps");
    engine.finish().expect("done");
    assert_eq!(engine.predators()[1], Predator { position: [1.0, 2.0, 3.0], velocity: [0.0; 3] });
    if gpu.timestamps() {
        let names: Vec<&str> = engine.pass_times().iter().map(|(name, _)| *name).collect();
        assert!(names.contains(&"step") && names.contains(&"order"), "{names:?}");
    }
}

fn cells_are_as_full_as_the_census_counts(gpu: &Gpu) {
    for (name, p) in some_cases(gpu) {
        let mut engine = GpuEngine::<f32>::new(gpu, &p, &State::start(&p)).expect("fits");
        engine.advance(5).expect("steps");
        engine.finish().expect("done");
        let state = engine.state().expect("read back");
        let counted = census(&p, &state);
        // The census counts in cells as wide as the reach; those of the GPU are half as long in x.
        let rule = state.rule::<f32>(&p);
        let cells = grid::of(&rule, state.boids.len() as u32);
        let mut counts = vec![0_u32; cells.cells() as usize];
        for boid in &state.boids {
            counts[cells.cell(rule.take_boid(boid).position.into()) as usize] += 1;
        }
        let fullest = counts.into_iter().max().unwrap_or(0);
        assert!(fullest <= counted.fullest_cell && counted.fullest_cell <= 2 * fullest, "{name}");
        // Boids that do not interact are not binned.
        let fullest = if counted.candidates > 0.0 { fullest } else { 0 };
        assert_eq!(fullest, engine.occupancy().0, "{name}");
    }
}

fn steps_cut_into_many_submits_give_the_same_bits(gpu: &Gpu) {
    let (_, p) = cases().remove(2);
    let start = State::start(&p);
    let mut engine = GpuEngine::<f32>::new(gpu, &p, &start).expect("fits");
    engine.advance(6).expect("steps");
    let whole = engine.state().expect("read back");
    // At these costs a workgroup of boids takes a quarter of a second.
    engine.set_costs(Costs { candidate: 1e-5, boid: 4e-3 });
    engine.set_state(&start).expect("fits");
    engine.advance(6).expect("steps");
    assert_eq!(whole, engine.state().expect("read back"));
}

/// A poll of a device by one thread may report a result that another thread waits for.
fn one_thread_reads_while_another_polls(gpu: &Gpu) {
    let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let descriptor = wgpu::BufferDescriptor { label: None, size: 64, usage, mapped_at_creation: false };
    let buffer = gpu.device.create_buffer(&descriptor);
    let done = AtomicBool::new(false);
    let read = |number: u8| {
        gpu.queue.write_buffer(&buffer, 0, &[number; 64]);
        let mut found = [0; 64];
        readback::read(gpu, &buffer, &mut found).map(|()| found == [number; 64])
    };
    let all = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let _ = gpu.device.poll(wgpu::PollType::Poll);
            }
        });
        let all: Vec<_> = (0..12_000).map(|number| read(number as u8)).collect();
        done.store(true, Ordering::Relaxed);
        all
    });
    all.into_iter().for_each(|read| assert!(read.expect("read back")));
}

on_every_adapter![
    one_thread_reads_while_another_polls,
    steps_cut_into_many_submits_give_the_same_bits,
    parameters_boids_and_dimensions_change_during_a_run,
    a_flock_on_one_point_loses_no_boid,
    boids_are_coloured_by_density_as_on_the_cpu,
    measures_are_those_of_the_flock,
    more_boids_than_fit_are_refused_and_the_old_flock_stays,
    the_largest_flock_of_a_device_steps_and_one_boid_more_is_refused_by_the_limits_name,
    cells_are_as_full_as_the_census_counts,
    a_predator_is_steered_and_timed_passes_have_names,
];
