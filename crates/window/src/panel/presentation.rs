//! The step of a lesson on the panel; and the presentation over the view: in large type the flock's name and what it does,
//! or the step of a lesson, and the sliders that it is about.

use egui::{Align2, Area, Button, Color32, Frame, Id, Label, RichText, Ui, Vec2, vec2};
use flock::formula::FormulaParameter;
use flock::parameters::{Parameter, Value};

use super::parameters::{main_weights, named_row};
use super::terms::{self, row};
use super::widgets::{note, on_click};
use crate::session::controls::LessonState;
use crate::session::lesson::LessonAction;
use crate::session::{Action, Actions, Session};
use crate::theme;

/// Ratio of its type to the window's.
pub const ENLARGED: f32 = 1.5;
/// Width of the sliders' box and of the caption, in points.
const SLIDERS: f32 = 320.0;
const CAPTION: f32 = 620.0;
/// Maximum number of sliders.
const MOST: usize = 3;
/// Minimum height of a view with sliders.
const LOW: f32 = 240.0;

/// Shows caption and sliders over a view of this size.
pub fn show(ui: &Ui, session: &Session, view: Vec2, actions: &mut Actions) {
    let lesson = session.controls.lesson.as_ref().map(LessonState::step);
    let (title, text) = match (lesson, session.document.caption()) {
        (Some(step), _) => (step.text.clone(), step.see.clone()),
        (None, Some([about, look_for])) => {
            (format!("{}: {about}", session.document.title()), look_for.to_owned())
        }
        (None, None) => (session.document.title(), String::new()),
    };
    at(ui, "caption", Align2::CENTER_TOP, vec2(0.0, 14.0), |ui| {
        ui.set_max_width(CAPTION.min(view.x - 60.0));
        ui.vertical_centered(|ui| {
            paragraph(ui, RichText::new(title).size(19.0).color(Color32::WHITE));
            if !text.is_empty() {
                paragraph(ui, RichText::new(text).size(14.0).color(theme::OVER_VIEW));
            }
        });
    });
    if view.x < SLIDERS + 60.0 || view.y < LOW {
        return;
    }
    let (rules, terms) = match lesson {
        Some(step) => (step.sliders.clone(), Vec::new()),
        None => (weights(session), main_numbers(session)),
    };
    let rules = &rules[..rules.len().min(MOST)];
    let terms = &terms[..terms.len().min(MOST - rules.len())];
    if rules.is_empty() && terms.is_empty() {
        return;
    }
    at(ui, "sliders", Align2::RIGHT_BOTTOM, vec2(-16.0, -14.0), |ui| {
        ui.set_width(SLIDERS);
        for parameter in rules {
            named_row(ui, session, actions, parameter);
        }
        for (parameter, value) in terms {
            row(ui, actions, parameter, *value);
        }
    });
}

/// The weights of separation, alignment and cohesion, if any of them counts in the preset.
fn weights(session: &Session) -> Vec<&'static Parameter> {
    let counts = |parameter: &&Parameter| parameter.get(&session.document.base) != Value::Real(0.0);
    main_weights().filter(counts).collect()
}

/// The numbers of the formulas besides radii and tables: the first one of each term, then the others.
fn main_numbers(session: &Session) -> Vec<(&'static FormulaParameter, f64)> {
    let mut numbers: Vec<(&FormulaParameter, f64)> = Vec::new();
    let mut others = Vec::new();
    for (parameter, value) in session.document.parameters.terms.parameters() {
        if parameter.side != 0 || parameter.key == "radius" {
            continue;
        }
        let has_one = numbers.iter().any(|(other, _)| other.term == parameter.term);
        let list = if has_one { &mut others } else { &mut numbers };
        list.push((parameter, value));
    }
    numbers.append(&mut others);
    numbers
}

/// A box on a dark ground at a corner of the window.
fn at(ui: &Ui, name: &str, corner: Align2, offset: Vec2, content: impl FnOnce(&mut Ui)) {
    let frame = Frame::NONE.fill(theme::BEHIND).corner_radius(8).inner_margin(10);
    Area::new(Id::unique(name)).anchor(corner, offset).show(ui.ctx(), |ui| frame.show(ui, content));
}

/// Shows the step of a lesson on the panel: its sentence, what should be seen, its sliders, and the way on.
pub fn lesson_step(ui: &mut Ui, session: &Session, state: &LessonState, actions: &mut Actions) {
    let step = state.step();
    note(ui, format!("{}  ·  {} of {}", state.lesson.title, state.index + 1, state.lesson.steps.len()));
    ui.add_space(4.0);
    paragraph(ui, RichText::new(&step.text).size(15.0).color(Color32::WHITE));
    ui.add_space(4.0);
    paragraph(ui, RichText::new(&step.see).color(theme::TEXT));
    ui.add_space(10.0);
    for parameter in &step.sliders {
        named_row(ui, session, actions, parameter);
    }
    ui.add_space(10.0);
    ui.horizontal(|ui| {
        let mut button = |name: &str, to: Option<usize>| {
            let button = ui.add_enabled(to.is_some(), Button::new(name));
            let to = to.map_or(LessonAction::Leave, LessonAction::Step);
            on_click(actions, button, Action::Lesson(to));
        };
        button("Back", state.index.checked_sub(1));
        button("Next step", state.next());
        on_click(actions, ui.button("Leave the lesson"), Action::Lesson(LessonAction::Leave));
    });
    // Formulas may be long: what leads on stands above them.
    ui.add_space(6.0);
    terms::show(ui, session, actions);
}

fn paragraph(ui: &mut Ui, text: RichText) {
    ui.add(Label::new(text).wrap());
}
