//! The state of a session: what the panel shows, what actions change, and the last orders to the engine. It knows no
//! window, so that tests can drive it.
//!
//! ```text
//! keys, panel, pointer, tests ── Action ──▶ Session::apply ──▶ commit ──▶ orders to the worker
//!
//! controls (panel, tool, message)      document (parameters) ◀── playback (worker, newest frame)
//!                                            ▲────────────────── eye (camera, look)
//! ```

use std::time::Duration;

use flock::Parameters;
use flock::parameters::{PARAMETERS, Parameter, Value};

use self::camera_state::CameraState;
use self::controls::{CHEAP_CHART, Controls, Draft, FlightFor, Page, Tool, Until};
use self::device_check::DeviceCheckTask;
use self::document::Document;
use self::playback::Playback;
use self::rival::Rival;
use super::frame::Frame;
use super::history::Sample;
use super::worker::{Report, Watch, Worker, journal};
use config::presets::DEFAULT;
use config::{View, escaped};
use engine::State;
use engines::Device;
use flight::{First, Flight, Start, starts_differ};
use formula::names::FormulaPlace;
use formula::{Place, edited};
use glam::Vec3;
use scene::{Camera, Colour, Explained, Look};

mod action;
pub mod camera_state;
pub mod controls;
pub mod device_check;
pub mod document;
mod files;
pub mod lesson;
pub mod playback;
pub mod rival;
mod tools;

pub use self::action::{Action, Actions};
pub use self::controls::Message;
pub use self::document::Preset;

/// The message of the first screen.
const GREETING: &str = "You are the falcon.   Drag to turn,  ? for another flock.";
/// Stride through the presets of [`Session::surprise`]; coprime with their number.
const STRIDE: usize = 7;

/// A session.
#[derive(Debug)]
pub struct Session {
    pub document: Document,
    pub playback: Playback,
    pub eye: CameraState,
    pub controls: Controls,
    /// The other flock of a comparison.
    pub rival: Option<Rival>,
    /// The check of this device, once it was asked for.
    pub device_check: Option<DeviceCheckTask>,
}

/// The inputs of a picture besides its size: number of frames so far, lag behind it, camera, appearance, parameters, and
/// whether the centre is marked and a boid is explained.
pub type PictureKey = (u64, f64, Camera, Look, Parameters, [bool; 2]);

impl Session {
    /// A session that plays at once. The worker's engine already holds the initial state for the document's parameters.
    pub fn new(document: Document, worker: Worker, device: Device, engine: String) -> Self {
        let playback = Playback::new(worker, device, engine, &document);
        let eye = CameraState::new(&document.parameters);
        let view = document.view;
        let controls = Controls::new();
        let mut session = Session { playback, document, eye, controls, rival: None, device_check: None };
        session.view_as(view);
        // The initial state is no change to undo.
        session.document.remember();
        session
    }

    /// Applies the view of the preset or file.
    pub fn view_as(&mut self, view: View) {
        self.take_view(view);
        self.eye.look_at_world(&self.document);
        self.watch_bird();
    }

    /// Replaces the view of the preset or file, and resets what the previous one had set.
    fn take_view(&mut self, view: View) {
        let usual = Look::new(&self.document.parameters);
        let (before, look) = (std::mem::replace(&mut self.document.view, view), &mut self.eye.look);
        look.scenery = view.look;
        look.colour = before.colour.map_or(look.colour, |_| usual.colour);
        look.fog = before.fog.map_or(look.fog, |_| usual.fog);
        look.light = before.light.map_or(look.light, |_| usual.light);
        look.trails = before.trails.map_or(look.trails, |_| usual.trails);
    }

    /// Flies along with the bird that the view names.
    fn watch_bird(&mut self) {
        if let Some(id) = self.document.view.bird {
            self.playback.worker.watch(Some(Watch::Id(id)));
        }
    }

    /// The newest frame.
    pub fn frame(&self) -> &Frame {
        &self.playback.frame
    }

    /// The inputs of the picture; `None` while another flock is awaited. Then the last picture stays: the old flock is not
    /// drawn in the new world.
    pub fn picture_key(&self) -> Option<PictureKey> {
        let Session { document, playback, eye, .. } = self;
        let marked = [eye.mark_centre, self.explained().is_some()];
        let frames = playback.shown + self.rival.as_ref().map_or(0, |rival| rival.playback.shown);
        let key = (frames, playback.behind, eye.camera, eye.look, document.parameters, marked);
        playback.has_started().then_some(key)
    }

    /// The explanation of the boid that the camera flies along with, if it is shown.
    pub fn explained(&self) -> Option<Explained<'_>> {
        let explanation = self.frame().explanation.as_deref().filter(|_| self.eye.explains)?;
        let (id, place) = self.eye.companion()?;
        let moved = place - Vec3::from(explanation.position.map(|c| c as f32));
        (id == explanation.id).then_some(Explained { explanation, moved })
    }

    /// Checks that parameters can be flown: an engine refuses nothing that passes.
    fn check(&self, parameters: &Parameters) -> Result<(), String> {
        for parameter in PARAMETERS {
            let value = parameter.get(parameters);
            parameter
                .kind
                .check(value)
                .map_err(|why| format!("{} must be {why}, not {value}", parameter.name))?;
        }
        parameters.check().map_err(|why| format!("{} must be {why}", why.name().unwrap_or("parameters")))?;
        let mut fits = self.playback.device.check(parameters);
        if starts_differ(parameters, &self.playback.sent_parameters) {
            fits = fits.and_then(|()| State::check_capacity(parameters.flock.boids));
        }
        fits.map_err(|why| why.to_string())
    }

    /// True if the parameters can be flown; otherwise the reason is shown.
    fn accepts(&mut self, parameters: &Parameters) -> bool {
        self.check(parameters).map_err(|why| self.controls.refuse(why)).is_ok()
    }

    /// Takes changed parameters over and sends them to the engine, or shows why not. Restarts the flock if its initial
    /// state depends on them. The only place where the parameters of a flock change.
    fn commit(&mut self, parameters: Parameters) {
        if parameters == self.document.parameters || !self.accepts(&parameters) {
            return;
        }
        self.document.parameters = parameters;
        self.controls.end_message(Until::Changed);
        self.send();
    }

    /// Commits a change of some parameters.
    fn change(&mut self, change: impl FnOnce(&mut Parameters)) {
        let mut parameters = self.document.parameters;
        change(&mut parameters);
        self.commit(parameters);
    }

    /// Sets a parameter. An invalid value is reported and ignored.
    fn set(&mut self, parameter: &Parameter, value: Value) {
        let document = &self.document;
        let mut new = document.parameters;
        let taken = match ((parameter.table, parameter.key), value) {
            // The world scales with the number of boids, unless it was set.
            (("flock", "boids"), Value::Count(boids)) => {
                let mut world = document.own_world.with(&document.base, &document.parameters);
                parameter.kind.check(value).map(|_| world.set_boids(&mut new, boids))
            }
            _ => parameter.set(&mut new, value),
        };
        match taken {
            Ok(()) => self.commit(new),
            Err(why) => self.controls.refuse(format!("{} must be {why}, not {value}", parameter.name)),
        }
    }

    /// Sets a parameter of a formula. A value outside its range is reported and ignored.
    fn set_term(&mut self, name: &str, value: f64) {
        let mut new = self.document.parameters;
        match new.terms.set(name, value) {
            Ok(_) => self.commit(new),
            Err(why) => self.controls.refuse(format!("{name} must be {why}, not {value}")),
        }
    }

    /// Replaces the text of a formula, which takes effect once it compiles and can be flown. Until then the old one stays,
    /// and the text is a draft.
    fn edit_formula(&mut self, k: usize, part: FormulaPlace, text: String) {
        let parameters = self.document.parameters;
        let Some(term) = parameters.terms.terms().get(k).map(|term| term.name) else { return };
        let new = edited(&parameters.terms, k, part, &text).map(|terms| Parameters { terms, ..parameters });
        let new = new.map_err(|why| {
            let (line, column) = why.error.place(&text);
            let place = match &why.place {
                Place::Formula(at) if *at == part => format!("{line}:{column}: "),
                Place::Parameter(key) => format!("terms.{term}.{key}: "),
                _ => format!("{term}: "),
            };
            let hint = why.error.hint.as_ref().map_or(String::new(), |hint| format!("; {hint}"));
            format!("{place}{}{hint}", why.error)
        });
        match new.and_then(|new| self.check(&new).map(|()| new)) {
            Ok(new) => {
                self.controls.draft = None;
                self.commit(new);
            }
            Err(why) => self.controls.draft = Some(Draft { term, part, text, why }),
        }
    }

    /// Sends the parameters with the pointer's effect to the engine, if they are others than it has.
    pub(super) fn send(&mut self) {
        let mut wanted = self.with_pointer_effect();
        let before = self.playback.sent_parameters;
        if wanted == before {
            return;
        }
        if wanted != self.document.parameters
            && let Err(why) = self.check(&wanted)
        {
            // There are too many predators with the falcon.
            self.playback.pointer_effect = None;
            self.controls.fail(why);
            wanted = self.document.parameters;
        }
        if !starts_differ(&wanted, &before) {
            return self.playback.send(self.document.parameters, wanted);
        }
        self.restart();
        if self.document.parameters.flock.dimensions != before.flock.dimensions {
            self.eye.look_at_world(&self.document);
        } else if self.document.parameters.flock.boids != before.flock.boids {
            self.look_again(&before);
        }
    }

    /// Keeps the flock in view after its number has changed: the size of a boid takes its default, and if the world's
    /// size changed, the camera shows the whole world.
    fn look_again(&mut self, before: &Parameters) {
        let parameters = &self.document.parameters;
        let size = |p: &Parameters| Look::new(p).size;
        if self.eye.look.size == size(before) {
            self.eye.look.size = size(parameters);
        }
        let corners = |p: &Parameters| (p.world.min, p.world.max);
        if corners(before) != corners(parameters) {
            self.eye.show_world(&self.document);
        }
    }

    /// Starts the flock again: settled, or from its seed.
    fn restart(&mut self) {
        // Without a summary the camera does not follow the jump from the old flock's centre to the new one's.
        self.playback.frame.summary = None;
        self.eye.forget_goal();
        self.playback.start(self.document.parameters, self.document.starts_settled());
    }

    /// Goes back or forth by `steps` within the flight, and pauses.
    fn seek(&mut self, steps: i64) {
        let from = self.playback.seek_target.unwrap_or(self.playback.frame.step);
        if !self.playback.looks_back() {
            // Effects of the pointer end with the newest step.
            self.playback.pointer_effect = None;
            self.send();
        }
        self.playback.seek(from.saturating_add_signed(steps));
    }

    /// Requests the flight up to now.
    fn ask_for_flight(&mut self, purpose: FlightFor) {
        self.controls.flight_for = purpose;
        self.playback.worker.flight();
    }

    /// Continues from an earlier step that is shown, and drops what follows it.
    fn take_over(&mut self) {
        self.playback.take_over();
        self.send();
    }

    /// Starts a recorded flight, or shows why it cannot be flown here.
    pub fn open_flight(&mut self, flight: Flight, name: &str) {
        let Start { parameters, view, preset, numeric, .. } = flight.start;
        if !self.accepts(&parameters) {
            return;
        }
        let (here, recorded) = (self.playback.device.numeric(), numeric);
        self.document.leave_file(self.preset_of(preset), flight.start.first != First::Settled);
        (self.controls.carrot_drag, self.controls.lesson) = (None, None);
        // Only this flock has the flight's changes.
        self.rival = None;
        self.take_parameters(parameters);
        self.take_view(view);
        self.forget_flock();
        self.playback.open(flight);
        self.watch_bird();
        let name = escaped(name);
        self.controls.say(if here == recorded {
            format!("{name}: a recorded flight.   Shift T takes over")
        } else {
            let (here, recorded) = (here.name(), recorded.name());
            format!("{name} was recorded in {recorded}; in {here} it takes another course")
        });
    }

    /// Resets every parameter to the preset or file, and restarts.
    fn reset(&mut self) {
        let base = self.document.base;
        if self.accepts(&base) {
            self.adopt(base);
        }
    }

    /// Replaces all parameters with accepted ones, and starts the flock.
    pub fn adopt(&mut self, parameters: Parameters) {
        self.take_parameters(parameters);
        if self.controls.tool != Tool::Falcon {
            self.controls.tool = Tool::Camera;
        }
        self.begin();
    }

    /// Takes the parameters of another flock.
    fn take_parameters(&mut self, parameters: Parameters) {
        self.controls.draft = None;
        self.suit_colour(&parameters);
        (self.document.base, self.document.parameters) = (parameters, parameters);
    }

    /// A default colour changes to the default for these parameters; a chosen colour stays.
    fn suit_colour(&mut self, parameters: &Parameters) {
        let [before, now] = [&self.document.parameters, parameters].map(Colour::first);
        if self.eye.look.colour == before {
            self.eye.look.colour = now;
        }
    }

    /// Starts the flock of the current parameters, and shows its world.
    fn begin(&mut self) {
        self.controls.carrot_drag = None;
        (self.playback.pause_at, self.playback.fast_forward) = (None, false);
        self.forget_flock();
        self.playback.start(self.document.parameters, self.document.starts_settled());
        self.watch_bird();
    }

    /// Shows the world of the document, whose flock is about to start.
    fn forget_flock(&mut self) {
        // A boid that was clicked, or named by the file before, may not be known here yet.
        self.eye.leave_companion();
        self.playback.worker.watch(None);
        self.eye.look_at_world(&self.document);
        // Without a summary the camera does not follow the jump from the old flock's centre to the new one's.
        self.playback.frame.summary = None;
        self.eye.forget_goal();
    }

    /// Another flock has its own colours, at full size, and no falcon in it.
    fn leave_flock(&mut self) {
        self.eye.look.colour = Colour::first(&self.document.parameters);
        self.eye.detail.begin();
        self.controls.tool = Tool::Camera;
    }

    /// Selects a preset; an index out of range is ignored.
    fn choose(&mut self, index: usize) {
        if let Some(Preset { name, parameters, view, .. }) = self.document.presets.get(index) {
            let opening = self.document.opening.filter(|_| name == DEFAULT);
            let (parameters, view) = (opening.unwrap_or(*parameters), *view);
            if !self.accepts(&parameters) {
                return;
            }
            self.document.leave_file(Some(index), false);
            self.leave_flock();
            self.take_view(view);
            (self.controls.message, self.controls.lesson) = (None, None);
            self.adopt(parameters);
            let Preset { name, about, look_for, .. } = &self.document.presets[index];
            self.controls.say(format!("{name}: {about}.  {look_for}"));
        }
    }

    /// Selects another preset; each comes once before the first comes again.
    fn surprise(&mut self) {
        let count = self.document.presets.len();
        if let Some(next) = (self.document.preset.unwrap_or(0) + STRIDE).checked_rem(count) {
            self.choose(next);
        }
    }

    /// Selects the falcon's tool, and shows the greeting.
    pub fn greet(&mut self) {
        self.controls.tool = Tool::Falcon;
        self.controls.say(GREETING.to_owned());
    }

    /// Restores an entry of the history; false if there is none, or the engine's device has changed and cannot fly it.
    fn bring_back(&mut self, forth: bool) -> bool {
        let Some(entry) = self.document.step_history(forth) else { return false };
        if !self.accepts(&entry.parameters) {
            return false;
        }
        (self.controls.draft, self.controls.carrot_drag) = (None, None);
        self.suit_colour(&entry.parameters);
        // The current preset or file stays with a change within one flock.
        if entry.same_source(&self.document.entry()) {
            self.commit(entry.parameters);
            return true;
        }
        let view = entry.view;
        self.document.return_to(entry);
        self.controls.message = None;
        self.take_view(view);
        self.begin();
        true
    }

    /// Prepares the picture of a view of this shape, width over height. True if the camera has a new goal: another frame is
    /// due.
    pub fn see(&mut self, aspect: f32) -> bool {
        let Session { document, playback, eye, .. } = self;
        eye.set_aspect(aspect, document);
        if playback.has_started() {
            playback.record_camera(&eye.camera);
        }
        // The camera ignores frames of a flock that is being replaced.
        playback.has_started() && eye.catch_up(&playback.frame, document, playback.playing)
    }

    /// Ends a frame of the window; `pressed` is true while a button is held. Its drag is one entry of the history, and so is
    /// all that happens with a carrot: one that leaves with its tool leaves no entry.
    pub fn end_frame(&mut self, pressed: bool) {
        self.playback.explain(self.eye.explains && self.eye.companion().is_some());
        let charts = self.controls.open.panel && self.controls.page == Page::Charts;
        self.playback.measure(charts || self.controls.charted != CHEAP_CHART);
        // A change that a flight repeats is nobody's change.
        if !pressed && self.controls.carrot_drag.is_none() && !self.playback.looks_back() {
            self.document.remember();
        }
    }

    /// One frame of the window: takes the finished reports and, while playing, requests steps. `since` is the time
    /// since the previous frame.
    pub fn tick(&mut self, since: Duration) {
        while let Some(report) = self.playback.worker.report() {
            self.take(report, since);
        }
        self.keep_falcon();
        self.fly_rival(false);
        if let Some(check) = self.device_check.as_mut().filter(|_| self.controls.open.check) {
            check.go_on();
        }
        let playback = &self.playback;
        // The slower flock sets the pace of both.
        if self.rival.as_ref().is_none_or(|rival| !playback.playing || rival.is_in_step(playback)) {
            self.playback.play();
        }
    }

    /// Takes the reports of the other flock, and lets it follow the first one. One that cannot go on leaves.
    fn fly_rival(&mut self, waits: bool) {
        let Some(rival) = &mut self.rival else { return };
        let taken = rival.take_reports(waits);
        let outcome =
            taken.and_then(|()| rival.follow(&self.playback, &self.document).map_err(|why| why.to_string()));
        if let Err(why) = outcome {
            self.rival = None;
            self.controls.fail(format!("the comparison has ended: {why}"));
        }
    }

    /// True if there is something to request of a worker.
    pub fn waits(&self) -> bool {
        let is_late = |rival: &Rival| !rival.is_in_step(&self.playback) && rival.playback.worker.idle();
        self.playback.waits() || self.rival.as_ref().is_some_and(is_late)
    }

    /// Adds the time since the last frame of the window, drawn on hardware or by a software adapter. If frames are
    /// slow, the view is drawn at half size: not while a film is recorded, and on hardware only if the steps leave time
    /// for drawing.
    pub fn time_frame(&mut self, since: Duration, hardware: bool) {
        let playback = &self.playback;
        let step = playback.history.mean(|sample| sample.step_time).unwrap_or_default();
        let steps = 1e-3 * step * f64::from(playback.frame.steps);
        let steps_fill = hardware && steps > 0.75 * since.as_secs_f64();
        let plays = playback.playing && playback.rate >= 1.0 && !playback.fast_forward;
        if plays && !steps_fill && !self.controls.film_wanted {
            self.eye.detail.time(since, playback.frame.boids.count());
        }
    }

    /// Waits until the worker has answered every order. For tests, and for the first frame of a window.
    pub fn settle(&mut self) {
        while let Some(report) = self.playback.worker.wait() {
            self.take(report, Duration::ZERO);
        }
        self.fly_rival(true);
    }

    fn take(&mut self, report: Report, since: Duration) {
        match report {
            Report::Failed { why, generation } if generation == self.playback.generation => {
                self.fail_in_flight(why);
            }
            // The window ends this worker and resumes with another one.
            Report::Lost => {}
            Report::Gone => {
                self.playback.playing = false;
                let why = format!("the simulation crashed; restart the program{}", flight_left());
                self.controls.fail_until(Until::Replaced, why);
            }
            Report::Frame(frame) if frame.generation == self.playback.generation => {
                if frame.steps > 0 {
                    self.playback.history.add(Sample::new(&frame, since));
                    self.playback.course.add(&frame);
                }
                self.eye.accompany(&frame, &self.document);
                self.show(*frame);
            }
            // From before the restart.
            Report::Failed { .. } | Report::Frame(_) => {}
        }
    }

    /// Shows a frame of the flock, with the parameters that a flight has set.
    fn show(&mut self, mut frame: Frame) {
        let recorded = frame.flight.take();
        if let Some(divergence) = frame.divergence.filter(|_| self.playback.frame.divergence.is_none()) {
            self.controls.fail(format!("this is no longer the recorded flight: {divergence}"));
        }
        if let Some(parameters) = self.playback.show(frame, self.document.parameters) {
            self.document.parameters = parameters;
        }
        if let Some(recorded) = recorded {
            self.hand_out(*recorded);
        }
    }

    /// Pauses a flock that cannot go on. If it could not start, the one before it starts again.
    fn fail_in_flight(&mut self, why: String) {
        let failed = self.playback.generation;
        self.playback.seek_target = None;
        if self.playback.has_started() || !self.bring_back(false) {
            self.playback.playing = false;
        } else if self.playback.generation == failed {
            self.restart();
        }
        self.controls.fail(why);
    }
}

/// The rest of an error that ends a flight: where the flight is.
fn flight_left() -> String {
    let path = journal::path().filter(|path| path.exists());
    path.map_or_else(String::new, |path| format!(" (its flight is in {})", path.display()))
}
