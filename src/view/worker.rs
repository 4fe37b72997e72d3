//! The engine's own thread. The window never waits for a step: it sends orders and takes the newest frame.
//!
//! ```text
//! window ── Order ──▶ worker ── Report ──▶ window      orders that wait are merged: the newest parameters win
//! ```

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use flock::Parameters;

use super::frame::{Boids, Frame};
use crate::engine::{Engine, EngineError};
use crate::state::State;

/// An engine that can be drawn.
pub trait Source: Send {
    /// The engine itself.
    fn engine(&mut self) -> &mut dyn Engine;

    /// Whether so many boids fit, before anything is made for them.
    ///
    /// # Errors
    /// When they do not; says how many do.
    fn room_for(&self, boids: u32) -> Result<(), EngineError>;

    /// Waits until the steps asked for are done on the device, too.
    ///
    /// # Errors
    /// When the device failed.
    fn finish(&mut self) -> Result<(), EngineError>;

    /// Fills in the frame: boids, predators, passes and summary. `spare` is an earlier frame's boids, whose memory
    /// may be used again.
    ///
    /// # Errors
    /// When the device failed.
    fn publish(
        &mut self,
        parameters: &Parameters,
        frame: &mut Frame,
        spare: Option<Boids>,
    ) -> Result<(), EngineError>;
}

/// A frame's steps end early once they have taken this long, so that orders are answered soon.
const PATIENCE: Duration = Duration::from_millis(30);

/// What the window wants.
#[derive(Debug)]
enum Order {
    Advance(u32),
    Parameters(Box<Parameters>),
    /// The seeded start of these parameters, and which restart it is.
    Restart(Box<Parameters>, u64),
    Steer(usize, [f32; 3]),
    /// Memory of a frame that is no longer shown.
    Spare(Boids),
}

/// What the worker says.
#[derive(Debug)]
pub enum Report {
    /// The flock after the last orders.
    Frame(Box<Frame>),
    /// The engine cannot do what was asked; it keeps the flock it had.
    Failed {
        why: String,
        /// The restart that was to be done, or the newest that was.
        asked: u64,
        /// The restart that the flock comes from which the engine holds, and the parameters it has.
        held: u64,
        parameters: Box<Parameters>,
    },
    /// The thread has ended by itself: nothing asked of it will be done.
    Gone,
}

/// The window's end of the thread. Dropping it ends the thread after the step it is in.
#[derive(Debug)]
pub struct Worker {
    // Before the thread, so that it is gone when the thread is waited for.
    orders: Option<Sender<Order>>,
    reports: Receiver<(Report, u32)>,
    thread: Option<JoinHandle<()>>,
    /// Orders that no report has answered yet.
    waiting: u32,
    /// Whether orders can come to nothing without the window knowing.
    trusted: bool,
}

/// Calls a function now and then, and at its end: a panic wakes the window, too.
struct Wake<F: Fn()>(F);

impl<F: Fn()> Drop for Wake<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl Worker {
    /// Starts the thread and publishes the flock as it is; `parameters` are those that the engine has. `wake` is
    /// called after each report and when the thread ends.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn start(
        mut source: Box<dyn Source>,
        parameters: &Parameters,
        wake: impl Fn() + Send + 'static,
    ) -> std::io::Result<Self> {
        let mut desk = Desk { generation: 0, parameters: *parameters, spare: None };
        let (orders, inbox) = channel();
        let (outbox, reports) = channel();
        let thread = std::thread::Builder::new().name("flock".to_owned()).spawn(move || {
            let wake = Wake(wake);
            // Gone before the last call of `wake`, which is to find that out.
            let (inbox, outbox) = (inbox, outbox);
            while let Some(batch) = Batch::wait(&inbox) {
                let answers = batch.orders;
                let report = desk.work(&mut *source, batch);
                if outbox.send((report, answers)).is_err() {
                    return;
                }
                (wake.0)();
            }
        })?;
        let mut worker =
            Worker { orders: Some(orders), reports, thread: Some(thread), waiting: 0, trusted: true };
        worker.advance(0);
        Ok(worker)
    }

    /// Whether it has nothing left to answer.
    #[must_use]
    pub fn idle(&self) -> bool {
        self.waiting == 0
    }

    /// Asks for steps; with 0, for the flock as it is.
    pub fn advance(&mut self, steps: u32) {
        self.send(Order::Advance(steps));
    }

    /// Steps by these parameters from now on.
    pub fn set_parameters(&mut self, parameters: &Parameters) {
        self.send(Order::Parameters(Box::new(*parameters)));
    }

    /// Starts again from the seed.
    pub fn restart(&mut self, parameters: &Parameters, generation: u64) {
        self.send(Order::Restart(Box::new(*parameters), generation));
    }

    /// Puts a predator somewhere, along with the next order: answered on its own, it would keep the engine from its
    /// steps for as long as the pointer moves.
    pub fn steer_predator(&mut self, index: usize, position: [f32; 3]) {
        if let Some(orders) = &self.orders {
            // An ended worker has no predators.
            let _ = orders.send(Order::Steer(index, position));
        }
    }

    /// Gives memory back.
    pub fn give_back(&mut self, boids: Boids) {
        if let (Boids::Host { .. }, Some(orders)) = (&boids, &self.orders) {
            // An ended worker needs no memory.
            let _ = orders.send(Order::Spare(boids));
        }
    }

    /// The next report, if there is one.
    pub fn report(&mut self) -> Option<Report> {
        match self.reports.try_recv() {
            Ok(report) => Some(self.count(report)),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => self.gone(),
        }
    }

    /// Waits for the next report; `None` when nothing is under way.
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

    /// Says once that the thread has ended, and again when it is asked for more.
    fn gone(&mut self) -> Option<Report> {
        self.waiting = 0;
        std::mem::take(&mut self.trusted).then_some(Report::Gone)
    }

    fn send(&mut self, order: Order) {
        if self.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok()) {
            self.waiting += 1;
        } else {
            self.trusted = true;
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so on stderr itself.
            let _ = thread.join();
        }
    }
}

/// Orders that came in while the worker was busy, merged.
#[derive(Debug, Default)]
struct Batch {
    /// How many want an answer.
    orders: u32,
    steps: u32,
    parameters: Option<Box<Parameters>>,
    restart: Option<(Box<Parameters>, u64)>,
    steer: Vec<(usize, [f32; 3])>,
    spare: Option<Boids>,
}

impl Batch {
    /// Waits for an order and takes all that are there; `None` when the window is gone.
    fn wait(inbox: &Receiver<Order>) -> Option<Self> {
        let mut batch = Batch::default();
        while batch.orders == 0 {
            batch.add(inbox.recv().ok()?);
        }
        loop {
            match inbox.try_recv() {
                Ok(order) => batch.add(order),
                Err(TryRecvError::Empty) => return Some(batch),
                Err(TryRecvError::Disconnected) => return None,
            }
        }
    }

    fn add(&mut self, order: Order) {
        self.orders += 1;
        match order {
            Order::Advance(steps) => self.steps += steps,
            Order::Parameters(parameters) => self.parameters = Some(parameters),
            Order::Restart(parameters, generation) => {
                // What was asked of the old flock is void.
                self.restart = Some((parameters, generation));
                (self.steps, self.parameters) = (0, None);
            }
            Order::Steer(index, position) => {
                self.orders -= 1;
                self.steer.retain(|(other, _)| *other != index);
                self.steer.push((index, position));
            }
            Order::Spare(boids) => {
                self.orders -= 1;
                self.spare = Some(boids);
            }
        }
    }
}

/// What the worker keeps between two batches.
#[derive(Debug)]
struct Desk {
    generation: u64,
    parameters: Parameters,
    spare: Option<Boids>,
}

impl Desk {
    fn work(&mut self, source: &mut dyn Source, batch: Batch) -> Report {
        let asked = batch.restart.as_ref().map_or(self.generation, |(_, generation)| *generation);
        self.try_work(source, batch).unwrap_or_else(|why| Report::Failed {
            why: why.to_string(),
            asked,
            held: self.generation,
            parameters: Box::new(self.parameters),
        })
    }

    fn try_work(&mut self, source: &mut dyn Source, batch: Batch) -> Result<Report, EngineError> {
        if let Some(spare) = batch.spare {
            self.spare = Some(spare);
        }
        if let Some((parameters, generation)) = batch.restart {
            source.room_for(parameters.flock.boids)?;
            let state = State::try_start(&parameters)?;
            // Parameters first: the number of dimensions decides how a state is taken over.
            source.engine().set_parameters(&parameters)?;
            if let Err(why) = source.engine().set_state(&state) {
                // The flock that stays goes on by its own rule.
                return source.engine().set_parameters(&self.parameters).and(Err(why));
            }
            (self.generation, self.parameters) = (generation, *parameters);
        }
        if let Some(parameters) = batch.parameters {
            source.engine().set_parameters(&parameters)?;
            self.parameters = *parameters;
        }
        for (index, position) in batch.steer {
            source.engine().steer_predator(index, position);
        }
        let mut frame = Frame::empty(self.generation);
        let start = Instant::now();
        // Steps are done one at a time, each seen through to its end: only so is it known when to stop.
        while frame.steps < batch.steps && (frame.steps == 0 || start.elapsed() < PATIENCE) {
            source.engine().advance(1)?;
            source.finish()?;
            frame.steps += 1;
        }
        frame.step_time = start.elapsed() / frame.steps.max(1);
        frame.step = source.engine().step_number();
        source.publish(&self.parameters, &mut frame, self.spare.take())?;
        Ok(Report::Frame(Box::new(frame)))
    }
}

#[cfg(test)]
mod tests;
