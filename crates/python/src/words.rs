//! Converts Python arguments to the words of a command line, which the program reads.

use std::ffi::{OsStr, OsString};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use config::ConfigError;
use murmuration::cli::shared::MAX_STEPS;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString, PyTuple};
use study::MAX_RUNS;

use crate::error::{raised, refused};
use crate::options::FLAGS;

/// Maximum nesting of a value: that of a list of obstacles, each a table of lists.
const DEPTH: usize = 4;

/// Maximum items of a list in a parameter: more than any parameter accepts.
const LENGTH: usize = 1000;

/// The words of these arguments: `--option=value` for an option, `--set=table.key=value` for a parameter. An argument
/// of None is omitted.
///
/// # Errors
/// For an argument that is neither, and a value that is not a number, text, list or dict, or has a wrong length.
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
            words.push(format!("--set={name}={}", text(&name, &value)?).into());
            continue;
        }
        if !known.contains(&&*name) {
            return Err(raised(value.py(), ConfigError::unknown("", &name, "argument", &known).into()));
        }
        words.extend(option(&name, &value)?);
    }
    Ok(words)
}

/// `--name=value`.
pub fn with_value(name: &str, value: impl AsRef<OsStr>) -> OsString {
    let mut word = OsString::from(format!("--{name}="));
    word.push(value);
    word
}

/// `--option=value`; a flag is present or absent.
fn option(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<OsString>> {
    let dashed = name.replace('_', "-");
    if FLAGS.contains(&name) {
        return Ok(flag(name, value)?.then(|| format!("--{dashed}").into()));
    }
    if value.cast::<PyBool>().is_ok() {
        let kind = value.get_type().name()?;
        let line = format!("{name} must be a value other than True or False, not {kind}");
        return Err(refused(value.py(), line));
    }
    let mut word = OsString::from(format!("--{dashed}="));
    match (name, value.extract::<[u32; 2]>()) {
        ("size", Ok([width, height])) => word.push(format!("{width}x{height}")),
        ("init" | "firmware" | "camera" | "config", _) => {
            word.push(value.extract::<PathBuf>().map_err(|_| mistyped(name, "a path", value))?);
        }
        _ => word.push(text(name, value)?),
    }
    Ok(Some(word))
}

/// The value of an argument that is a flag. NumPy's booleans are accepted.
fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if let Ok(flag) = value.extract() {
        return Ok(flag);
    }
    let kind = value.get_type().name()?;
    Err(refused(value.py(), format!("{name} must be True or False, not {kind}")))
}

/// The argument `yes`.
pub fn yes(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag("yes", value)
}

/// The argument `on`.
pub fn on(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    flag("on", value)
}

/// The argument `steps`.
pub fn steps(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole("steps", 0..=MAX_STEPS, value)
}

/// The argument `step` of a model.
pub fn step(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    whole("step", 0..=u32::MAX.into(), value).map(|step| step as u32)
}

/// The argument `boids` of a model.
pub fn boids(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    whole("boids", 0..=u32::MAX.into(), value).map(|boids| boids as usize)
}

/// The argument `id`.
pub fn id(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole("id", 0..=u32::MAX.into(), value)
}

/// The argument `every`.
pub fn every(value: &Bound<'_, PyAny>) -> PyResult<u64> {
    whole("every", 1..=MAX_STEPS, value)
}

/// The value of an argument that is a whole number. pyo3's own conversion raises an `OverflowError` out of range.
///
/// # Errors
/// When it is not a whole number, or out of range.
pub fn whole(name: &str, range: RangeInclusive<u64>, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    match value.extract() {
        Ok(number) if range.contains(&number) => Ok(number),
        Err(error) if !error.is_instance_of::<PyOverflowError>(value.py()) => {
            Err(mistyped(name, "a whole number", value))
        }
        _ => {
            let allowed = format!("{} to {}", range.start(), range.end());
            Err(refused(value.py(), format!("{name} must be {allowed}, not {value}")))
        }
    }
}

/// The argument `preset`.
pub fn preset(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    optional("preset", "text", value)
}

/// The argument `look`.
pub fn look(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    optional("look", "text", value)
}

/// The argument `radius`.
pub fn radius(value: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    optional("radius", "a number", value)
}

/// The argument `path`.
pub fn path(value: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    value.extract().map_err(|_: PyErr| mistyped("path", "a path", value))
}

/// The argument `name`.
pub fn name(value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.extract().map_err(|_: PyErr| mistyped("name", "text", value))
}

/// The attribute `engine`.
pub fn engine(value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.extract().map_err(|_: PyErr| mistyped("engine", "text", value))
}

/// The names of measures.
pub fn names(values: &Bound<'_, PyTuple>) -> PyResult<Vec<String>> {
    values.iter().map(|value| name(&value)).collect()
}

/// The value of an argument that may be None. pyo3's own conversion names the argument only in a note.
fn optional<'py, T: FromPyObjectOwned<'py>>(
    name: &str,
    kind: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Option<T>> {
    if value.is_none() {
        return Ok(None);
    }
    value.extract().map(Some).map_err(|_| mistyped(name, kind, value))
}

/// The error for an argument of a wrong type.
pub fn mistyped(name: &str, kind: &str, value: &Bound<'_, PyAny>) -> PyErr {
    let found = value.get_type().name();
    found.map_or_else(
        |error| error,
        |found| PyTypeError::new_err(format!("{name} must be {kind}, not {found}")),
    )
}

/// The values of an argument, at most `most`.
///
/// # Errors
/// When there are none, or more.
pub fn values<'py>(name: &str, of: &Bound<'py, PyAny>, most: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let all = of.try_iter().map_err(|_| mistyped(name, "a list or text", of))?;
    let all = all.take(most + 1).collect::<PyResult<Vec<_>>>()?;
    if all.len() > most {
        return Err(refused(of.py(), format!("{name} must have at most {most} values")));
    }
    Ok(all)
}

/// Values formatted as on the command line, separated by commas; text unchanged.
pub fn listed(name: &str, of: &Bound<'_, PyAny>) -> PyResult<String> {
    if of.cast::<PyString>().is_ok() {
        return text(name, of);
    }
    let words = values(name, of, MAX_RUNS)?.into_iter().map(|value| text(name, &value));
    Ok(words.collect::<PyResult<Vec<_>>>()?.join(","))
}

/// A value formatted as on the command line: text unchanged, all else as in a file.
pub fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.extract().or_else(|_: PyErr| toml(name, value, DEPTH))
}

/// A value formatted as in a TOML file.
fn toml(name: &str, value: &Bound<'_, PyAny>, depth: usize) -> PyResult<String> {
    let list = |items: Vec<String>, [open, close]: [&str; 2]| format!("{open}{}{close}", items.join(", "));
    if let Ok(text) = value.cast::<PyString>() {
        // JSON does not escape this character, and TOML requires it.
        return Ok(serde_json::Value::from(text.to_str()?).to_string().replace('\u{7f}', "\\u007f"));
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(flag.is_true().to_string());
    }
    if value.cast::<PyInt>().is_ok() {
        return Ok(value.str()?.to_str()?.to_owned());
    }
    if value.cast::<PyFloat>().is_ok() {
        // The shortest digits that read back as the same bits, in TOML's notation.
        return Ok(format!("{:?}", value.extract::<f64>()?).to_lowercase());
    }
    if depth > 0 {
        if let Ok(table) = value.cast::<PyDict>() {
            let field = |field: Bound<'_, PyAny>| {
                let (key, item): (String, Bound<'_, PyAny>) = field.extract()?;
                Ok(format!("{key} = {}", toml(name, &item, depth - 1)?))
            };
            // Copied: a value's own code may change the dict.
            return Ok(list(table.items().iter().map(field).collect::<PyResult<_>>()?, ["{ ", " }"]));
        }
        if value.try_iter().is_ok() {
            let most = if name == "seeds" { MAX_RUNS } else { LENGTH };
            let items = values(name, value, most)?.into_iter().map(|item| toml(name, &item, depth - 1));
            return Ok(list(items.collect::<PyResult<_>>()?, ["[", "]"]));
        }
        // NumPy scalars.
        if value.hasattr("item")? {
            return toml(name, &value.call_method0("item")?, 0);
        }
    }
    Err(mistyped(name, &format!("a number, text, list or dict, at most {DEPTH} deep"), value))
}
