//! The parameters of a run: a preset or a file, with settings on top.

use std::path::PathBuf;

use flock::parameters::{PARAMETERS, Parameter, Value, ValueKind};
use toml::de::DeValue;

use super::error::ConfigError;
use super::number::whole_number;
use super::read::{Document, apply, check_ranges, known_key, load};
use super::value::{convert, shorten};
use crate::presets::Preset;
use crate::shown::shown;

/// Where the parameters start from.
#[derive(Clone, Debug)]
pub enum Source {
    Preset(&'static Preset),
    File(PathBuf),
}

/// One `table.key=value` that is allowed.
#[derive(Clone, Debug)]
pub struct Setting {
    parameter: &'static Parameter,
    value: Value,
}

impl Setting {
    /// Reads `table.key=value`. The value is TOML; a bare word stands for a string, and a whole number is also read from
    /// `1e6`, `100k` and `0.5M`.
    ///
    /// # Errors
    /// As for a line of a file.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let Some((name, value)) = text.split_once('=') else {
            return Err(ConfigError::new(format!("\"{}\": allowed is table.key=value", shown(text))));
        };
        let (name, value) = (name.trim(), value.trim());
        let Some((table, key)) = name.split_once('.') else {
            let meant = PARAMETERS.iter().find(|p| p.key == name);
            return Err(ConfigError::new(format!("\"{}\": allowed is table.key=value", shown(text)))
                .hint(meant.map(|p| format!("did you mean \"{}.{}\"?", p.table, p.key))));
        };
        let parameter = known_key(table, key)?;
        let refused =
            || ConfigError::new(format!("{name} = {}: allowed is {}", shorten(value), parameter.kind));
        let whole = matches!(parameter.kind, ValueKind::Count { .. });
        if let Some(number) = whole_number(value).filter(|_| whole) {
            let number = u32::try_from(number).map_err(|_| refused())?;
            let value = parameter.kind.check(Value::Count(number)).map_err(|_| refused())?;
            return Ok(Setting { parameter, value });
        }
        let word = value.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        let parsed = match DeValue::parse(value) {
            Ok(parsed) => parsed.into_inner(),
            Err(_) if word => DeValue::String(value.into()),
            Err(_) if whole => return Err(refused()),
            Err(error) => {
                let why = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
                return Err(ConfigError::new(format!(
                    "{name} = {}: {why}: allowed is {}",
                    shorten(value),
                    parameter.kind
                )));
            }
        };
        Ok(Setting { parameter, value: convert(name, parameter.kind, &parsed, value)? })
    }

    /// The parameter it sets, as `table.key`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}.{}", self.parameter.table, self.parameter.key)
    }

    /// Its value, as in a file.
    #[must_use]
    pub fn text(&self) -> String {
        self.value.to_string()
    }

    fn is_boids(&self) -> bool {
        (self.parameter.table, self.parameter.key) == ("flock", "boids")
    }

    /// The number of boids, where it sets that.
    #[must_use]
    pub fn boids(&self) -> Option<u32> {
        match self.value {
            Value::Count(boids) if self.is_boids() => Some(boids),
            _ => None,
        }
    }
}

/// The flock: the source, then the settings in their order. The number of boids comes last, since it may change
/// the size of the world (`flock.density`), where no setting names that.
///
/// # Errors
/// When a file is not valid, or parameters contradict each other.
pub fn resolve(source: &Source, settings: &[Setting]) -> Result<Document, ConfigError> {
    with_settings(source.document()?, settings)
}

impl Source {
    /// What it says.
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

/// Like [`resolve`], over a source that has been read.
///
/// # Errors
/// When parameters contradict each other.
pub fn with_settings(document: Document, settings: &[Setting]) -> Result<Document, ConfigError> {
    let Document { mut parameters, view, mut world } = document;
    for setting in settings.iter().filter(|setting| !setting.is_boids()) {
        world.note(&setting.name());
        apply(setting.parameter, &mut parameters, setting.value)?;
    }
    if let Some(boids) = settings.iter().rev().find_map(Setting::boids) {
        world.set_boids(&mut parameters, boids);
    }
    check_ranges(&parameters)?;
    parameters.check().map_err(|refused| {
        ConfigError::new(format!("{}: must be {refused}", refused.name().unwrap_or_default()))
    })?;
    Ok(Document { parameters, view, world })
}
