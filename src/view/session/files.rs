//! Files of parameters: loading, saving, and what is written to the one that is open.

use std::path::Path;

use flock::Parameters;
use flock::parameters::PARAMETERS;

use super::Session;
use crate::view::message::Until;
use crate::view::open_file::OpenFile;
use config::shown::escaped;
use config::{self, Document, View};
use report::AtomicFile;

impl Session {
    /// Loads the flock from the file that the panel names, and shows the outcome.
    pub fn load(&mut self) {
        let file = OpenFile::new(Path::new(&self.file));
        match config::load(file.path()) {
            Ok(document) => {
                self.fly(document);
                self.recent.add(file.path());
                self.files.own = Some(self.file.clone());
                self.files.open = Some(file);
                self.say(format!("loaded {}", escaped(&self.file)));
            }
            Err(why) => {
                self.fail(with_hint(&why));
                if !file.path().exists() {
                    self.recent.remove(&self.file);
                }
            }
        }
    }

    /// Loads the flock from a text that a page was given under a name, and shows the outcome.
    pub fn load_text(&mut self, name: &str, text: &str) {
        match config::parse(text, name) {
            Ok(document) => {
                self.fly(document);
                self.file = name.to_owned();
                self.say(format!("loaded {}", escaped(name)));
            }
            Err(why) => self.fail(with_hint(&why)),
        }
    }

    /// Starts the flock of a file.
    fn fly(&mut self, Document { parameters, view, world }: Document) {
        self.own_world = world;
        self.preset = None;
        (self.view, self.look.scenery) = (view, view.look);
        self.adopt(parameters);
    }

    /// Reads the open file again, and starts anew.
    pub fn reload(&mut self) {
        match &self.files.open {
            Some(open) => {
                self.file = open.path().display().to_string();
                self.load();
            }
            None => self.fail("no file is open: the page File loads one".to_owned()),
        }
    }

    /// A file that the flock comes from, whose parameters the session has already.
    pub fn opened(&mut self, file: &Path) {
        self.file = file.display().to_string();
        self.files.own = Some(self.file.clone());
        self.files.open = Some(OpenFile::new(file));
        self.recent.add(file);
    }

    /// The file whose changes are taken over.
    #[must_use]
    pub fn watched(&self) -> Option<&Path> {
        self.files.open.as_ref().map(OpenFile::path)
    }

    /// Looks at the open file, and takes over what was written to it since the last look. Returns whether anything is to
    /// be shown. A file with an error leaves the flock as it is.
    pub fn poll_file(&mut self) -> bool {
        let Some(open) = &mut self.files.open else { return false };
        if !open.look() {
            return false;
        }
        match config::load(open.path()) {
            Ok(written) => {
                self.end_message(Until::FileRead);
                self.view_again(written.view);
                self.take_over(written.parameters);
            }
            Err(why) => self.fail_until(Until::FileRead, with_hint(&why)),
        }
        true
    }

    /// Takes over what differs from the file as it was. What was set in the panel or by the call stays.
    fn take_over(&mut self, written: Parameters) {
        self.say(format!("reloaded {}", escaped(&self.file)));
        if written == self.base {
            return;
        }
        let mut new = self.parameters;
        for parameter in PARAMETERS {
            let value = parameter.get(&written);
            if value != parameter.get(&self.base) {
                // The file was checked when it was read.
                let _ = parameter.set(&mut new, value);
            }
        }
        self.base = written;
        self.parameters = new;
        self.commit();
    }

    /// Takes over what the file now says of the view. A look that was chosen since stays.
    fn view_again(&mut self, view: View) {
        if view.look != self.view.look {
            self.choose_look(view.look);
        }
        self.view = view;
    }

    /// Writes the parameters and the look to the file that the panel names, and shows the outcome. The panel asks first where that would
    /// replace a file that was neither loaded nor saved here.
    pub fn save(&mut self) {
        let own = self.files.own.as_ref() == Some(&self.file);
        if !own && Path::new(&self.file).exists() {
            self.files.to_replace = Some(self.file.clone());
        } else {
            self.replace();
        }
    }

    pub(in crate::view) fn replace(&mut self) {
        self.files.to_replace = None;
        let path = Path::new(&self.file);
        let view = View { look: self.look.scenery, ..self.view };
        let text = config::save(&Document { parameters: self.parameters, view, ..Document::default() });
        match AtomicFile::create(path).and_then(|file| file.fill(text)) {
            Ok(()) => {
                self.recent.add(path);
                // What the session itself wrote is no change of the open file.
                if let Some(open) = self.files.open.as_mut().filter(|open| open.path() == path) {
                    *open = OpenFile::new(path);
                    self.base = self.parameters;
                }
                self.view = view;
                self.files.own = Some(self.file.clone());
                self.say(format!("saved {}", escaped(&self.file)));
            }
            Err(why) => self.fail(why.message),
        }
    }
}

fn with_hint(why: &config::ConfigError) -> String {
    let hint = why.hint_text().map_or_else(String::new, |hint| format!(" ({hint})"));
    format!("{why}{hint}")
}
