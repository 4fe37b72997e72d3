//! Parameters by name, dots included.

use config::{Document, Setting, with_settings};
use files::{Failure, Result};
use flock::{Parameters, parameters::PARAMETERS};
use pyo3::{prelude::*, types::PyDict};

/// All parameters, including those of custom terms.
pub fn all<'py>(py: Python<'py>, parameters: &Parameters) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    let text = config::to_json(parameters).to_string();
    let tables = py.import("json")?.call_method1("loads", (text,))?;
    for parameter in PARAMETERS {
        all.set_item(parameter.name, tables.get_item(parameter.table)?.get_item(parameter.key)?)?;
    }
    for (parameter, number) in parameters.terms.parameters() {
        all.set_item(parameter.name, number)?;
    }
    Ok(all)
}

/// The document with one parameter set, while a flock flies: its number of boids stays the same.
///
/// # Errors
/// See `--set`; also for `flock.boids`.
pub fn set(document: Document, name: &str, value: &str) -> Result<Document> {
    if name == "flock.boids" {
        let boids = document.parameters.flock.boids;
        let why = format!("{name} must be {boids}, the size of this flock, not {value}");
        return Err(Failure::usage(why).hint("use Flock(boids=…) to create another flock"));
    }
    let setting = Setting::parse(&format!("{name}={value}"))?;
    Ok(with_settings(document, &[setting])?)
}
