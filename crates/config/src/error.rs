//! Why a set of parameters was not taken.

use crate::shown::shown;

/// One line that names the place, the parameter, the value and what is allowed, and perhaps a hint.
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

    /// The error of a name below `prefix` that is none of these: `what` it should be, and who has them.
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

    /// What may help, where anything is known to.
    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }
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
