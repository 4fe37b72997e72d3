//! The window's controls: open parts, tool, message, and requests to save.

use config::{Lesson, LessonStep};
use flock::parameters::Attractor;
use formula::names::FormulaPlace;
use glam::Vec2;

/// The index of the chart whose first line needs no slow measures.
pub const CHEAP_CHART: usize = 0;

/// The pages of the panel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    #[default]
    Flock,
    View,
    Charts,
    File,
}

impl Page {
    /// All pages with their names, in the panel's order.
    pub const ALL: [(Page, &'static str); 4] =
        [(Page::Flock, "Flock"), (Page::View, "View"), (Page::Charts, "Charts"), (Page::File, "File")];
}

/// The action of a press in the view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Dragging moves the camera.
    #[default]
    Camera,
    /// The attractor follows a drag.
    Carrot,
    /// A falcon follows the pointer. Dragging moves the camera.
    Falcon,
    /// A click places an obstacle.
    Obstacle,
    /// A drag draws a row of obstacles.
    Wall,
    /// The flock is attracted to the pointer while it is pressed.
    Attract,
}

impl Tool {
    /// All tools with names and instructions, in the panel's order, which is that of the variants.
    pub const ALL: [(Tool, &'static str, &'static str); 6] = [
        (Tool::Camera, "Camera", "Drag to turn, Shift or right drag to pan, wheel to zoom."),
        (Tool::Carrot, "Carrot", "Drag the carrot through the view; the flock follows."),
        (Tool::Falcon, "Falcon", "The pointer is a falcon: the flock flees it. Drag to turn."),
        (Tool::Obstacle, "Obstacle", "Click to place a sphere; Backspace removes the last one."),
        (Tool::Wall, "Wall", "Drag to draw a wall of at most 16 spheres."),
        (Tool::Attract, "Attract", "The flock comes to the pointer while the button is held."),
    ];

    /// Instructions for the tool.
    pub fn about(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}

/// The open parts of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Open {
    pub panel: bool,
    pub help: bool,
    /// True if the check of this device is shown.
    pub check: bool,
    /// True if all parameters are shown, not only the short form.
    pub all: bool,
}

/// One line for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    Done(String),
    Failed(String),
}

/// The event that ends a message, besides a newer message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Until {
    /// A timeout, long enough for reading.
    #[default]
    Read,
    /// An accepted change of the parameters, or the timeout.
    Changed,
    /// The open file is read without an error.
    FileRead,
    /// Only a newer message.
    Replaced,
}

/// A formula that is being edited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    pub term: &'static str,
    pub part: FormulaPlace,
    pub text: String,
    /// The reason why it does not fly, with line and column if it does not compile.
    pub why: String,
}

/// Seconds that a message or an error stays, including the fading at its end.
const DONE: f64 = 6.0;
const FAILED: f64 = 15.0;
const FADE: f64 = 0.6;
/// Seconds from frame to frame while a message fades.
const FRAME: f64 = 0.05;

/// The attractor before the carrot was dragged, and as dragged.
#[derive(Clone, Copy, Debug)]
pub struct CarrotDrag {
    pub before: Attractor,
    pub dragged: Attractor,
}

/// The state of panel and pointer.
#[derive(Debug, Default)]
pub struct Controls {
    pub open: Open,
    /// True if the window fills the screen.
    pub full_screen: bool,
    /// True if the flock is shown to a class.
    pub presents: bool,
    /// True if the panel was open before.
    pub had_panel: bool,
    /// True if the type is as large as that needs.
    pub enlarged: bool,
    pub page: Page,
    /// The chart over the timeline: its index on the page of charts.
    pub charted: usize,
    pub tool: Tool,
    /// The place in the view, in device coordinates, that arrows move and where Enter uses the tool; `None` while the
    /// pointer does both.
    pub mark: Option<Vec2>,
    /// The draft of a formula that does not compile, or that the engine refuses.
    pub draft: Option<Draft>,
    /// The lesson under way.
    pub lesson: Option<LessonState>,
    /// The words that the shown parameters have; all are shown without any.
    pub search: String,
    /// Radius of the next obstacle, as a share of the world's largest side.
    pub obstacle_size: f64,
    /// The carrot being dragged; the next tool resets it.
    pub carrot_drag: Option<CarrotDrag>,
    pub message: Option<Message>,
    until: Until,
    /// Opacity of the message, from 0 to 1; it decreases before the message disappears.
    pub opacity: f32,
    /// Time when the message was first shown, in seconds on the window's clock.
    since: Option<f64>,
    /// True if a picture is to be saved.
    pub picture_wanted: bool,
    /// True if a film is to be recorded.
    pub film_wanted: bool,
    /// Seconds of the film that is being recorded.
    pub filmed: Option<f64>,
    /// The folder of pictures and films.
    pub folder: String,
    /// The use of the flight that was requested.
    pub flight_for: FlightFor,
    /// A text that is to be copied.
    pub to_copy: Option<String>,
}

/// A lesson under way.
#[derive(Clone, Debug)]
pub struct LessonState {
    pub lesson: Lesson,
    /// The index of the step that is shown.
    pub index: usize,
}

impl LessonState {
    /// The step that is shown.
    pub fn step(&self) -> &LessonStep {
        &self.lesson.steps[self.index]
    }

    /// The index of the next step; `None` at the last one.
    pub fn next(&self) -> Option<usize> {
        let next = self.index + 1;
        (next < self.lesson.steps.len()).then_some(next)
    }
}

/// The use of a flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FlightFor {
    #[default]
    File,
    Link,
}

impl Controls {
    /// The initial controls.
    pub fn new() -> Self {
        Controls {
            open: Open { panel: true, ..Open::default() },
            obstacle_size: 0.05,
            folder: ".".to_owned(),
            ..Controls::default()
        }
    }

    /// Shows an outcome.
    pub fn say(&mut self, what: String) {
        self.show(Message::Done(what), Until::Read);
    }

    /// Shows an error.
    pub fn fail(&mut self, why: String) {
        self.fail_until(Until::Read, why);
    }

    /// Shows why a number is refused, until one is accepted.
    pub fn refuse(&mut self, why: String) {
        self.fail_until(Until::Changed, why);
    }

    /// Shows an error that lasts until `until`.
    pub(crate) fn fail_until(&mut self, until: Until, why: String) {
        self.show(Message::Failed(why), until);
    }

    fn show(&mut self, message: Message, until: Until) {
        (self.message, self.until, self.opacity, self.since) = (Some(message), until, 1.0, None);
    }

    /// Removes an error that no longer holds.
    pub(crate) fn end_message(&mut self, until: Until) {
        if self.until == until {
            (self.message, self.until) = (None, Until::Read);
        }
    }

    /// Fades the message, and removes it after its time. Returns the seconds until the next call is due; `now` is the
    /// time in seconds.
    pub(crate) fn age_message(&mut self, now: f64) -> Option<f64> {
        let lasts = if matches!(self.message.as_ref()?, Message::Done(_)) { DONE } else { FAILED };
        let left = *self.since.get_or_insert(now) + lasts - now;
        if matches!(self.until, Until::FileRead | Until::Replaced) {
            return None;
        }
        self.opacity = (left / FADE).clamp(0.0, 1.0) as f32;
        if left <= 0.0 {
            self.message = None;
            return None;
        }
        Some(if left <= FADE { FRAME } else { left - FADE })
    }
}
