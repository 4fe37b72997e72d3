//! The state of a session: what panel, keys and pointer show and change, and what the engine has been told. It knows no
//! window and no device, so that tests can drive it.

use std::path::Path;

use flock::Parameters;
use flock::parameters::{Attractor, Parameter, Value};

use super::camera::Camera;
use super::effects::Effects;
use super::frame::{Frame, Watched};
use super::history::History;
use super::idle::Idle;
use super::message::{Notice, Until};
use super::modes::{Page, ParameterFiles, Tool};
use super::recent::Recent;
use super::scene::Look;
use super::undo::{Entry, Undo};
use super::worker::Worker;
use config::shown::escaped;
use config::{View, World};

mod call;
mod changes;
mod charts;
mod companion;
mod files;
mod messages;
mod pictures;
mod pointer_effect;
mod reports;
mod resume;

pub use self::pointer_effect::PointerEffect;
pub use super::message::Message;

/// A flock that can be chosen by name.
#[derive(Clone, Debug)]
pub struct Preset {
    pub name: String,
    /// One line about it.
    pub about: String,
    pub parameters: Parameters,
    pub view: View,
}

/// The preset and base of a flock, and the restart that began it.
#[derive(Clone, Copy, Debug)]
struct Origin {
    generation: u64,
    preset: Option<usize>,
    base: Parameters,
}

/// Which parts of the window are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    pub panel: bool,
    pub help: bool,
}

/// A session.
#[derive(Debug)]
pub struct Session {
    pub presets: Vec<Preset>,
    /// The preset that the flock comes from, as an index into `presets`; `None` for one from a file.
    pub preset: Option<usize>,
    /// The parameters that the panel shows. [`Session::commit`] hands them to the engine.
    pub parameters: Parameters,
    pub playing: bool,
    /// The step to pause at, once.
    pub pause_at: Option<u64>,
    /// Playback rate: steps a frame; below 1, a step every few frames.
    pub rate: f64,
    pub camera: Camera,
    pub look: Look,
    /// True if the camera follows the flock.
    pub follows: bool,
    /// True if the flock's centre is marked.
    pub mark_centre: bool,
    pub tool: Tool,
    pub open: Open,
    /// True if the window fills the screen.
    pub full_screen: bool,
    pub page: Page,
    /// Radius of the next obstacle, as a share of the world's largest side.
    pub obstacle_size: f64,
    /// The file that the panel loads and saves.
    pub file: String,
    pub(super) files: ParameterFiles,
    /// The files that were opened last.
    pub recent: Recent,
    pub message: Option<Message>,
    notice: Notice,
    undo: Undo,
    /// Which parameters have no effect.
    pub(super) effects: Effects,
    pub history: History,
    pub engine: String,
    /// True if a picture is to be saved.
    pub(super) picture_wanted: bool,
    /// True if a film is to be recorded.
    pub(super) film_wanted: bool,
    /// Seconds of the film that is being recorded.
    pub filmed: Option<f64>,
    /// The folder that pictures and films go to.
    pub folder: String,
    /// True if the camera turns slowly when it is left alone.
    pub orbits: bool,
    pub(super) idle: Idle,
    /// The boid that the camera flies along with.
    companion: Option<Watched>,
    /// True if the camera is on its way to that boid.
    coming: bool,
    /// True if the flock is measured for the charts.
    measures: bool,
    /// How the preset or the file is first shown.
    view: View,
    /// What a reset goes back to.
    base: Parameters,
    /// What a file sets of the world over its preset.
    pub(super) own_world: World,
    /// The parameters that were allowed last.
    accepted: Parameters,
    /// What is in the flock's way for a while.
    pointer_effect: Option<PointerEffect>,
    /// The attractor before the carrot was dragged; it comes back with the next tool.
    pub(super) no_carrot: Option<Attractor>,
    /// What the engine has been told.
    told: Parameters,
    worker: Worker,
    frame: Frame,
    generation: u64,
    /// The origins of the flock that is shown and of those requested since.
    origins: Vec<Origin>,
    /// The sum of the rate over the frames, less the steps requested.
    owed: f64,
    /// The predator that was last steered, and where to.
    steered: Option<(usize, [f32; 3])>,
    /// True if the picture is out of date.
    stale: bool,
    /// Width of the view over its height.
    pub(super) aspect: f32,
    /// True if the camera still has to be fitted, once the aspect of the view is known.
    pub(super) unseen: bool,
}

impl Session {
    /// The lowest and the highest playback rate.
    pub const RATES: std::ops::RangeInclusive<f64> = 0.05..=100.0;

    /// A session that plays at once. The worker's engine already holds the start of `parameters`. `base` is the preset or
    /// file without what the call sets on top; a reset returns to it.
    #[must_use]
    pub fn new(
        presets: Vec<Preset>,
        preset: Option<usize>,
        base: Parameters,
        parameters: Parameters,
        worker: Worker,
        engine: String,
    ) -> Self {
        let view = preset.and_then(|index| presets.get(index)).map(|preset| preset.view).unwrap_or_default();
        let mut session = Session {
            view,
            presets,
            preset,
            parameters,
            playing: true,
            pause_at: None,
            rate: 1.0,
            camera: Camera::new(parameters.flat()),
            look: Look { edges: parameters.flat(), ..Look::new(&parameters) },
            follows: false,
            mark_centre: false,
            tool: Tool::Camera,
            open: Open { panel: true, help: false },
            full_screen: false,
            page: Page::default(),
            obstacle_size: 0.05,
            file: "flock.toml".to_owned(),
            files: ParameterFiles::default(),
            recent: Recent::default(),
            message: None,
            notice: Notice::default(),
            effects: Effects::default(),
            undo: Undo::new(Entry { preset, view, base, parameters }),
            history: History::default(),
            engine,
            picture_wanted: false,
            film_wanted: false,
            filmed: None,
            folder: ".".to_owned(),
            orbits: false,
            idle: Idle::default(),
            companion: None,
            coming: false,
            measures: false,
            base,
            own_world: World::default(),
            accepted: parameters,
            pointer_effect: None,
            no_carrot: None,
            told: parameters,
            worker,
            frame: Frame::empty(0),
            generation: 0,
            origins: vec![Origin { generation: 0, preset, base }],
            owed: 0.0,
            steered: None,
            stale: true,
            aspect: 1.25,
            unseen: true,
        };
        session.view_as(view);
        session
    }

    /// Takes up how the preset or file is first shown.
    pub fn view_as(&mut self, view: View) {
        self.view = view;
        self.choose_look(view.look);
    }

    /// The newest frame.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// True if the picture must be drawn again; resets the flag.
    pub fn take_stale(&mut self) -> bool {
        std::mem::take(&mut self.stale)
    }

    /// Marks the picture as out of date.
    pub fn touch(&mut self) {
        self.stale = true;
    }

    /// The parameters before the user changed them.
    #[must_use]
    pub fn base(&self) -> &Parameters {
        &self.base
    }

    /// True if any parameter differs from the preset's or the file's.
    #[must_use]
    pub fn changed(&self) -> bool {
        self.parameters != self.base
    }

    /// Sets a parameter. A value that is not allowed is reported and ignored.
    pub fn set(&mut self, parameter: &Parameter, value: Value) {
        let taken = match ((parameter.table, parameter.key), value) {
            // The world may grow with the number of boids, unless it was set.
            (("flock", "boids"), Value::Count(boids)) => {
                let mut world = self.own_world.with(&self.base, &self.parameters);
                parameter.kind.check(value).map(|_| world.set_boids(&mut self.parameters, boids))
            }
            _ => parameter.set(&mut self.parameters, value),
        };
        if let Err(why) = taken {
            self.fail_until(Until::Changed, format!("{}: {value} is not {why}", parameter.name));
        }
    }

    /// Hands changed parameters to the engine. Restarts the flock where they concern its start.
    pub fn commit(&mut self) {
        if self.parameters != self.accepted {
            if let Err(why) = self.parameters.check() {
                let name = why.name().unwrap_or("parameters");
                self.fail_until(Until::Changed, format!("{name} must be {why}"));
                self.parameters = self.accepted;
                return;
            }
            self.accepted = self.parameters;
            self.end_message(Until::Changed);
        }
        let mut wanted = self.lured();
        if let Err(why) = wanted.check() {
            // A hawk too many.
            self.pointer_effect = None;
            self.fail(format!("{} must be {why}", why.name().unwrap_or("parameters")));
            wanted = self.parameters;
        }
        if wanted == self.told {
            return;
        }
        self.stale = true;
        if starts_differ(&wanted, &self.told) {
            let before = self.told;
            self.restart();
            if self.parameters.flock.dimensions != before.flock.dimensions {
                self.frame.summary = None;
                self.look_at_world();
            } else if self.parameters.flock.boids != before.flock.boids {
                self.look_again(&before);
            }
        } else {
            self.told = wanted;
            self.worker.set_parameters(&self.told);
        }
    }

    /// Starts again from the seed.
    pub fn restart(&mut self) {
        (self.told, self.accepted, self.pointer_effect) = (self.parameters, self.parameters, None);
        self.generation += 1;
        self.origins.push(Origin { generation: self.generation, preset: self.preset, base: self.base });
        self.owed = 0.0;
        self.history.clear();
        self.worker.restart(&self.told, self.generation);
    }

    /// Resets every parameter to the preset or file, and restarts.
    pub fn reset(&mut self) {
        self.adopt(self.base);
    }

    /// Replaces all parameters, and starts the flock.
    pub fn adopt(&mut self, parameters: Parameters) {
        (self.base, self.parameters) = (parameters, parameters);
        self.tool = Tool::Camera;
        self.begin();
    }

    /// Starts the flock of these parameters, and looks at its world.
    fn begin(&mut self) {
        self.no_carrot = None;
        // Without a summary the camera does not follow the jump from the old flock's centre to the new one's.
        self.frame.summary = None;
        self.leave_companion();
        self.look_at_world();
        self.restart();
        self.stale = true;
    }

    /// Chooses a preset; an index that is not there is ignored.
    pub fn choose(&mut self, index: usize) {
        if let Some(preset) = self.presets.get(index) {
            let parameters = preset.parameters;
            self.preset = Some(index);
            self.own_world = World::default();
            self.files.open = None;
            (self.view, self.look.scenery) = (preset.view, preset.view.look);
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
        let again = self.steered.replace((index, position)) == Some((index, position));
        if !self.playing && again {
            // A pointer that rests must not wake a window that sleeps.
            return;
        }
        self.worker.steer_predator(index, position);
        if !self.playing && self.worker.idle() {
            // No step is under way that would show it.
            self.worker.advance(0);
        }
    }

    /// The name of the flock: its preset, or `flock`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.preset.and_then(|index| self.presets.get(index)).map_or("flock", |preset| &preset.name)
    }

    /// What flies: the name of the file, else of the preset.
    #[must_use]
    pub fn title(&self) -> String {
        let file = self.watched().and_then(Path::file_name);
        file.map_or_else(|| self.name().to_owned(), |file| escaped(&file.to_string_lossy()))
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

/// True if the starts of two sets of parameters differ.
fn starts_differ(a: &Parameters, b: &Parameters) -> bool {
    let flock = |p: &Parameters| (p.flock.boids, p.flock.dimensions, p.flock.seed, p.flock.start);
    let scouts = |p: &Parameters| (p.scouts.right, p.scouts.left);
    flock(a) != flock(b) || scouts(a) != scouts(b)
}
