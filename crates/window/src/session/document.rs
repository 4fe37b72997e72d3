//! The document: the flock's parameters, their preset or file, the undo history, and the call that opens the flock.

use std::path::Path;

use egui::util::undoer::Undoer;
use flock::Parameters;
use flock::parameters::{PARAMETERS, Parameter};

use crate::open_file::{OpenFile, Recent};
use crate::settled;
use config::presets::DEFAULT;
use config::{Scenery, View, World, escaped};
use scene::corners;

/// A named flock that the user can choose.
#[derive(Clone, Debug)]
pub struct Preset {
    pub name: String,
    /// One line about it.
    pub about: String,
    /// A sentence on what to look for.
    pub look_for: String,
    pub parameters: Parameters,
    pub view: View,
}

/// An entry of the undo history: parameters, and their preset or file.
#[derive(Clone, Debug)]
pub struct Entry {
    pub preset: Option<usize>,
    open_file: Option<OpenFile>,
    own_world: World,
    seeded: bool,
    pub view: View,
    pub base: Parameters,
    pub parameters: Parameters,
}

impl Entry {
    /// True if both have the same preset or file. The file may have changed meanwhile; a text has only its parameters.
    pub fn same_source(&self, other: &Self) -> bool {
        let [file, others] = [self, other].map(|entry| entry.open_file.as_ref().map(|open| &open.path));
        let same_base = file.is_some() || self.base == other.base;
        self.preset == other.preset && file == others && same_base
    }
}

/// A change of the view alone is not undone.
impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.parameters == other.parameters && self.same_source(other)
    }
}

/// The parameters, and their preset or file.
#[derive(Debug, Default)]
pub struct Document {
    pub presets: Vec<Preset>,
    /// Index of the flock's preset in `presets`; `None` for a flock from a file that names none.
    pub preset: Option<usize>,
    /// The parameters in the panel, which the engine steps by, apart from the pointer's effect.
    pub parameters: Parameters,
    /// The parameters before the user changed them, which a reset restores.
    pub base: Parameters,
    /// The view of the preset or file.
    pub view: View,
    /// The world's fields that the file sets over its preset.
    pub own_world: World,
    /// The parameters of the first screen, whose number of boids the window chose: with these its preset is chosen again.
    pub opening: Option<Parameters>,
    /// True if the call asks for steps from the seed, so that no flock of it starts settled.
    pub seeded: bool,
    undo: Undoer<Entry>,
    /// The file that the panel loads and saves.
    pub file: String,
    /// The file last loaded or saved here: saving replaces it without a question.
    pub own_file: Option<String>,
    /// The open file, which is polled for changes.
    pub open_file: Option<OpenFile>,
    /// The existing file of the pending question whether to replace it.
    pub to_replace: Option<String>,
    /// True if the page's file dialog is requested.
    pub file_wanted: bool,
    /// The recently opened files.
    pub recent: Recent,
}

impl Document {
    /// `base` is the preset or file without the settings of the call; a reset returns to it.
    pub fn new(
        presets: Vec<Preset>,
        preset: Option<usize>,
        base: Parameters,
        parameters: Parameters,
    ) -> Self {
        let view = preset.and_then(|index| presets.get(index)).map(|preset| preset.view).unwrap_or_default();
        Document {
            presets,
            preset,
            parameters,
            base,
            view,
            file: "flock.toml".to_owned(),
            ..Document::default()
        }
    }

    /// Sets the file that the flock comes from.
    pub fn opened(&mut self, file: OpenFile) {
        self.file = file.path.display().to_string();
        self.own_file = Some(self.file.clone());
        self.recent.add(&file.path);
        self.open_file = Some(file);
    }

    /// The flock comes from a preset or from none, and no longer from a file.
    pub fn leave_file(&mut self, preset: Option<usize>, seeded: bool) {
        (self.preset, self.own_world, self.seeded) = (preset, World::default(), seeded);
        (self.open_file, self.own_file) = (None, None);
    }

    /// True if the flock comes from a file, which may name its preset.
    pub fn of_file(&self) -> bool {
        self.open_file.is_some() || self.preset.is_none()
    }

    /// True if any parameter differs from the preset's or the file's.
    pub fn changed(&self) -> bool {
        self.parameters != self.base
    }

    fn preset(&self) -> Option<&Preset> {
        self.presets.get(self.preset?)
    }

    /// The name of the flock: its preset, or `flock`.
    pub fn name(&self) -> &str {
        self.preset().map_or("flock", |preset| &preset.name)
    }

    /// A sentence on the flock and one on what to look for in it, if it is a preset's.
    pub fn caption(&self) -> Option<[&str; 2]> {
        let preset = self.preset().filter(|_| self.open_file.is_none())?;
        Some([&preset.about, &preset.look_for])
    }

    /// The title of the flock: the name of the file, otherwise of the preset.
    pub fn title(&self) -> String {
        let file = self.watched().and_then(Path::file_name);
        file.map_or_else(|| self.name().to_owned(), |file| escaped(&file.to_string_lossy()))
    }

    /// The open file, which is polled for changes.
    pub fn watched(&self) -> Option<&Path> {
        self.open_file.as_ref().map(|open| open.path.as_path())
    }

    /// The world's largest side.
    pub fn extent(&self) -> f64 {
        let [min, max] = corners(&self.parameters);
        f64::from((max - min).max_element())
    }

    /// The current state as an entry of the history.
    pub fn entry(&self) -> Entry {
        let Document { preset, own_world, seeded, view, base, parameters, .. } = *self;
        Entry { preset, open_file: self.open_file.clone(), own_world, seeded, view, base, parameters }
    }

    /// Restores an entry. A file saved since belongs to another flock.
    pub fn return_to(&mut self, entry: Entry) {
        self.parameters = entry.parameters;
        (self.preset, self.own_world, self.base) = (entry.preset, entry.own_world, entry.base);
        self.seeded = entry.seeded;
        self.open_file = entry.open_file;
        self.own_file = self.watched().map(|path| path.display().to_string());
        if let Some(file) = &self.own_file {
            self.file.clone_from(file);
        }
    }

    /// Adds the current state to the history. Called while no widget is pressed, so that a drag is one entry.
    pub fn remember(&mut self) {
        let entry = self.entry();
        // A new entry clears the redo history.
        self.undo.feed_state(0.0, &entry);
        self.undo.add_undo(&entry);
    }

    /// Steps back in the history, or forward if `forth`.
    pub fn step_history(&mut self, forth: bool) -> Option<Entry> {
        self.remember();
        let entry = self.entry();
        let found = if forth { self.undo.redo(&entry) } else { self.undo.undo(&entry) };
        found.cloned()
    }

    pub fn can_undo(&self) -> bool {
        self.undo.has_undo(&self.entry())
    }

    pub fn can_redo(&self) -> bool {
        self.undo.has_redo(&self.entry())
    }

    /// True if the window starts such a flock settled, unless the call asks for steps from the seed.
    fn may_settle(&self) -> bool {
        let preset = self.preset().filter(|preset| preset.name == DEFAULT);
        preset.is_some_and(|preset| settled::fits(&preset.parameters, &self.parameters))
    }

    /// True if the flock starts settled, false if it starts from its seed.
    pub fn starts_settled(&self) -> bool {
        !self.seeded && self.may_settle()
    }

    /// The option that starts the flock from its seed, where the window would start it settled.
    pub fn start_option(&self) -> Option<(&'static str, String)> {
        (self.seeded && self.may_settle()).then(|| ("step", "0".to_owned()))
    }

    /// The options that open this flock in a view, by their names on the command line: the differences from the preset.
    /// For a flock from a file that names none they are the differences from the file; on a page, which opens no file by
    /// name, those from the default preset.
    fn options(&self, view: &View) -> Vec<(&'static str, String)> {
        let usual = || self.presets.iter().find(|preset| preset.name == DEFAULT);
        let (source, base, seen) = match (self.preset(), self.watched()) {
            (None, Some(path)) => {
                // The command may be called in another folder.
                let file = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
                (("config", file.display().to_string()), &self.base, &self.view)
            }
            (preset, _) => match preset.or_else(usual) {
                Some(preset) => (("preset", preset.name.clone()), &preset.parameters, &preset.view),
                None => return Vec::new(),
            },
        };
        let boids = self.parameters.flock.boids;
        let mut options = vec![source];
        let terms = config::term_settings(&base.terms, &self.parameters.terms);
        let set = settings(base, &self.parameters).chain(terms).chain(view.settings(seen));
        options.extend(set.map(|text| ("set", text)));
        if boids != base.flock.boids {
            options.push(("boids", boids.to_string()));
        }
        let look = Scenery::ALL.iter().find(|(look, _)| *look == view.look);
        options.extend(look.map(|(_, name)| ("look", (*name).to_owned())));
        options
    }

    /// The command line that opens this flock, with more options.
    pub fn command(&self, view: &View, more: Vec<(&'static str, String)>) -> String {
        let options = self.options(view).into_iter().chain(more);
        let options = options.map(|(name, value)| format!(" --{name} {}", quoted(&value)));
        std::iter::once("murmuration".to_owned()).chain(options).collect()
    }

    /// The part of a page's address, from the question mark on, that opens this flock, with more options.
    pub fn query(&self, view: &View, more: Vec<(&'static str, String)>) -> String {
        let options = self.options(view).into_iter().chain(more);
        let options = options.map(|(name, value)| format!("{name}={}", encoded(&value)));
        format!("?{}", options.collect::<Vec<_>>().join("&"))
    }
}

/// Settings that turn `base` into `wanted`, except the number of boids: that is set last, and scales a world that is
/// not set.
fn settings(base: &Parameters, wanted: &Parameters) -> impl Iterator<Item = String> {
    let mut scaled = *base;
    (scaled.flock.density, scaled.flock.dimensions) = (wanted.flock.density, wanted.flock.dimensions);
    scaled.set_boids(wanted.flock.boids);
    let world = |p: &Parameters| (p.world.min, p.world.max);
    let resized = world(&scaled) != world(base);
    // A world that is set keeps its size, and so does everything that would scale with it.
    let set = resized && world(wanted) != world(&scaled);
    let reference = if set { *base } else { scaled };
    let (base, wanted) = (*base, *wanted);
    let named = move |parameter: &&Parameter| match parameter.name {
        "flock.boids" => false,
        "flock.density" | "flock.dimensions" => parameter.get(&wanted) != parameter.get(&base),
        "world.max" if set => true,
        _ => parameter.get(&wanted) != parameter.get(&reference),
    };
    let text = move |parameter: &Parameter| format!("{}={}", parameter.name, parameter.get(&wanted));
    PARAMETERS.iter().filter(named).map(text)
}

/// A word quoted for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "=._-+".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// A value encoded for a URL.
fn encoded(value: &str) -> String {
    let text: String = form_urlencoded::byte_serialize(value.as_bytes()).collect();
    text.replace('+', "%20").replace('*', "%2A")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_and_encoded() {
        assert_eq!(quoted("separation.radius=3.5"), "separation.radius=3.5");
        assert_eq!(quoted("flock.start=\"ball\""), "'flock.start=\"ball\"'");
        assert_eq!(quoted("a boid's"), r"'a boid'\''s'");
        assert_eq!(encoded("separation.radius=3"), "separation.radius%3D3");
    }
}
