//! The state of a session at the window: what the panel shows and changes, what keys and pointer do, and what the
//! engine has been told. It knows no window and no device, so that tests can drive it.

use std::time::Duration;

use flock::Parameters;
use flock::parameters::{Parameter, Value};

use super::camera::Camera;
use super::frame::Frame;
use super::history::{History, Sample};
use super::panel::Page;
use super::scene::Look;
use super::tools::Tool;
use super::worker::{Report, Worker};

/// A flock that can be chosen by name.
#[derive(Clone, Debug)]
pub struct Preset {
    pub name: String,
    /// One line about it.
    pub about: String,
    pub parameters: Parameters,
}

/// Where a flock came from, and with which restart.
#[derive(Clone, Copy, Debug)]
struct Origin {
    generation: u64,
    preset: Option<usize>,
    base: Parameters,
}

/// One line for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    Done(String),
    Failed(String),
}

/// Which parts of the window are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    pub panel: bool,
    pub help: bool,
}

/// Everything that the window is about, but for the window.
#[derive(Debug)]
pub struct Session {
    pub presets: Vec<Preset>,
    /// The preset that the flock comes from, as an index into `presets`; `None` for one from a file.
    pub preset: Option<usize>,
    /// What the panel shows. [`Session::commit`] hands it to the engine.
    pub parameters: Parameters,
    pub playing: bool,
    /// The step to pause at, once.
    pub pause_at: Option<u64>,
    /// Steps a frame; below 1, a step every few frames.
    pub pace: f64,
    pub camera: Camera,
    pub look: Look,
    /// Whether the camera moves along with the flock.
    pub follows: bool,
    /// Whether the flock's centre is marked.
    pub mark_centre: bool,
    pub tool: Tool,
    pub open: Open,
    pub page: Page,
    /// Radius of the next obstacle, as a share of the world's largest side.
    pub obstacle_size: f64,
    /// The file that the panel loads and saves.
    pub file: String,
    pub message: Option<Message>,
    pub history: History,
    /// Engine and device, for people.
    pub engine: String,
    /// What a reset goes back to.
    base: Parameters,
    /// What the engine has been told.
    told: Parameters,
    worker: Worker,
    frame: Frame,
    generation: u64,
    /// Of the flock that is shown, and of those asked for since.
    origins: Vec<Origin>,
    /// Steps owed: the pace, added up.
    owed: f64,
    /// Whether the picture is out of date.
    stale: bool,
    /// Width of the view over its height.
    pub(super) aspect: f32,
    /// Whether the camera waits for the shape of the view.
    pub(super) unseen: bool,
}

impl Session {
    /// The least and the most steps a frame.
    pub const PACE: std::ops::RangeInclusive<f64> = 0.05..=100.0;

    /// A session that plays this flock at once. The worker's engine holds its start already. `base` is what the
    /// preset or the file says, to which a reset goes back: the call may have set more.
    #[must_use]
    pub fn new(
        presets: Vec<Preset>,
        preset: Option<usize>,
        base: Parameters,
        parameters: Parameters,
        worker: Worker,
        engine: String,
    ) -> Self {
        Session {
            presets,
            preset,
            parameters,
            playing: true,
            pause_at: None,
            pace: 1.0,
            camera: Camera::new(parameters.flat()),
            look: Look { edges: parameters.flat(), ..Look::new(&parameters) },
            follows: false,
            mark_centre: false,
            tool: Tool::Camera,
            open: Open { panel: true, help: false },
            page: Page::default(),
            obstacle_size: 0.05,
            file: "flock.toml".to_owned(),
            message: None,
            history: History::default(),
            engine,
            base,
            told: parameters,
            worker,
            frame: Frame::empty(0),
            generation: 0,
            origins: vec![Origin { generation: 0, preset, base }],
            owed: 0.0,
            stale: true,
            aspect: 1.25,
            unseen: true,
        }
    }

    /// The flock as last published.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Whether the picture must be drawn again; asking clears it.
    pub fn take_stale(&mut self) -> bool {
        std::mem::take(&mut self.stale)
    }

    /// Has the picture drawn again.
    pub fn touch(&mut self) {
        self.stale = true;
    }

    /// What a parameter was before the user changed it.
    #[must_use]
    pub fn base(&self) -> &Parameters {
        &self.base
    }

    /// Whether any parameter differs from the preset's or the file's.
    #[must_use]
    pub fn changed(&self) -> bool {
        self.parameters != self.base
    }

    /// Sets a parameter as the panel does: a value that is refused is named and not taken.
    pub fn set(&mut self, parameter: &Parameter, value: Value) {
        let taken = match ((parameter.table, parameter.key), value) {
            // The world may grow with the flock.
            (("flock", "boids"), Value::Count(boids)) => {
                parameter.kind.check(value).map(|_| self.parameters.set_boids(boids))
            }
            _ => parameter.set(&mut self.parameters, value),
        };
        if let Err(why) = taken {
            self.fail(format!("{}.{}: {value} is not {why}", parameter.table, parameter.key));
        }
    }

    /// Hands changed parameters to the engine; with a restart where only a start can follow them.
    pub fn commit(&mut self) {
        if self.parameters == self.told {
            return;
        }
        if let Err(why) = self.parameters.check() {
            let name = why.name().unwrap_or("parameters");
            self.fail(format!("{name} must be {why}"));
            self.parameters = self.told;
            return;
        }
        self.stale = true;
        if starts_differ(&self.parameters, &self.told) {
            let turned = self.parameters.flock.dimensions != self.told.flock.dimensions;
            self.restart();
            if turned {
                self.frame.summary = None;
                self.look_at_world();
            }
        } else {
            self.told = self.parameters;
            self.worker.set_parameters(&self.told);
        }
    }

    /// Starts again from the seed.
    pub fn restart(&mut self) {
        self.told = self.parameters;
        self.generation += 1;
        self.origins.push(Origin { generation: self.generation, preset: self.preset, base: self.base });
        self.owed = 0.0;
        self.history.clear();
        self.worker.restart(&self.told, self.generation);
    }

    /// Brings every parameter back to the preset's (or the file's), and starts again.
    pub fn reset(&mut self) {
        self.adopt(self.base);
    }

    /// Takes over another flock as a whole, and starts it.
    pub fn adopt(&mut self, parameters: Parameters) {
        (self.base, self.parameters) = (parameters, parameters);
        self.tool = Tool::Camera;
        // The camera looks at the new flock's world: it must not follow the way from the old flock's centre.
        self.frame.summary = None;
        self.look_at_world();
        self.restart();
        self.stale = true;
    }

    /// Chooses a preset; an index that is not there is ignored.
    pub fn choose(&mut self, index: usize) {
        if let Some(preset) = self.presets.get(index) {
            let parameters = preset.parameters;
            self.preset = Some(index);
            self.message = None;
            self.adopt(parameters);
        }
    }

    /// Does one step and stops there.
    pub fn step_once(&mut self) {
        self.playing = false;
        self.worker.advance(1);
    }

    /// Steers a predator to a point.
    pub fn steer_predator(&mut self, index: usize, position: [f32; 3]) {
        self.worker.steer_predator(index, position);
        if !self.playing && self.worker.idle() {
            // No step is coming that would show it.
            self.worker.advance(0);
        }
    }

    /// One frame of the window: takes what the engine has finished and, while playing, asks for more. `since` is the
    /// time since the frame before.
    pub fn tick(&mut self, since: Duration) {
        while let Some(report) = self.worker.report() {
            self.take(report, since);
        }
        if !self.playing || !self.worker.idle() {
            return;
        }
        self.owed += self.pace;
        let mut steps = self.owed.floor();
        self.owed -= steps;
        if let Some(last) = self.pause_at {
            let left = last.saturating_sub(self.frame.step);
            if left == 0 {
                (self.playing, self.pause_at) = (false, None);
                return;
            }
            // The worker may do fewer than it is asked for: only what it says it has done counts.
            steps = steps.min(left as f64);
        }
        if steps >= 1.0 {
            self.worker.advance(steps as u32);
        }
    }

    /// Whether the worker has orders that it has not answered.
    #[must_use]
    pub fn busy(&self) -> bool {
        !self.worker.idle()
    }

    /// Waits until the worker has answered everything; for tests and pictures, never for the window.
    pub fn settle(&mut self) {
        while let Some(report) = self.worker.wait() {
            self.take(report, Duration::ZERO);
        }
    }

    fn take(&mut self, report: Report, since: Duration) {
        match report {
            Report::Failed { why, asked, held, parameters } => {
                self.playing = false;
                // The engine still holds the flock it had: go on with that, unless a newer start is under way.
                if asked == self.generation {
                    self.generation = held;
                    if self.told != *parameters {
                        (self.parameters, self.told) = (*parameters, *parameters);
                        self.worker.set_parameters(&self.told);
                    }
                    self.go_back();
                }
                self.fail(why);
            }
            Report::Gone => {
                self.playing = false;
                self.fail(
                    "the engine has ended by a fault of its own; close the window and start anew".to_owned(),
                );
            }
            Report::Frame(frame) if frame.generation == self.generation => {
                if frame.steps > 0 {
                    self.history.add(Sample::new(&frame, since));
                }
                let centre = |frame: &Frame| frame.summary.map(|summary| summary.centre);
                self.follow(centre(&self.frame), centre(&frame));
                self.origins.retain(|origin| origin.generation >= frame.generation);
                let old = std::mem::replace(&mut self.frame, *frame);
                self.worker.give_back(old.boids);
                self.stale = true;
            }
            // A flock from before the restart.
            Report::Frame(frame) => self.worker.give_back(frame.boids),
        }
    }

    /// Names the flock again that the engine still holds, and looks at it, where another was to take its place.
    fn go_back(&mut self) {
        let Some(held) = self.origins.iter().find(|origin| origin.generation == self.generation) else {
            return;
        };
        let turned = self.camera.flat != self.parameters.flat();
        let renamed = (self.preset, self.base) != (held.preset, held.base);
        (self.preset, self.base) = (held.preset, held.base);
        self.origins.retain(|origin| origin.generation <= self.generation);
        if turned || renamed {
            self.look_at_world();
            self.stale = true;
        }
    }

    /// Tells the user what was done.
    pub fn say(&mut self, what: String) {
        self.message = Some(Message::Done(what));
    }

    /// Tells the user what went wrong.
    pub fn fail(&mut self, why: String) {
        self.message = Some(Message::Failed(why));
    }

    /// What the flock is called: its preset, or `flock`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.preset.and_then(|index| self.presets.get(index)).map_or("flock", |preset| &preset.name)
    }

    /// The world's corners, z flat in two dimensions.
    #[must_use]
    pub fn world(&self) -> [[f32; 3]; 2] {
        let flat = self.parameters.flat();
        let corner = |c: [f64; 3]| [c[0] as f32, c[1] as f32, if flat { 0.0 } else { c[2] as f32 }];
        [corner(self.parameters.world.min), corner(self.parameters.world.max)]
    }

    /// The world's largest side.
    #[must_use]
    pub fn extent(&self) -> f64 {
        let [min, max] = self.world();
        (0..3).map(|k| f64::from(max[k] - min[k])).fold(0.0, f64::max)
    }
}

/// Whether a start is needed for one set of parameters to follow the other.
fn starts_differ(a: &Parameters, b: &Parameters) -> bool {
    let flock = |p: &Parameters| (p.flock.boids, p.flock.dimensions, p.flock.seed, p.flock.start);
    let scouts = |p: &Parameters| (p.scouts.right, p.scouts.left);
    flock(a) != flock(b) || scouts(a) != scouts(b)
}
