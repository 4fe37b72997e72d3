//! The argument parser's errors, brought to one line and a hint.

use crate::failure::Failure;

/// The first paragraph is the error, a "tip:" the hint.
pub(super) fn failure(error: &clap::Error) -> Failure {
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
