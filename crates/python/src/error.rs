//! The program's failures as exceptions: one line each, the hint as a note below it.

use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::PyType;
use report::Failure;
use report::failure::FailureKind;

pyo3::create_exception!(
    murmuration_boids,
    Error,
    PyException,
    "What failed, in the program's one line: the work, or a device that is not there. A hint is a note of it."
);

/// The exception of a value that is not allowed: an [`Error`] and a `ValueError`.
fn usage(py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
    Ok(py.import("murmuration_boids.errors")?.getattr("UsageError")?.cast_into()?)
}

/// The exception of a failure.
pub fn raised(py: Python<'_>, failure: Failure) -> PyErr {
    let text = in_python(&failure.message);
    let error = match failure.kind {
        FailureKind::Usage => match usage(py) {
            Ok(usage) => PyErr::from_type(usage, text),
            Err(error) => return error,
        },
        FailureKind::Work | FailureKind::Adapter => Error::new_err(text),
    };
    if let Some(hint) = failure.hint
        && let Err(other) = error.value(py).call_method1("add_note", (in_python(&hint),))
    {
        return other;
    }
    error
}

/// The exception of a value that is not allowed, in a line.
pub fn refused(py: Python<'_>, line: impl std::fmt::Display) -> PyErr {
    raised(py, Failure::usage(line))
}

/// A line in which options are arguments: without their dashes. Any parameter is an argument, so `--set` says nothing.
pub fn in_python(line: &str) -> String {
    let line = line.replace("--set: ", "").replace("--set ", "");
    let mut parts = line.split("--");
    let before = parts.next().unwrap_or_default().to_owned();
    parts.fold(before, |text, part| {
        let end = part.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(part.len());
        let (option, after) = part.split_at(end);
        text + &option.replace('-', "_") + after
    })
}
