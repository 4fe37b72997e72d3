//! Parameters by their names, dots included.

use config::{Document, Setting, with_settings};
use flock::Parameters;
use flock::parameters::{PARAMETERS, Value};
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use report::Failure;

/// All parameters, those of terms of one's own among them.
pub fn all<'py>(py: Python<'py>, parameters: &Parameters) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for parameter in PARAMETERS {
        all.set_item(parameter.name, value(py, parameter.get(parameters))?)?;
    }
    for (parameter, number) in parameters.terms.parameters() {
        all.set_item(parameter.name, number)?;
    }
    Ok(all)
}

fn value(py: Python<'_>, value: Value) -> PyResult<Bound<'_, PyAny>> {
    match value {
        Value::Real(number) => number.into_bound_py_any(py),
        Value::Count(number) => number.into_bound_py_any(py),
        Value::Flag(on) => on.into_bound_py_any(py),
        Value::Choice(word) => word.into_bound_py_any(py),
        Value::Vector(components) => components.into_bound_py_any(py),
        Value::Shares(shares) => shares.as_slice().to_vec().into_bound_py_any(py),
        Value::Spheres(spheres) => {
            let list = PyList::empty(py);
            for sphere in spheres.as_slice() {
                let table = PyDict::new(py);
                table.set_item("position", sphere.position)?;
                table.set_item("radius", sphere.radius)?;
                list.append(table)?;
            }
            Ok(list.into_any())
        }
    }
}

/// The document with one parameter set, while a flock flies: its number of boids stays.
///
/// # Errors
/// As for `--set`, and for `flock.boids`.
pub fn set(document: Document, name: &str, value: &str) -> Result<Document, Failure> {
    if name == "flock.boids" {
        let boids = document.parameters.flock.boids;
        let why = format!("{name} = {value}: allowed is {boids}, which this flock has");
        return Err(Failure::usage(why).hint("Flock(boids=…) makes another one"));
    }
    let setting = Setting::parse(&format!("{name}={value}"))?;
    Ok(with_settings(document, &[setting])?)
}
