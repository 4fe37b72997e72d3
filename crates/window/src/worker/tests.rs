//! A worker with an engine that only counts its steps.

use flock::Predator;
use glam::Vec3;

use super::*;
use engine::{Engine, Numeric, State};
use scene::camera::Ray;

/// Counts steps of 20 ms each, and has no memory for 13 boids.
#[derive(Debug, Default)]
struct Counter {
    step: u64,
    boids: u32,
    radius: f64,
    steered: Vec<Predator<f32>>,
}

impl Engine for Counter {
    fn describe(&self) -> String {
        "counter".to_owned()
    }
    fn numeric(&self) -> Numeric {
        Numeric::F64
    }
    fn boids(&self) -> u32 {
        self.boids
    }
    fn step_number(&self) -> u64 {
        self.step
    }
    fn advance(&mut self, steps: u32) -> Result<(), EngineError> {
        std::thread::sleep(Duration::from_millis(20) * steps);
        self.step += u64::from(steps);
        Ok(())
    }
    fn state(&mut self) -> Result<State, EngineError> {
        Ok(State::default())
    }
    fn hash(&mut self) -> Result<u64, EngineError> {
        Ok(State::default().hash(self.numeric(), &Parameters::default()))
    }
    fn set_state(&mut self, state: &State) -> Result<(), EngineError> {
        if state.boids.len() == 13 {
            return Err(EngineError::NoAdapter("thirteen".to_owned()));
        }
        (self.step, self.boids) = (state.step, state.boids.len() as u32);
        Ok(())
    }
    fn set_parameters(&mut self, parameters: &Parameters) -> Result<(), EngineError> {
        self.radius = parameters.cohesion.radius;
        Ok(())
    }
    fn steer_predator(&mut self, index: usize, position: [f32; 3]) -> Result<(), EngineError> {
        if index == 13 {
            return Err(EngineError::NoAdapter("thirteen".to_owned()));
        }
        self.steered.push(Predator { position, velocity: [0.0; 3] });
        Ok(())
    }
}

impl Source for Counter {
    fn engine(&mut self) -> &mut dyn Engine {
        self
    }
    fn finish(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
    fn publish(&mut self, frame: &mut Frame) -> Result<(), EngineError> {
        frame.predators.clone_from(&self.steered);
        // The radius is reported as a pass time, so that tests see the current parameters.
        frame.passes = vec![("radius", self.radius)];
        assert!(self.radius.is_finite(), "the fault that a test asks for");
        Ok(())
    }
}

fn counter() -> Ended {
    let held = Checkpoint { generation: 0, parameters: Parameters::default(), state: None };
    Ended { source: Box::new(Counter::default()), held }
}

fn worker() -> Worker {
    let mut worker = Worker::start(counter(), || {}).expect("a thread");
    assert_eq!(frame(&mut worker).step, 0);
    worker
}

fn frame(worker: &mut Worker) -> Frame {
    match worker.wait() {
        Some(Report::Frame(frame)) => *frame,
        other => panic!("{other:?}"),
    }
}

#[test]
fn long_work_is_cut_so_that_orders_are_answered_soon() {
    let mut worker = worker();
    worker.advance(500);
    let frame = frame(&mut worker);
    assert!((1..=4).contains(&frame.steps) && frame.step == u64::from(frame.steps), "{frame:?}");
    assert!(worker.idle() && worker.wait().is_none());
}

#[test]
fn of_orders_that_wait_the_newest_wins() {
    let mut worker = worker();
    worker.advance(1);
    let mut parameters = Parameters::default();
    for radius in [2.0, 3.0, 7.0] {
        parameters.cohesion.radius = radius;
        worker.set_parameters(&parameters);
    }
    let mut last = frame(&mut worker);
    while !worker.idle() {
        last = frame(&mut worker);
    }
    assert_eq!((last.step, &last.passes[..]), (1, &[("radius", 7.0)][..]));
    // A restart cancels the pending steps of the old flock.
    parameters.flock.boids = 10;
    worker.restart(&parameters, false, 5);
    while !worker.idle() {
        last = frame(&mut worker);
    }
    assert_eq!((last.step, last.generation), (0, 5));
}

/// A batch with an order of each kind.
fn all_orders(restart: Restart) -> Batch {
    let ray = Ray { origin: Vec3::ZERO, direction: Vec3::X };
    Batch {
        orders: 9,
        measure: Some(true),
        leave: false,
        restart: Some(restart),
        steps: 3,
        parameters: Some(restart.parameters),
        steer: vec![(1, [4.0; 3])],
        seek: Some(2),
        watch: Some(Watch::Ray(PickRay { ray, flat: false, tolerance: 0.1 })),
        hash: true,
    }
}

#[test]
fn a_restart_drops_the_orders_for_the_old_flock_and_keeps_the_others() {
    let [old, new] =
        [1, 2].map(|generation| Restart { parameters: Parameters::default(), settled: false, generation });
    let mut batch = all_orders(old);
    batch.restart(new);
    let kept = |watch, leave| {
        let restart = Some(new);
        Batch { orders: 9, measure: Some(true), leave, restart, watch, ..Batch::default() }
    };
    assert_eq!(batch, kept(None, true));
    // A boid that is known by its number is watched in the new flock, too, unless watching has ended.
    for (leaves, watch) in [(false, Some(Watch::Id(7))), (true, None)] {
        let mut batch = Batch { watch: Some(Watch::Id(7)), ..all_orders(old) };
        if leaves {
            batch.watch(None);
        }
        batch.restart(new);
        assert_eq!(batch, kept(watch, leaves));
    }
}

#[test]
fn of_the_orders_around_a_restart_the_later_ones_are_done() {
    let mut worker = worker();
    let mut parameters = Parameters::default();
    parameters.flock.boids = 10;
    // Steering is sent with the next order, so these are always merged.
    worker.steer_predator(1, [1.0; 3]);
    worker.restart(&parameters, false, 5);
    assert!(frame(&mut worker).predators.is_empty());
    worker.steer_predator(0, [2.0; 3]);
    worker.advance(0);
    let steered = frame(&mut worker).predators;
    assert_eq!(steered.iter().map(|predator| predator.position).collect::<Vec<_>>(), [[2.0; 3]]);
}

#[test]
fn an_order_that_is_not_for_the_flock_outlives_a_restart_that_fails() {
    let Ended { source, held } = counter();
    let mut state = WorkerState { source, held, read_back: ReadBack::default() };
    state.read_back.watch(Some(Watch::Id(3)));
    let mut parameters = Parameters::default();
    parameters.flock.boids = 13;
    let mut batch = Batch { measure: Some(true), leave: true, ..Batch::default() };
    batch.restart(Restart { parameters, settled: false, generation: 1 });
    assert!(matches!(state.work(batch), Report::Failed { generation: 1, .. }));
    assert!(state.read_back.measures && !state.read_back.watches());
}

#[test]
fn a_panic_is_reported_once_and_after_every_further_order() {
    let (wake, woken) = channel();
    let call = move || wake.send(()).expect("the test listens");
    let mut worker = Worker::start(counter(), call).expect("a thread");
    assert_eq!(frame(&mut worker).step, 0);
    let mut parameters = Parameters::default();
    parameters.cohesion.radius = f64::NAN;
    worker.set_parameters(&parameters);
    worker.advance(1);
    assert!(matches!(worker.wait(), Some(Report::Gone)));
    assert!(worker.idle() && worker.wait().is_none() && worker.report().is_none());
    // The frame and the end of the thread have woken the window.
    assert_eq!(woken.iter().count(), 2);
    worker.advance(1);
    assert!(matches!(worker.report(), Some(Report::Gone)) && worker.report().is_none());
}

#[test]
fn a_flock_that_finds_no_memory_is_reported_and_the_next_one_starts() {
    let mut worker = worker();
    let mut parameters = Parameters::default();
    parameters.flock.boids = 13;
    worker.restart(&parameters, false, 1);
    let Some(Report::Failed { why, generation: 1 }) = worker.wait() else { panic!("it started") };
    assert_eq!(why, "thirteen");
    parameters.flock.boids = 10;
    parameters.cohesion.radius = 99.0;
    worker.restart(&parameters, false, 2);
    let frame = frame(&mut worker);
    assert_eq!((frame.generation, &frame.passes[..]), (2, &[("radius", 99.0)][..]));
}

#[test]
fn a_predator_that_cannot_be_steered_is_reported() {
    let mut worker = worker();
    worker.steer_predator(13, [0.0; 3]);
    worker.advance(1);
    let Some(Report::Failed { why, .. }) = worker.wait() else { panic!("it was steered") };
    assert_eq!(why, "thirteen");
}
