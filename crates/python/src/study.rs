//! Studies: many runs of one flock, over settings and seeds, by the code of `murmuration sweep`.

use std::path::{Path, PathBuf};

use ::study::{ColumnKind, TABLES, kind_of_column};
use files::{Data, Failure, read_table};
use murmuration::{cli, commands};
use numpy::IntoPyArray as _;
use pyo3::{prelude::*, types::PyDict, types::PyList};

use crate::error::{in_python, raised};
use crate::held::{listening, silenced};
use crate::{options, words};

/// The tables of a study, each a dict of columns; see the package's `sweep`.
#[pyfunction]
#[pyo3(signature = (spec = None, *, vary = None, columns = None, out = None, **arguments))]
pub fn study<'py>(
    py: Python<'py>,
    spec: Option<PathBuf>,
    vary: Option<&Bound<'py, PyDict>>,
    columns: Option<&Bound<'py, PyAny>>,
    out: Option<PathBuf>,
    arguments: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let mut options = words::options(arguments, options::STUDY, true)?;
    // Copied: a value's own code may change the dict.
    for axis in vary.map(PyDictMethods::items).into_iter().flatten() {
        let (key, values): (String, Bound<'_, PyAny>) = axis.extract()?;
        options.push(format!("--vary={key}={}", words::listed(&key, &values)?).into());
    }
    if let Some(columns) = columns {
        options.push(format!("--columns={}", words::listed("columns", columns)?).into());
    }
    let aside =
        if out.is_none() { Some(tempfile::Builder::new().prefix("murmuration-").tempdir()?) } else { None };
    let folder = out.as_deref().or(aside.as_ref().map(tempfile::TempDir::path)).unwrap_or(Path::new(""));
    options.extend([words::with_value("out", folder), "--quiet".into()]);
    // A name may begin with a dash.
    options.extend(spec.into_iter().flat_map(|path| ["--".into(), path.into_os_string()]));
    let request = cli::request(options, cli::sweep::resolve).map_err(|failure| raised(py, failure))?;
    let (done, heard) =
        silenced(py, || Ok(listening(py, |leave| commands::sweep::conduct(&request, || (), leave))))?;
    if let Err(error) = heard {
        if let Ok(Some(line)) = &done
            && aside.is_none()
        {
            error.value(py).call_method1("add_note", (in_python(line),))?;
        }
        return Err(error);
    }
    if let Err(failure) = done {
        if let Some(aside) = aside.filter(|aside| aside.path().join("manifest.json").exists()) {
            // The failure names the manifest, which lists the failed runs and their errors.
            let _ = aside.keep();
        }
        return Err(raised(py, failure));
    }
    let tables = PyDict::new(py);
    for file in TABLES {
        let path = folder.join(file);
        if path.exists() {
            tables.set_item(file.trim_end_matches(".csv"), columns_of(py, &path)?)?;
        }
    }
    Ok(tables)
}

/// The columns of a table: integers, floats, or text.
fn columns_of<'py>(py: Python<'py>, path: &Path) -> PyResult<Bound<'py, PyDict>> {
    let data: Data = py.detach(|| read_table(path)).map_err(|failure: Failure| raised(py, failure))?;
    let all = PyDict::new(py);
    for (at, name) in data.names.iter().enumerate() {
        let column = match (kind_of_column(name), data.numbers(at)) {
            (ColumnKind::Whole, Ok(numbers)) => {
                let whole: Vec<i64> = numbers.into_iter().map(|number| number as i64).collect();
                whole.into_pyarray(py).into_any()
            }
            (ColumnKind::Real, Ok(numbers)) => numbers.into_pyarray(py).into_any(),
            // A parameter's value that is not a number is text, too.
            _ => py.import("numpy")?.call_method1("array", (PyList::new(py, data.texts(at))?, "str"))?,
        };
        all.set_item(name, column)?;
    }
    Ok(all)
}
