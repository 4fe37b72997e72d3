//! What the readers of options share.

use crate::error::{Error, Result};

/// Refuses a word that a command does not take.
pub fn refused<T>(command: &str, takes: &str, word: &str) -> Result<T> {
    Err(Error::Usage(format!("{command} takes {takes}, not `{word}`")))
}

/// The value of an option, where `read` understands it.
pub fn value<T>(
    option: &str,
    takes: &str,
    given: Option<&&str>,
    read: impl Fn(&str) -> Option<T>,
) -> Result<T> {
    let wrong = || Error::Usage(format!("{option} takes {takes}, not {}", given.unwrap_or(&"nothing")));
    given.and_then(|word| read(word)).ok_or_else(wrong)
}

/// A whole number above 0.
pub fn count(option: &str, given: Option<&&str>) -> Result<u32> {
    value(option, "a whole number above 0", given, |word| word.parse().ok().filter(|count| *count > 0))
}
