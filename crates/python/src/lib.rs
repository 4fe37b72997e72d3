//! The flock in Python: the extension module of the wheel `murmuration-boids`.
//!
//! An argument means the same as the command-line option of its name: [`words`] turns arguments into the words of a
//! call. A [`one_flock::Flock`] holds one engine ([`flying`]) and a [`many_flocks::Flocks`] many on shared threads,
//! both behind a lock ([`held`]) taken without holding the GIL, so that Python runs on; [`arrays`] copies between
//! engines and NumPy; [`pickled`] is what makes a flock again; [`study`] does many runs; [`flights`] are recorded
//! ([`recording`]) and repeated; [`check`] is for programs of one's own. Failures are raised as one line ([`error`]).
//!
//! The crate knows the program and the crates below it; none of them knows Python. It has no rule and no option of its
//! own. Begin with `one_flock.rs`; the package around it is in `python/`.

mod arrays;
mod check;
mod error;
mod flights;
mod flying;
mod held;
mod many_flocks;
mod one_flock;
mod pickled;
mod recording;
mod study;
mod words;

use std::ffi::OsString;

use murmuration::commands;
use pyo3::prelude::*;

/// The command-line options that are arguments in Python.
mod options {
    /// Arguments of a flock, which are options of `run`.
    pub const FLOCK: &str =
        "boids seed engine numeric threads adapter backend kernel firmware init first_step";

    /// Arguments of a flock that repeats a flight.
    pub const REPEATED: &str = "engine numeric threads adapter backend kernel firmware";

    /// Arguments of a check of a flight, which is in the number type of the flight.
    pub const CHECKED: &str = "engine threads adapter backend kernel firmware";

    /// Arguments of many flocks.
    pub const FLOCKS: &str = "boids numeric threads";

    /// Arguments of a study, which are options of `sweep`.
    pub const STUDY: &str = "steps seeds after every series jobs resume retry_failed preset config boids engine numeric \
        threads adapter backend kernel firmware";

    /// Arguments of a film in addition to those of a picture.
    pub const FILM: &str = "every fps quality blur trails orbit yes";

    /// Arguments of a picture, which are options of `render`.
    pub const PICTURE: &str =
        "look colour style size yaw pitch field_of_view zoom adapter backend mark_centre camera";

    /// Options that appear in messages and in no list above.
    pub const OTHERS: &str = "columns out set vary";

    /// Options without a value.
    pub const FLAGS: [&str; 5] = ["mark_centre", "resume", "retry_failed", "series", "yes"];
}

/// The names of the built-in flocks: the presets, the default first, then the gallery.
#[pyfunction]
fn presets() -> Vec<&'static str> {
    config::presets::all().map(|preset| preset.name).collect()
}

/// The GPU adapters, one dict each, as `murmuration adapters --json` lists them: index, name, backend, driver and
/// capabilities. Empty if there are none.
#[pyfunction]
fn adapters(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let text = held::beside(py, || Ok(commands::adapters::all().to_string()))?;
    py.import("json")?.call_method1("loads", (text,))
}

/// The command line: runs the program with the words of a call, the program's name first, and returns the exit code.
#[pyfunction]
fn program(py: Python<'_>, words: Vec<OsString>) -> PyResult<u8> {
    held::silenced(py, || Ok(py.detach(|| commands::program(words))))
}

#[pymodule]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    held::threads(py)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Error", py.get_type::<error::Error>())?;
    module.add_class::<one_flock::Flock>()?;
    module.add_class::<many_flocks::Flocks>()?;
    module.add_class::<one_flock::Run>()?;
    module.add_class::<arrays::PyState>()?;
    module.add_class::<recording::PyFlight>()?;
    module.add_class::<flights::FlightRun>()?;
    module.add_class::<flights::Divergence>()?;
    module.add_class::<check::Check>()?;
    module.add_function(wrap_pyfunction!(presets, module)?)?;
    module.add_function(wrap_pyfunction!(adapters, module)?)?;
    module.add_function(wrap_pyfunction!(check::check, module)?)?;
    module.add_function(wrap_pyfunction!(check::reference_flock, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::png, module)?)?;
    module.add_function(wrap_pyfunction!(study::study, module)?)?;
    module.add_function(wrap_pyfunction!(one_flock::restore_flock, module)?)?;
    module.add_function(wrap_pyfunction!(many_flocks::restore_flocks, module)?)?;
    module.add_function(wrap_pyfunction!(arrays::restore_state, module)?)?;
    module.add_function(wrap_pyfunction!(flights::restore_flight, module)?)?;
    module.add_function(wrap_pyfunction!(program, module)?)
}
