//! The sheet of keys.

use egui::{Align, Color32, Direction, Grid, Key, Layout, Modifiers, RichText, Ui};

use super::widgets::scroll_by_keys;
use crate::keys::{KEYS, PRESETS};
use crate::session::Session;
use crate::theme;

/// Shows the sheet over everything; false once it is closed.
pub fn sheet(ctx: &egui::Context, session: &Session) -> bool {
    let mut open = true;
    let frame =
        egui::Frame::window(&ctx.style_of(egui::Theme::Dark)).inner_margin(egui::Margin::symmetric(20, 16));
    let lines = lines(session);
    let (left, right) = lines.split_at(lines.len().div_ceil(2));
    egui::Window::new("Keys")
        .open(&mut open)
        .frame(frame)
        .collapsible(false)
        // The sheet has the size of its lines, not egui's default size.
        .auto_sized()
        .anchor(egui::Align2::CENTER_CENTER, [0.0, 0.0])
        .show(ctx, |ui| {
            // A small window cannot show the whole sheet.
            let room = ui.ctx().content_rect().size() - ABOUT;
            let way = if room.x < BESIDE { Direction::TopDown } else { Direction::LeftToRight };
            let layout = Layout::from_main_dir_and_cross_align(way, Align::Min);
            egui::ScrollArea::both().max_width(room.x).max_height(room.y).show(ui, |ui| {
                scroll_by_keys(ui, true);
                ui.with_layout(layout, |ui| {
                    column(ui, ("left", room.x), left);
                    ui.add_space(24.0);
                    column(ui, ("right", room.x), right);
                });
            });
        });
    open
}

fn column(ui: &mut Ui, (name, room): (&str, f32), lines: &[(String, String)]) {
    let grid = Grid::new(name).num_columns(2).spacing([20.0, 3.0]);
    // Long lines break on a narrow screen.
    grid.max_col_width(0.5 * (room - 20.0)).show(ui, |ui| {
        for (keys, what) in lines {
            ui.label(RichText::new(keys).monospace().color(theme::ACCENT));
            ui.label(RichText::new(what).color(Color32::from_gray(220)));
            ui.end_row();
        }
    });
}

/// Width and height of the sheet's margins and title, in points.
const ABOUT: egui::Vec2 = egui::vec2(60.0, 110.0);
/// Minimum width for both columns side by side.
const BESIDE: f32 = 640.0;

/// Number of playback keys; the presets follow them.
const PLAYBACK: usize = 6;

/// The lines of the sheet: keys with the same action share one, presets are named.
fn lines(session: &Session) -> Vec<(String, String)> {
    let mut lines: Vec<(String, String)> = Vec::new();
    // A browser reserves these keys.
    let foreign = [Key::F5, Key::F11, Key::F12];
    for (held, key, _, what) in
        KEYS.iter().filter(|(_, key, ..)| !cfg!(target_arch = "wasm32") || !foreign.contains(key))
    {
        let key = with_held(*held, *key);
        match lines.iter_mut().find(|(_, other)| other == what) {
            Some((names, _)) => *names = format!("{names}, {key}"),
            None => lines.push((key, (*what).to_owned())),
        }
    }
    let presets = PRESETS.into_iter().zip(&session.document.presets);
    let presets = presets.map(|(key, preset)| (name(key).to_owned(), preset.name.clone()));
    lines.splice(PLAYBACK..PLAYBACK, presets);
    for (keys, what) in [
        ("W A S D E Q", "fly; E up, Q down (places on a US keyboard)"),
        ("arrows", "turn the camera; pan with Shift"),
        ("+, -", "zoom"),
        ("arrows, Enter", "with a tool: move its mark, and use it; Ctrl arrows turn"),
        ("Tab", "next widget of the panel, or the view; Esc leaves it"),
        ("click", "follow the boid there"),
        ("drag, Alt drag", "turn, look around; Shift or the right button pans"),
        ("wheel", "zoom to the pointer"),
    ] {
        lines.push((keys.to_owned(), what.to_owned()));
    }
    lines
}

/// A key with its modifiers.
fn with_held(held: Modifiers, key: Key) -> String {
    let part = |held: bool, name: &'static str| if held { name } else { "" };
    format!("{}{}{}", part(held.command, "Ctrl "), part(held.shift, "Shift "), name(key))
}

fn name(key: Key) -> &'static str {
    if key == Key::Escape { "Esc" } else { key.symbol_or_name() }
}
