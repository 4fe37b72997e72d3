//! Sheets over everything: the keys; and the check of this device, a row a preset, a column an engine, with the result as text
//! to copy.

use std::time::Duration;

use egui::{Align, Align2, Button, Color32, Context, Direction, Frame, Grid, Key, Label, Layout};
use egui::{Margin, Modifiers, ProgressBar, RichText, ScrollArea, Theme, Ui};

use super::widgets::{note, scroll_by_keys};
use crate::keys::{KEYS, PRESETS};
use crate::session::device_check::DeviceCheckTask;
use crate::session::{Action, Actions, Session};
use crate::theme;
use conform::report::ReportRow;

/// Width and height of the margins and the title of the sheet of keys, in points.
const AROUND: egui::Vec2 = egui::vec2(60.0, 110.0);
/// Minimum width for both of its columns side by side.
const BESIDE: f32 = 640.0;
/// Number of playback keys; the presets follow them.
const PLAYBACK: usize = 6;
/// Width of the sheet of the check in points, and the height of what is not the table.
const WIDTH: f32 = 320.0;
const ABOUT: f32 = 200.0;
/// Time until the next look at a check under way.
const SOON: Duration = Duration::from_millis(50);

/// Shows a sheet over everything, with the size of its content, not egui's default size; false once it is closed.
fn sheet(ctx: &Context, name: &str, frame: Frame, show: impl FnOnce(&mut Ui)) -> bool {
    let mut open = true;
    egui::Window::new(name)
        .open(&mut open)
        .frame(frame)
        .collapsible(false)
        .auto_sized()
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .show(ctx, show);
    open
}

/// Shows the sheet of keys; false once it is closed.
pub fn keys(ctx: &Context, session: &Session) -> bool {
    let frame = Frame::window(&ctx.style_of(Theme::Dark)).inner_margin(Margin::symmetric(20, 16));
    let lines = lines(session);
    let (left, right) = lines.split_at(lines.len().div_ceil(2));
    sheet(ctx, "Keys", frame, |ui| {
        // A small window cannot show the whole sheet.
        let room = ui.ctx().content_rect().size() - AROUND;
        let way = if room.x < BESIDE { Direction::TopDown } else { Direction::LeftToRight };
        let layout = Layout::from_main_dir_and_cross_align(way, Align::Min);
        ScrollArea::both().max_width(room.x).max_height(room.y).show(ui, |ui| {
            scroll_by_keys(ui, true);
            ui.with_layout(layout, |ui| {
                column(ui, ("left", room.x), left);
                ui.add_space(24.0);
                column(ui, ("right", room.x), right);
            });
        });
    })
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

/// Shows the sheet of the check; returns what its widgets ask for.
pub fn device_check(ctx: &Context, session: &Session) -> Actions {
    let mut actions = Actions::new();
    let Some(check) = &session.device_check else { return actions };
    if check.has_more() {
        ctx.request_repaint_after(SOON);
    }
    let frame = Frame::window(&ctx.style_of(Theme::Dark));
    let open = sheet(ctx, "Check of this device", frame, |ui| {
        ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 50.0));
        content(ui, check, &mut actions);
    });
    if !open {
        actions.push(Action::CheckDevice(false));
    }
    actions
}

fn content(ui: &mut Ui, check: &DeviceCheckTask, actions: &mut Actions) {
    note(
        ui,
        "Integers (fixed): the hashes after 1, 10 and 100 steps are those recorded for every device. f32: each number \
         after one step lies within the error that its operations may make.",
    );
    let [done, all] = check.progress;
    ui.add(ProgressBar::new(done as f32 / all as f32).text(format!("{done} of {all} flocks")));
    ui.add_space(4.0);
    let room = (ui.ctx().content_rect().height() - ABOUT).max(80.0);
    ScrollArea::vertical().max_height(room).show(ui, |ui| table(ui, &check.report.rows));
    if let Some(why) = check.shortfall() {
        ui.add(Label::new(RichText::new(why).small().color(theme::WRONG)).wrap());
    } else if !check.has_more() {
        ui.label("All agree.");
    }
    let button = ui.add_enabled(done > 0, Button::new("Copy the table"));
    if button.on_hover_text("The result as text, with the figures of every comparison.").clicked() {
        ui.ctx().copy_text(check.text());
        // A page reports success once the browser has allowed it.
        if !cfg!(target_arch = "wasm32") {
            actions.push(Action::Say("copied the table".to_owned()));
        }
    }
}

/// A row a preset. The rows of the report stand in that order, as many for each as there are engines.
fn table(ui: &mut Ui, rows: &[ReportRow]) {
    let Some(first) = rows.first() else { return };
    let engines = rows.iter().take_while(|row| row.preset == first.preset).count();
    Grid::new("check").num_columns(1 + engines).spacing([14.0, 2.0]).striped(true).show(ui, |ui| {
        ui.label("");
        for row in &rows[..engines] {
            note(ui, format!("{}\n{}", row.name, row.numeric.name()));
        }
        ui.end_row();
        for preset in rows.chunks(engines) {
            ui.label(RichText::new(&preset[0].preset).small());
            for row in preset {
                let colour = if row.result() == "agrees" { theme::TEXT } else { theme::WRONG };
                ui.label(RichText::new(row.result()).small().color(colour));
            }
            ui.end_row();
        }
    });
}
