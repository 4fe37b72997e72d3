//! The page about files: save and load the parameters, save a picture.

use std::path::Path;

use egui::{RichText, Ui};

use super::widgets::{heading, named};
use crate::view::session::Session;
use crate::view::theme;
use config::shown::escaped;

/// Shows the page.
pub fn show(ui: &mut Ui, session: &mut Session) {
    heading(ui, "Parameters");
    ui.label(RichText::new("A TOML file; `--config FILE` takes it too.").small().color(theme::FAINT));
    let field = egui::TextEdit::singleline(&mut session.file)
        .desired_width(f32::INFINITY)
        .margin(egui::vec2(8.0, 5.0));
    let field = ui.add(field);
    named(&field, "file");
    field.on_hover_text("The file, from the folder that the program was started in.");
    ui.horizontal(|ui| {
        if ui.button("Load").clicked() {
            // A page reads no file by its name: the browser asks for one.
            match cfg!(target_arch = "wasm32") {
                true => session.files.wanted = true,
                false => session.load(),
            }
        }
        if ui.button("Save").clicked() {
            session.save();
        }
        let open = session.watched().is_some();
        let reload = ui.add_enabled(open, egui::Button::new("Reload"));
        if reload.on_hover_text("Read the open file again, and start anew.  Key F5").clicked() {
            session.reload();
        }
    });
    // A name that was typed since is another file.
    session.files.to_replace.take_if(|file| *file != session.file);
    if let Some(file) = &session.files.to_replace {
        ui.add_space(4.0);
        ui.label(format!("{} exists.", escaped(file)));
        ui.horizontal(|ui| {
            if ui.button("Replace").clicked() {
                session.replace();
            } else if ui.button("Keep").clicked() {
                session.files.to_replace = None;
            }
        });
    }
    if let Some(file) = session.watched() {
        let text = format!(
            "{} is open: what is written to it is taken over at once.",
            escaped(&file.display().to_string())
        );
        ui.label(RichText::new(text).small().color(theme::FAINT));
    }
    recent(ui, session);
    ui.add_space(12.0);
    call(ui, session);
    ui.add_space(12.0);
    pictures(ui, session);
}

/// Hands the call that opens this flock to other people.
fn call(ui: &mut Ui, session: &mut Session) {
    heading(ui, "This flock");
    let name = if cfg!(target_arch = "wasm32") { "Copy a link to it" } else { "Copy its command" };
    if ui.button(name).on_hover_text("What opens the flock as it is set, from its start.").clicked() {
        #[cfg(target_arch = "wasm32")]
        let text = crate::view::page::address(&session.query());
        #[cfg(not(target_arch = "wasm32"))]
        let text = session.command();
        session.say(format!("copied {}", escaped(&text)));
        ui.ctx().copy_text(text);
    }
}

/// Pictures and films of the view, and their folder.
fn pictures(ui: &mut Ui, session: &mut Session) {
    heading(ui, "Pictures and films");
    let page = cfg!(target_arch = "wasm32");
    let about = match page {
        true => "Downloads: the view without the panel as a PNG, the whole page as a WebM.",
        false => "The view without the panel, as a PNG or an MP4. They go to this folder:",
    };
    ui.label(RichText::new(about).small().color(theme::FAINT));
    if !page {
        folder(ui, session);
    }
    ui.horizontal(|ui| {
        session.picture_wanted |= ui.button("Save a picture").on_hover_text("Key I or F12").clicked();
        let name = if session.film_wanted { "End the film" } else { "Record a film" };
        if ui.button(name).on_hover_text("Key Shift R").clicked() {
            session.record();
        }
    });
}

/// Where pictures and films are saved.
fn folder(ui: &mut Ui, session: &mut Session) {
    let field = egui::TextEdit::singleline(&mut session.folder)
        .desired_width(f32::INFINITY)
        .margin(egui::vec2(8.0, 5.0));
    let field = ui.add(field);
    named(&field, "folder");
    let whole = std::path::absolute(&session.folder).map(|folder| escaped(&folder.display().to_string()));
    field.on_hover_text(whole.unwrap_or_else(|_| "The folder that the program was started in.".to_owned()));
}

/// The files that were opened last.
fn recent(ui: &mut Ui, session: &mut Session) {
    // A page asks for each file anew.
    if cfg!(target_arch = "wasm32") || session.recent.files().is_empty() {
        return;
    }
    ui.add_space(12.0);
    heading(ui, "Recent files");
    let mut chosen = None;
    for file in session.recent.files() {
        let whole = escaped(file);
        let short = Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file);
        let text = RichText::new(escaped(short));
        if ui.add(egui::Button::new(text).truncate()).on_hover_text(whole).clicked() {
            chosen = Some(file.clone());
        }
    }
    if let Some(file) = chosen {
        session.file = file;
        session.load();
    }
}
