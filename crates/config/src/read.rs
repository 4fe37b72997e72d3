//! Reading a file of parameters.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use flock::Parameters;
use flock::parameters::{PARAMETERS, Parameter, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{ConfigError, nearest};
use super::value::convert;
use super::view::{KEYS, TABLE, View};
use super::world::World;
use crate::presets::{self, Preset};
use crate::shown::shown;
use crate::text_file;

/// What a file says.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Document {
    /// The flock.
    pub parameters: Parameters,
    /// How it is first shown.
    pub view: View,
    /// What was set of the world over a preset, and whether it was scaled.
    pub world: World,
}

/// Reads a file.
///
/// # Errors
/// When the file cannot be read, or as [`parse`].
pub fn load(path: &Path) -> Result<Document, ConfigError> {
    parse(&read_text(path)?, &path.display().to_string())
}

/// The text of a file.
pub fn read_text(path: &Path) -> Result<String, ConfigError> {
    text_file::read(path).map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::InvalidData => "is not a text file".to_owned(),
            std::io::ErrorKind::IsADirectory => "is a directory, not a file".to_owned(),
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            std::io::ErrorKind::PermissionDenied => "no permission to read it".to_owned(),
            _ => error.to_string(),
        };
        ConfigError::new(format!("{}: {why}", path.display()))
    })
}

/// The tables of a text.
pub fn parse_toml<'a>(text: &'a str, origin: &str) -> Result<Spanned<DeTable<'a>>, ConfigError> {
    DeTable::parse(text).map_err(|error| {
        let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
        ConfigError::new(message).at(&line_of(origin, text, error.span().unwrap_or(0..0).start))
    })
}

/// The line of a text that a byte stands in, as `origin:line`.
pub fn line_of(origin: &str, text: &str, byte: usize) -> String {
    let before = text.get(..byte).unwrap_or(text);
    format!("{origin}:{}", before.matches('\n').count() + 1)
}

impl Preset {
    /// Its parameters.
    ///
    /// # Errors
    /// When the file built in is not valid; a test excludes that.
    pub fn parameters(&self) -> Result<Parameters, ConfigError> {
        Ok(self.document()?.parameters)
    }

    /// Its file.
    ///
    /// # Errors
    /// See [`Preset::parameters`].
    pub fn document(&self) -> Result<Document, ConfigError> {
        parse(self.text, &format!("presets/{}.toml", self.name))
    }
}

/// Reads a text; `origin` names it in errors. Over a preset the number of boids comes last, as
/// `--set flock.boids` does: where density is kept, the world changes its size with it, unless the text sets the world. A
/// text without a preset states the world of the boids that it states.
///
/// # Errors
/// For what is not TOML, an unknown table or key, a value that is not allowed, and values that do not go together:
/// one line that begins with `origin:line`.
pub fn parse(text: &str, origin: &str) -> Result<Document, ConfigError> {
    let place = |span: &Range<usize>| line_of(origin, text, span.start);
    let document = parse_toml(text, origin)?;

    let Document { mut parameters, mut view, mut world } = match document.get_ref().get("preset") {
        Some(value) => base(value).map_err(|error| error.at(&place(&value.span())))?,
        None => Document::default(),
    };
    let over_preset = document.get_ref().contains_key("preset");
    let mut boids = None;
    let mut lines = Vec::new();
    for (name, table) in in_order(document.get_ref()).filter(|(name, _)| *name.get_ref() != "preset") {
        let name_of_table = name.get_ref().as_ref();
        let known = name_of_table == TABLE || PARAMETERS.iter().any(|p| p.table == name_of_table);
        let fields = match table.get_ref().as_table() {
            Some(fields) if known => fields,
            Some(_) => return Err(unknown_table(name_of_table).at(&place(&name.span()))),
            None => return Err(outside_tables(name_of_table, known).at(&place(&name.span()))),
        };
        for (key, value) in in_order(fields) {
            let mut set = || {
                let written = text.get(value.span()).unwrap_or_default();
                if name_of_table == TABLE {
                    return view.set(key.get_ref(), value.get_ref(), written);
                }
                let parameter = known_key(name_of_table, key.get_ref())?;
                let name = format!("{}.{}", parameter.table, parameter.key);
                let value = convert(&name, parameter.kind, value.get_ref(), written)?;
                if over_preset {
                    world.note(&name);
                }
                lines.push((name, place(&key.span())));
                match value {
                    Value::Count(count) if over_preset && parameter.name == "flock.boids" => {
                        boids = Some(count);
                        Ok(())
                    }
                    _ => apply(parameter, &mut parameters, value),
                }
            };
            set().map_err(|error| error.at(&place(&key.span())))?;
        }
    }
    let line = |name: &str| {
        let line = lines.iter().find(|(known, _)| known == name);
        line.map_or(origin.to_owned(), |(_, place)| place.clone())
    };
    if let Some(boids) = boids {
        world.set_boids(&mut parameters, boids);
        check_ranges(&parameters).map_err(|error| error.at(&line("flock.boids")))?;
    }
    parameters.check().map_err(|refused| {
        let name = refused.name().unwrap_or_default();
        ConfigError::new(format!("{name}: must be {refused}")).at(&line(name))
    })?;
    Ok(Document { parameters, view, world })
}

/// The entries of a table in the order of the file, so that the first mistake is the one that is named.
pub fn in_order<'a, 'b>(
    table: &'a DeTable<'b>,
) -> impl Iterator<Item = (&'a Spanned<Cow<'b, str>>, &'a Spanned<DeValue<'b>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(name, _)| name.span().start);
    entries.into_iter()
}

/// Whether every parameter lies in its range: a world that changes its size with the flock may leave it.
///
/// # Errors
/// Names the first parameter that does not, its value and what is allowed.
pub fn check_ranges(parameters: &Parameters) -> Result<(), ConfigError> {
    for parameter in PARAMETERS {
        let value = parameter.get(parameters);
        parameter.kind.check(value).map_err(|refused| {
            ConfigError::new(format!("{} = {value}: allowed is {refused}", parameter.name))
        })?;
    }
    Ok(())
}

/// Sets a parameter to a value of its kind.
pub(super) fn apply(
    parameter: &Parameter,
    parameters: &mut Parameters,
    value: Value,
) -> Result<(), ConfigError> {
    parameter.set(parameters, value).map_err(|refused| {
        ConfigError::new(format!("{}.{}: allowed is {refused}", parameter.table, parameter.key))
    })
}

fn base(value: &Spanned<DeValue<'_>>) -> Result<Document, ConfigError> {
    match value.get_ref().as_str() {
        Some(name) => presets::find(name)?.document(),
        None => Err(ConfigError::new("preset: allowed is the name of a preset in quotes")),
    }
}

/// The parameter of this name; for an unknown one, the error hints at the nearest.
pub(super) fn known_key(table: &str, key: &str) -> Result<&'static Parameter, ConfigError> {
    let name = format!("{table}.{key}");
    if let Some(parameter) = flock::parameters::find(&name) {
        return Ok(parameter);
    }
    let siblings = || PARAMETERS.iter().filter(|p| p.table == table).map(|p| p.key);
    if table == TABLE {
        let hint = "a file says it; --look and --skip say it for one call".to_owned();
        return Err(ConfigError::new(format!("{}: no parameter of the flock", shown(&name))).hint(Some(hint)));
    }
    if siblings().next().is_none() {
        return Err(unknown_table(table));
    }
    // The hint is a key of this table that is spelt alike, else the same key in another table.
    let elsewhere = PARAMETERS.iter().find(|p| p.key == key);
    let near = match nearest(key, siblings()) {
        Some(near) => Some(format!("did you mean \"{table}.{near}\"?")),
        None => elsewhere.map(|p| format!("did you mean \"{}.{}\"?", p.table, p.key)),
    };
    let all: Vec<&str> = siblings().collect();
    Err(ConfigError::new(format!("{}: no such parameter: {table} has {}", shown(&name), all.join(", ")))
        .hint(near))
}

fn unknown_table(table: &str) -> ConfigError {
    let mut tables: Vec<&str> = PARAMETERS.iter().map(|p| p.table).collect();
    tables.dedup();
    tables.push(TABLE);
    let near = nearest(table, tables.iter().copied());
    ConfigError::new(format!("{}: no such table: there are {}", shown(table), tables.join(", ")))
        .hint(near.map(|near| format!("did you mean \"{near}\"?")))
}

fn outside_tables(name: &str, table: bool) -> ConfigError {
    if table {
        return ConfigError::new(format!("{name}: allowed is a table, [{name}]"));
    }
    let meant = PARAMETERS.iter().find(|p| p.key == name).map(|p| p.table);
    let meant = meant.or(KEYS.iter().any(|key| key.name == name).then_some(TABLE));
    ConfigError::new(format!("{}: only preset stands outside a table", shown(name)))
        .hint(meant.map(|table| format!("write it below [{table}]")))
}
