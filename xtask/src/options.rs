//! Shared parsers of options.

use crate::compiler;
use crate::shell::{Error, Result};

/// Refuses a word that a command does not take.
pub fn refused<T>(command: &str, takes: &str, word: &str) -> Result<T> {
    Err(Error::Usage(format!("unexpected argument `{word}`; {command} accepts {takes}")))
}

/// The value of an option, where `read` understands it.
pub fn value<T>(
    option: &str,
    takes: &str,
    given: Option<&&str>,
    read: impl Fn(&str) -> Option<T>,
) -> Result<T> {
    let wrong = || Error::Usage(format!("{option} must be {takes}, not {}", given.unwrap_or(&"nothing")));
    given.and_then(|word| read(word)).ok_or_else(wrong)
}

/// A whole number above 0.
pub fn count(option: &str, given: Option<&&str>) -> Result<u32> {
    value(option, "a whole number above 0", given, |word| word.parse().ok().filter(|count| *count > 0))
}

/// The targets that the words after a command name: where there are none, this machine.
///
/// # Errors
/// When another word stands there, or the compiler does not say what this machine is.
pub fn targets(command: &str, words: &[&str]) -> Result<Vec<String>> {
    let triple = |word: &str| (!word.starts_with('-')).then(|| word.to_owned());
    let target = |pair: &[&str]| match pair {
        ["--target", rest @ ..] => value("--target", "a triple", rest.first(), triple),
        other => refused(command, "--target TRIPLE", other[0]),
    };
    if words.is_empty() { Ok(vec![compiler::host()?]) } else { words.chunks(2).map(target).collect() }
}
