//! Writing a flock as JSON for reports, as a file that [`super::parse`] reads back to the same bits, and as its
//! differences from another flock: exact, so that both have the same bits. Unlike settings that a person types,
//! differences scale nothing.

use flock::Parameters;
use flock::formula::FormulaTerms;
use flock::parameters::{PARAMETERS, Value};
use serde_json::{Map, json};

use super::view::{KEYS, TABLE, short};
use super::world::scales;
use super::{ConfigError, Document, Setting, check_ranges, parse, presets, terms};

/// All parameters and the view as TOML, each with a comment that gives its meaning, unit and range. A key of the view
/// that is not set is a comment, too.
///
/// A flock of a preset names it, so that a reader of the file knows it. The parameters that the preset scales to this
/// number of boids are comments then: as keys, they would be a world that was set, which no longer scales.
pub fn save(document: &Document) -> String {
    let preset = document.preset.and_then(|name| presets::find(name).ok()?.document().ok());
    if let Some(preset) = preset {
        let text = text_over(document, Some(preset));
        // Keys that a file lacks come from its preset: a flock without the preset's terms cannot name it.
        if parse(&text, "").is_ok_and(|read| read.parameters == document.parameters) {
            return text;
        }
    }
    text_over(document, None)
}

/// The parameters of a preset's flock with the number of boids, the dimensions and the density of another one.
fn scaled(preset: Document, like: &Parameters) -> Parameters {
    let Document { mut parameters, mut world, .. } = preset;
    (parameters.flock.density, parameters.flock.dimensions) = (like.flock.density, like.flock.dimensions);
    world.set_boids(&mut parameters, like.flock.boids);
    parameters
}

/// The text over a preset, or of a file that states a whole flock.
fn text_over(document: &Document, preset: Option<Document>) -> String {
    let Document { parameters, view, .. } = document;
    let mut text = String::from("# A flock, for `murmuration --config FILE`.\n");
    if let Some(name) = preset.and_then(|preset| preset.preset) {
        text += &format!("\npreset = \"{name}\"\n");
    }
    let scaled = preset.map(|preset| scaled(preset, parameters));
    let mut table = "";
    for parameter in PARAMETERS {
        if parameter.table != table {
            table = parameter.table;
            text += &format!("\n[{table}]\n");
        }
        let unit = if parameter.unit.is_empty() { String::new() } else { format!("{}: ", parameter.unit) };
        text += &format!("# {} ({unit}{})\n", parameter.help, parameter.kind);
        let value = parameter.get(parameters).to_string();
        let usual = scaled.filter(|_| scales(parameter.name)).map(|scaled| parameter.get(&scaled));
        if usual.is_some_and(|usual| usual.to_string() == value) {
            text += &format!("# {} = {value}, from the preset for this number of boids\n", parameter.key);
        } else {
            text += &format!("{} = {value}\n", parameter.key);
        }
    }
    text += &terms::save(&parameters.terms);
    text += &format!("\n[{TABLE}]\n");
    for key in &KEYS {
        let value = (key.get)(view)
            .map_or(format!("# {} =", key.short()), |value| format!("{} = {value}", key.short()));
        text += &format!("# {} ({})\n{value}\n", key.help, key.kind);
    }
    for list in view.lists() {
        if !list.is_empty() {
            text += &format!("{} = {list}\n", short(list.name()));
        }
    }
    text
}

/// All parameters: one object per table, with its keys; if there are terms, `terms` has one object per term.
pub fn to_json(parameters: &Parameters) -> serde_json::Value {
    let mut tables = Map::new();
    for parameter in PARAMETERS {
        let table = tables.entry(parameter.table).or_insert_with(|| json!({}));
        table[parameter.key] = value(parameter.get(parameters));
    }
    if !parameters.terms.terms().is_empty() {
        tables.insert(terms::TABLE.to_owned(), terms::to_json(&parameters.terms));
    }
    tables.into()
}

fn value(value: Value) -> serde_json::Value {
    match value {
        Value::Real(number) => json!(number),
        Value::Count(number) => json!(number),
        Value::Flag(on) => json!(on),
        Value::Choice(word) => json!(word),
        Value::Vector(components) => json!(components),
        Value::Shares(shares) => json!(shares.as_slice()),
        Value::Spheres(spheres) => {
            let sphere =
                |s: &flock::parameters::Sphere| json!({ "position": s.position, "radius": s.radius });
            spheres.as_slice().iter().map(sphere).collect()
        }
    }
}

/// The difference that removes all terms.
const NO_TERMS: &str = "terms=none";

/// The differences that turn `from` into `to`, each as `table.key=value`.
pub fn differences(from: &Parameters, to: &Parameters) -> Vec<String> {
    let mut differences = Vec::new();
    for parameter in PARAMETERS {
        let value = parameter.get(to);
        if value != parameter.get(from) {
            differences.push(format!("{}={value}", parameter.name));
        }
    }
    let mut base = from.terms;
    let names = |terms: &FormulaTerms| terms.terms().iter().map(|term| term.name).collect::<Vec<_>>();
    if names(&base) != names(&to.terms) && !base.terms().is_empty() {
        // A setting replaces a term or adds one: others come first.
        differences.push(NO_TERMS.to_owned());
        base = FormulaTerms::default();
    }
    differences.extend(terms::term_settings(&base, &to.terms));
    differences
}

impl Document {
    /// Applies differences.
    ///
    /// # Errors
    /// For an unknown name, a value out of range, and values that contradict each other.
    pub fn apply(&mut self, differences: &[String]) -> Result<(), ConfigError> {
        for text in differences {
            if text == NO_TERMS {
                self.parameters.terms = FormulaTerms::default();
            } else {
                self.assign(&Setting::parse(text)?.target, "")?;
            }
        }
        let parameters = &self.parameters;
        check_ranges(parameters)?;
        parameters
            .check()
            .map_err(|why| ConfigError::new(format!("{} must be {why}", why.name().unwrap_or("parameters"))))
    }
}
