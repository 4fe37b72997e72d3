//! The parameters of a run: a preset or a file, with settings on top.

use std::path::{Path, PathBuf};

use flock::{Parameters, formula::FormulaTerms, parameters::PARAMETERS};

use crate::presets::{self, Preset};
use crate::setting::{Target, unknown_table};
use crate::shapes::SHAPES;
use crate::view::{KEYS, TABLE, View};
use crate::{ConfigError, Entry, Setting, TomlFile, World, may_block, read_text, shown, terms};

/// The contents of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Document {
    /// The flock.
    pub parameters: Parameters,
    /// The initial view.
    pub view: View,
    /// World parameters that were set over a preset, and whether the world was scaled.
    pub world: World,
    /// The name of the preset that it is based on.
    pub preset: Option<&'static str>,
}

/// The source of the initial parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    Preset(&'static Preset),
    File(PathBuf),
}

impl Source {
    /// The document of the preset or file.
    ///
    /// # Errors
    /// When a file is not valid.
    pub fn document(&self) -> Result<Document, ConfigError> {
        match self {
            Source::Preset(preset) => preset.document(),
            Source::File(path) => load(path),
        }
    }
}

impl Preset {
    /// Its parameters.
    ///
    /// # Errors
    /// When the built-in file is not valid; a test excludes that.
    pub fn parameters(&self) -> Result<Parameters, ConfigError> {
        Ok(self.document()?.parameters)
    }

    /// Its file.
    ///
    /// # Errors
    /// See [`Preset::parameters`].
    pub fn document(&self) -> Result<Document, ConfigError> {
        let document = parse(self.text, &format!("presets/{}.toml", self.name))?;
        Ok(Document { preset: Some(self.name), ..document })
    }
}

/// Reads a file.
///
/// # Errors
/// When the file cannot be read; see also [`parse`].
pub fn load(path: &Path) -> Result<Document, ConfigError> {
    parse(&read_text(path)?, &path.display().to_string())
}

/// Like [`load`], without reading a pipe or a device: a window must not wait.
///
/// # Errors
/// See [`load`].
pub fn load_at_once(path: &Path) -> Result<Document, ConfigError> {
    parse(&read_at_once(path)?, &path.display().to_string())
}

/// The text of a file that is no pipe and no device.
///
/// # Errors
/// When it is, or cannot be read.
pub fn read_at_once(path: &Path) -> Result<String, ConfigError> {
    if may_block(path) {
        let why = "must be a regular file: pipes and devices can only be read at startup";
        return Err(ConfigError::new(why).at(&path.display().to_string()));
    }
    read_text(path)
}

/// Parses a text; `origin` names it in errors. Over a preset the number of boids is applied last, as `--set
/// flock.boids` is: where density is kept, it scales the world, unless the text sets the world. In a text without a
/// preset the world belongs to the number of boids in the text, and nothing is scaled.
///
/// # Errors
/// For a text that is not TOML, an unknown table or key, a value that is not allowed, and values that contradict each
/// other. The error is one line that begins with `origin:line`.
pub fn parse(text: &str, origin: &str) -> Result<Document, ConfigError> {
    let file = TomlFile::parse(text, origin)?;
    let (preset, tables): (Vec<_>, Vec<_>) = file.entries().into_iter().partition(|e| e.name == "preset");
    let mut document = Document::default();
    for preset in &preset {
        document = preset.locate(base(preset))?;
    }
    let mut settings = Vec::new();
    for table in tables {
        if table.name == terms::TABLE {
            document.parameters.terms = terms::read(&table)?;
            continue;
        }
        let known = table.name == TABLE || PARAMETERS.iter().any(|p| p.table == table.name);
        let fields = match table.table() {
            Some(fields) if known => fields,
            Some(_) => return table.locate(Err(unknown_table(&table.name).hint(of_study(&table.name)))),
            None => return table.locate(Err(outside_tables(&table.name, known))),
        };
        for field in fields {
            settings.push(Setting::read(&table.name, &field)?);
        }
    }
    document.set(&settings, origin, !preset.is_empty())?;
    Ok(document)
}

/// Applies the settings to the source, in order. The number of boids is applied last, because it may scale the world
/// (`flock.density`) where no setting sets the world.
///
/// # Errors
/// When a file is not valid, or parameters contradict each other.
pub fn resolve(source: &Source, settings: &[Setting]) -> Result<Document, ConfigError> {
    with_settings(source.document()?, settings)
}

/// Like [`resolve`], over a source that has been read.
///
/// # Errors
/// When parameters contradict each other.
pub fn with_settings(mut document: Document, settings: &[Setting]) -> Result<Document, ConfigError> {
    document.set(settings, "", true)?;
    Ok(document)
}

impl Document {
    /// Reads the settings by which the flock beside this one differs.
    ///
    /// # Errors
    /// For a setting that is not for this flock, and where both flocks would be the same.
    pub fn compared(&self, texts: &[String]) -> Result<Vec<Setting>, ConfigError> {
        let mut settings = Vec::new();
        for text in texts {
            settings.push(Setting::parse(text).map_err(|error| error.at("--compare"))?);
        }
        let changed = with_settings(*self, &settings).map_err(|error| error.at("--compare"))?;
        if !texts.is_empty() && changed.parameters == self.parameters {
            let why = format!("--compare {}: both flocks would be the same", texts.join(" "));
            return Err(ConfigError::new(why));
        }
        Ok(settings)
    }

    /// Assigns one value. An error in a term names the place.
    pub(crate) fn assign(&mut self, target: &Target, place: &str) -> Result<(), ConfigError> {
        let Document { parameters, view, .. } = self;
        match target {
            Target::Flock(parameter, value) => {
                let set = parameter.set(parameters, *value);
                set.map_err(|why| ConfigError::must_be(parameter.name, why, &value.to_string()))?;
            }
            Target::TermParameter(name, numbers) => terms::set(&mut parameters.terms, name, numbers)?,
            Target::Term(name, table) => terms::add(&mut parameters.terms, name, table, place)?,
            Target::Terms(name) => terms::join(&mut parameters.terms, &terms_of(name)?)?,
            Target::View(key, value) => (key.set)(view, *value),
            Target::ViewList(list) => view.set_list(*list),
        }
        Ok(())
    }

    /// Applies settings. If `over_flock`, the world below them may be scaled; else the settings state the whole flock.
    /// An error names the place of its setting, else `origin`.
    fn set(&mut self, settings: &[Setting], origin: &str, over_flock: bool) -> Result<(), ConfigError> {
        let placed = |error: ConfigError, name: &str| {
            let setting = settings.iter().find(|setting| setting.name() == name);
            error.at(setting.map_or(origin, |setting| &setting.place))
        };
        let now = |setting: &&Setting| !over_flock || setting.boids().is_none();
        for setting in settings.iter().filter(now) {
            if over_flock {
                self.world.note(setting.name());
            }
            self.assign(&setting.target, &setting.place)?;
        }
        if let Some(boids) = settings.iter().rev().find_map(Setting::boids).filter(|_| over_flock) {
            self.world.set_boids(&mut self.parameters, boids);
        }
        check_ranges(&self.parameters).map_err(|error| placed(error, "flock.boids"))?;
        for shape in self.view.shapes {
            shape.outline(&self.parameters).map_err(|error| placed(error, SHAPES))?;
        }
        self.parameters.check().map_err(|refused| {
            // Each parameter with its value.
            let told = |word: &str| match flock::parameters::find(word) {
                Some(parameter) => format!("{word} = {}", parameter.get(&self.parameters)),
                None => word.to_owned(),
            };
            let (name, why) = (refused.name().unwrap_or_default(), refused.to_string());
            let why: Vec<String> = why.split(' ').map(told).collect();
            placed(ConfigError::new(format!("{} must be {}", told(name), why.join(" "))), name)
        })
    }
}

/// Checks that every parameter lies in its range: scaling the world may move a parameter out of it.
///
/// # Errors
/// Names the first parameter out of range, its value and the allowed range.
pub fn check_ranges(parameters: &Parameters) -> Result<(), ConfigError> {
    PARAMETERS.iter().try_for_each(|parameter| {
        let value = parameter.get(parameters);
        let checked = parameter.kind.check(value).map(|_| ());
        checked.map_err(|refused| ConfigError::must_be(parameter.name, refused, &value.to_string()))
    })
}

impl Setting {
    /// The equivalent settings as typed; one line per term where the setting adds the terms of another flock.
    ///
    /// # Errors
    /// When the file of the other flock is not valid.
    pub fn lines(&self) -> Result<Vec<String>, ConfigError> {
        Ok(match &self.target {
            Target::Terms(name) => terms::term_settings(&FormulaTerms::default(), &terms_of(name)?),
            _ => vec![format!("{} = {}", self.name(), self.text())],
        })
    }
}

/// The terms of the gallery flock of this name, else of the file at this path.
fn terms_of(name: &str) -> Result<FormulaTerms, ConfigError> {
    let preset = presets::all().find(|preset| preset.name == name);
    let source = preset.map_or_else(|| Source::File(name.into()), Source::Preset);
    let terms = source.document()?.parameters.terms;
    if terms.terms().is_empty() {
        let why =
            format!("--term {name}: no custom terms; `murmuration terms` lists the flocks that have them");
        return Err(ConfigError::new(why));
    }
    Ok(terms)
}

fn base(preset: &Entry<'_>) -> Result<Document, ConfigError> {
    match preset.value().as_str() {
        Some(name) => presets::find(name)?.document(),
        None => Err(ConfigError::new("preset must be the name of a preset, in quotes")),
    }
}

/// A hint for the keys of a study, which are not parameters.
fn of_study(name: &str) -> Option<String> {
    let study =
        ["steps", "seeds", "design", "samples", "config", "set", "vary", "measure", "schedule", "stop"];
    study.contains(&name).then(|| "this key belongs to a study: use `murmuration sweep FILE`".to_owned())
}

fn outside_tables(name: &str, table: bool) -> ConfigError {
    if table {
        return ConfigError::new(format!("{name} must be a table, [{name}]"));
    }
    let meant = PARAMETERS.iter().find(|p| p.key == name).map(|p| p.table);
    let meant = meant.or(KEYS.iter().any(|key| key.short() == name).then_some(TABLE));
    ConfigError::new(format!("{} must be in a table; only preset is allowed outside one", shown(name)))
        .hint(of_study(name).or(meant.map(|table| format!("move it under [{table}]"))))
}
