//! Arguments of Python as the words of a command line, which the program reads.

use std::ffi::OsString;
use std::path::PathBuf;

use config::ConfigError;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};

use crate::error::raised;

/// The arguments of a flock that are options of `run`.
pub const FLOCK: &str = "boids seed engine numeric threads adapter backend kernel firmware init first_step";

/// Those of many flocks.
pub const FLOCKS: &str = "boids numeric threads";

/// Those of a study, which are options of `sweep`.
pub const STUDY: &str = "steps seeds after every series jobs resume retry_failed preset config boids engine numeric \
    threads adapter backend kernel";

/// Those of a film beside those of a picture.
pub const FILM: &str = "every fps quality blur trails orbit yes";

/// Those of a picture, which are options of `render`.
pub const PICTURE: &str =
    "look colour style size yaw pitch field_of_view zoom adapter backend mark_centre camera";

/// How deep a value may be nested: as deep as a list of obstacles, each a table of lists.
const DEPTH: usize = 4;

/// Items of a list that are read: more than any parameter takes.
const LENGTH: usize = 1000;

/// The words of these arguments: `--option=value` for an option, `--set=table.key=value` for a parameter. None leaves an
/// argument out.
///
/// # Errors
/// For an argument that is neither, and a value that is no number, text, list or dict.
pub fn options(
    arguments: Option<&Bound<'_, PyDict>>,
    known: &str,
    parameters: bool,
) -> PyResult<Vec<OsString>> {
    let known: Vec<&str> = known.split(' ').collect();
    let mut words = Vec::new();
    for (name, value) in arguments.into_iter().flatten() {
        let name: String = name.extract()?;
        if value.is_none() {
            continue;
        }
        if parameters && name.contains('.') {
            words.push(format!("--set={name}={}", text(&value)?).into());
            continue;
        }
        if !known.contains(&&*name) {
            let what = if parameters {
                "argument: parameters have a dot, and there are"
            } else {
                "argument: there are"
            };
            return Err(raised(value.py(), ConfigError::unknown("", &name, what, &known).into()));
        }
        words.extend(option(&name, &value)?);
    }
    Ok(words)
}

/// `--option=value`; a flag is there or not.
fn option(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<OsString>> {
    let dashed = name.replace('_', "-");
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().then(|| format!("--{dashed}").into()));
    }
    let mut word = OsString::from(format!("--{dashed}="));
    match (name, value.extract::<[u32; 2]>()) {
        ("size", Ok([width, height])) => word.push(format!("{width}x{height}")),
        ("init" | "firmware" | "camera" | "config", _) => word.push(value.extract::<PathBuf>()?),
        _ => word.push(text(value)?),
    }
    Ok(Some(word))
}

/// Values as they are typed, with commas between them; text as it is.
pub fn listed(values: &Bound<'_, PyAny>) -> PyResult<String> {
    if values.cast::<PyString>().is_ok() {
        return text(values);
    }
    let items = values.try_iter()?.take(LENGTH).map(|value| text(&value?));
    Ok(items.collect::<PyResult<Vec<_>>>()?.join(","))
}

/// A value as it is typed: text as it is, all else as in a file.
pub fn text(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyString>() {
        Ok(text) => Ok(text.to_str()?.to_owned()),
        Err(_) => toml(value, DEPTH),
    }
}

/// A value as in a file.
fn toml(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<String> {
    let list = |items: Vec<String>, [open, close]: [&str; 2]| format!("{open}{}{close}", items.join(", "));
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(serde_json::Value::from(text.to_str()?).to_string());
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().to_string());
    }
    if value.cast::<PyInt>().is_ok() {
        return Ok(value.str()?.to_str()?.to_owned());
    }
    if value.cast::<PyFloat>().is_ok() {
        return Ok(real(value.extract()?));
    }
    if depth > 0 {
        if let Ok(table) = value.cast::<PyDict>() {
            let field = |(key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
                Ok(format!("{} = {}", key.extract::<String>()?, toml(&value, depth - 1)?))
            };
            return Ok(list(table.iter().map(field).collect::<PyResult<_>>()?, ["{ ", " }"]));
        }
        if let Ok(items) = value.try_iter() {
            let items = items.take(LENGTH).map(|item| toml(&item?, depth - 1));
            return Ok(list(items.collect::<PyResult<_>>()?, ["[", "]"]));
        }
        // Numbers of NumPy.
        if value.hasattr("item")? {
            return toml(&value.call_method0("item")?, 0);
        }
    }
    let kind = value.get_type().name()?;
    Err(PyTypeError::new_err(format!("{kind}: allowed are numbers, text, lists and dicts, {DEPTH} deep")))
}

/// A number with the fewest digits that read back as the same bits, as TOML writes it.
fn real(number: f64) -> String {
    if number.is_nan() { "nan".to_owned() } else { format!("{number:?}") }
}
