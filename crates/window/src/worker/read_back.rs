//! Periodic read-back of the flock: a checkpoint in case the device is lost, the states of the last seconds, the boid
//! that the camera flies along with, and the charts' measures that take longer than a frame.
//!
//! Each has its own interval and its own share of the time. A state read for one of them serves all that are due. A
//! watched boid is extrapolated between two states; if the boids are in memory, each frame has its position. Measures
//! run on their own thread.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::Duration;

use flock::Parameters;
use glam::Vec3;
use web_time::Instant;

use super::Source;
use super::past::Past;
use crate::frame::{Boids, Frame, Measured, Watched};
use engine::system::spawn;
use engine::{EngineError, Explanation, Numeric, ReadBackTimer, Result, State, measures};
use scene::camera::Ray;

/// The state from which a flock continues on another device.
#[derive(Debug)]
pub struct Checkpoint {
    /// The restart that it comes from.
    pub generation: u64,
    /// The last state read back; `None` if the flock has only just started from its seed.
    pub state: Option<State>,
}

/// The boid to watch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Watch {
    /// The boid at the ray.
    Ray(PickRay),
    /// The boid with this id.
    Id(u32),
}

/// A ray through the picture that selects a boid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PickRay {
    pub ray: Ray,
    /// True if the picture has no perspective.
    pub flat: bool,
    /// Maximum distance of a boid from the ray: in units of length, with perspective at a distance of 1.
    pub tolerance: f32,
}

impl PickRay {
    /// The boid nearest to the ray in the picture.
    fn nearest(&self, boids: impl Iterator<Item = Watched>) -> Option<Watched> {
        let beside = |position: [f32; 3]| {
            let offset = Vec3::from(position) - self.ray.origin;
            let along = offset.dot(self.ray.direction);
            let beside = (offset - self.ray.direction * along).length();
            match self.flat {
                true => Some(beside),
                false => (along > 0.0).then(|| beside / along),
            }
        };
        let near = boids.filter_map(|boid| Some((boid, beside(boid.position)?)));
        let nearest = near.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        (nearest.1 <= self.tolerance).then_some(nearest.0)
    }
}

/// An explanation that takes less time than this is made for every frame.
const QUICK: Duration = Duration::from_millis(2);

/// The result of a measurement, and the time it took.
type Found = (Measured, Duration);

/// Reads states back as requested.
#[derive(Debug)]
pub struct ReadBack {
    for_checkpoint: ReadBackTimer,
    for_past: ReadBackTimer,
    for_boid: ReadBackTimer,
    for_measures: ReadBackTimer,
    for_explanation: ReadBackTimer,
    query: Option<PickRay>,
    watched: Option<Watched>,
    /// True if measures are requested.
    pub measures: bool,
    /// True if the watched boid is explained.
    pub explains: bool,
    explanation: Option<Arc<Explanation>>,
    /// The time that it took.
    explained_in: Duration,
    running: Option<Receiver<Found>>,
    measured: Option<Measured>,
}

impl Default for ReadBack {
    fn default() -> Self {
        let now = Instant::now();
        ReadBack {
            for_checkpoint: ReadBackTimer::of_checkpoints(),
            for_past: ReadBackTimer { next: now, interval: Duration::ZERO, multiple: 50 },
            for_boid: ReadBackTimer { next: now, interval: Duration::from_millis(100), multiple: 10 },
            for_measures: ReadBackTimer { next: now, interval: Duration::from_millis(400), multiple: 4 },
            for_explanation: ReadBackTimer { next: now, interval: Duration::ZERO, multiple: 8 },
            query: None,
            watched: None,
            measures: false,
            explains: false,
            explanation: None,
            explained_in: Duration::ZERO,
            running: None,
            measured: None,
        }
    }
}

impl ReadBack {
    /// Watches another boid; `None` ends watching.
    pub fn watch(&mut self, watch: Option<Watch>) {
        (self.query, self.watched, self.for_boid.next) = (None, None, Instant::now());
        match watch {
            Some(Watch::Ray(ray)) => self.query = Some(ray),
            Some(Watch::Id(id)) => {
                self.watched = Some(Watched { id, position: [0.0; 3], velocity: [0.0; 3], step: 0 });
            }
            None => {}
        }
    }

    /// True if a boid is watched, or looked for.
    pub fn watches(&self) -> bool {
        self.query.is_some() || self.watched.is_some()
    }

    /// Reads a state back if one is due and fits the memory, and fills in the frame's watched boid and measures. A
    /// state from a device becomes the checkpoint.
    ///
    /// # Errors
    /// When the device failed; the checkpoint stays as it was.
    pub fn look(
        &mut self,
        source: &mut dyn Source,
        flown: &mut Past,
        held: &mut Checkpoint,
        frame: &mut Frame,
    ) -> Result<()> {
        self.take_measured();
        let on_device = source.on_device();
        let watches = self.watches();
        if let Boids::Host(boids) = &frame.boids
            && watches
            && !on_device
        {
            let first = |four: [f32; 4]| [four[0], four[1], four[2]];
            let motion = boids.position.iter().zip(&boids.velocity);
            self.find(boids.tag.iter().zip(motion).map(|([id, _], (position, velocity))| Watched {
                id: *id,
                position: first(*position),
                velocity: first(*velocity),
                step: frame.step,
            }));
        }
        let explains = self.explains_now(frame.steps);
        let checkpoint = on_device && frame.steps > 0 && self.for_checkpoint.is_due();
        let boid = on_device && watches && self.for_boid.is_due();
        let measures = self.measures && self.running.is_none() && self.for_measures.is_due();
        let engine = source.engine();
        let interval = flown.interval(engine.boids(), engine.step_number());
        let past = interval.filter(|_| frame.steps > 0 && self.for_past.is_due());
        let others = checkpoint || boid || measures || explains;
        if (others || past.is_some()) && State::check_capacity(engine.boids()).is_ok() {
            let begun = Instant::now();
            let read = engine.state();
            let took = begun.elapsed();
            if let Some(interval) = past {
                self.for_past.interval = interval;
                self.for_past.done(took);
            }
            let mut state = match read {
                // A flock that is not finite is still shown.
                Err(EngineError::NotFinite { .. }) if !others => None,
                read => Some(read?),
            };
            if let Some(state) = state.as_ref().filter(|_| boid) {
                self.for_boid.done(took);
                self.find(of_state(state, frame.step));
            }
            if let Some(state) = state.as_ref().filter(|_| explains) {
                self.explain(engine.numeric(), &flown.parameters.engine, state, begun)?;
            }
            // The last user takes the state; the others clone it.
            let mut take = |again: bool| if again { state.clone() } else { state.take() };
            if past.is_some()
                && let Some(state) = take(measures || on_device)
            {
                flown.keep(state);
            }
            if measures {
                let measured = take(on_device);
                self.running =
                    measured.map(|state| measure(frame.generation, flown.parameters.engine, state, took));
            }
            if on_device {
                self.for_checkpoint.done(took);
                held.state = take(false).or(held.state.take());
            }
        }
        frame.watched = self.watched;
        let watched = self.watched.map(|watched| watched.id).filter(|_| self.explains);
        frame.explanation = self.explanation.clone().filter(|last| Some(last.id) == watched);
        frame.measured = self.measured.filter(|last| last.generation == frame.generation);
        Ok(())
    }

    /// True if the watched boid is to be explained again. After a change while time stands it always is.
    fn explains_now(&self, steps: u32) -> bool {
        let last = self.explanation.as_ref().map(|last| last.id);
        let same = last.is_some() && last == self.watched.map(|watched| watched.id);
        let is_due = self.explained_in < QUICK || self.for_explanation.is_due();
        self.explains && self.watches() && (!same || steps == 0 || is_due)
    }

    /// Explains the watched boid of a state, which began to be read at `begun`.
    fn explain(
        &mut self,
        numeric: Numeric,
        parameters: &Parameters,
        state: &State,
        begun: Instant,
    ) -> Result<()> {
        let Some(watched) = self.watched else { return Ok(()) };
        self.explanation = Some(Arc::new(Explanation::new(numeric, parameters, state, watched.id)?));
        self.explained_in = begun.elapsed();
        self.for_explanation.done(self.explained_in);
        Ok(())
    }

    /// Updates the watched boid: by the pending ray, otherwise by its id.
    fn find(&mut self, mut boids: impl Iterator<Item = Watched>) {
        self.watched = match (self.query.take(), self.watched) {
            (Some(ray), _) => ray.nearest(boids),
            (None, last) => last.and_then(|last| boids.find(|boid| boid.id == last.id)),
        };
    }

    /// Takes the result of a measurement, if it is done.
    fn take_measured(&mut self) {
        match self.running.as_ref().map(Receiver::try_recv) {
            None | Some(Err(TryRecvError::Empty)) => {}
            Some(Ok((measured, took))) => {
                self.for_measures.done(took);
                (self.running, self.measured) = (None, Some(measured));
            }
            Some(Err(TryRecvError::Disconnected)) => self.running = None,
        }
        if !self.measures {
            self.measured = None;
        }
    }
}

/// The boids of a state, in the order of their ids.
fn of_state(state: &State, step: u64) -> impl Iterator<Item = Watched> {
    (0..).zip(&state.boids).map(move |(id, boid)| Watched {
        id,
        position: boid.position.map(|c| c as f32),
        velocity: boid.velocity.map(|c| c as f32),
        step,
    })
}

/// Measures a state on a thread; `read` is the time of its read-back. Without a thread there is no result.
fn measure(generation: u64, parameters: Parameters, state: State, read: Duration) -> Receiver<Found> {
    let (send, found) = channel();
    let measure = move || {
        let begun = Instant::now();
        let measures = measures::measure_only(&parameters, &state, &Measured::FAMILIES);
        // The window may be closed in the meantime.
        let _ = send.send((Measured { generation, measures }, read + begun.elapsed()));
    };
    if let Err(why) = spawn("measures", measure) {
        log::warn!("cannot measure the flock: {why}");
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpu::CpuEngine;
    use engine::Engine;

    /// A CPU engine that reports to be on a device.
    #[derive(Debug)]
    struct Device(Box<dyn CpuEngine>);

    impl Source for Device {
        fn engine(&mut self) -> &mut dyn Engine {
            &mut *self.0
        }
        fn on_device(&self) -> bool {
            true
        }
        fn publish(&mut self, _: &mut Frame) -> Result<(), EngineError> {
            Ok(())
        }
    }

    fn flock() -> (State, Device, Checkpoint, Past) {
        let mut parameters = Parameters::default();
        parameters.flock.boids = 5;
        let state = State::start(&parameters);
        let engine = cpu::open_as::<f32>(&parameters, &state, Some(1)).expect("a thread");
        let start = flight::Start::on(&*engine, parameters, flight::First::Seed);
        (state, Device(engine), Checkpoint { generation: 0, state: None }, Past::new(start))
    }

    #[test]
    fn a_checkpoint_is_read_back_only_now_and_then() {
        let (_, mut device, mut held, mut past) = flock();
        // A state read for another purpose serves the checkpoint, too.
        let later = Instant::now() + Duration::from_secs(3600);
        let for_past = ReadBackTimer { next: later, interval: Duration::ZERO, multiple: 1 };
        let mut reader = ReadBack { for_past, ..ReadBack::default() };
        let mut step = |reader: &mut ReadBack| {
            device.0.advance(3).expect("steps");
            let mut frame = Frame { steps: 3, ..Frame::empty(0) };
            reader.look(&mut device, &mut past, &mut held, &mut frame).expect("read");
            held.state.as_ref().map_or(0, |state| state.step)
        };
        assert_eq!(step(&mut reader), 0);
        reader.for_checkpoint.next = Instant::now();
        assert_eq!(step(&mut reader), 6);
        assert!(reader.for_checkpoint.next > Instant::now() + ReadBackTimer::CHECKPOINTS / 2);
        assert_eq!(step(&mut reader), 6);
    }

    #[test]
    fn on_a_device_a_state_is_read_back_for_it() {
        let (state, mut device, mut held, mut past) = flock();
        let [x, y, z] = state.boids[3].position.map(|c| c as f32);
        let ray = Ray { origin: Vec3::new(x, y, z - 500.0), direction: Vec3::Z };
        let mut reader = ReadBack::default();
        reader.watch(Some(Watch::Ray(PickRay { ray, flat: true, tolerance: 0.01 })));
        let mut look = |step: u64| {
            device.0.advance(step as u32 - 7).expect("steps");
            let mut frame = Frame { step, ..Frame::empty(0) };
            reader.look(&mut device, &mut past, &mut held, &mut frame).expect("reads");
            frame.watched.map(|watched| (watched.id, watched.step))
        };
        assert_eq!(look(7), Some((3, 7)));
        // No other state is due yet.
        assert_eq!(look(8), Some((3, 7)));
    }
}
