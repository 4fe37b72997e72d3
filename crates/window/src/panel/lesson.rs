//! The step of a lesson: its sentence, what should be seen, its sliders, and the way on.

use egui::{Label, RichText, Ui};

use super::widgets::{note, on_click};
use super::{parameters, terms};
use crate::session::controls::LessonState;
use crate::session::lesson::LessonAction;
use crate::session::{Action, Actions, Session};
use crate::theme;

/// Shows the step.
pub fn show(ui: &mut Ui, session: &Session, state: &LessonState, actions: &mut Actions) {
    let step = state.step();
    note(ui, format!("{}  ·  {} of {}", state.lesson.title, state.index + 1, state.lesson.steps.len()));
    ui.add_space(4.0);
    paragraph(ui, RichText::new(&step.text).size(15.0).color(egui::Color32::WHITE));
    ui.add_space(4.0);
    paragraph(ui, RichText::new(&step.see).color(theme::TEXT));
    ui.add_space(10.0);
    for parameter in &step.sliders {
        parameters::named_row(ui, session, actions, parameter);
    }
    ui.add_space(10.0);
    ui.horizontal(|ui| {
        let mut button = |name: &str, to: Option<usize>| {
            let button = ui.add_enabled(to.is_some(), egui::Button::new(name));
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
