//! Playback: play and pause, a single step, steps a frame, restart and reset.

use egui::{RichText, Ui};

use super::range::Reach;
use super::widgets::{Figures, caption, slider};
use crate::view::session::Session;
use crate::view::theme;

/// Shows the controls.
pub fn show(ui: &mut Ui, session: &mut Session) {
    ui.horizontal(|ui| {
        let name = if session.playing { "Pause" } else { "Play" };
        let strong = RichText::new(name).color(theme::GROUND);
        let play = egui::Button::new(strong).fill(theme::ACCENT).min_size(egui::vec2(86.0, 26.0));
        if ui.add(play).on_hover_text("Space").clicked() {
            session.playing = !session.playing;
        }
        let button = |ui: &mut Ui, name: &str, hint: &str| {
            ui.add(egui::Button::new(name).min_size(egui::vec2(0.0, 26.0))).on_hover_text(hint).clicked()
        };
        if button(ui, "Step", "A single step, then a pause.  Key .") {
            session.step_once();
        }
        if button(ui, "Restart", "Start again from the seed.  Key R") {
            session.restart();
        }
        ui.add_enabled_ui(session.changed(), |ui| {
            if button(ui, "Reset", "All parameters as the preset has them, then restart.  Key \\") {
                session.reset();
            }
        });
    });
    ui.horizontal(|ui| {
        let text = RichText::new("steps a frame").color(theme::FAINT);
        caption(ui, 88.0, text).on_hover_text("Below 1, a step every few frames: slow motion.");
        let reach = Reach { range: Session::RATES, logarithmic: true, smallest: *Session::RATES.start() };
        slider(ui, "steps a frame", &mut session.rate, &reach, Figures::SHORT, 124.0);
        session.rate = session.rate.clamp(*Session::RATES.start(), *Session::RATES.end());
    });
}
