//! The page about files: save and load the parameters, save a picture.

use std::path::Path;

use egui::{RichText, Ui};

use super::widgets::{heading, named};
use crate::config;
use crate::report::AtomicFile;
use crate::shown::escaped;
use crate::view::session::Session;
use crate::view::theme;

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
            session.load();
        }
        if ui.button("Save").clicked() {
            session.save();
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
    ui.add_space(12.0);
    heading(ui, "Picture");
    ui.label(RichText::new("The view without the panel, as a PNG.").small().color(theme::FAINT));
    session.picture_wanted |= ui.button("Save a picture").on_hover_text("Key I or F12").clicked();
}

impl Session {
    /// Loads the flock from the file that the panel names, and shows the outcome.
    pub fn load(&mut self) {
        match config::load(Path::new(&self.file)) {
            Ok(parameters) => {
                self.preset = None;
                self.adopt(parameters);
                self.files.own = Some(self.file.clone());
                self.say(format!("loaded {}", escaped(&self.file)));
            }
            Err(why) => {
                let hint = why.hint_text().map_or_else(String::new, |hint| format!(" ({hint})"));
                self.fail(format!("{why}{hint}"));
            }
        }
    }

    /// Writes the parameters to the file that the panel names, and shows the outcome. The panel asks first where that would
    /// replace a file that was neither loaded nor saved here.
    pub fn save(&mut self) {
        let own = self.files.own.as_ref() == Some(&self.file);
        if !own && Path::new(&self.file).exists() {
            self.files.to_replace = Some(self.file.clone());
        } else {
            self.replace();
        }
    }

    fn replace(&mut self) {
        self.files.to_replace = None;
        match write(Path::new(&self.file), &config::save(&self.parameters)) {
            Ok(()) => {
                self.files.own = Some(self.file.clone());
                self.say(format!("saved {}", escaped(&self.file)));
            }
            Err(why) => self.fail(why.to_string()),
        }
    }
}

fn write(path: &Path, text: &str) -> crate::report::Result<()> {
    use std::io::Write;
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes()).map_err(|why| file.failed(why))?;
    file.commit()
}
