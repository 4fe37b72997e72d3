//! The engine's thread. The window never waits for a step: it sends orders and takes the newest report.
//!
//! ```text
//! window ── Order ──▶ worker ── Report ──▶ window      waiting orders are merged: the newest parameters win
//! ```

use std::sync::mpsc::TryRecvError;
use std::time::Duration;

use flock::Parameters;
use web_time::Instant;

use self::journal::Journal;
pub use self::past::BUDGET;
pub use self::past::Past;
use self::past::Wanted;
use self::read_back::ReadBack;
pub use self::read_back::{Checkpoint, PickRay, Watch};
use super::frame::Frame;
use super::settled;
pub use super::sources::Source;
use engine::system::{Receiver, Sender, Task, channel, serve};
use engine::{EngineError, Result, State};
use flight::{First, Flight, InFlight, Start};

pub mod journal;
mod past;
mod read_back;

/// Time after which the steps of a frame end early, so that orders are answered soon.
const LONGEST: Duration = Duration::from_millis(30);

/// The worker's answer to orders.
#[derive(Debug)]
pub enum Report {
    /// The flock after the last orders.
    Frame(Box<Frame>),
    /// Memory has no room for a flock that was to start, or the flock has left the range of its numbers.
    Failed {
        why: String,
        /// The restart that began the flock.
        generation: u64,
    },
    /// The engine's device is lost: no order will be done, and [`Worker::end`] returns the rest of the flock.
    Lost,
    /// The thread has ended by a panic: no order will be done.
    Gone,
}

/// An engine and its flock, before their thread starts and after it has ended.
#[derive(Debug)]
pub struct FlockHandle {
    pub source: Box<dyn Source>,
    pub held: Checkpoint,
    pub past: Past,
    /// The flight in a file, where one is kept.
    pub journal: Option<Journal>,
}

/// A start of a flock.
#[derive(Clone, Debug, PartialEq)]
struct Restart {
    flight: StartOf,
    /// The number of the restart.
    generation: u64,
}

/// The origin of a flock.
#[derive(Clone, Debug, PartialEq)]
enum StartOf {
    Parameters {
        parameters: Box<Parameters>,
        /// True if the flock starts settled, false if it starts from its seed.
        settled: bool,
    },
    /// A recorded flight, which is repeated.
    Flight(Box<Flight>),
}

/// An order: a change of the worker's next batch.
type Order = Box<dyn FnOnce(&mut Batch) + Send>;

/// The orders that arrived while the worker was busy, merged.
#[derive(Debug, Default, PartialEq)]
struct Batch {
    /// Number of orders to be answered.
    orders: u32,
    // Orders that belong to no flock, and hold even if a restart is refused.
    measure: Option<bool>,
    explain: Option<bool>,
    /// True if watching ends, before another boid is watched.
    leave: bool,
    // Orders that belong to one flock: the new one, if there is a restart.
    restart: Option<Restart>,
    steps: u32,
    parameters: Option<Wanted>,
    steer: Vec<(usize, [f32; 3])>,
    /// The step of the flight to show.
    seek: Option<u64>,
    /// True if what follows the step that is shown is dropped.
    takes_over: bool,
    watch: Option<Watch>,
    /// True if the hash of the state is requested.
    hash: bool,
    /// True if the recorded flight is requested.
    flight: bool,
    /// The number of the last change of the parameters.
    edit: u64,
}

impl Batch {
    /// Orders a restart. The other orders for the old flock no longer apply, except that a boid watched by its id is
    /// watched in the new flock, too.
    fn restart(&mut self, restart: Restart) {
        let before = std::mem::take(self);
        let same = before.watch.filter(|watch| matches!(watch, Watch::Id(_)));
        *self = Batch {
            orders: before.orders,
            measure: before.measure,
            explain: before.explain,
            leave: before.leave || before.watch != same,
            watch: same,
            restart: Some(restart),
            edit: before.edit,
            ..Batch::default()
        };
    }

    /// Orders to watch another boid; `None` ends watching.
    fn watch(&mut self, watch: Option<Watch>) {
        self.leave |= watch.is_none();
        self.watch = watch;
    }

    /// Merges an order and all that have arrived; false when the window is closed.
    fn merge(&mut self, order: Order, inbox: &Receiver<Order>) -> bool {
        order(self);
        loop {
            match inbox.try_recv() {
                Ok(order) => order(self),
                Err(TryRecvError::Empty) => return true,
                Err(TryRecvError::Disconnected) => return false,
            }
        }
    }
}

/// The window's end of the thread. Dropping it ends the thread after the current step.
pub struct Worker {
    // Dropped before the thread is joined, which ends it.
    orders: Option<Sender<Order>>,
    reports: Receiver<(Report, u32)>,
    thread: Option<Task<WorkerState>>,
    /// Number of orders without an answer.
    waiting: u32,
    /// True if the end of the thread is still to be reported.
    reports_end: bool,
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("waiting", &self.waiting).finish_non_exhaustive()
    }
}

/// Calls a function after each report and when dropped, so that a panic also wakes the window.
struct Wake<F: Fn()>(F);

impl<F: Fn()> Drop for Wake<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl Worker {
    /// Starts the thread and publishes the current flock; the engine may have done steps and restarts before. `wake` is
    /// called after each report and when the thread ends.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub fn start(flock: FlockHandle, wake: impl Fn() + Send + 'static) -> std::io::Result<Self> {
        let kept = WorkerState { flock, edit: 0, read_back: ReadBack::default() };
        let (orders, inbox) = channel();
        let (outbox, reports) = channel();
        // The channel is dropped before `wake`, so that its last call finds it closed.
        let outbox = (outbox, Wake(wake));
        let mut batch = Batch::default();
        let thread = serve("flock", inbox, kept, move |kept, order, inbox| {
            let (outbox, wake) = &outbox;
            if !batch.merge(order, inbox) {
                return false;
            }
            if batch.orders == 0 {
                return true;
            }
            let batch = std::mem::take(&mut batch);
            let answers = batch.orders;
            let goes_on = outbox.send((kept.work(batch), answers)).is_ok();
            (wake.0)();
            goes_on
        })?;
        let mut worker =
            Worker { orders: Some(orders), reports, thread: Some(thread), waiting: 0, reports_end: true };
        worker.advance(0);
        Ok(worker)
    }

    /// Ends the thread after the current step and returns its engine; `None` if it has panicked or ended before.
    pub fn end(&mut self) -> Option<FlockHandle> {
        self.orders = None;
        Some(self.thread.take()?.join()?.flock)
    }

    /// True if every order is answered.
    pub fn idle(&self) -> bool {
        self.waiting == 0
    }

    /// Orders steps; 0 requests only a frame.
    pub fn advance(&mut self, steps: u32) {
        self.send(move |batch| batch.steps += steps);
    }

    /// Sets the parameters. `edit` is the number of the change.
    pub fn set_parameters(&mut self, parameters: InFlight, edit: u64) {
        let new = Box::new(parameters);
        self.send(move |batch| (batch.parameters, batch.edit) = (Some(Wanted::Parameters(new)), edit));
    }

    /// Starts a flock, settled or from its seed. Orders for the old flock that are not done yet no longer apply.
    pub fn restart(&mut self, parameters: &Parameters, settled: bool, generation: u64) {
        let flight = StartOf::Parameters { parameters: Box::new(*parameters), settled };
        self.send(move |batch| batch.restart(Restart { flight, generation }));
    }

    /// Starts a recorded flight, which is repeated.
    pub fn open(&mut self, flight: Flight, generation: u64) {
        let flight = StartOf::Flight(Box::new(flight));
        self.send(move |batch| batch.restart(Restart { flight, generation }));
    }

    /// Drops what follows the step that is shown.
    pub fn take_over(&mut self, edit: u64) {
        self.send(move |batch| (batch.takes_over, batch.edit) = (true, edit));
    }

    /// Requests a frame with the recorded flight.
    pub fn flight(&mut self) {
        self.send(|batch| batch.flight = true);
    }

    /// Moves a predator with the next order. A separate answer would keep the engine from stepping while the pointer
    /// moves.
    pub fn steer_predator(&mut self, index: usize, position: [f32; 3], edit: u64) {
        self.mention(move |batch| {
            batch.edit = edit;
            batch.steer.retain(|(other, _)| *other != index);
            batch.steer.push((index, position));
        });
    }

    /// Shows another step of the flight, or a step on the way to it.
    pub fn seek(&mut self, step: u64) {
        self.send(move |batch| (batch.steps, batch.seek) = (0, Some(step)));
    }

    /// Watches a boid; `None` ends watching.
    pub fn watch(&mut self, watch: Option<Watch>) {
        self.send(move |batch| batch.watch(watch));
    }

    /// Switches the slow measures.
    pub fn measure(&mut self, wanted: bool) {
        self.send(move |batch| batch.measure = Some(wanted));
    }

    /// Switches the explanation of the watched boid.
    pub fn explain(&mut self, wanted: bool) {
        self.send(move |batch| batch.explain = Some(wanted));
    }

    /// Requests a frame with the hash of its state.
    pub fn hash(&mut self) {
        self.send(|batch| batch.hash = true);
    }

    /// The next report, if there is one.
    pub fn report(&mut self) -> Option<Report> {
        match self.reports.try_recv() {
            Ok(report) => Some(self.count(report)),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => self.gone(),
        }
    }

    /// Waits for the next report; `None` when every order is answered.
    pub fn wait(&mut self) -> Option<Report> {
        if self.idle() {
            return None;
        }
        match self.reports.recv() {
            Ok(report) => Some(self.count(report)),
            Err(_) => self.gone(),
        }
    }

    fn count(&mut self, (report, answers): (Report, u32)) -> Report {
        self.waiting = self.waiting.saturating_sub(answers);
        report
    }

    /// Reports the end of the thread once, and again after each further order.
    fn gone(&mut self) -> Option<Report> {
        self.waiting = 0;
        std::mem::take(&mut self.reports_end).then_some(Report::Gone)
    }

    /// Sends an order that is answered by a report.
    fn send(&mut self, order: impl FnOnce(&mut Batch) + Send + 'static) {
        let sent = self.mention(move |batch| {
            batch.orders += 1;
            order(batch);
        });
        if sent {
            self.waiting += 1;
        } else {
            self.reports_end = true;
        }
    }

    /// Sends a change that needs no answer; false if the thread has ended.
    fn mention(&self, order: impl FnOnce(&mut Batch) + Send + 'static) -> bool {
        self.orders.as_ref().is_some_and(|orders| orders.send(Box::new(order)).is_ok())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            thread.detach();
        }
    }
}

/// The state of the worker between two batches.
#[derive(Debug)]
struct WorkerState {
    flock: FlockHandle,
    /// The number of the last change of the parameters.
    edit: u64,
    read_back: ReadBack,
}

impl WorkerState {
    fn work(&mut self, batch: Batch) -> Report {
        let restart = batch.restart.as_ref();
        let generation = restart.map_or(self.flock.held.generation, |restart| restart.generation);
        self.try_work(batch).unwrap_or_else(|why| match why {
            EngineError::Lost { .. } => Report::Lost,
            why => Report::Failed { why: why.to_string(), generation },
        })
    }

    /// Starts a flock.
    fn restart(&mut self, restart: Restart) -> Result<()> {
        let Restart { flight, generation } = restart;
        let source = &mut *self.flock.source;
        let mut past = match flight {
            StartOf::Parameters { parameters, settled } => {
                let first = if settled { First::Settled } else { First::Seed };
                Past::new(Start::on(source.engine(), *parameters, first))
            }
            StartOf::Flight(mut flight) => {
                let engine = source.engine();
                if flight.start.numeric != engine.numeric() {
                    // Another number type takes another course.
                    flight.hashes.clear();
                    (flight.start.numeric, flight.start.engine) = (engine.numeric(), engine.describe());
                }
                Past::open(*flight)
            }
        };
        let start = &past.flight.start;
        let (parameters, state) = (start.parameters, start.state()?);
        // The old boids go first: parameters that fit the new number may not fit theirs, and memory need not hold both.
        source.engine().set_state(&State::default())?;
        source.engine().set_parameters(&parameters)?;
        source.engine().set_state(&state)?;
        let relaxes = start.first == First::Settled && past.flight.end == state.step;
        // A lost device starts again from here.
        let kept = start.first != First::Seed && source.on_device();
        self.flock.held = Checkpoint { generation, state: kept.then_some(state) };
        past.revision = self.flock.past.revision + 1;
        self.flock.past = past;
        if relaxes {
            settled::relax(source, Instant::now())?;
            self.flock.past.flight.end = source.engine().step_number();
        }
        Ok(())
    }

    /// Makes the changes of a batch, and goes to the step that it asks for. Returns the number of steps to do.
    fn prepare(&mut self, batch: &mut Batch) -> Result<u64> {
        if let Some(restart) = batch.restart.take() {
            self.restart(restart)?;
        }
        let source = &mut *self.flock.source;
        let past = &mut self.flock.past;
        if batch.takes_over {
            past.take_over(source.engine());
        }
        if let Some(parameters) = batch.parameters.take() {
            past.change(source.engine(), parameters)?;
        }
        for (predator, position) in batch.steer.drain(..) {
            past.change(source.engine(), Wanted::Steer { predator, position })?;
        }
        let Some(step) = batch.seek else { return Ok(batch.steps.into()) };
        let (goal, state) = past.seek(source.engine(), step)?;
        if state.is_some() && source.on_device() {
            self.flock.held.state = state;
        }
        Ok(goal - source.engine().step_number())
    }

    fn try_work(&mut self, mut batch: Batch) -> Result<Report> {
        self.read_back.measures = batch.measure.unwrap_or(self.read_back.measures);
        self.read_back.explains = batch.explain.unwrap_or(self.read_back.explains);
        if batch.leave {
            self.read_back.watch(None);
        }
        self.edit = self.edit.max(batch.edit);
        let steps = self.prepare(&mut batch)?;
        if batch.watch.is_some() {
            self.read_back.watch(batch.watch);
        }
        let source = &mut *self.flock.source;
        let mut frame = Frame::empty(self.flock.held.generation);
        let start = Instant::now();
        // Each step is finished before the next one begins, so that its time is known.
        while u64::from(frame.steps) < steps && (frame.steps == 0 || start.elapsed() < LONGEST) {
            self.flock.past.make_pending(source.engine())?;
            source.engine().advance(1)?;
            source.finish()?;
            self.flock.past.has_stepped(source.engine())?;
            frame.steps += 1;
        }
        frame.step_time = start.elapsed() / frame.steps.max(1);
        frame.step = source.engine().step_number();
        source.publish(&mut frame)?;
        if batch.hash {
            frame.hash = Some(source.engine().hash()?);
        }
        self.read_back.look(source, &mut self.flock.past, &mut self.flock.held, &mut frame)?;
        frame.span = self.flock.past.span();
        frame.marks = self.flock.past.flight.changes.marks();
        frame.repeated = self.flock.past.repeated().map(Box::new);
        frame.divergence = self.flock.past.divergence;
        frame.changed = !self.flock.past.flight.changes.all().is_empty();
        frame.edit = self.edit;
        if let Some(journal) = &mut self.flock.journal {
            journal.write(&self.flock.past.flight, self.flock.past.revision);
        }
        if batch.flight {
            self.flock.past.record_hash(source.engine());
            frame.flight = Some(Box::new(self.flock.past.flight.clone()));
        }
        Ok(Report::Frame(Box::new(frame)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;
    use scene::camera::Ray;

    /// Watches the boid under a pointer.
    const RAY: Watch = Watch::Ray(PickRay {
        ray: Ray { origin: Vec3::ZERO, direction: Vec3::X },
        flat: false,
        tolerance: 0.1,
    });

    fn seeded(generation: u64) -> Restart {
        let flight = StartOf::Parameters { parameters: Box::default(), settled: false };
        Restart { flight, generation }
    }

    /// A batch with an order of each kind.
    fn all_orders(watch: Watch) -> Batch {
        Batch {
            orders: 9,
            measure: Some(true),
            explain: Some(true),
            leave: false,
            restart: Some(seeded(1)),
            steps: 3,
            parameters: Some(Wanted::Parameters(Box::new(InFlight::new(Parameters::default())))),
            steer: vec![(1, [4.0; 3])],
            seek: Some(2),
            takes_over: true,
            watch: Some(watch),
            hash: true,
            flight: true,
            edit: 5,
        }
    }

    #[test]
    fn a_restart_drops_the_orders_for_the_old_flock_and_keeps_the_others() {
        let id = Watch::Id(7);
        // A boid that is known by its number is watched in the new flock, too, unless watching has ended.
        for (watched, ends, watch, leave) in
            [(RAY, false, None, true), (id, false, Some(id), false), (id, true, None, true)]
        {
            let mut batch = all_orders(watched);
            if ends {
                batch.watch(None);
            }
            batch.restart(seeded(2));
            let (measure, explain, restart) = (Some(true), Some(true), Some(seeded(2)));
            assert_eq!(
                batch,
                Batch { orders: 9, measure, explain, leave, restart, watch, edit: 5, ..Batch::default() }
            );
        }
    }
}
