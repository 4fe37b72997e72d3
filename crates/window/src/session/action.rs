//! All that a person can ask of a session. Keys, buttons, the pointer, dropped files and tests make actions; what draws
//! reads the session, and only [`Session::apply`] changes it.

use std::path::PathBuf;

use config::{Document, Setting, term_settings, with_settings};
use flock::Parameters;
use flock::formula::FormulaTerms;
use flock::parameters::{Parameter, Value};
use formula::names::FormulaPlace;
use glam::Vec2;

use super::Session;
use super::camera_state::ViewAction;
use super::controls::{FlightFor, Page, Tool};
use super::device_check::DeviceCheckTask;
use super::files::with_hint;
use super::lesson::LessonAction;
use crate::worker::Watch;
use scene::{Colour, Look, Scenery, Swatch, drawn_scenery, legend, sceneries};

/// A change of the session.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a frame has a few actions, each made and carried out at once")]
pub enum Action {
    /// Replaces all parameters of the flock.
    Parameters(Box<Parameters>),
    Set(&'static Parameter, Value),
    /// Sets a parameter of a formula by its name.
    SetTerm(&'static str, f64),
    /// Replaces the text of a formula of the term with this index.
    Formula(usize, FormulaPlace, String),
    /// Adds the terms of a flock of the gallery; without a name an empty term.
    AddTerm(String),
    /// Removes the term of this name.
    RemoveTerm(&'static str),
    /// Makes predators hunt, or restores the preset's.
    Hunt(bool),
    /// Selects a preset by its index.
    Choose(usize),
    /// Selects the next preset of a sequence through all of them.
    Surprise,
    Restart,
    /// Restores the parameters of the preset or file, and restarts.
    Reset,
    Undo,
    Redo,

    Play(bool),
    /// Does a single step, then pauses.
    Step,
    /// Goes back or forth by a number of steps within the flight, and pauses.
    Seek(i64),
    /// Continues from an earlier step that is shown, and drops what follows it.
    TakeOver,
    /// Sets the steps per frame.
    Rate(f64),

    Tool(Tool),
    /// Sets the radius of the next obstacle, as a share of the world's largest side.
    ObstacleSize(f64),
    PlaceObstacle([f32; 3]),
    RemoveObstacle,
    ClearObstacles,
    /// Draws a wall to a point, from the last obstacle.
    Wall([f32; 3]),
    /// Moves the attractor until another tool is selected.
    DragCarrot([f32; 3]),
    /// Moves the attractor for good.
    SetCarrot([f32; 3]),
    /// Attracts the flock to a point; `None` ends it.
    Attract(Option<[f32; 3]>),
    Falcon([f32; 3]),
    /// Sets the tool's mark in the view, in device coordinates; `None` for the pointer.
    Mark(Option<Vec2>),

    View(ViewAction),
    /// Shows the flock in the next look.
    NextLook,
    /// Holds the light of dusk, or lets it move.
    HoldLight,
    /// Colours the boids in the next way.
    NextColouring,
    /// Turns the camera slowly without input, or not.
    AutoRotate(bool),
    /// Flies along with the boid at a point of a view of this height in points.
    FlyAlong(Vec2, f32),
    /// Flies along with the boid after the one that is followed, by their ids.
    FollowNext,
    /// Leaves the sheet of keys, the boid or the tool.
    Leave,

    Lesson(LessonAction),
    Page(Page),
    /// Shows a chart over the timeline, by its index on the page of charts.
    Chart(usize),
    /// Opens or folds the panel.
    Panel(bool),
    /// Shows the flock to a class: large type, no panel, its name, three sliders and the legend; or ends it.
    Present(bool),
    /// Shows the sheet of keys, or closes it.
    Help(bool),
    /// Shows the check of this device, which goes on while it is shown, or closes it.
    CheckDevice(bool),
    /// Shows all parameters, or the short form.
    AllParameters(bool),
    /// Shows only the parameters that have these words.
    Search(String),
    FullScreen(bool),

    /// Sets the name of the file to load and save.
    File(String),
    /// Sets the folder of pictures and films.
    Folder(String),
    /// Names a file, and loads it.
    LoadFile(PathBuf),
    /// Loads a text with the name of its file.
    LoadText(String, String),
    /// Opens the page's file dialog.
    AskForFile,
    /// Reads the open file again, and restarts.
    Reload,
    Save,
    /// Answers the question whether to replace a file.
    Replace(bool),
    SaveCharts,
    /// Saves the flight up to now.
    SaveFlight,
    /// Copies a command or link that flies the flight up to now again.
    CopyFlight,
    Picture,
    Film(bool),
    /// Shows an outcome.
    Say(String),
}

/// Actions in their order.
pub type Actions = Vec<Action>;

impl Session {
    /// Carries out an action. Whatever it changes of the parameters goes through [`Session::commit`].
    pub fn apply(&mut self, action: Action) {
        match action {
            Action::Parameters(new) => self.commit(*new),
            Action::Set(parameter, value) => self.set(parameter, value),
            Action::SetTerm(name, value) => self.set_term(name, value),
            Action::Formula(term, part, text) => self.edit_formula(term, part, text),
            Action::AddTerm(flock) => self.add_term(&flock),
            Action::RemoveTerm(name) => self.remove_term(name),
            Action::Hunt(hunting) => self.hunt(hunting),
            Action::Choose(index) => self.choose(index),
            Action::Surprise => self.surprise(),
            Action::Restart => self.restart(),
            Action::Reset => self.reset(),
            // A draft is a change, too.
            Action::Undo => {
                if self.controls.draft.take().is_none() {
                    self.bring_back(false);
                }
            }
            Action::Redo => drop(self.bring_back(true)),

            Action::Play(playing) => self.playback.playing = playing,
            Action::Step => self.playback.step_once(),
            Action::Seek(steps) => self.seek(steps),
            Action::TakeOver => self.take_over(),
            Action::Rate(rate) => self.playback.rate = rate,

            Action::Tool(tool) => self.select_tool(tool),
            Action::ObstacleSize(size) => self.controls.obstacle_size = size,
            Action::PlaceObstacle(at) => self.place_obstacle(at),
            Action::RemoveObstacle => self.change(|p| {
                p.obstacles.spheres.pop();
            }),
            Action::ClearObstacles => self.change(|p| p.obstacles.spheres.clear()),
            Action::Wall(to) => self.build_wall(to),
            Action::DragCarrot(to) => self.drag_carrot(to),
            Action::SetCarrot(to) => self.set_carrot(to),
            Action::Attract(to) => self.attract(to),
            Action::Falcon(to) => self.lead_falcon(to),
            Action::Mark(at) => self.controls.mark = at,

            Action::View(action) => self.eye.apply(action, &self.document),
            Action::NextLook => self.next_look(),
            Action::HoldLight => self.hold_light(),
            Action::NextColouring => self.next_colouring(),
            Action::AutoRotate(on) => self.auto_rotate(on),
            Action::FlyAlong(at, height) => {
                self.playback.worker.watch(Some(Watch::Ray(self.eye.pick(at, height))));
            }
            Action::FollowNext => self.follow_next(),
            Action::Leave => self.leave(),
            Action::Lesson(action) => self.take_lesson(action),
            Action::Page(page) => self.controls.page = page,
            Action::Chart(index) => self.controls.charted = index,
            Action::Panel(open) => self.controls.open.panel = open,
            Action::Present(presents) => self.present(presents),
            Action::Help(open) => self.controls.open.help = open,
            Action::CheckDevice(open) => self.check_device(open),
            Action::AllParameters(all) => self.controls.open.all = all,
            Action::Search(words) => self.controls.search = words,
            Action::FullScreen(full) => self.controls.full_screen = full,

            Action::File(name) => {
                // Another name is another file than the one of the question.
                self.document.to_replace.take_if(|file| *file != name);
                self.document.file = name;
            }
            Action::Folder(name) => self.controls.folder = name,
            Action::LoadFile(path) => {
                self.apply(Action::File(path.display().to_string()));
                self.load();
            }
            Action::LoadText(name, text) => self.load_text(&name, &text),
            Action::AskForFile => self.document.file_wanted = true,
            Action::Reload => self.reload(),
            Action::Save => self.save(),
            Action::Replace(true) => self.replace(),
            Action::Replace(false) => self.document.to_replace = None,
            Action::SaveCharts => self.write_new("charts", "csv", self.playback.history.csv()),
            Action::SaveFlight => self.ask_for_flight(FlightFor::File),
            Action::CopyFlight => self.ask_for_flight(FlightFor::Link),
            Action::Picture => self.controls.picture_wanted = true,
            Action::Film(wanted) => self.controls.film_wanted = wanted,
            Action::Say(what) => self.controls.say(what),
        }
    }

    fn auto_rotate(&mut self, on: bool) {
        self.eye.orbits = on;
        let what = if on { "rotates by itself" } else { "stays still" };
        self.controls.say(format!("the camera {what}"));
    }

    fn present(&mut self, presents: bool) {
        let controls = &mut self.controls;
        controls.presents = presents;
        if presents {
            (controls.had_panel, controls.open.panel) = (controls.open.panel, false);
            controls.say("presentation.  Shift P ends it".to_owned());
        } else {
            controls.open.panel = controls.had_panel;
            controls.message = None;
        }
    }

    fn check_device(&mut self, open: bool) {
        self.controls.open.check = open;
        if open && self.device_check.is_none() {
            match DeviceCheckTask::start(&self.playback.device) {
                Ok(check) => self.device_check = Some(check),
                Err(why) => self.controls.fail(why),
            }
        }
    }

    fn follow_next(&mut self) {
        let boids = self.frame().boids.count().max(1);
        let id = self.eye.companion().map_or(0, |(id, _)| (id + 1) % boids);
        self.playback.worker.watch(Some(Watch::Id(id)));
    }

    /// Leaves the sheet of keys, otherwise the boid, otherwise the tool.
    fn leave(&mut self) {
        if self.controls.open.help {
            self.controls.open.help = false;
        } else if self.controls.open.check {
            self.controls.open.check = false;
        } else if self.eye.leave_companion() {
            self.playback.worker.watch(None);
        } else {
            self.select_tool(Tool::Camera);
        }
    }
    /// Shows the flock in the next look, and says which.
    fn next_look(&mut self) {
        let flat = self.eye.camera.flat;
        // A flat flock has fewer sceneries.
        let looks: Vec<(Scenery, &str)> = sceneries(flat).collect();
        let now = drawn_scenery(self.eye.look.scenery, flat);
        let index = looks.iter().position(|(look, _)| *look == now).unwrap_or_default();
        if let Some((next, name)) = looks.get((index + 1) % looks.len().max(1)) {
            self.eye.apply(ViewAction::Scenery(*next), &self.document);
            self.controls.say(format!("look: {name}"));
        }
    }

    /// Holds the light of dusk as it is, or lets it move with the steps, and says which.
    fn hold_light(&mut self) {
        let Look { scenery, light, .. } = self.eye.look;
        if drawn_scenery(scenery, self.eye.camera.flat) != Scenery::Dusk {
            self.controls.say("only the look dusk has a light that moves; L chooses it".to_owned());
            return;
        }
        let now = self.eye.look.light_at(self.frame().step as f64);
        let held = if light.is_none() { Some(now) } else { None };
        self.eye.apply(ViewAction::Look(Look { light: held, ..self.eye.look }), &self.document);
        self.controls.say(match held {
            Some(now) => format!("the light of dusk is held at {now:.2} (0 gold, 1 blue)"),
            None => "the light of dusk moves: from gold to blue and back in eight minutes".to_owned(),
        });
    }

    /// Colours the boids in the next way, and says which; the legend has the meaning of the colours.
    fn next_colouring(&mut self) {
        let (colour, name) = Colour::ALL[(self.eye.look.colour as usize + 1) % Colour::ALL.len()];
        self.eye.apply(ViewAction::Look(Look { colour, ..self.eye.look }), &self.document);
        let dusk = self.eye.look.dusk(self.eye.camera.flat);
        let hint = if dusk { ".  The look dusk has no colours; L chooses another" } else { "" };
        self.controls.say(format!("colour by {name}{hint}"));
    }

    /// The meaning of the boids' colours.
    pub fn legend(&self) -> Vec<Swatch> {
        legend(&self.eye.look, &self.document.parameters, &self.document.view)
    }

    /// Adds the terms of a flock of the gallery; without a name an empty term.
    fn add_term(&mut self, flock: &str) {
        let setting = if flock.is_empty() {
            let terms = self.document.parameters.terms;
            let is_free = |name: &String| terms.terms().iter().all(|term| term.name != name);
            let name = (1..).map(|number| format!("mine{number}")).find(is_free).unwrap_or_default();
            Setting::terms(&format!("{name}={{ help = 'A rule of my own.', request = '0 * velocity' }}"))
        } else {
            Setting::terms(flock)
        };
        let before = Document { parameters: self.document.parameters, ..Document::default() };
        match setting.and_then(|setting| with_settings(before, &[setting])) {
            Ok(after) => self.commit(after.parameters),
            Err(why) => self.controls.fail(with_hint(&why)),
        }
    }

    /// Removes a term.
    fn remove_term(&mut self, name: &str) {
        let mut parameters = self.document.parameters;
        let removed = format!("terms.{name}=");
        let mut others = term_settings(&FormulaTerms::default(), &parameters.terms);
        others.retain(|setting| !setting.starts_with(&removed));
        parameters.terms = FormulaTerms::default();
        let mut document = Document { parameters, ..Document::default() };
        match document.apply(&others) {
            Ok(()) => self.commit(document.parameters),
            Err(why) => self.controls.fail(with_hint(&why)),
        }
    }
}
