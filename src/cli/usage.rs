//! The argument parser's errors, brought to one line and a hint.

use std::error::Error as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::failure::Failure;

/// The error of a value names option, value and what is allowed. Of any other the first paragraph is the error, a
/// "tip:" the hint.
pub(super) fn failure(error: &clap::Error) -> Failure {
    let context = [ContextKind::InvalidArg, ContextKind::InvalidValue].map(|kind| error.get(kind));
    if let (ErrorKind::ValueValidation, Some(why)) = (error.kind(), error.source())
        && let [Some(ContextValue::String(option)), Some(ContextValue::String(value))] = context
    {
        let option = option.split(' ').next().unwrap_or_default();
        return Failure::usage(format!("{option} {value}: {why}"));
    }
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let first = paragraphs.next().unwrap_or_default();
    let message = first.trim().trim_start_matches("error:").trim();
    let tip = paragraphs.find_map(|paragraph| paragraph.trim().strip_prefix("tip:"));
    let hint = match tip {
        Some(tip) => tip.split_whitespace().collect::<Vec<_>>().join(" "),
        None => "`murmuration help` lists the commands, `murmuration help COMMAND` its options".to_owned(),
    };
    Failure::usage(message).hint(hint)
}
