//! What flies: the engine's thread, what it has been told, its newest frame, and how it is played.

use flock::Parameters;

use super::document::Document;
use crate::view::frame::Frame;
use crate::view::history::History;
use crate::view::worker::Worker;

/// The preset and base of a flock, and the restart that began it.
#[derive(Clone, Copy, Debug)]
struct Origin {
    generation: u64,
    preset: Option<usize>,
    base: Parameters,
}

/// What is at a point for a while. It is not in the parameters that the panel shows; the engine has it on top of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PointerEffect {
    /// The flock is drawn there while the pointer holds it.
    Attract([f32; 3]),
    /// A falcon is there until a step.
    Falcon([f32; 3], u64),
}

/// The flock as the engine has it.
#[derive(Debug)]
pub struct Flight {
    /// The engine, for people.
    pub engine: String,
    pub playing: bool,
    /// The step to pause at, once.
    pub pause_at: Option<u64>,
    /// True if it flies there as fast as the engine can.
    pub hurries: bool,
    /// The step that is to be shown, of the last seconds.
    pub sought: Option<u64>,
    /// The options by which another machine comes to the same bits.
    pub options: Vec<(&'static str, String)>,
    /// True if the flock is what its parameters made of its start: nothing was changed in flight.
    pub untouched: bool,
    /// Playback rate: steps a frame; below 1, a step every few frames, between which boids fly on.
    pub rate: f64,
    pub history: History,
    pub pointer_effect: Option<PointerEffect>,
    /// The newest frame.
    pub frame: Frame,
    /// How many there were.
    pub shown: u64,
    pub worker: Worker,
    /// What the engine has been told.
    pub told: Parameters,
    pub generation: u64,
    /// The origins of the flock that is shown and of those requested since.
    origins: Vec<Origin>,
    /// The sum of the rate over the frames, less the steps requested.
    owed: f64,
    /// How far the picture is behind the newest step, in steps: in slow motion boids are drawn on their way to it.
    pub behind: f64,
    /// The predator that was last steered, and where to.
    steered: Option<(usize, [f32; 3])>,
    /// True if the flock is measured for the charts.
    measures: bool,
}

impl Flight {
    /// The lowest and the highest playback rate.
    pub const RATES: std::ops::RangeInclusive<f64> = 0.05..=100.0;

    pub fn new(worker: Worker, engine: String, document: &Document) -> Self {
        let Document { preset, base, parameters, .. } = *document;
        Flight {
            engine,
            playing: true,
            pause_at: None,
            hurries: false,
            sought: None,
            options: Vec::new(),
            untouched: true,
            rate: 1.0,
            history: History::default(),
            pointer_effect: None,
            frame: Frame::empty(0),
            shown: 0,
            worker,
            told: parameters,
            generation: 0,
            origins: vec![Origin { generation: 0, preset, base }],
            owed: 0.0,
            behind: 0.0,
            steered: None,
            measures: false,
        }
    }

    /// Requests the steps of one frame of the window, where the flock is played and the engine has done the last ones; of a
    /// flock that is paused the hash.
    pub fn play(&mut self) {
        if !self.playing {
            self.behind = 0.0;
        }
        if !self.waits() {
            return;
        }
        if let Some(step) = self.sought.take() {
            if step != self.frame.step {
                (self.sought, self.behind) = (Some(step), 0.0);
                self.worker.seek(step);
            }
            return;
        }
        if !self.playing {
            return self.worker.hash();
        }
        self.owed += self.rate;
        let mut steps = self.owed.floor();
        self.owed -= steps;
        if let Some(last) = self.pause_at {
            let left = last.saturating_sub(self.frame.step);
            if left == 0 {
                (self.playing, self.pause_at, self.hurries) = (false, None, false);
                return;
            }
            if self.hurries {
                steps = left as f64;
            }
            // The worker may do fewer steps than requested, so the count is that of its last report.
            steps = steps.min(left as f64).min(f64::from(u32::MAX));
        }
        // A step that is requested now is shown with a later frame; until then the picture has come to the step before it.
        self.behind = if steps >= 1.0 { 0.0 } else { 1.0 - self.owed };
        if steps >= 1.0 {
            self.worker.advance(steps as u32);
        }
    }

    /// True if there is something to order: steps, or the hash of a flock that is paused.
    pub fn waits(&self) -> bool {
        let wants = self.playing || self.sought.is_some();
        self.worker.idle() && (wants || self.frame.hash.is_none() && self.frame.boids.count() > 0)
    }

    /// Shows a step of the last seconds; from there the flock flies on.
    pub fn seek(&mut self, step: u64) {
        let [oldest, newest] = self.frame.span;
        self.sought = Some(step.max(oldest).min(newest));
        // Who goes back goes nowhere else.
        (self.pause_at, self.hurries, self.owed) = (None, false, 0.0);
    }

    /// True if an earlier step than the newest is looked at.
    pub fn looks_back(&self) -> bool {
        self.sought.is_some() || !self.playing && self.frame.step < self.frame.span[1]
    }

    /// Does one step and stops there.
    pub fn step_once(&mut self) {
        self.playing = false;
        self.worker.advance(1);
    }

    /// Steps by these parameters from now on.
    pub fn tell(&mut self, parameters: Parameters) {
        self.untouched = false;
        self.told = parameters;
        self.worker.set_parameters(&self.told);
    }

    /// Starts again from the seed.
    pub fn restart(&mut self, document: &Document) {
        let Document { preset, base, parameters, .. } = *document;
        (self.told, self.pointer_effect, self.untouched) = (parameters, None, true);
        self.generation += 1;
        self.origins.push(Origin { generation: self.generation, preset, base });
        (self.owed, self.sought) = (0.0, None);
        self.history = History::default();
        self.worker.restart(&self.told, self.generation);
    }

    /// The options that open the flock as it is at this moment; none where it was changed in flight, or is at its start.
    pub fn moment(&self) -> Option<Vec<(&'static str, String)>> {
        let step = ("step", self.frame.step.to_string());
        (self.untouched && self.frame.step > 0).then(|| self.options.iter().cloned().chain([step]).collect())
    }

    /// Shows a frame of the flock.
    pub fn show(&mut self, frame: Frame) {
        self.origins.retain(|origin| origin.generation >= frame.generation);
        let [oldest, newest] = frame.span;
        self.sought = self.sought.map(|step| step.max(oldest).min(newest));
        self.shown += 1;
        self.frame = frame;
    }

    /// True if the frame is of the flock that was asked for last, or of an earlier start of it.
    pub fn has_arrived(&self) -> bool {
        let of = |generation| self.origins.iter().find(|origin| origin.generation == generation);
        let flock = |generation| of(generation).map(|origin| (origin.preset, origin.base));
        flock(self.frame.generation) == flock(self.generation)
    }

    /// The preset and base of the flock that the engine holds, after a start that failed.
    pub fn origin(&mut self) -> Option<(Option<usize>, Parameters)> {
        self.origins.retain(|origin| origin.generation <= self.generation);
        let held = self.origins.iter().find(|origin| origin.generation == self.generation)?;
        Some((held.preset, held.base))
    }

    /// Steers a predator to a point.
    pub fn steer_predator(&mut self, index: usize, position: [f32; 3]) {
        let again = self.steered.replace((index, position)) == Some((index, position));
        if !self.playing && again {
            // A pointer that rests must not wake a window that sleeps.
            return;
        }
        self.untouched = false;
        self.worker.steer_predator(index, position);
        if !self.playing && self.worker.idle() {
            // No step is under way that would show it.
            self.worker.advance(0);
        }
    }

    /// Has the flock measured for the charts, while they are shown.
    pub fn measure(&mut self, wanted: bool) {
        if wanted != self.measures {
            self.measures = wanted;
            self.worker.measure(wanted);
        }
    }

    /// Goes on with a worker that holds this flock, or an earlier state of it, as of a restart. What was asked for since
    /// is asked for again. `engine` describes it, for people.
    pub fn resume(&mut self, worker: Worker, generation: u64, engine: String) {
        (self.worker, self.engine) = (worker, engine);
        // The frame lies on the lost device. Its summary stays, so that the camera does not jump.
        self.frame = Frame { step: self.frame.step, summary: self.frame.summary, ..Frame::empty(generation) };
        (self.shown, self.owed) = (self.shown + 1, 0.0);
        // The worker begins without it.
        self.worker.measure(self.measures);
        if generation == self.generation {
            self.worker.set_parameters(&self.told);
        } else {
            self.worker.restart(&self.told, self.generation);
        }
    }
}
