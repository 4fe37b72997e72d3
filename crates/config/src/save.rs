//! Writing a flock as a file that [`super::parse`] reads back to the same bits.

use flock::parameters::PARAMETERS;

use super::Document;
use super::view::{KEYS, TABLE};

/// All parameters and the view as TOML, each with what it means, its unit and its range.
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
    text += &format!("\n[{TABLE}]\n");
    for ((name, kind, help), value) in KEYS.into_iter().zip(view.values()) {
        text += &format!("# {help} ({kind})\n{name} = {value}\n");
    }
    text
}
