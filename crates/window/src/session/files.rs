//! Files: of parameters, with polling of the open file, and the names of pictures, films and tables.

use std::path::{Path, PathBuf};

use flock::Parameters;
use flock::parameters::PARAMETERS;

use super::Session;
use super::controls::{FlightFor, Until};
use crate::open_file::OpenFile;
use config::{self, ConfigError, Document, Setting, View, escaped};
use files::{AtomicFile, Existing};
use flight::Flight;

impl Session {
    /// Loads the flock from the file named in the panel, and shows the outcome.
    pub(super) fn load(&mut self) {
        if !self.document.file.ends_with(flight::ENDING) {
            return self.read(OpenFile::new(Path::new(&self.document.file)));
        }
        let name = self.document.file.clone();
        let read = config::read_at_once(Path::new(&name)).and_then(|text| flight::parse(&text, &name));
        self.take_flight(read, &name);
    }

    /// Starts a flight that was read, or shows why it cannot be.
    fn take_flight(&mut self, read: Result<Flight, ConfigError>, name: &str) {
        match read {
            Ok(flight) => self.open_flight(flight, name),
            Err(why) => self.controls.fail(with_hint(&why)),
        }
    }

    /// Reads the open file again, and restarts, with the settings of the call on top.
    pub(super) fn reload(&mut self) {
        match &self.document.open_file {
            Some(open) => self.read(open.anew()),
            None => self.controls.fail("no file is open: the page File loads one".to_owned()),
        }
    }

    fn read(&mut self, file: OpenFile) {
        self.document.file = file.path.display().to_string();
        let read = config::load_at_once(&file.path)
            .and_then(|document| Ok((document.parameters, with_call(document, &file.settings)?)));
        match read {
            Ok((base, document)) => {
                let is_open = self.document.open_file.as_ref().is_some_and(|open| open.path == file.path);
                if self.fly(document, is_open) {
                    self.document.base = base;
                    self.document.opened(file);
                }
            }
            Err(why) => {
                self.controls.fail(with_hint(&why));
                if !file.path.exists() {
                    self.document.recent.remove(&self.document.file);
                }
            }
        }
    }

    /// Loads the flock from a text with a file name, as given to a page, and shows the outcome.
    pub(super) fn load_text(&mut self, name: &str, text: &str) {
        if name.ends_with(flight::ENDING) {
            return self.take_flight(flight::parse(text, name), name);
        }
        match config::parse(text, name).and_then(|document| with_call(document, &[])) {
            Ok(document) => {
                self.document.file = name.to_owned();
                self.fly(document, false);
            }
            Err(why) => self.controls.fail(with_hint(&why)),
        }
    }

    /// The preset of this name, if a file names one.
    pub(super) fn preset_of(&self, name: Option<&str>) -> Option<usize> {
        self.document.presets.iter().position(|preset| Some(preset.name.as_str()) == name)
    }

    /// Starts the flock of the file named in the panel, which is open already or another one; false if it cannot be flown.
    fn fly(&mut self, Document { parameters, view, world, preset }: Document, is_open: bool) -> bool {
        if !self.accepts(&parameters) {
            return false;
        }
        if !is_open {
            self.leave_flock();
        }
        self.document.own_world = world;
        self.document.preset = self.preset_of(preset);
        self.document.seeded = false;
        self.take_view(view);
        self.controls.lesson = None;
        self.adopt(parameters);
        self.controls.say(format!("loaded {}", escaped(&self.document.file)));
        true
    }

    /// Polls the open file, and applies its changes since the last poll. True if there is something to show. A file
    /// with an error leaves the flock as it is.
    pub fn poll_file(&mut self) -> bool {
        let Some(open) = &mut self.document.open_file else { return false };
        if !open.look() {
            return false;
        }
        let (parameters, world) = (self.document.base, self.document.own_world);
        let base = Document { parameters, world, ..Document::default() };
        let set = |document| with_call(document, &open.settings);
        match config::load_at_once(&open.path).and_then(|written| Ok((written, [set(base)?, set(written)?])))
        {
            Ok((written, [before, now])) => {
                self.controls.end_message(Until::FileRead);
                self.view_again(now.view);
                self.apply_file(written, &before.parameters, &now.parameters);
            }
            Err(why) => self.controls.fail_until(Until::FileRead, with_hint(&why)),
        }
        true
    }

    /// Applies the differences between two versions of the file, both with the settings of the call. Other values stay.
    fn apply_file(&mut self, written: Document, before: &Parameters, now: &Parameters) {
        self.controls.say(format!("reloaded {}", escaped(&self.document.file)));
        if written.parameters == self.document.base {
            self.document.preset = self.preset_of(written.preset);
            return;
        }
        let mut new = self.document.parameters;
        for parameter in PARAMETERS {
            let value = parameter.get(now);
            if value != parameter.get(before) {
                // The file was checked when it was read.
                let _ = parameter.set(&mut new, value);
            }
        }
        let other_terms = now.terms != before.terms;
        if other_terms {
            new.terms = now.terms;
        }
        if !self.accepts(&new) {
            return;
        }
        self.controls.draft.take_if(|_| other_terms);
        self.document.preset = self.preset_of(written.preset);
        (self.document.base, self.document.own_world) = (written.parameters, written.world);
        self.commit(new);
    }

    /// Applies changes of the file's view. An appearance chosen since stays.
    fn view_again(&mut self, view: View) {
        let before = self.document.view;
        if view.look != before.look {
            self.eye.choose_look(view.look);
        }
        if (View { look: before.look, skip: before.skip, ..view }) != before {
            self.view_as(View { look: self.eye.look.scenery, ..view });
        }
        self.document.view = view;
    }

    /// Writes the parameters and the view to the file named in the panel, and shows the outcome. Before it replaces a
    /// file that was neither loaded nor saved here, the panel asks.
    pub(super) fn save(&mut self) {
        let own = self.has_own_file();
        if !own && Path::new(&self.document.file).exists() {
            self.document.to_replace = Some(self.document.file.clone());
        } else {
            self.write_scene(Existing::replaced_if(own));
        }
    }

    pub(super) fn replace(&mut self) {
        self.document.to_replace = None;
        self.write_scene(Existing::Replace);
    }

    /// True if the file was loaded or saved here.
    fn has_own_file(&self) -> bool {
        self.document.own_file.as_ref() == Some(&self.document.file)
    }

    fn write_scene(&mut self, existing: Existing) {
        let path = Path::new(&self.document.file);
        let view = self.eye.view(&self.document);
        let preset = config::presets::find(self.document.name()).ok().map(|preset| preset.name);
        let parameters = self.document.parameters;
        let text = config::save(&Document { parameters, view, preset, ..Document::default() });
        // A file that was loaded may have any name.
        let named = if self.has_own_file() { Ok(()) } else { files::check_ending(path, &["toml"]) };
        let file = named.and_then(|()| AtomicFile::create(path, existing));
        let written = file.and_then(|file| file.fill(text)).map(|()| path.to_owned());
        if written.is_ok() {
            self.document.recent.add(path);
            // The session's own write is no change of the open file.
            if let Some(open) = self.document.open_file.as_mut().filter(|open| open.path == path) {
                *open = OpenFile::new(path);
                self.document.base = self.document.parameters;
            }
            self.document.view = view;
            self.document.own_file = Some(self.document.file.clone());
        }
        self.saved(written);
    }

    /// An unused file name in the folder: flock's name, content, extension. The folder is created if it is missing.
    pub(crate) fn free_name(&self, what: &str, ending: &str) -> PathBuf {
        let folder = Path::new(if self.controls.folder.is_empty() { "." } else { &self.controls.folder });
        // If this fails, writing the file fails with a message.
        let _ = std::fs::create_dir_all(folder);
        let name = format!("murmuration-{}-{what}", self.document.name());
        // The default folder is not part of the name.
        let at = |name: String| if folder == Path::new(".") { name.into() } else { folder.join(name) };
        let mut path: PathBuf = at(format!("{name}.{ending}"));
        let mut number: u64 = 1;
        // A link to nothing also has its name.
        while path.symlink_metadata().is_ok() {
            number += 1;
            path = at(format!("{name}-{number}.{ending}"));
        }
        path
    }

    /// Shows where a file was saved, or why not.
    pub(crate) fn saved(&mut self, file: files::Result<PathBuf>) {
        match file {
            Ok(path) => {
                // In full, so that it is found in the folder that the window was started in.
                let path = std::path::absolute(&path).unwrap_or(path);
                self.controls.say(format!("saved {}", escaped(&path.display().to_string())));
            }
            Err(why) => self.controls.fail(why.message),
        }
    }

    /// Saves the flight that was requested, or copies it, and shows the outcome.
    pub(super) fn hand_out(&mut self, mut flight: Flight) {
        flight.start.preset = config::presets::find(self.document.name()).ok().map(|preset| preset.name);
        flight.start.view = self.eye.view(&self.document);
        let steps = flight.start.step()..=flight.end;
        let poses = self.playback.poses.iter().filter(|pose| steps.contains(&pose.step));
        flight.poses = poses.copied().collect();
        if self.controls.flight_for == FlightFor::Link {
            return self.copy_flight(&flight);
        }
        self.write_new("flown", flight::ENDING.trim_start_matches('.'), flight.text());
    }

    /// Copies a short flight: a link on a page, otherwise a command.
    fn copy_flight(&mut self, flight: &Flight) {
        let Some(link) = flight.link() else {
            let why = "this flight is too long for a link; 'Save flight' writes it to a file";
            return self.controls.fail(why.to_owned());
        };
        let text = that_opens(&format!("#flight={link}"));
        self.controls.say(format!("copied this flight, {} letters", text.len()));
        self.controls.to_copy = Some(text);
    }

    /// Writes a text to a file of an unused name in the folder of pictures, and shows the outcome.
    pub(super) fn write_new(&mut self, what: &str, ending: &str, text: String) {
        let path = self.free_name(what, ending);
        let written = AtomicFile::create(&path, Existing::Keep).and_then(|file| file.fill(text));
        self.saved(written.map(|()| path));
    }
}

/// A link on a page, otherwise a command, that opens the flight in a fragment.
fn that_opens(fragment: &str) -> String {
    #[cfg(target_arch = "wasm32")]
    return crate::page::address(fragment);
    #[cfg(not(target_arch = "wasm32"))]
    format!("murmuration view '{fragment}'")
}

/// The document with the settings of the call, whose view the flock can be shown in.
fn with_call(document: Document, settings: &[Setting]) -> Result<Document, ConfigError> {
    let document = config::with_settings(document, settings)?;
    document.view.check(&document.parameters).map(|()| document)
}

/// An error with its hint, in one line.
pub(super) fn with_hint(why: &ConfigError) -> String {
    let hint = why.hint_text().map_or_else(String::new, |hint| format!(" ({hint})"));
    format!("{why}{hint}")
}
