//! The program's failures as exceptions: one line each, with the name that was likely meant, any other hint as a note
//! below it.

use files::{Failure, failure::FailureKind};
use pyo3::{exceptions::PyException, prelude::*, types::PyType};

use crate::options;

pyo3::create_exception!(
    murmuration_boids,
    Error,
    PyException,
    "A failure: the work failed, or no suitable device was found. The message is one line; a hint is attached as a note."
);

/// The exception type for an invalid value: an [`Error`] and a `ValueError`.
fn usage(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    Ok(py.import("murmuration_boids.errors")?.getattr("UsageError")?.cast_into()?)
}

/// The exception of a failure. Its text ends with the name that was likely meant.
pub fn raised(py: Python<'_>, failure: Failure) -> PyErr {
    let mut text = in_python(&failure.message);
    let mut hint = failure.hint.map(|hint| in_python(&hint));
    // Who prints an exception sees no notes, and a likely name is what it is about.
    if let Some(likely) = hint.take_if(|hint| hint.starts_with("did you mean")) {
        text = format!("{text}; {likely}");
    }
    let error = match failure.kind {
        FailureKind::Usage => usage(py).map_or_else(|error| error, |usage| PyErr::from_type(usage, text)),
        FailureKind::Work | FailureKind::Adapter => Error::new_err(text),
    };
    if let Some(hint) = hint
        && let Err(other) = error.value(py).call_method1("add_note", (hint,))
    {
        return other;
    }
    error
}

/// The exception for an invalid value, with one line.
pub fn refused(py: Python<'_>, line: impl std::fmt::Display) -> PyErr {
    raised(py, Failure::usage(line))
}

/// A message with options named as arguments: without their dashes, and without `--set`, since any parameter is an
/// argument. Dashes in paths and values stay.
pub fn in_python(line: &str) -> String {
    let known = [options::FLOCK, options::STUDY, options::FILM, options::PICTURE, options::OTHERS].join(" ");
    let word = |word: &str| {
        let (before, dashed) = word.split_at(word.find("--").unwrap_or(word.len()));
        let after = dashed.trim_start_matches(|c: char| c == '-' || c.is_ascii_alphanumeric());
        let name = dashed[..dashed.len() - after.len()].trim_start_matches('-').replace('-', "_");
        let alone = ["", "'", "`", "("].contains(&before)
            && after.chars().next().is_none_or(|next| " :,;='`)".contains(next));
        match (alone, &*name) {
            (true, "set") if ["", ":"].contains(&after.trim()) => String::new(),
            (true, _) if known.split(' ').any(|option| option == name) => format!("{before}{name}{after}"),
            _ => word.to_owned(),
        }
    };
    line.split_inclusive(' ').map(word).collect()
}
