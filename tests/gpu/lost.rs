//! Devices that are lost while a flock steps on them.

use std::time::{Duration, Instant};

use engine::{Engine, EngineError, Numeric, ReadBackTimer, State};
use engines::Device;
use flock::Parameters;
use flock::parameters::Edges;
use gpu::{Gpu, GpuEngine};
use window::sources;
use window::worker::{Checkpoint, Ended, Report, Worker};

use crate::adapters::Slot;
use crate::rules::base;

fn parameters() -> Parameters {
    let mut p = base(1500, Edges::Wrap, 3);
    (p.noise.weight, p.predators.count, p.predators.chase_weight) = (0.1, 2, 0.1);
    p
}

fn steps_on_a_lost_device_end_with_that_error(gpu: &Gpu) {
    let p = parameters();
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

/// The next report of steps; none where the device is lost.
fn steps(worker: &mut Worker, steps: u32) -> Option<u64> {
    worker.advance(steps);
    let mut step = None;
    while let Some(report) = worker.wait() {
        step = match report {
            Report::Frame(frame) => Some(frame.step),
            Report::Lost => None,
            other => panic!("{other:?}"),
        };
    }
    step
}

/// The window's worker: what it returns goes on on another device, and comes to the same bits.
fn a_flock_goes_on_from_the_state_that_is_held(gpu: &Gpu) {
    let p = parameters();
    let another =
        || Gpu::headless(Some(&gpu.info.name), Some(gpu.info.backend)).expect("it was opened before");
    let lost = another();
    let device = Device::Gpu(Box::new(lost.clone()), Numeric::F32);
    let source = sources::open(&device, &p, &State::start(&p)).expect("fits");
    let held = Checkpoint { generation: 0, parameters: p, state: None };
    let mut worker = Worker::start(Ended { source, held }, || {}).expect("a thread");
    // The worker counts its time from before its first step. What is done after the interval comes with a state.
    let mut last = steps(&mut worker, 1).expect("steps");
    let begun = Instant::now();
    while begun.elapsed() < ReadBackTimer::CHECKPOINTS {
        last = steps(&mut worker, 1).expect("steps");
    }
    for _ in 0..2 {
        last = steps(&mut worker, 1).expect("steps");
    }
    lost.device.destroy();
    assert_eq!(steps(&mut worker, 1), None);
    let Ended { held, .. } = worker.end().expect("no panic");
    assert!(worker.end().is_none());
    let state = held.state.as_ref().expect("read back");
    assert!((1..=last).contains(&state.step), "held is step {} of {last}", state.step);

    let next = Device::Gpu(Box::new(another()), Numeric::F32);
    let source = sources::open(&next, &held.parameters, state).expect("fits");
    let mut worker = Worker::start(Ended { source, held }, || {}).expect("a thread");
    let mut here = steps(&mut worker, 0).expect("a frame");
    while here < last {
        here = steps(&mut worker, 1).expect("steps");
    }
    let mut ended = worker.end().expect("no panic");
    let found = ended.source.engine().state().expect("read back");
    let mut whole = GpuEngine::<f32>::new(gpu, &p, &State::start(&p)).expect("fits");
    whole.advance(last as u32).expect("steps");
    assert!(found == whole.state().expect("read back"), "other bits at step {last}");
}

on_every_adapter![steps_on_a_lost_device_end_with_that_error];

/// The window's worker does the same on every adapter: one test is enough.
#[test]
fn the_window_goes_on_from_the_state_that_is_held() {
    for slot in [Slot::LlvmpipeVulkan, Slot::Other] {
        crate::every::on(slot, a_flock_goes_on_from_the_state_that_is_held);
    }
}
