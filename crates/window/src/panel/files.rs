//! The page about files: save and load the flock and its view, save a picture.

use std::path::Path;

use egui::Ui;

use super::widgets::{heading, note, on_click, text_field};
#[cfg(target_arch = "wasm32")]
use crate::page;
use crate::session::{Action, Actions, Session};
use config::escaped;

/// Shows the page.
pub fn show(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    heading(ui, "Flock and view");
    note(ui, "A TOML file: parameters, objects, look and camera. Open it with `--config FILE`.");
    let mut name = session.document.file.clone();
    let field = text_field(ui, "file", &mut name);
    field.on_hover_text("A path, relative to the folder in which the program was started.");
    // A page has no access to files by name: the browser opens a dialog.
    let by_name = !cfg!(target_arch = "wasm32");
    let load = if by_name { Action::LoadFile(name.clone().into()) } else { Action::AskForFile };
    if name != session.document.file {
        actions.push(Action::File(name));
    }
    ui.horizontal(|ui| {
        on_click(actions, ui.button("Load"), load);
        on_click(actions, ui.button("Save"), Action::Save);
        if by_name {
            let browse = ui.button("Browse…").on_hover_text("Opens a flock or a flight.  Key Ctrl O");
            on_click(actions, browse, Action::AskForFile);
        }
        let open = session.document.watched().is_some();
        let reload = ui.add_enabled(open, egui::Button::new("Reload"));
        let reload = reload.on_hover_text("Reload the open file, and restart.  Key F5");
        on_click(actions, reload, Action::Reload);
    });
    if let Some(file) = &session.document.to_replace {
        ui.add_space(4.0);
        ui.label(format!("{} exists.", escaped(file)));
        ui.horizontal(|ui| {
            on_click(actions, ui.button("Replace"), Action::Replace(true));
            on_click(actions, ui.button("Keep"), Action::Replace(false));
        });
    }
    if let Some(file) = session.document.watched() {
        let file = escaped(&file.display().to_string());
        note(ui, format!("{file} is open; changes to the file apply at once."));
    }
    recent(ui, session, actions);
    ui.add_space(12.0);
    call(ui, session, actions);
    ui.add_space(12.0);
    pictures(ui, session, actions);
}

/// Copies or shares the command or link that opens this flock.
fn call(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    heading(ui, "This flock");
    let name = if cfg!(target_arch = "wasm32") { "Copy a link to it" } else { "Copy its command" };
    let hint = "Reopens this flock at this step. A short flight in which something was changed is in it.";
    ui.horizontal(|ui| {
        let is_at_start = session.frame().step == session.frame().span[0];
        let is_flown = session.playback.moment().is_none() && !is_at_start;
        let clicked = ui.button(name).on_hover_text(hint).clicked();
        if clicked && is_flown {
            actions.push(Action::CopyFlight);
        }
        if clicked && !is_flown {
            let text = words(session);
            // A page reports success once the browser has allowed it.
            if !cfg!(target_arch = "wasm32") {
                actions.push(Action::Say(format!("copied {}", escaped(&text))));
            }
            ui.ctx().copy_text(text);
        }
        #[cfg(target_arch = "wasm32")]
        if page::offers("share") && ui.button("Share…").on_hover_text("Opens the share sheet.").clicked() {
            page::share(&words(session));
        }
        let about_flight =
            "Saves what was flown since the last restart, with every change, as a .flight file.";
        on_click(actions, ui.button("Save flight").on_hover_text(about_flight), Action::SaveFlight);
    });
}

/// The link on a page, otherwise the command.
fn words(session: &Session) -> String {
    let view = session.eye.view(&session.document);
    let start = || session.document.start_option().into_iter().collect();
    let moment = session.playback.moment().unwrap_or_else(start);
    #[cfg(target_arch = "wasm32")]
    return page::address(&session.document.query(&view, moment));
    #[cfg(not(target_arch = "wasm32"))]
    session.document.command(&view, moment)
}

/// Pictures and films of the view, and their folder.
fn pictures(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    heading(ui, "Pictures and films");
    let page = cfg!(target_arch = "wasm32");
    let about = match page {
        true => "Downloads the view without the panel as a PNG, or the whole page as a WebM.",
        false => "Saves the view without the panel, as a PNG or an MP4, in this folder:",
    };
    note(ui, about);
    if !page {
        folder(ui, session, actions);
    }
    ui.horizontal(|ui| {
        on_click(actions, ui.button("Save a picture").on_hover_text("Key I or F12"), Action::Picture);
        let name = if session.controls.film_wanted { "Stop the film" } else { "Record a film" };
        let film = Action::Film(!session.controls.film_wanted);
        on_click(actions, ui.button(name).on_hover_text("Key Shift R"), film);
    });
}

/// The folder of pictures and films.
fn folder(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    let mut name = session.controls.folder.clone();
    let field = text_field(ui, "folder", &mut name);
    let whole =
        std::path::absolute(&session.controls.folder).map(|folder| escaped(&folder.display().to_string()));
    field.on_hover_text(whole.unwrap_or_else(|_| "The folder in which the program was started.".to_owned()));
    if name != session.controls.folder {
        actions.push(Action::Folder(name));
    }
}

/// The recently opened files.
fn recent(ui: &mut Ui, session: &Session, actions: &mut Actions) {
    // A page has no access to files opened earlier.
    if cfg!(target_arch = "wasm32") || session.document.recent.files().is_empty() {
        return;
    }
    ui.add_space(12.0);
    heading(ui, "Recent files");
    for file in session.document.recent.files() {
        let whole = escaped(file);
        let short = Path::new(file).file_name().and_then(|name| name.to_str()).unwrap_or(file);
        let button = ui.add(egui::Button::new(escaped(short)).truncate());
        on_click(actions, button.on_hover_text(whole), Action::LoadFile(file.into()));
    }
}
