//! The error of parameters that are refused, and the texts in it: escaped and shortened, so that a file or an option brings
//! no terminal control sequence into it.

use std::fmt::Display;

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

/// Maximum number of characters of a key, a name or a value.
const MAX: usize = 60;

/// A key, a name or a value with control characters escaped, cut after 60 characters.
pub fn shown(text: &str) -> String {
    let mut shown = String::new();
    let mut length = 0;
    for c in text.chars() {
        let escaped = escaped_character(c);
        length += escaped.chars().count();
        if length > MAX {
            shown.push('…');
            break;
        }
        shown.push_str(&escaped);
    }
    shown
}

/// A whole message with control characters escaped.
pub fn escaped(text: &str) -> String {
    text.chars().map(escaped_character).collect()
}

/// Escapes a control character or an invisible one, as `\u{1b}`.
fn escaped_character(c: char) -> String {
    if c.is_control() || invisible(c) { c.escape_default().collect() } else { c.into() }
}

/// True for Unicode's categories Cf, Zl and Zp (line separators, direction marks, zero-width characters), for spaces
/// other than the common one, for blank letters and for noncharacters.
fn invisible(c: char) -> bool {
    matches!(c,
        '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}'
        | '\u{8e2}' | '\u{115f}'..='\u{1160}' | '\u{1680}' | '\u{180e}' | '\u{2000}'..='\u{200f}'
        | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}' | '\u{3000}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{110bd}'
        | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{fffe}'..='\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_nothing_else() {
        assert_eq!(shown("\u{1b}[31mred\u{7}\n\u{9b}"), "\\u{1b}[31mred\\u{7}\\n\\u{9b}");
        assert_eq!(shown("\"é\\\" = '鳥'"), "\"é\\\" = '鳥'");
        assert_eq!(escaped("a\u{202e}b\0"), "a\\u{202e}b\\u{0}");
        assert_eq!(escaped("ste\u{200b}ps\u{2060}\u{feff}\u{ad}"), "ste\\u{200b}ps\\u{2060}\\u{feff}\\u{ad}");
        assert_eq!(escaped("1\u{a0}000\u{202f}000"), "1\\u{a0}000\\u{202f}000");
        assert_eq!(escaped("\u{fffd}\u{fffe}\u{ffff}"), "\u{fffd}\\u{fffe}\\u{ffff}");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shown(&"é".repeat(60)), "é".repeat(60));
        assert_eq!(shown(&"é".repeat(61)), format!("{}…", "é".repeat(60)));
        assert_eq!(shown(&"\u{1b}".repeat(1000)), format!("{}…", "\\u{1b}".repeat(10)));
    }
}
