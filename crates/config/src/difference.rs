//! Differences between two flocks, and a flock with differences: exact, so that both have the same bits. Unlike settings
//! that a person types, they scale nothing.

use flock::Parameters;
use flock::formula::FormulaTerms;
use flock::parameters::PARAMETERS;

use crate::setting::Target;
use crate::{ConfigError, Document, Setting, check_ranges, terms};

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
        let parameters = &mut self.parameters;
        for text in differences {
            if text == NO_TERMS {
                parameters.terms = FormulaTerms::default();
                continue;
            }
            match Setting::parse(text)?.target {
                Target::Flock(parameter, value) => {
                    let set = parameter.set(parameters, value);
                    set.map_err(|why| ConfigError::must_be(parameter.name, why, &value.to_string()))?;
                }
                Target::TermParameter(name, numbers) => terms::set(&mut parameters.terms, &name, &numbers)?,
                Target::Term(name, table) => terms::add(&mut parameters.terms, &name, &table, "")?,
                Target::Terms(name) => {
                    return Err(ConfigError::new(format!("terms must be none, not {name}")));
                }
                Target::View(key, value) => (key.set)(&mut self.view, value),
                Target::ViewList(list) => self.view.set_list(list),
            }
        }
        check_ranges(parameters)?;
        parameters
            .check()
            .map_err(|why| ConfigError::new(format!("{} must be {why}", why.name().unwrap_or("parameters"))))
    }
}
