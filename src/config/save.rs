//! Writing parameters as a file that [`super::parse`] reads back to the same bits.

use std::fmt::Write as _;

use flock::Parameters;
use flock::parameters::PARAMETERS;

/// All parameters as TOML, each with what it means, its unit and its range.
#[must_use]
pub fn save(parameters: &Parameters) -> String {
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
    text
}

fn push(text: &mut String, what: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = text.write_fmt(what);
}
