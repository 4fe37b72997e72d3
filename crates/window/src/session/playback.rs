//! The engine's thread as the session sees it: the last orders, the newest frame, and the playback.

use flock::Parameters;

use super::document::Document;
use crate::frame::Frame;
use crate::history::{Course, History};
use crate::worker::Worker;
use engines::Device;
use flight::{First, Flight, InFlight, POSE_EVERY, Pose};
use scene::Camera;

/// A temporary effect at a point. It is not in the panel's parameters; the engine's parameters include it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointerEffect {
    /// Attraction while the pointer is pressed.
    Attract([f32; 3]),
    /// A falcon at a point, up to a step.
    Falcon([f32; 3], u64),
}

/// The engine's flock and its playback.
#[derive(Debug)]
pub struct Playback {
    /// The device that steps the flock, and what its engine refuses.
    pub device: Device,
    /// Name of the engine, for the user.
    pub engine: String,
    pub playing: bool,
    /// The step at which playback pauses, once.
    pub pause_at: Option<u64>,
    /// True if the flock runs to `pause_at` at full speed.
    pub fast_forward: bool,
    /// The requested step of the flight.
    pub seek_target: Option<u64>,
    /// True if the flock has started settled.
    settled: bool,
    /// The number of the last change that was sent to the engine.
    pub edit: u64,
    /// True while the flight is repeated to its end after its device was lost.
    catches_up: bool,
    /// Playback rate in steps per frame; below 1, a step every few frames, with interpolation between them.
    pub rate: f64,
    pub history: History,
    /// The measures of the flight, for the timeline.
    pub course: Course,
    pub pointer_effect: Option<PointerEffect>,
    /// The newest frame.
    pub frame: Frame,
    /// The camera's poses in this flight.
    pub poses: Vec<Pose>,
    /// Number of frames shown.
    pub shown: u64,
    pub worker: Worker,
    /// The parameters last sent to the engine.
    pub sent_parameters: Parameters,
    pub generation: u64,
    /// The sum of the rate over the frames, less the steps requested.
    step_accumulator: f64,
    /// Lag of the picture behind the newest step, in steps: in slow motion positions are interpolated.
    pub behind: f64,
    /// The last steered predator, and its target.
    pub steered: Option<(usize, [f32; 3])>,
    /// True if the charts' measures are requested.
    measures: bool,
    /// True if the explanation of the watched boid is requested.
    explains: bool,
}

impl Playback {
    /// Range of the playback rate.
    pub const RATES: std::ops::RangeInclusive<f64> = 0.05..=100.0;

    pub fn new(worker: Worker, device: Device, engine: String, document: &Document) -> Self {
        let settled = document.starts_settled();
        Playback {
            device,
            engine,
            playing: true,
            pause_at: None,
            fast_forward: false,
            seek_target: None,
            settled,
            edit: 0,
            catches_up: false,
            rate: 1.0,
            history: History::default(),
            course: Course::default(),
            pointer_effect: None,
            frame: Frame::empty(0),
            poses: Vec::new(),
            shown: 0,
            worker,
            sent_parameters: document.parameters,
            generation: 0,
            step_accumulator: 0.0,
            behind: 0.0,
            steered: None,
            measures: false,
            explains: false,
        }
    }

    /// Requests the steps of one frame of the window, if the flock is playing and the engine has done the last ones;
    /// while it is paused, the hash.
    pub fn play(&mut self) {
        if !self.playing {
            self.behind = 0.0;
        }
        if !self.waits() {
            return;
        }
        if let Some(step) = self.seek_target.take() {
            if step != self.frame.step || self.catches_up {
                (self.seek_target, self.behind) = (Some(step), 0.0);
                self.worker.seek(step);
                return;
            }
            // The slider may hold this step for long.
            if self.playing || self.frame.hash.is_some() {
                return;
            }
        }
        if !self.playing {
            return self.worker.hash();
        }
        self.step_accumulator += self.rate;
        let mut steps = self.step_accumulator.floor();
        self.step_accumulator -= steps;
        if let Some(last) = self.pause_at {
            let left = last.saturating_sub(self.frame.step);
            if left == 0 {
                (self.playing, self.pause_at, self.fast_forward) = (false, None, false);
                return;
            }
            if self.fast_forward {
                steps = left as f64;
            }
            // The worker may do fewer steps than requested, so the count is that of its last report.
            steps = steps.min(left as f64).min(f64::from(u32::MAX));
        }
        // The result of a step requested now is shown with a later frame; now the picture has reached the step before.
        self.behind = if steps >= 1.0 { 0.0 } else { 1.0 - self.step_accumulator };
        if steps >= 1.0 {
            self.worker.advance(steps as u32);
        }
    }

    /// True if there is something to request: steps, or the hash of a paused flock.
    pub fn waits(&self) -> bool {
        let wants = self.playing || self.seek_target.is_some();
        self.worker.idle() && (wants || self.frame.hash.is_none() && self.frame.boids.count() > 0)
    }

    /// Shows a step of the flight, and pauses there.
    pub fn seek(&mut self, step: u64) {
        let [oldest, newest] = self.frame.span;
        self.seek_target = Some(step.max(oldest).min(newest));
        // Going back cancels a pending target.
        (self.pause_at, self.fast_forward, self.step_accumulator) = (None, false, 0.0);
        self.playing = false;
    }

    /// Drops what follows an earlier step that is shown.
    pub fn take_over(&mut self) {
        if self.looks_back() {
            self.leave_past();
            self.edit += 1;
            self.worker.take_over(self.edit);
        }
    }

    /// Ends what leads to a later step of the flight.
    fn leave_past(&mut self) {
        if self.looks_back() {
            (self.seek_target, self.catches_up) = (None, false);
            (self.pause_at, self.fast_forward) = (None, false);
            let here = self.frame.step;
            self.poses.retain(|pose| pose.step <= here);
            self.course.truncate(here);
        }
    }

    /// Records the camera, now and then; not while steps are repeated.
    pub fn record_camera(&mut self, camera: &Camera) {
        let Camera { target, yaw, pitch, distance, field_of_view, .. } = *camera;
        let step = self.frame.step;
        let due = self.poses.last().is_none_or(|last| step >= last.step + POSE_EVERY);
        if due && !self.looks_back() {
            let pose = Pose { step, yaw, pitch, distance, target: target.to_array(), field_of_view };
            self.poses.push(pose.rounded());
        }
    }

    /// True if an earlier step than the newest is shown.
    pub fn looks_back(&self) -> bool {
        self.seek_target.is_some() || self.frame.step < self.frame.span[1]
    }

    /// True if the newest step of the requested flock is shown.
    pub fn is_live(&self) -> bool {
        self.has_started() && !self.looks_back() && self.edit == self.frame.edit
    }

    /// Does one step and stops there.
    pub fn step_once(&mut self) {
        self.playing = false;
        self.worker.advance(1);
    }

    /// Sends parameters to the engine. `set` are those without the pointer's effect.
    pub fn send(&mut self, set: Parameters, parameters: Parameters) {
        self.leave_past();
        self.sent_parameters = parameters;
        self.edit += 1;
        self.worker.set_parameters(InFlight { set, engine: parameters }, self.edit);
    }

    /// Starts a flock, settled or from its seed.
    pub fn start(&mut self, parameters: Parameters, settled: bool) {
        (self.sent_parameters, self.pointer_effect) = (parameters, None);
        self.settled = settled;
        self.begin();
        self.worker.restart(&self.sent_parameters, self.settled, self.generation);
    }

    /// Starts a recorded flight, and plays it to its end.
    pub fn open(&mut self, flight: Flight) {
        (self.sent_parameters, self.pointer_effect) = (flight.start.parameters, None);
        self.settled = flight.start.first == First::Settled;
        self.begin();
        self.poses.clone_from(&flight.poses);
        (self.playing, self.pause_at, self.fast_forward) = (true, Some(flight.end), false);
        self.worker.open(flight, self.generation);
    }

    /// Forgets the flock before.
    fn begin(&mut self) {
        self.generation += 1;
        (self.step_accumulator, self.seek_target, self.steered) = (0.0, None, None);
        self.catches_up = false;
        self.poses.clear();
        self.history = History::default();
        self.course = Course::default();
    }

    /// True if parameters and seed determine the flock: it started from the seed, and nothing was changed in flight.
    pub fn untouched(&self) -> bool {
        !self.settled && !self.frame.changed && self.edit == self.frame.edit
    }

    /// The options that open the flock at the current step; `None` if it is at its start, or seed and parameters do not
    /// determine it.
    pub fn moment(&self) -> Option<Vec<(&'static str, String)>> {
        let step = ("step", self.frame.step.to_string());
        (self.untouched() && self.frame.step > 0)
            .then(|| self.device.options().into_iter().chain([step]).collect())
    }

    /// Shows a frame of the flock, whose parameters are `set` without the pointer's effect. Returns those of a flight that
    /// was repeated, unless they have been changed since.
    pub fn show(&mut self, mut frame: Frame, set: Parameters) -> Option<Parameters> {
        let [oldest, newest] = frame.span;
        self.seek_target = self.seek_target.map(|step| step.max(oldest).min(newest));
        self.shown += 1;
        let repeated = frame.repeated.take().filter(|_| frame.edit == self.edit);
        self.frame = frame;
        if self.catches_up {
            self.catches_up = self.frame.step < newest;
            self.seek_target = self.catches_up.then_some(newest);
            if !self.catches_up {
                self.send(set, self.sent_parameters);
            }
            return None;
        }
        let repeated = repeated?;
        self.sent_parameters = repeated.engine;
        Some(repeated.set)
    }

    /// True if the newest frame is of the requested flock, false while that has yet to start.
    pub fn has_started(&self) -> bool {
        self.frame.generation == self.generation
    }

    /// Steers a predator to a point.
    pub fn steer_predator(&mut self, index: usize, position: [f32; 3]) {
        let again = self.steered.replace((index, position)) == Some((index, position));
        if !self.playing && again {
            // A resting pointer must not wake a sleeping window.
            return;
        }
        self.edit += 1;
        self.worker.steer_predator(index, position, self.edit);
        if !self.playing && self.worker.idle() {
            // No pending step would show the change.
            self.worker.advance(0);
        }
    }

    /// Requests the charts' measures while they are shown.
    pub fn measure(&mut self, wanted: bool) {
        if wanted != self.measures {
            self.measures = wanted;
            self.worker.measure(wanted);
        }
    }

    /// Requests the explanation of the watched boid while it is shown.
    pub fn explain(&mut self, wanted: bool) {
        if wanted != self.explains {
            self.explains = wanted;
            self.worker.explain(wanted);
        }
    }

    /// Continues with a worker that holds this flock or an earlier state of it, of the given restart. Later requests
    /// are repeated. `engine` is its name, for the user.
    pub fn resume(&mut self, worker: Worker, generation: u64, device: Device, engine: String) {
        (self.worker, self.device, self.engine) = (worker, device, engine);
        let newest = self.frame.span[1];
        // The frame is on the lost device. Its summary stays, so that the camera does not jump.
        let Frame { step, span, summary, .. } = self.frame;
        self.frame = Frame { step, span, summary, ..Frame::empty(generation) };
        (self.shown, self.step_accumulator, self.steered) = (self.shown + 1, 0.0, None);
        // The worker starts without measures.
        self.worker.measure(self.measures);
        self.worker.explain(self.explains);
        if generation == self.generation {
            // The steps since the checkpoint are repeated there, then the parameters of the last one are set again.
            self.catches_up = true;
            self.seek_target = Some(newest);
        } else {
            self.worker.restart(&self.sent_parameters, self.settled, self.generation);
        }
    }
}
