//! The sheet with the check of this device: a row a preset, a column an engine, and the result as text to copy.

use std::time::Duration;

use egui::{Align2, Context, Grid, ProgressBar, RichText, ScrollArea, Ui};

use super::widgets::note;
use crate::session::device_check::DeviceCheckTask;
use crate::session::{Action, Actions, Session};
use crate::theme;
use conform::report::ReportRow;

/// Width of the sheet in points, and the height of what is not the table.
const WIDTH: f32 = 320.0;
const ABOUT: f32 = 200.0;
/// Time until the next look at a check under way.
const SOON: Duration = Duration::from_millis(50);

/// Shows the sheet over everything; returns what its widgets ask for.
pub fn sheet(ctx: &Context, session: &Session) -> Actions {
    let mut actions = Actions::new();
    let Some(check) = &session.device_check else { return actions };
    if check.has_more() {
        ctx.request_repaint_after(SOON);
    }
    let mut open = true;
    egui::Window::new("Check of this device")
        .open(&mut open)
        .collapsible(false)
        .auto_sized()
        .anchor(Align2::CENTER_CENTER, [0.0, 0.0])
        .show(ctx, |ui| {
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
        ui.add(egui::Label::new(RichText::new(why).small().color(theme::WRONG)).wrap());
    } else if !check.has_more() {
        ui.label("All agree.");
    }
    let button = ui.add_enabled(done > 0, egui::Button::new("Copy the table"));
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
