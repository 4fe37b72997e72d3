//! Recorded flights, which are read, written and repeated.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use files::{AtomicFile, Existing, Failure};
use flight::{ENDING, Flight, InFlight};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{raised, refused};
use crate::flying::Flying;
use crate::held::{Guarded, beside};
use crate::one_flock::Flock;
use crate::recording::PyFlight;
use crate::{options, words};

#[pymethods]
impl PyFlight {
    /// A flight from a file, as `Flight.save`, the window and the page write it. Raises UsageError, with the line, for a
    /// file that is no flight.
    #[staticmethod]
    fn load(py: Python<'_>, #[pyo3(from_py_with = words::path)] path: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| flight::load(&path));
        read.map(PyFlight::new).map_err(|error| raised(py, error.into()))
    }

    /// Writes the flight to a .flight file, which `murmuration run --flight`, `render` and the window repeat; `yes` to
    /// replace a file.
    #[pyo3(signature = (path, *, yes = false))]
    fn save(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = words::path)] path: PathBuf,
        #[pyo3(from_py_with = words::yes)] yes: bool,
    ) -> PyResult<()> {
        if files::is_stdout(&path) {
            return Err(refused(py, "path must be the name of a file, not -"));
        }
        let write = || {
            files::check_ending(&path, &[ENDING.trim_start_matches('.')])?;
            AtomicFile::create(&path, Existing::replaced_if(yes))?.fill(self.flight.text())
        };
        py.detach(write).map_err(|failure| raised(py, failure))
    }

    /// A Flock at a step of the flight, the first by default: it repeats the flight up to there, and has the state and
    /// the parameters before the changes at that step.
    ///
    /// flock(step=None, *, engine="auto", numeric=None, threads=None, adapter=None, backend=None, kernel=None,
    /// firmware=None)
    ///
    /// The other arguments are those of Flock; `numeric` is that of the flight unless it is given, and always "fixed" on
    /// the board. In another number type the flight takes another course. Raises UsageError for a step that the flight
    /// does not have.
    #[pyo3(signature = (step = None, **arguments))]
    #[pyo3(
        text_signature = "(step=None, *, engine='auto', numeric=None, threads=None, adapter=None, backend=None, \
                             kernel=None, firmware=None)"
    )]
    fn flock(
        &self,
        py: Python<'_>,
        step: Option<&Bound<'_, PyAny>>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Flock> {
        let range = self.first()..=self.last();
        let step = step.map_or(Ok(self.first()), |step| words::whole("step", range, step))?;
        let (flock, mut repeated) = self.open(py, words::options(arguments, options::REPEATED, false)?)?;
        repeated.reach(py, &flock, step)?;
        Ok(flock)
    }

    /// Repeats the flight: iterates over one Flock at the first step, after every `every` steps, and at the last, with
    /// the changes made on the way.
    ///
    /// run(every=1, *, engine="auto", numeric=None, threads=None, adapter=None, backend=None, kernel=None,
    /// firmware=None)
    ///
    /// The other arguments are those of `flock`. The same flock is yielded each time. A parameter that you set there
    /// lasts until the next recorded change of parameters. The iterator raises Error if you step the flock.
    #[pyo3(signature = (every = 1, **arguments))]
    #[pyo3(
        text_signature = "(every=1, *, engine='auto', numeric=None, threads=None, adapter=None, backend=None, \
                             kernel=None, firmware=None)"
    )]
    fn run(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = words::every)] every: u64,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<FlightRun> {
        let (flock, repeated) = self.open(py, words::options(arguments, options::REPEATED, false)?)?;
        Ok(FlightRun { flock: Py::new(py, flock)?, repeated, every, next: Some(self.first()) })
    }

    /// Repeats the flight and compares its hashes; returns None if all are equal, otherwise the first Divergence.
    ///
    /// check(*, engine="auto", threads=None, adapter=None, backend=None, kernel=None, firmware=None)
    ///
    /// The arguments are those of Flock. With integers any engine has equal hashes; other number types depend on the
    /// device. Raises UsageError for a flight without hashes, and for an engine without its number type.
    #[pyo3(signature = (**arguments))]
    #[pyo3(
        text_signature = "(*, engine='auto', threads=None, adapter=None, backend=None, kernel=None, firmware=None)"
    )]
    fn check(&self, py: Python<'_>, arguments: Option<&Bound<'_, PyDict>>) -> PyResult<Option<Divergence>> {
        let flight = &self.flight;
        if flight.hashes.is_empty() {
            return Err(refused(py, "the flight has no hashes to compare"));
        }
        let (flock, mut repeated) = self.open(py, words::options(arguments, options::CHECKED, false)?)?;
        let numeric = flock.held.with(py, |flying| Ok(flying.device.numeric()))?;
        if numeric != flight.start.numeric {
            let [recorded, here] = [flight.start.numeric.name(), numeric.name()];
            return Err(refused(py, format!("the flight was recorded in {recorded}, not in {here}")));
        }
        for at in &flight.hashes {
            repeated.reach(py, &flock, at.step)?;
            let found = flock.held.with(py, |flying| Ok(flight.compare(flying.opened.get())?))?;
            if found.is_some() {
                return Ok(found.map(|divergence| Divergence { divergence }));
            }
        }
        Ok(None)
    }

    /// The number of the first step.
    #[getter]
    fn first(&self) -> u64 {
        self.flight.start.step()
    }

    /// The number of the last step.
    #[getter]
    fn last(&self) -> u64 {
        self.flight.end
    }

    /// The number type that it was recorded in: "f32", "f64" or "fixed".
    #[getter]
    fn numeric(&self) -> &'static str {
        self.flight.start.numeric.name()
    }

    /// The engine that it was recorded on, as text.
    #[getter]
    fn engine(&self) -> &str {
        &self.flight.start.engine
    }

    /// The name of the preset that its parameters began with, or None.
    #[getter]
    fn preset(&self) -> Option<&'static str> {
        self.flight.start.preset
    }

    /// The recorded hashes by their steps, each 16 hexadecimal digits: see Flock.hash. The changes at a step come after
    /// its hash.
    #[getter]
    fn hashes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for at in &self.flight.hashes {
            all.set_item(at.step, format!("{:016x}", at.hash))?;
        }
        Ok(all)
    }

    /// The number of changes: of parameters that were set, and of predators that were steered.
    #[getter]
    fn changes(&self) -> usize {
        self.flight.changes.all().len()
    }

    /// The text of its file makes the flight again, for pickle and copy.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let restore = py.import("murmuration_boids.native")?.getattr("restore_flight")?;
        Ok((restore, (self.flight.text(),)))
    }

    fn __repr__(&self) -> String {
        format!("<Flight of {}>", self.flight)
    }
}

/// The flight of a pickle; see Flight.__reduce__.
#[pyfunction]
pub fn restore_flight(py: Python<'_>, text: &str) -> PyResult<PyFlight> {
    let flight = flight::parse(text, "pickle").map_err(|error| raised(py, error.into()))?;
    Ok(PyFlight::new(flight))
}

impl PyFlight {
    /// The flock at the first step.
    fn open(&self, py: Python<'_>, options: Vec<OsString>) -> PyResult<(Flock, Repeated)> {
        let flying = beside(py, || Flying::at_start(options, &self.flight))?;
        let parameters = InFlight::new(self.flight.start.parameters);
        let repeated = Repeated { flight: self.flight.clone(), step: self.first(), parameters };
        Ok((Flock { held: Guarded::new(flying) }, repeated))
    }
}

/// A flight that is repeated on a flock.
#[derive(Debug)]
struct Repeated {
    flight: Arc<Flight>,
    /// The step of the flock.
    step: u64,
    /// The parameters of the last step.
    parameters: InFlight,
}

impl Repeated {
    /// Steps the flock to a later step of the flight. Ctrl-C ends it between two steps.
    fn reach(&mut self, py: Python<'_>, flock: &Flock, last: u64) -> PyResult<()> {
        while self.step < last {
            self.step = flock.held.with(py, |flying| {
                let here = flying.step();
                if here != self.step {
                    let why = format!(
                        "the flock is at step {here}, and the flight that it repeats at {}",
                        self.step
                    );
                    return Err(Failure::work(why));
                }
                flying.repeat(&self.flight, &mut self.parameters, last - here)?;
                Ok(flying.step())
            })?;
            py.check_signals()?;
        }
        Ok(())
    }
}

/// Repeats a flight as the iterator advances; see Flight.run.
#[derive(Debug)]
#[pyclass(module = "murmuration_boids")]
pub struct FlightRun {
    flock: Py<Flock>,
    repeated: Repeated,
    every: u64,
    /// The step of the next flock; `None` after the last.
    next: Option<u64>,
}

#[pymethods]
impl FlightRun {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Py<Flock>>> {
        let Some(step) = self.next else { return Ok(None) };
        self.repeated.reach(py, self.flock.get(), step)?;
        let last = self.repeated.flight.end;
        self.next = (step < last).then(|| last.min(step + self.every));
        Ok(Some(self.flock.clone_ref(py)))
    }
}

/// The first step at which a repeated flight differs from the recorded one.
#[derive(Debug)]
#[pyclass(frozen, module = "murmuration_boids")]
pub struct Divergence {
    divergence: flight::Divergence,
}

#[pymethods]
impl Divergence {
    /// The step, the first with a hash that differs.
    #[getter]
    fn step(&self) -> u64 {
        self.divergence.step
    }

    /// The hash in the flight.
    #[getter]
    fn recorded(&self) -> String {
        format!("{:016x}", self.divergence.recorded)
    }

    /// The hash of the flock that repeated it.
    #[getter]
    fn repeated(&self) -> String {
        format!("{:016x}", self.divergence.repeated)
    }

    fn __repr__(&self) -> String {
        format!("<Divergence: {}>", self.divergence)
    }
}
