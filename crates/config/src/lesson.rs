//! A lesson: steps of one sentence each on a live flock, from a file:
//!
//! ```toml
//! title = "First lesson"
//! preset = "cornell"
//! set = ["flock.boids=200"]              # for all steps, as in --set
//!
//! [[step]]
//! preset = "yabi"                        # another flock for this step, without the settings above
//! text = "Each bird keeps away from birds that are too near."
//! see = "The red arrow points away from the red rings."
//! set = ["alignment.weight=0"]           # for this step
//! sliders = ["separation.radius"]
//! bird = 7                               # the boid that is followed
//! ```

use std::path::Path;

use flock::parameters::{Parameter, find};

use crate::{ConfigError, Document, Entry, TomlFile, presets, read_text};

/// The lessons that every window has: name, file and text.
const BUILT_IN: [(&str, &str, &str); 2] = [
    ("first", "lesson.toml", include_str!("lesson.toml")),
    ("questions", "questions.toml", include_str!("questions.toml")),
];

/// A lesson.
#[derive(Clone, Debug)]
pub struct Lesson {
    pub title: String,
    /// At least one.
    pub steps: Vec<LessonStep>,
}

/// A step of a lesson.
#[derive(Clone, Debug)]
pub struct LessonStep {
    pub text: String,
    /// A sentence on what to look at; may be empty.
    pub see: String,
    /// The flock of the step.
    pub document: Document,
    /// The parameters that the step is about.
    pub sliders: Vec<&'static Parameter>,
    /// The boid that is followed.
    pub bird: Option<u32>,
}

impl Lesson {
    /// The lesson of this name.
    ///
    /// # Errors
    /// For an unknown name.
    pub fn named(name: &str) -> Result<Self, ConfigError> {
        let found = BUILT_IN.iter().find(|(known, ..)| *known == name);
        let names = BUILT_IN.map(|(name, ..)| name);
        let (_, file, text) = found.ok_or_else(|| {
            let hint = "a lesson of your own is a file that ends in .toml".to_owned();
            ConfigError::unknown("", name, "lesson", &names).hint(Some(hint))
        })?;
        Self::parse(text, file)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is no lesson, or has a parameter that is unknown or not allowed.
    pub fn load(path: &Path) -> Result<Self, ConfigError> {
        Self::parse(&read_text(path)?, &path.display().to_string())
    }

    fn parse(text: &str, origin: &str) -> Result<Self, ConfigError> {
        let file = TomlFile::parse(text, origin)?;
        let mut title = String::new();
        let mut base = Document::default();
        let mut steps = Vec::new();
        let entries = file.entries();
        for entry in &entries {
            match entry.name.as_str() {
                "title" => entry.word()?.clone_into(&mut title),
                "preset" => base = preset(entry, &entries)?,
                "set" => apply(entry, &mut base)?,
                "step" => {
                    let tables = entry.array().ok_or_else(|| entry.error("step must be tables [[step]]"))?;
                    for table in tables {
                        steps.push(read_step(&table, &base)?);
                    }
                }
                name => return Err(unknown(entry, name, &["title", "preset", "set", "step"])),
            }
        }
        if title.is_empty() || steps.is_empty() {
            let what = if title.is_empty() { "a title" } else { "a table [[step]]" };
            return Err(ConfigError::new(format!("a lesson requires {what}")).at(origin));
        }
        Ok(Lesson { title, steps })
    }
}

fn read_step(table: &Entry<'_>, base: &Document) -> Result<LessonStep, ConfigError> {
    let entries = table.table().ok_or_else(|| table.error("step must be a table [[step]]"))?;
    let mut step = LessonStep {
        text: String::new(),
        see: String::new(),
        document: *base,
        sliders: Vec::new(),
        bird: None,
    };
    for entry in &entries {
        match entry.name.as_str() {
            "preset" => step.document = preset(entry, &entries)?,
            "text" => entry.word()?.clone_into(&mut step.text),
            "see" => entry.word()?.clone_into(&mut step.see),
            "set" => apply(entry, &mut step.document)?,
            "sliders" => {
                for name in words(entry)? {
                    let parameter =
                        find(name).ok_or_else(|| entry.error(format!("unknown parameter '{name}'")))?;
                    step.sliders.push(parameter);
                }
            }
            "bird" => step.bird = Some(entry.whole(0..=u32::MAX.into())? as u32),
            name => return Err(unknown(entry, name, &["preset", "text", "see", "set", "sliders", "bird"])),
        }
    }
    let boids = step.document.parameters.flock.boids;
    if step.text.is_empty() {
        return Err(table.error("step.text is required"));
    }
    if let Some(bird) = step.bird.filter(|bird| *bird >= boids) {
        return Err(table.error(format!("bird must be less than {boids}, the number of boids, not {bird}")));
    }
    Ok(step)
}

/// The flock of a preset, which no settings may come before: it would drop them.
fn preset(entry: &Entry<'_>, entries: &[Entry<'_>]) -> Result<Document, ConfigError> {
    let mut before = entries.iter().take_while(|other| other.name != entry.name);
    if before.any(|other| other.name == "set") {
        return Err(entry.error("preset must come before set"));
    }
    let preset = presets::find(entry.word()?);
    entry.locate(preset.and_then(presets::Preset::document))
}

/// Applies settings to a flock.
fn apply(entry: &Entry<'_>, document: &mut Document) -> Result<(), ConfigError> {
    let settings: Vec<String> = words(entry)?.into_iter().map(str::to_owned).collect();
    entry.locate(document.apply(&settings))
}

fn words<'a>(entry: &Entry<'a>) -> Result<Vec<&'a str>, ConfigError> {
    let items = entry.array().ok_or_else(|| entry.refused("a list of texts"))?;
    items.iter().map(Entry::word).collect()
}

fn unknown(entry: &Entry<'_>, name: &str, known: &[&str]) -> ConfigError {
    ConfigError::unknown("", name, "key", known).at(&entry.place())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_lesson_is_about_one_rule_after_the_other() {
        let lesson = Lesson::named("first").expect("a lesson");
        assert_eq!(lesson.steps.len(), 6);
        for step in &lesson.steps {
            assert!(!step.text.is_empty() && !step.see.is_empty(), "{step:?}");
            assert!(
                !step.sliders.is_empty() || !step.document.parameters.terms.terms().is_empty(),
                "{step:?}"
            );
            assert!(step.bird.is_some());
        }
        let weights = |k: usize| {
            let parameters = &lesson.steps[k].document.parameters;
            [parameters.separation.weight, parameters.alignment.weight, parameters.cohesion.weight]
                .map(|weight| weight != 0.0)
        };
        assert_eq!(
            [weights(0), weights(1), weights(2)],
            [[true, false, false], [false, true, false], [false, false, true]]
        );
    }

    #[test]
    fn the_questions_are_about_one_flock_each() {
        let lesson = Lesson::named("questions").expect("a lesson");
        let presets: Vec<_> = lesson.steps.iter().map(|step| step.document.preset).collect();
        assert_eq!(presets, ["swarm", "think", "yabi", "leaders", "vicsek"].map(Some));
        for step in &lesson.steps {
            assert!(!step.text.is_empty() && !step.see.is_empty() && !step.sliders.is_empty(), "{step:?}");
        }
        assert_eq!(lesson.steps[0].document.parameters.flock.boids, 500);
        let error = Lesson::named("frist").expect_err("unknown").to_string();
        assert_eq!(error, "unknown lesson 'frist', expected one of first, questions");
    }

    #[test]
    fn mistakes_are_named_with_their_lines() {
        let step = "title = \"A\"\n[[step]]\ntext = \"B\"\n";
        for (text, why) in [
            ("title = \"A\"\n", "l: a lesson requires a table [[step]]"),
            ("[[step]]\ntext = \"B\"\n", "l: a lesson requires a title"),
            ("titel = \"A\"", "l:1: unknown key 'titel'"),
            (&format!("{step}bird = 1000000"), "l:2: bird must be less than"),
            (&format!("{step}sliders = [\"x.y\"]"), "l:4: unknown parameter 'x.y'"),
            (&format!("{step}set = [\"cohesion.radius=-1\"]"), "l:4: "),
            (&format!("{step}set = \"cohesion.radius=1\""), "l:4: set must be a list of texts"),
            ("title = \"A\"\n[[step]]\nsee = \"B\"\n", "l:2: step.text is required"),
            ("title = \"A\"\nstep = 3", "l:2: step must be tables"),
            ("preset = \"ostrich\"", "l:1: "),
            ("set = []\npreset = \"yabi\"", "l:2: preset must come before set"),
            (&format!("{step}set = []\npreset = \"yabi\""), "l:5: preset must come before set"),
        ] {
            let error = Lesson::parse(text, "l").expect_err(text).to_string();
            assert!(error.starts_with(why), "{text}: {error}");
        }
        assert!(Lesson::parse(step, "l").is_ok());
    }
}
