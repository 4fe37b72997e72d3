//! The error of parameters that are refused.

use crate::shown::shown;

/// One line that names the place, the parameter, the value and the allowed values; optionally a hint.
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

    /// The error for an unknown name below `prefix`. `what` says what the name should be; `names` are the known names.
    pub fn unknown(prefix: &str, name: &str, what: &str, names: &[&str]) -> Self {
        let shown = shown(&format!("{prefix}{name}"));
        ConfigError::new(format!("{shown}: no such {what} {}", names.join(", ")))
            .hint(nearest(name, names).map(|near| format!("did you mean \"{prefix}{near}\"?")))
    }

    pub fn hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
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
    names
        .iter()
        .map(|candidate| (strsim::jaro_winkler(&name, candidate), *candidate))
        .filter(|(likeness, _)| *likeness >= 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
