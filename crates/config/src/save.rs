//! Writing a flock as JSON for reports, and as a file that [`super::parse`] reads back to the same bits.

use flock::Parameters;
use flock::parameters::{PARAMETERS, Value};
use serde_json::{Map, json};

use super::view::{KEYS, TABLE};
use super::{Document, terms};

/// All parameters and the view as TOML, each with a comment that gives its meaning, unit and range. A key of the view
/// that is not set is a comment, too.
pub fn save(document: &Document) -> String {
    let Document { parameters, view, .. } = document;
    let mut text = String::from("# A flock, for `murmuration --config FILE`.\n");
    let mut table = "";
    for parameter in PARAMETERS {
        if parameter.table != table {
            table = parameter.table;
            text += &format!("\n[{table}]\n");
        }
        let unit = if parameter.unit.is_empty() { String::new() } else { format!("{}: ", parameter.unit) };
        text += &format!("# {} ({unit}{})\n", parameter.help, parameter.kind);
        text += &format!("{} = {}\n", parameter.key, parameter.get(parameters));
    }
    text += &terms::save(&parameters.terms);
    text += &format!("\n[{TABLE}]\n");
    for key in &KEYS {
        let value = (key.get)(view)
            .map_or(format!("# {} =", key.short()), |value| format!("{} = {value}", key.short()));
        text += &format!("# {} ({})\n{value}\n", key.help, key.kind);
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
