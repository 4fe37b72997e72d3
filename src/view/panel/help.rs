//! The sheet of keys.

use egui::{Color32, Grid, Key, RichText};

use crate::view::keys::{Deed, KEYS};
use crate::view::session::Session;
use crate::view::theme;

/// Shows the sheet over everything.
pub fn sheet(ctx: &egui::Context, session: &mut Session) {
    let mut open = true;
    egui::Window::new("Keys")
        .open(&mut open)
        .collapsible(false)
        .resizable(false)
        .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
        .show(ctx, |ui| {
            Grid::new("keys").num_columns(2).spacing([24.0, 5.0]).show(ui, |ui| {
                for (names, what) in lines(session) {
                    ui.label(RichText::new(names).monospace().color(theme::ACCENT));
                    ui.label(RichText::new(what).color(Color32::from_gray(220)));
                    ui.end_row();
                }
            });
        });
    session.open.help &= open;
}

/// Keys that do the same share a line; presets have their own names.
fn lines(session: &Session) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = Vec::new();
    for (key, deed, what) in KEYS {
        let what = match deed {
            Deed::Preset(index) => match session.presets.get(*index) {
                Some(preset) => preset.name.clone(),
                None => continue,
            },
            _ => (*what).to_owned(),
        };
        match lines.iter_mut().find(|(_, other)| *other == what) {
            Some((names, _)) => *names = format!("{names}, {}", name(*key)),
            None => lines.push((name(*key).to_owned(), what)),
        }
    }
    lines.push(("W A S D Q E".to_owned(), "fly".to_owned()));
    lines.push(("drag".to_owned(), "turn; with Shift or the right button, pan".to_owned()));
    lines.push(("wheel".to_owned(), "zoom to the pointer".to_owned()));
    lines
}

fn name(key: Key) -> &'static str {
    match key {
        Key::Period => ".",
        Key::Backslash => "\\",
        Key::Escape => "Esc",
        key => key.name(),
    }
}
