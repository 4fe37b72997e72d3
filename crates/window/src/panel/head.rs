//! The part of the panel above the pages: the choice of the flock, and playback.

use egui::{RichText, Ui};
use flock::parameters::{Value, find};

use super::gallery;
use super::widgets::{SliderRange, faint, field, line, on_click, slider};
use crate::session::playback::Playback;
use crate::session::{Action, Actions, Session};
use crate::theme;

/// The range of the slider of boids; larger numbers can be typed.
const BOIDS: SliderRange = SliderRange::logarithmic(1.0, 1e7);
/// Width of the captions.
const CAPTIONS: f32 = 88.0;

/// The choice of the flock: preset, number of boids, seed.
pub fn choose(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    actions.extend(gallery::show(ui, session));
    ui.add_space(2.0);
    let flock = &session.document.parameters.flock;
    let (old_boids, old_seed) = (flock.boids, flock.seed);
    let (mut boids, mut seed) = (f64::from(old_boids), f64::from(old_seed));
    let help = |name: &str| find(name).map_or("", |parameter| parameter.help);
    ui.horizontal(|ui| {
        faint(ui, (CAPTIONS, "boids"), help("flock.boids"));
        slider(ui, "flock.boids", &mut boids, &BOIDS, true, 124.0);
    });
    // A narrow panel, as on a phone, breaks the line.
    ui.horizontal_wrapped(|ui| {
        faint(ui, (CAPTIONS, "seed"), help("flock.seed"));
        field(ui, "flock.seed", &mut seed, 0.2, true, 62.0);
        let surprise = ui.button("Another flock").on_hover_text("A surprise.  Key ?");
        on_click(actions, surprise, Action::Surprise);
        if ui.button("Next").on_hover_text("Restart with the next seed.").clicked() {
            seed = f64::from(old_seed.wrapping_add(1));
        }
    });
    for (name, new, old) in [("flock.boids", boids, old_boids), ("flock.seed", seed, old_seed)] {
        let new = new.clamp(0.0, f64::from(u32::MAX)) as u32;
        if let Some(parameter) = find(name).filter(|_| new != old) {
            actions.push(Action::Set(parameter, Value::Count(new)));
        }
    }
}

/// Playback: play and pause, a single step, restart and reset, steps per frame.
pub fn play(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    ui.horizontal_wrapped(|ui| {
        let name = if session.playback.playing { "Pause" } else { "Play" };
        let strong = RichText::new(name).color(theme::GROUND);
        let play = egui::Button::new(strong).fill(theme::ACCENT).min_size(egui::vec2(86.0, 26.0));
        on_click(actions, ui.add(play).on_hover_text("Space"), Action::Play(!session.playback.playing));
        let mut button = |there: bool, name: &str, hint: &str, action: Action| {
            let button = egui::Button::new(name).min_size(egui::vec2(0.0, 26.0));
            on_click(actions, ui.add_enabled(there, button).on_hover_text(hint), action);
        };
        button(true, "Step", "Step once, then pause.  Key .", Action::Step);
        let hint = "Restart from the seed, or settled as when the window opened.  Key R";
        button(true, "Restart", hint, Action::Restart);
        let changed = session.document.changed() || session.controls.draft.is_some();
        let hint = "Reset all parameters to the preset's, and restart.  Key \\";
        button(changed, "Reset", hint, Action::Reset);
    });
    let (least, most) = Playback::RATES.into_inner();
    let (help, mut rate) = ("Below 1: slow motion.", session.playback.rate);
    let reach = SliderRange::logarithmic(least, most);
    line(ui, (CAPTIONS, "steps/frame"), help, &mut rate, &reach, least..=most);
    if rate != session.playback.rate {
        actions.push(Action::Rate(rate));
    }
}
