//! The table `[terms]`: terms of one's own, a table each, and back into a file.

use flock::formula::{OwnParameter, OwnTerms};
use flock::parameters::{Value, ValueKind};
use formula::names::{Part, reserved};
use formula::units::Unit;
use formula::{ParameterText, Place, TermError, TermText};
use serde_json::{Map, json};

use crate::error::nearest;
use crate::shown::shown;
use crate::toml_file::Entry;
use crate::value::convert;
use crate::{ConfigError, Setting};

/// The name of the table.
pub(crate) const TABLE: &str = "terms";

/// The keys of a term that are no parameters.
const KEYS: [&str; 3] = ["help", "each", "request"];

/// The greatest magnitude of a parameter of a term.
const FAR: f64 = 1e6;

/// Reads the table.
pub(crate) fn read(table: &Entry<'_>) -> Result<OwnTerms, ConfigError> {
    let none = || table.refused("tables, [terms.NAME]");
    let entries = table.table().ok_or_else(none)?;
    let mut texts = Vec::new();
    for entry in &entries {
        texts.push(term(entry)?);
    }
    let set = formula::compile(&texts).map_err(|error| place(&entries, &texts, &error))?;
    Ok(OwnTerms::new(set))
}

fn term(entry: &Entry<'_>) -> Result<TermText, ConfigError> {
    let name = &entry.name;
    let taken = "a name of a to z, 0 to 9 and _ that formulas do not know already";
    if reserved(name) {
        return Err(entry.error(format!("terms.{}: allowed is {taken}", shown(name))));
    }
    let fields = entry.table().ok_or_else(|| entry.error(format!("terms.{name}: allowed is a table")))?;
    let mut text = TermText {
        name: name.clone(),
        help: String::new(),
        parameters: Vec::new(),
        each: None,
        request: String::new(),
    };
    for field in fields {
        let word =
            |field: &Entry<'_>| field.clone().below(&format!("terms.{name}")).word().map(str::to_owned);
        match field.name.as_str() {
            "help" => text.help = word(&field)?.split_whitespace().collect::<Vec<_>>().join(" "),
            "each" => text.each = Some(word(&field)?),
            "request" => text.request = word(&field)?,
            key if reserved(key) => {
                return Err(field.error(format!("terms.{name}.{}: allowed is {taken}", shown(key))));
            }
            _ => text.parameters.push(parameter(&field.below(&format!("terms.{name}")))?),
        }
    }
    Ok(text)
}

/// `{ default, range, unit }`; a number alone is a pure one of any size.
fn parameter(entry: &Entry<'_>) -> Result<ParameterText, ConfigError> {
    let key = entry.name.rsplit('.').next().unwrap_or_default().to_owned();
    let (kind, far) = (ValueKind::Real { min: -FAR, max: FAR }, [-FAR, FAR]);
    let Some(fields) = entry.table() else {
        let Value::Real(default) = entry.convert(&entry.name, kind)? else {
            return Err(entry.refused(kind));
        };
        return Ok(ParameterText { key, unit: String::new(), default, range: far });
    };
    let (mut default, mut range, mut unit) = (None, far, String::new());
    for field in fields {
        let field = field.below(&entry.name);
        let real = |entry: &Entry<'_>| match entry.convert(&entry.name, kind)? {
            Value::Real(number) => Ok(number),
            _ => Err(entry.refused(kind)),
        };
        match field.name.rsplit('.').next().unwrap_or_default() {
            "default" => default = Some(real(&field)?),
            "range" => {
                let ends = field.array().unwrap_or_default();
                let ends = ends.iter().map(real).collect::<Result<Vec<_>, _>>()?;
                range = match ends[..] {
                    [low, high] if low <= high => [low, high],
                    _ => return Err(field.refused("[least, greatest]")),
                };
            }
            "unit" => {
                unit = field.word()?.to_owned();
                if Unit::parse(&unit).is_none() {
                    return Err(field.refused("powers of len and t, as in \"len/t\", \"1/t\" and \"len^2\""));
                }
            }
            other => {
                let keys = ["default", "range", "unit"];
                let name = &entry.name;
                return field.locate(Err(ConfigError::unknown(
                    &format!("{name}."),
                    other,
                    "key: there are",
                    &keys,
                )));
            }
        }
    }
    let default = default.ok_or_else(|| entry.error(format!("{}: it needs a default", entry.name)))?;
    if !(range[0]..=range[1]).contains(&default) {
        let [low, high] = range;
        return Err(entry.error(format!("{} = {default:?}: allowed is {low:?} to {high:?}", entry.name)));
    }
    Ok(ParameterText { key, unit, default, range })
}

/// An error in a term, where it stands in the file: line, and for a formula its column there.
fn place(entries: &[Entry<'_>], texts: &[TermText], error: &TermError) -> ConfigError {
    let (entry, text) = (&entries[error.term], &texts[error.term]);
    let key = match &error.place {
        Place::Formula(Part::Each) => "each",
        Place::Formula(Part::Request) => "request",
        Place::Parameter(key) => key,
        Place::Term => "",
    };
    let field = entry.table().unwrap_or_default().into_iter().find(|field| field.name == key);
    let formula = match error.place {
        Place::Formula(Part::Each) => text.each.as_deref(),
        Place::Formula(Part::Request) => Some(text.request.as_str()),
        _ => None,
    };
    let dot = if key.is_empty() { "" } else { "." };
    let name = format!("terms.{}{dot}{key}", text.name);
    let problem = format!("{name}: {}", error.error);
    let at = match (formula, &field) {
        (Some(formula), Some(field)) => field.place_within(error.error.place(formula)),
        (_, Some(field)) => field.place(),
        (_, None) => entry.place(),
    };
    ConfigError::new(problem).at(&at).hint(error.error.hint.clone())
}

/// The parameter of a term of this name, `terms.TERM.KEY`.
pub(crate) fn find(terms: &OwnTerms, name: &str) -> Result<&'static OwnParameter, ConfigError> {
    let names: Vec<&str> = terms.parameters().map(|(parameter, _)| parameter.name).collect();
    terms
        .parameters()
        .find(|(parameter, _)| parameter.name == name)
        .map(|(parameter, _)| parameter)
        .ok_or_else(|| {
            let there = if names.is_empty() {
                "the flock has no terms of its own".to_owned()
            } else {
                names.join(", ")
            };
            ConfigError::new(format!("{}: no such parameter: {there}", shown(name)))
                .hint(nearest(name, &names).map(|near| format!("did you mean \"{near}\"?")))
        })
}

/// Sets a parameter of a term.
pub(crate) fn set(terms: &mut OwnTerms, setting: &Setting, name: &str) -> Result<(), ConfigError> {
    let parameter = find(terms, name)?;
    let allowed = |refused| ConfigError::new(format!("{name} = {}: allowed is {refused}", setting.text()));
    let Value::Real(value) = setting.value else { return Err(allowed(parameter.kind().to_string())) };
    terms.set(name, value).map(|_| ()).map_err(|refused| allowed(refused.to_string()))
}

/// The number of a setting.
pub(crate) fn number(name: &str, value: &toml::de::DeValue<'_>, text: &str) -> Result<Value, ConfigError> {
    convert(name, ValueKind::Real { min: -FAR, max: FAR }, value, text)
}

/// The terms as TOML.
pub(crate) fn save(terms: &OwnTerms) -> String {
    let mut text = String::new();
    let quoted = |written: &str| toml::Value::String(written.to_owned()).to_string();
    for term in terms.terms() {
        text += &format!("\n[{TABLE}.{}]\n", term.name);
        if !term.help.is_empty() {
            text += &format!("help = {}\n", quoted(term.help));
        }
        for (parameter, value) in terms.parameters().filter(|(parameter, _)| parameter.term == term.name) {
            let OwnParameter { key, unit, range: [low, high], .. } = parameter;
            text += &format!(
                "{key} = {{ default = {value:?}, range = [{low:?}, {high:?}], unit = {} }}\n",
                quoted(unit)
            );
        }
        if let Some(each) = &term.each {
            text += &format!("each = {}\n", quoted(each.formula.text));
        }
        text += &format!("request = {}\n", quoted(term.request.text));
    }
    text
}

/// The terms with their formulas and the values of their parameters.
pub(crate) fn to_json(terms: &OwnTerms) -> serde_json::Value {
    let mut all = Map::new();
    for term in terms.terms() {
        let mut fields = Map::new();
        for (parameter, value) in terms.parameters().filter(|(parameter, _)| parameter.term == term.name) {
            fields.insert(parameter.key.to_owned(), json!(value));
        }
        if let Some(each) = &term.each {
            fields.insert(KEYS[1].to_owned(), json!(each.formula.text));
        }
        fields.insert(KEYS[2].to_owned(), json!(term.request.text));
        all.insert(term.name.to_owned(), fields.into());
    }
    all.into()
}
