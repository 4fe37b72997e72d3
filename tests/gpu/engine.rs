//! The engine on a GPU: what it refuses, how it is steered and read, and what it says on a device that is lost.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::{Engine, EngineError, Numeric, State, VectorOf, Vectors};
use engines::Device;
use flock::parameters::Edges;
use flock::{Fixed, Parameters, Predator};
use gpu::buffers::capacity;
use gpu::number::OnGpu;
use gpu::{Gpu, GpuEngine, readback};

use crate::adapters::Slot;
use crate::every::on;
use crate::limited;
use crate::rules::base;
use crate::{random_flock, random_terms};

/// Boids of the flocks that are checked.
const BOIDS: u32 = 20;

/// A formula that no integer holds.
const FAR: &str = "[terms.far]\nrequest = \"1e30 * velocity\"\n";

/// Random flocks, half of them with numbers at the ends of their ranges, and some with formulas.
fn flocks(count: u32) -> Vec<Parameters> {
    let far = config::parse(FAR, "test").expect("fits").parameters.terms;
    let mut all = Vec::new();
    for number in 0..count {
        let mut p = match number % 2 {
            0 => random_flock::at_limits(number, BOIDS),
            _ => random_flock::parameters(number, BOIDS),
        };
        match number % 5 {
            0 => p.terms = random_terms::terms(number).1,
            1 => p.terms = far,
            _ => {}
        }
        all.push(p);
    }
    all
}

fn with_boids(parameters: &Parameters, boids: u32) -> Parameters {
    let mut parameters = *parameters;
    parameters.flock.boids = boids;
    parameters
}

/// Compares a device's check with its engines, opened and in flight; numbers of flocks that are accepted and refused.
fn compare(device: &Device, count: u32) -> [u32; 2] {
    let mut counts = [0; 2];
    let usual = with_boids(&Parameters::default(), 7);
    let mut flying = device.engine(&usual, &State::start(&usual)).expect("fits");
    for p in flocks(count) {
        let checked = device.check(&p).map_err(|why| why.to_string());
        let opened = device.engine(&p, &State::start(&p)).map(drop).map_err(|why| why.to_string());
        assert_eq!(checked, opened, "{}: {p:?}", device.describe());
        counts[usize::from(checked.is_err())] += 1;
        let there = with_boids(&p, 7);
        let taken = flying.get().set_parameters(&there).map_err(|why| why.to_string());
        let fits = device.check(&there).map_err(|why| why.to_string());
        assert_eq!(fits, taken, "{}: {p:?}", device.describe());
        // The window starts a flock in this way.
        if checked.is_ok() {
            let engine = flying.get();
            engine.set_state(&State::default()).expect("no boids fit");
            engine.set_parameters(&p).expect("they were checked");
            engine.set_state(&State::start(&p)).expect("it was checked");
            engine.set_parameters(&usual).expect("they fit any engine");
            engine.set_state(&State::start(&usual)).expect("it fits any engine");
        }
    }
    counts
}

/// A check is the same on every adapter but for its limits: one software adapter is enough.
#[test]
fn a_check_refuses_what_the_engine_refuses() {
    for numeric in [Numeric::F32, Numeric::F64] {
        assert_eq!(compare(&Device::cpu(numeric), 60)[1], 0, "{}", numeric.name());
    }
    let [accepted, refused] = compare(&Device::cpu(Numeric::Fixed), 60);
    assert!(accepted > 10 && refused > 10, "{accepted} {refused}");
    on(Slot::LlvmpipeVulkan, |gpu: &Gpu| {
        let device = |numeric| Device::Gpu(Box::new(gpu.clone()), numeric);
        let [accepted, refused] = compare(&device(Numeric::Fixed), 7);
        assert!(accepted > 1 && refused > 1, "{accepted} {refused}");
        assert!(device(Numeric::F64).check(&Parameters::default()).is_err());
    });
}

/// Storage bindings of at most 40 KiB hold 2560 boids, or 40 predators with a row of sums each.
#[test]
fn the_largest_flock_of_a_device_steps_and_one_boid_more_leaves_it_as_it_is() {
    fn check<T: OnGpu>(gpu: &Gpu, small: &Gpu, p: &Parameters) {
        let most = capacity(&small.limits).boids;
        let p = with_boids(p, most);
        let start = State::start(&p);
        let mut engine = GpuEngine::<T>::new(small, &p, &start).expect("fits");
        let mut wide = GpuEngine::<T>::new(gpu, &p, &start).expect("fits");
        engine.advance(2).expect("steps");
        wide.advance(2).expect("steps");
        let state = engine.state().expect("read back");
        assert!(state == wide.state().expect("read back"));

        let too_many = with_boids(&p, most + 1);
        let more = State::start(&too_many);
        let refused = engine.set_state(&more).expect_err("too many");
        let counts = [u64::from(most) + 1, u64::from(most)];
        assert!(matches!(refused, EngineError::TooMany { asked, most, .. } if [asked, most] == counts));
        assert!(refused.to_string().contains("max_storage_buffer_binding_size = 40960"), "{refused}");
        assert!(GpuEngine::<T>::new(small, &too_many, &more).is_err());
        assert!(engine.state().expect("read back") == state);
        engine.advance(1).expect("steps");
    }
    on(Slot::LlvmpipeVulkan, |gpu: &Gpu| {
        let lower = |limits| wgpu::Limits { max_storage_buffer_binding_size: 40 << 10, ..limits };
        let small = limited(gpu, lower);
        assert_eq!(capacity(&small.limits).boids, 2560);
        let mut p = base(100, Edges::Wrap, 3);
        check::<f32>(gpu, &small, &p);
        (p.predators.count, p.predators.attack_weight) = (40, 0.5);
        check::<f32>(gpu, &small, &p);
        check::<Fixed>(gpu, &small, &p);
    });
}

fn a_predator_is_steered_and_timed_passes_have_names(gpu: &Gpu) {
    let mut p = base(1500, Edges::Open, 3);
    p.predators.count = 2;
    let mut engine = GpuEngine::<f32>::new(gpu, &p, &State::start(&p)).expect("fits");
    engine.steer_predator(1, [1.0, 2.0, 3.0]).expect("steered");
    engine.steer_predator(9, [0.0; 3]).expect("ignored");
    engine.advance(1).expect("steps");
    engine.finish().expect("done");
    assert_eq!(engine.predators()[1], Predator { position: [1.0, 2.0, 3.0], velocity: [0.0; 3] });
    // Passes dispatched for a picture are not part of the timed step.
    engine.instances().expect("drawn");
    let names: Vec<&str> = engine.pass_times().iter().map(|(name, _)| *name).collect();
    assert_eq!(gpu.timestamps(), names.contains(&"step") && names.contains(&"order"), "{names:?}");
}

fn vectors_are_those_of_the_state(gpu: &Gpu) {
    let p = base(300, Edges::Turn, 3);
    let mut engine = GpuEngine::<Fixed>::new(gpu, &p, &State::start(&p)).expect("fits");
    engine.advance(3).expect("steps");
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
        let all: Vec<_> = (0..4_000).map(|number| read(number as u8)).collect();
        done.store(true, Ordering::Relaxed);
        all
    });
    all.into_iter().for_each(|read| assert!(read.expect("read back")));
}

/// A flock with predators and noise.
fn hunted() -> Parameters {
    let mut p = base(1500, Edges::Wrap, 3);
    (p.noise.weight, p.predators.count, p.predators.chase_weight) = (0.1, 2, 0.1);
    p
}

fn steps_on_a_lost_device_end_with_that_error(gpu: &Gpu) {
    let p = hunted();
    let mut engine = GpuEngine::<f32>::new(gpu, &p, &State::start(&p)).expect("fits");
    engine.advance(3).expect("steps");
    let device = gpu.device.clone();
    let destroyer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        device.destroy();
    });
    let begun = Instant::now();
    let error = loop {
        match engine.advance(1).and_then(|()| engine.finish()) {
            Ok(()) => assert!(begun.elapsed() < Duration::from_secs(60), "it steps on"),
            Err(error) => break error,
        }
    };
    destroyer.join().expect("no panic");
    let is_lost = |error: &EngineError| matches!(error, EngineError::Lost { .. });
    assert!(is_lost(&error) && gpu.lost(), "{error:?}");
    let said = error.to_string();
    assert!(said.starts_with(&gpu.name()) && said.contains("lost") && !said.contains('\n'), "{said}");
    // Whatever is asked of it after that has the same answer.
    assert!(is_lost(&engine.advance(1).expect_err("lost")));
    assert!(is_lost(&engine.state().expect_err("lost")));
    assert!(is_lost(&engine.measures().expect_err("lost")));
    assert!(is_lost(&engine.steer_predator(0, [0.0; 3]).expect_err("lost")));
    assert!(is_lost(&engine.set_state(&State::start(&p)).expect_err("lost")));
    assert!(is_lost(&GpuEngine::<f32>::new(gpu, &p, &State::start(&p)).expect_err("lost")));
}

on_every_adapter![
    a_predator_is_steered_and_timed_passes_have_names,
    vectors_are_those_of_the_state,
    one_thread_reads_while_another_polls,
    steps_on_a_lost_device_end_with_that_error,
];
