//! `terms`: lists the terms of the gallery, and checks those of a file.

use std::path::Path;

use config::presets::{self, GALLERY};
use config::{ConfigError, each_key};
use files::Result;
use flock::Fixed;
use flock::formula::{Formula, FormulaParameter, FormulaTerms};

/// Lists the terms of the gallery: one line each, with the flock, the term and its description.
pub(super) fn list(json: bool) -> Result {
    let mut all = Vec::new();
    for preset in GALLERY {
        let terms = preset.parameters()?.terms;
        all.extend(terms.terms().iter().map(|term| [preset.name, term.name, term.help]));
    }
    super::print_list(["flock", "name", "help"], &all, json)
}

/// The terms of a flock that is known by name, as in a file.
pub(super) fn show(name: &str) -> Result {
    let preset = presets::find(name)?;
    super::print(config::saved_terms(&some(name, preset.parameters()?.terms)?).trim_start())
}

/// Checks the terms of a file.
pub(super) fn check(file: &Path) -> Result {
    let parameters = config::load(file)?.parameters;
    let terms = some(&file.display().to_string(), parameters.terms)?;
    let mut text = String::new();
    for term in terms.terms() {
        text += &format!("{}: {}\n", term.name, if term.help.is_empty() { "no help" } else { term.help });
        let of_term = terms.grouped().filter(|(all, _)| all[0].term == term.name);
        text.extend(of_term.map(|(all, values)| parameter_line(&all[0], values)));
        for each in term.sums {
            text += &formula(&each_key(each.name), &each.formula, "per neighbour");
        }
        text += &formula("request", &term.request, "per boid, len/t");
    }
    // Ids and neighbours are as many as the flock has: a larger one may have no room.
    let boids = parameters.flock.boids;
    let fits = engine::rule::<Fixed>(&parameters, boids as usize);
    text += &match fits {
        Ok(_) => format!("fixed: can be used with {boids} boids\n"),
        Err(why) => format!("fixed: {why}\n"),
    };
    super::print(&text)
}

fn some(name: &str, terms: FormulaTerms) -> Result<FormulaTerms, ConfigError> {
    if terms.terms().is_empty() {
        return Err(ConfigError::new(format!("{name}: no custom terms; each is a table [terms.NAME]")));
    }
    Ok(terms)
}

fn parameter_line(parameter: &FormulaParameter, values: &[f64]) -> String {
    let (key, [low, high]) = (parameter.key, parameter.range);
    let value = match parameter.side {
        0 => values.first().map(|value| format!("{value:?}")).unwrap_or_default(),
        side => format!("a table of {side} x {side}"),
    };
    let unit = if parameter.unit.is_empty() { String::new() } else { format!(" {}", parameter.unit) };
    format!("  {key}: {value}{unit}, {low:?} to {high:?}\n")
}

fn formula(key: &str, formula: &Formula, of: &str) -> String {
    let count = formula.nodes.len();
    format!("  {key}: {count} operation{} {of}\n", if count == 1 { "" } else { "s" })
}
