//! The choice of the flock: preset, number of boids, seed.

use egui::{RichText, Ui};
use flock::parameters::{Value, find};

use super::range::Reach;
use super::widgets::{Figures, caption, field, slider};
use crate::view::session::Session;
use crate::view::theme;

/// The range of the slider of boids; larger numbers can be typed.
const BOIDS: std::ops::RangeInclusive<f64> = 1.0..=1e7;
/// Width of the captions.
const CAPTIONS: f32 = 88.0;

/// Shows the choices.
pub fn show(ui: &mut Ui, session: &mut Session) {
    presets(ui, session);
    ui.add_space(2.0);
    let (old_boids, old_seed) = (session.parameters.flock.boids, session.parameters.flock.seed);
    let (mut boids, mut seed) = (f64::from(old_boids), f64::from(old_seed));
    let help = |name: &str| find(name).map_or("", |parameter| parameter.help);
    ui.horizontal(|ui| {
        let name = RichText::new("boids").color(theme::FAINT);
        caption(ui, CAPTIONS, name).on_hover_text(help("flock.boids"));
        let reach = Reach { range: BOIDS, logarithmic: true, smallest: 1.0 };
        slider(ui, "flock.boids", &mut boids, &reach, Figures::WHOLE, 124.0);
    });
    ui.horizontal(|ui| {
        let name = RichText::new("seed").color(theme::FAINT);
        caption(ui, CAPTIONS, name).on_hover_text(help("flock.seed"));
        field(ui, "flock.seed", &mut seed, 0.2, Figures::WHOLE, 62.0);
        if ui.button("Next").on_hover_text("The next seed: another flock of the same kind.").clicked() {
            seed = f64::from(old_seed.wrapping_add(1));
        }
    });
    for (name, new, old) in [("flock.boids", boids, old_boids), ("flock.seed", seed, old_seed)] {
        let new = new.clamp(0.0, f64::from(u32::MAX)) as u32;
        if let Some(parameter) = find(name).filter(|_| new != old) {
            session.set(parameter, Value::Count(new));
        }
    }
}

fn presets(ui: &mut Ui, session: &mut Session) {
    let mut chosen = None;
    for first in (0..session.presets.len()).step_by(3) {
        ui.columns(3, |columns| {
            let row = session.presets.iter().enumerate().skip(first);
            for (ui, (index, preset)) in columns.iter_mut().zip(row) {
                ui.vertical_centered_justified(|ui| {
                    let here = session.preset == Some(index);
                    let hint = format!("{}\nKey {}", preset.about, index + 1);
                    let button = egui::Button::new(&preset.name).selected(here);
                    if ui.add(button).on_hover_text(hint).clicked() {
                        chosen = Some(index);
                    }
                });
            }
        });
    }
    if let Some(index) = chosen {
        session.choose(index);
    }
}
