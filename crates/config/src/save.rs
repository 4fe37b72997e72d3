//! Writing a flock as a file that [`super::parse`] reads back to the same bits.

use std::fmt::Write as _;

use flock::parameters::PARAMETERS;

use super::read::Document;
use super::view::{KEYS, TABLE};

/// All parameters and the view as TOML, each with what it means, its unit and its range.
#[must_use]
pub fn save(document: &Document) -> String {
    let Document { parameters, view, .. } = document;
    let mut text = String::from("# A flock, for `murmuration --config FILE`.\n");
    let mut table = "";
    for parameter in PARAMETERS {
        if parameter.table != table {
            table = parameter.table;
            push(&mut text, format_args!("\n[{table}]\n"));
        }
        let unit = match parameter.unit {
            "" => String::new(),
            unit => format!("{unit}: "),
        };
        push(&mut text, format_args!("# {} ({unit}{})\n", parameter.help, parameter.kind));
        push(&mut text, format_args!("{} = {}\n", parameter.key, parameter.get(parameters)));
    }
    push(&mut text, format_args!("\n[{TABLE}]\n"));
    for key in KEYS {
        push(&mut text, format_args!("# {} ({})\n{} = {}\n", key.help, key.kind, key.name, (key.get)(view)));
    }
    text
}

fn push(text: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(what);
}
