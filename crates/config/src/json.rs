//! Parameters as JSON, for reports.

use flock::Parameters;
use flock::parameters::{PARAMETERS, Value};
use serde_json::{Map, json};

/// All parameters: an object of tables, each an object of its keys.
pub fn to_json(parameters: &Parameters) -> serde_json::Value {
    let mut tables = Map::new();
    for parameter in PARAMETERS {
        let table = tables.entry(parameter.table).or_insert_with(|| json!({}));
        table[parameter.key] = value(parameter.get(parameters));
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
        Value::Spheres(spheres) => {
            let sphere =
                |s: &flock::parameters::Sphere| json!({ "position": s.position, "radius": s.radius });
            spheres.as_slice().iter().map(sphere).collect()
        }
    }
}
