//! The assignment of one parameter, in a file or on the command line.

use std::path::Path;

use flock::Parameters;
use flock::parameters::{self, PARAMETERS, Parameter, Value, ValueKind};
use formula::Numbers;
use toml::de::DeValue;

use crate::shapes::{NAMES, SHAPES, ViewList};
use crate::value::{convert, shorten};
use crate::view::{Key, TABLE};
use crate::{ConfigError, Entry, TomlFile, error::nearest, presets, shown, terms, whole_number};

/// A valid assignment `table.key=value`.
#[derive(Clone, Debug)]
pub struct Setting {
    pub(crate) target: Target,
    /// `FILE:LINE` for a setting from a file; the option for a typed term; else empty.
    pub(crate) place: String,
}

/// The target of an assignment and its value.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Flock(&'static Parameter, Value),
    /// A key of the initial view, `view.KEY`.
    View(&'static Key, Value),
    /// A list of the initial view.
    ViewList(ViewList),
    /// A parameter of a user-defined term, `terms.TERM.KEY`, resolved once the terms are known.
    TermParameter(String, Numbers),
    /// A user-defined term, `terms.TERM`, and its table in TOML.
    Term(String, String),
    /// All terms of another flock: a name in the gallery, else a path.
    Terms(String),
}

impl Setting {
    /// Reads `table.key=value`. The value is TOML; a bare word stands for a string, and a whole number is also read
    /// from `1e6`, `100k` and `0.5M`, but not from `1.000`.
    ///
    /// # Errors
    /// See [`parse`](crate::parse): the same as for a line of a file.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let incomplete = |hint| ConfigError::must_be("a setting", "table.key=value", &shown(text)).hint(hint);
        let (name, written) = text.split_once('=').ok_or_else(|| incomplete(None))?;
        // Other white space than that of TOML belongs to the value.
        let (name, written) = (name.trim(), written.trim_ascii());
        if written.starts_with('\u{feff}') {
            let why = "must not begin with a byte order mark";
            return Err(ConfigError::new(format!("{name} = {}: {why}", shorten(written))));
        }
        let (table, key) = name.split_once('.').ok_or_else(|| {
            let meant = PARAMETERS.iter().find(|p| p.key == name);
            incomplete(meant.map(|p| format!("did you mean '{}'?", p.name)))
        })?;
        if table == terms::TABLE {
            let place = "--set".to_owned();
            return Ok(Setting { target: term_target(name, written)?, place });
        }
        if name == SHAPES || name == NAMES {
            let line = format!("{key} = {written}");
            let no_list = || ConfigError::must_be(name, "a list in TOML", &shorten(written));
            let file = TomlFile::parse(&line, "").map_err(|_| no_list())?;
            // More lines would be other keys.
            return match &file.entries()[..] {
                [entry] => Setting::read(table, entry),
                _ => Err(no_list()),
            };
        }
        let (kind, target) = known(table, key)?;
        let counts = matches!(kind, ValueKind::Count { .. });
        let digits = whole_number(written).filter(|_| counts).map(|number| number.to_string());
        let bare = written.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        let value = match DeValue::parse(digits.as_deref().unwrap_or(written)) {
            Ok(parsed) => parsed.into_inner(),
            Err(_) if bare || counts => DeValue::String(written.into()),
            Err(error) => {
                let why = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
                return Err(ConfigError::must_be(name, kind, &format!("{} ({why})", shorten(written))));
            }
        };
        Ok(Setting { target: target(convert(name, kind, &value, written)?), place: String::new() })
    }

    /// A setting that adds the terms of another flock (`NAME` or `FILE.toml`), or one term, `NAME={ request = '…' }`.
    ///
    /// # Errors
    /// For an unknown name; see also [`Setting::parse`].
    pub fn terms(text: &str) -> Result<Self, ConfigError> {
        let name = match text {
            file if file.ends_with(".toml") => file,
            term if term.contains('=') => {
                let setting = Setting::parse(&format!("{}.{term}", terms::TABLE))?;
                return Ok(Setting { place: "--term".to_owned(), ..setting });
            }
            name => presets::find(name)?.name,
        };
        Ok(Setting { target: Target::Terms(name.to_owned()), place: String::new() })
    }

    /// The file whose terms the setting adds, if any.
    pub fn file(&self) -> Option<&Path> {
        match &self.target {
            Target::Terms(name) if name.ends_with(".toml") => Some(Path::new(name)),
            _ => None,
        }
    }

    /// Reads a line of a table in a file.
    pub(crate) fn read(table: &str, entry: &Entry<'_>) -> Result<Self, ConfigError> {
        if let Some(list) = ViewList::read(&entry.clone().below(table)) {
            return Ok(Setting { target: Target::ViewList(list?), place: entry.place() });
        }
        let (kind, target) = entry.locate(known(table, &entry.name))?;
        let value = entry.convert(&format!("{table}.{}", entry.name), kind)?;
        Ok(Setting { target: target(value), place: entry.place() })
    }

    /// The name of the parameter, `table.key`.
    pub fn name(&self) -> &str {
        match &self.target {
            Target::Flock(parameter, _) => parameter.name,
            Target::View(key, _) => key.name,
            Target::ViewList(list) => list.name(),
            Target::TermParameter(name, _) | Target::Term(name, _) => name,
            Target::Terms(_) => terms::TABLE,
        }
    }

    /// The name in words, and the value that a flock has there: for two flocks side by side.
    pub fn shown_in(&self, parameters: &Parameters) -> [String; 2] {
        let name = self.name();
        let of_rule = parameters::find(name).map(|parameter| parameter.get(parameters).to_string());
        let of_term = parameters.terms.get(name).map(|number| number.to_string());
        let value = of_rule.or(of_term).unwrap_or_else(|| "none".to_owned());
        [name.trim_start_matches("terms.").replace(['.', '_'], " "), value]
    }

    /// The value as written in a file.
    pub fn text(&self) -> String {
        match &self.target {
            Target::Flock(_, value) | Target::View(_, value) => value.to_string(),
            Target::ViewList(list) => list.to_string(),
            Target::TermParameter(_, numbers) => numbers.to_string(),
            Target::Term(_, text) | Target::Terms(text) => text.clone(),
        }
    }

    /// The number of boids, if this setting sets it.
    pub fn boids(&self) -> Option<u32> {
        match self.target {
            Target::Flock(parameter, Value::Count(boids)) if parameter.name == "flock.boids" => Some(boids),
            _ => None,
        }
    }
}

/// The kind of value of a parameter, `table.key`, `terms.TERM.KEY` or `terms.TERM.sums.SUM.KEY`; `None` if the parameter is unknown.
pub fn kind(name: &str) -> Option<ValueKind> {
    let of_term = name.starts_with("terms.") && [2, 4].contains(&name.matches('.').count());
    parameters::find(name).map(|parameter| parameter.kind).or(of_term.then_some(terms::NUMBER))
}

/// The target of `terms.TERM.KEY=number`, of the same with a table of numbers, and of `terms.TERM={ … }`.
fn term_target(name: &str, written: &str) -> Result<Target, ConfigError> {
    if name.matches('.').count() < 2 {
        return Ok(Target::Term(name.to_owned(), written.to_owned()));
    }
    if let Some((_, key @ ("each" | "request" | "help"))) = name.rsplit_once('.') {
        let term = name.splitn(3, '.').take(2).collect::<Vec<_>>().join(".");
        let why = ConfigError::new(format!("{name} can only be set with its whole term"));
        return Err(why.hint(Some(format!("write {term}={{ {key} = '…' }}, with all its parameters"))));
    }
    let value = DeValue::parse(written).map(toml::Spanned::into_inner);
    let value = value.unwrap_or_else(|_| DeValue::String(written.into()));
    // The range is that of the parameter, which is checked once the terms are known.
    Ok(Target::TermParameter(name.to_owned(), terms::numbers(name, None, &value, written)?))
}

/// The kind of value that a key takes, and the target for a value.
type KnownKey = (ValueKind, Box<dyn Fn(Value) -> Target>);

fn known(table: &str, key: &str) -> Result<KnownKey, ConfigError> {
    if table == TABLE {
        let key = Key::find(key)?;
        return Ok((key.kind, Box::new(move |value| Target::View(key, value))));
    }
    let parameter = known_key(table, key)?;
    Ok((parameter.kind, Box::new(move |value| Target::Flock(parameter, value))))
}

/// The parameter of this name. The error for an unknown name hints at the nearest one.
fn known_key(table: &str, key: &str) -> Result<&'static Parameter, ConfigError> {
    let name = format!("{table}.{key}");
    if let Some(parameter) = parameters::find(&name) {
        return Ok(parameter);
    }
    let siblings: Vec<&str> = PARAMETERS.iter().filter(|p| p.table == table).map(|p| p.key).collect();
    if siblings.is_empty() {
        return Err(unknown_table(table));
    }
    // The hint is a key of this table that is spelt alike, else the same key in another table.
    let elsewhere = PARAMETERS.iter().find(|p| p.key == key).filter(|_| nearest(key, &siblings).is_none());
    let hint = elsewhere.map(|p| format!("did you mean '{}'?", p.name));
    Err(ConfigError::unknown(&format!("{table}."), key, "parameter", &siblings).hint(hint))
}

pub(crate) fn unknown_table(table: &str) -> ConfigError {
    let mut tables: Vec<&str> = PARAMETERS.iter().map(|p| p.table).collect();
    tables.dedup();
    tables.extend([TABLE, terms::TABLE]);
    ConfigError::unknown("", table, "table", &tables)
}
