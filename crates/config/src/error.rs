//! The error of parameters that are refused.

use std::fmt::Display;

use crate::shown::shown;

/// One line that names the place, the parameter, the value and what it must be; optionally a hint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConfigError {
    message: String,
    hint: Option<String>,
}

impl ConfigError {
    pub fn new(message: impl Into<String>) -> Self {
        ConfigError { message: message.into(), hint: None }
    }

    /// The error for a value that its key does not accept.
    pub fn must_be(name: &str, required: impl Display, given: &str) -> Self {
        let given = if given.is_empty() { "empty" } else { given };
        ConfigError::new(format!("{name} must be {required}, not {given}"))
    }

    /// The error for an unknown name below `prefix`, which should be a `what`; `names` are the known names.
    pub fn unknown(prefix: &str, name: &str, what: &str, names: &[&str]) -> Self {
        let shown = shown(&format!("{prefix}{name}"));
        ConfigError::new(format!("unknown {what} '{shown}', expected one of {}", names.join(", ")))
            .hint(nearest(name, names).map(|near| format!("did you mean '{prefix}{near}'?")))
    }

    pub fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
        self
    }

    /// The same error, with the option instead of the parameter that it sets.
    pub fn of_option(mut self, option: &str, parameter: &str) -> Self {
        self.message = self.message.replacen(parameter, option, 1);
        self
    }

    /// The same error with its place in front, if it has one.
    pub fn at(mut self, place: &str) -> Self {
        if !place.is_empty() {
            self.message = format!("{place}: {}", self.message);
        }
        self
    }

    /// The hint, if there is one.
    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

/// True if a word may be a slip for another one, or the beginning of it: no more than a third of the letters differ.
pub fn alike(typed: &str, meant: &str) -> bool {
    let letters = typed.chars().count().max(meant.chars().count());
    let begins = typed.len() > 2 && meant.starts_with(typed);
    begins || strsim::osa_distance(typed, meant) <= (letters / 3).max(1)
}

/// The name most similar to the one given, if any is similar enough.
pub(crate) fn nearest<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase();
    let (mut best, mut found) = (0.75, None);
    for candidate in names {
        let likeness = strsim::jaro_winkler(&name, candidate);
        if likeness >= best {
            (best, found) = (likeness, Some(*candidate));
        }
    }
    found
}
