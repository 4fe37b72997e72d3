//! A worker with an engine that only counts its steps.

use super::*;
use cpu::state::Numeric;

/// Counts steps of 20 ms each. `check_capacity` refuses more than a thousand boids, `set_state` refuses 13.
#[derive(Debug, Default)]
struct Counter {
    step: u64,
    boids: u32,
    radius: f64,
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
    fn steer_predator(&mut self, _index: usize, _position: [f32; 3]) {}
}

impl Source for Counter {
    fn engine(&mut self) -> &mut dyn Engine {
        self
    }
    fn check_capacity(&self, boids: u32) -> Result<(), EngineError> {
        let refused = EngineError::TooMany {
            asked: boids.into(),
            most: 1000,
            device: "counter".to_owned(),
            limit: "a test".to_owned(),
        };
        if boids > 1000 { Err(refused) } else { Ok(()) }
    }
    fn finish(&mut self) -> Result<(), EngineError> {
        Ok(())
    }
    fn publish(&mut self, frame: &mut Frame) -> Result<(), EngineError> {
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
    worker.restart(&parameters, 5);
    while !worker.idle() {
        last = frame(&mut worker);
    }
    assert_eq!((last.step, last.generation), (0, 5));
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
fn a_flock_that_does_not_fit_is_refused_and_the_old_one_goes_on() {
    let mut worker = worker();
    let mut parameters = Parameters::default();
    parameters.flock.boids = 10;
    worker.restart(&parameters, 1);
    assert_eq!(frame(&mut worker).generation, 1);
    parameters.flock.boids = 1001;
    worker.restart(&parameters, 2);
    let Some(Report::Failed { why, asked, held, parameters, .. }) = worker.wait() else {
        panic!("it was taken")
    };
    assert!(why.contains("1001") && why.contains("1000"), "{why}");
    assert_eq!((asked, held, parameters.flock.boids), (2, 1, 10));
    worker.advance(1);
    assert_eq!((frame(&mut worker).generation, worker.idle()), (1, true));
}

#[test]
fn a_flock_that_stays_goes_on_by_its_own_rule() {
    let mut worker = worker();
    let mut parameters = Parameters::default();
    (parameters.flock.boids, parameters.cohesion.radius) = (13, 99.0);
    worker.restart(&parameters, 1);
    assert!(matches!(worker.wait(), Some(Report::Failed { held: 0, .. })));
    worker.advance(1);
    assert_eq!(frame(&mut worker).passes, [("radius", Parameters::default().cohesion.radius)]);
}
