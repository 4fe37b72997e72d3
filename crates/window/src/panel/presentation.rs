//! The presentation: in large type the flock's name and what it does, or the step of a lesson, and the sliders that it is
//! about.

use egui::{Align2, Area, Color32, Frame, Id, RichText, Ui, Vec2, vec2};
use flock::formula::FormulaParameter;
use flock::parameters::{Parameter, Value};

use super::parameters::{main_weights, named_row};
use super::terms::row;
use crate::session::controls::LessonState;
use crate::session::{Actions, Session};
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
            ui.add(egui::Label::new(RichText::new(title).size(19.0).color(Color32::WHITE)).wrap());
            if !text.is_empty() {
                ui.add(egui::Label::new(RichText::new(text).size(14.0).color(theme::OVER_VIEW)).wrap());
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
