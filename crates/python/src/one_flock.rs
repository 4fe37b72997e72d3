//! One flock on one engine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use config::Document;
use engine::measures::{Measures, measure_only, within};
use engine::{Engine, Explanation, Numeric, State, VectorOf};
use engines::Device;
use files::Result;
use murmuration::commands::render::{self, Filming};
use murmuration::{cli, commands::start};
use numpy::{IntoPyArray as _, PyArrayMethods as _};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use study::Measure;

use crate::arrays::{self, Handed, PyState};
use crate::error::{raised, refused};
use crate::flying::Flying;
use crate::held::{Guarded, beside, silenced};
use crate::recording::PyFlight;
use crate::{options, pickled, words};

/// Name of the additional requests, as an argument and in errors.
pub const ACCELERATION: &str = "acceleration";

/// A flock of boids on one engine.
///
/// Flock(preset="murmuration", *, boids=None, seed=None, engine="auto", numeric="f32", threads=None, adapter=None,
/// backend=None, kernel=None, firmware=None, init=None, first_step=None, **parameters)
///
/// The arguments are the options of `murmuration run`. `engine` is "auto" (a hardware GPU if there is one, otherwise
/// the CPU), "cpu", "gpu" or "rp2040"; `numeric` is "f32", "f64" (cpu only) or "fixed" (integers, with the same bits on
/// every engine); `boids` and `seed` are whole numbers, or text such as "100k"; `init` is a CSV file with a state or a
/// trajectory of a run. Names of parameters have a dot: `Flock("yabi", **{"separation.radius": 3})`.
///
/// All arrays are in id order: row k is the boid with id k. Lengths are in the flock's unit, velocities in length per
/// unit of time; `motion.time_step` is the duration of a step. Several threads may use a flock: calls take turns. A
/// flock can be copied and pickled, with its options, parameters and state, and keeps its hash; the copy opens its own
/// engine.
///
/// Raises UsageError for an invalid value, and Error if no device supports the flock.
#[derive(Debug)]
#[pyclass(frozen, module = "murmuration_boids")]
pub struct Flock {
    pub held: Guarded<Flying>,
}

#[pymethods]
impl Flock {
    #[new]
    #[pyo3(signature = (preset = None, **arguments))]
    #[pyo3(
        text_signature = "(preset='murmuration', *, boids=None, seed=None, engine='auto', numeric='f32', \
        threads=None, adapter=None, backend=None, kernel=None, firmware=None, init=None, first_step=None, **parameters)"
    )]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = words::preset)] preset: Option<String>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let preset = preset.map(|name| words::with_value("preset", name));
        Self::open(py, preset, arguments)
    }

    /// A flock from a TOML file of parameters, with presets, custom terms and everything else that `--config` reads.
    ///
    /// The other arguments are those of Flock, and take precedence over the file.
    #[staticmethod]
    #[pyo3(signature = (path, **arguments))]
    fn load(
        py: Python<'_>,
        #[pyo3(from_py_with = words::path)] path: PathBuf,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Self::open(py, Some(words::with_value("config", path)), arguments)
    }

    /// Advances the flock by `steps` steps, without holding the GIL. Ctrl-C stops it between two steps with
    /// KeyboardInterrupt; `step_count` tells how far it got.
    ///
    /// `acceleration`, of shape (boids, 3), is an additional request of each boid in each step: a velocity, in length
    /// per unit of time, that is added once per step like the `request` of a formula. The sum of all requests is
    /// multiplied by `motion.gain` and limited in speed and turn. With integers it is rounded once. Raises UsageError
    /// for a wrong shape, for values out of range, on the emulated board, and while the flock is recorded.
    ///
    /// Raises Error if the GPU is lost: set `engine` to continue.
    #[pyo3(signature = (steps = 1, *, acceleration = None))]
    fn step(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = words::steps)] steps: u64,
        acceleration: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let shape = [self.__len__(py)?, 3];
        let array = acceleration.map(|array| arrays::numbers(array, ACCELERATION, &shape)).transpose()?;
        let requests = array.as_ref().map(arrays::as_vectors).transpose()?;
        self.held.with(py, |flying| {
            start::check_steps(flying.step(), steps)?;
            let Some(requests) = requests else { return Ok(()) };
            flying.refuse_recorded(ACCELERATION)?;
            start::check_requests(ACCELERATION, requests, &flying.document.parameters, &flying.device)
        })?;
        self.take(py, requests.unwrap_or_default(), steps, |_| {})
    }

    /// Iterates over the next states, each a State: the current one, then one after every `every` steps, and the last.
    /// The flock is stepped as the iterator advances.
    #[pyo3(signature = (steps, every = 1))]
    fn run(
        slf: Py<Self>,
        #[pyo3(from_py_with = words::steps)] steps: u64,
        #[pyo3(from_py_with = words::every)] every: u64,
    ) -> Run {
        Run { flock: slf, left: steps, every, begun: false }
    }

    /// The positions as an array of shape (boids, 3), float32 with numeric "f32", otherwise float64: a read-only copy.
    /// Assign an array of this shape to set them: the next step continues from it. Positions outside a world that wraps
    /// are wrapped.
    ///
    /// Assignment raises UsageError for a wrong shape, for values out of range, and while the flock is recorded, and
    /// TypeError for other types.
    #[getter]
    fn position<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.vectors(py, VectorOf::Position)
    }

    #[setter]
    fn set_position(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_vectors(value, VectorOf::Position)
    }

    /// The velocities, in length per unit of time; shape, type and assignment as for `position`.
    #[getter]
    fn velocity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.vectors(py, VectorOf::Velocity)
    }

    #[setter]
    fn set_velocity(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.set_vectors(value, VectorOf::Velocity)
    }

    /// The groups, a read-only array of shape (boids,), uint8, 0 to 7. Without `flock.groups`, 1 and 2 are the scouts to
    /// the right and to the left.
    #[getter]
    fn group<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = self.held.with(py, |flying| Ok(flying.opened.get().state()?))?;
        arrays::groups(py, &state)
    }

    /// The fingerprint of the state in 16 hexadecimal digits, as printed by `murmuration run --hash`.
    fn hash(&self, py: Python<'_>) -> PyResult<String> {
        let hash = |Flying { opened, .. }: &mut Flying| Ok(opened.get().hash()?);
        Ok(format!("{:016x}", self.held.with(py, hash)?))
    }

    /// Measures of the flock by name, as in `murmuration run --metrics`; all measures without arguments. NaN for an
    /// undefined measure. Raises UsageError for an unknown name.
    #[pyo3(signature = (*names))]
    fn measure<'py>(&self, names: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyDict>> {
        let (py, names) = (names.py(), words::names(names)?);
        let measures = measures(py, &names)?;
        let values = self
            .held
            .with(py, |Flying { opened, document, .. }| Ok(measured(opened.get(), document, &measures)?))?;
        let all = PyDict::new(py);
        for (measure, value) in measures.iter().zip(values) {
            all.set_item(measure.name(), value)?;
        }
        Ok(all)
    }

    /// All parameters by name, such as "separation.radius"; a copy.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let found = self.held.with(py, |flying| Ok(flying.document.parameters))?;
        arrays::parameter_dict(py, &found)
    }

    /// Sets a parameter for the next steps. Parameters of the start (`flock.*`, except the dimensions and the seed of
    /// the noise) do not affect boids that already fly. Raises UsageError for an unknown name or a value out of range,
    /// and for a parameter of the start while the flock is recorded.
    fn set(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = words::name)] name: String,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let value = words::text(&name, value)?;
        self.held.with(py, |flying| flying.set(&name, &value))
    }

    /// Starts the recording of a flight at the current state, in place of the one before; `record(False)` ends it and
    /// forgets its flight. `flight` is what has been recorded.
    ///
    /// A flight holds its start, every parameter that is set, and the steered predators of a flight that is repeated,
    /// by their steps. It has a hash at the start, at every 60th step and at its end, in integers also where a parameter
    /// is set. It cannot hold arrays: setting `position` or `velocity`, and steps with an `acceleration`, raise
    /// UsageError while the flock is recorded and change nothing. So do parameters of the start and, other than in
    /// integers, another engine. A copy of the flock is not recorded.
    #[pyo3(signature = (on = true))]
    fn record(&self, py: Python<'_>, #[pyo3(from_py_with = words::on)] on: bool) -> PyResult<()> {
        self.held.with(py, |flying| {
            if on {
                return flying.record();
            }
            flying.stop_recording();
            Ok(())
        })
    }

    /// The Flight that has been recorded, up to the current step; None if the flock is not recorded. It stays as it is
    /// when the flock flies on.
    #[getter]
    fn flight(&self, py: Python<'_>) -> PyResult<Option<PyFlight>> {
        Ok(self.held.with(py, |flying| Ok(flying.flight()))?.map(PyFlight::new))
    }

    /// The neighbours of each boid: all other boids nearer than `radius`, a length; `cohesion.radius` by default.
    ///
    /// Returns three arrays, a sparse matrix in CSR format: indptr (boids + 1,) int64, indices int64 and distances float64,
    /// so that the neighbours of boid k are `indices[indptr[k]:indptr[k + 1]]`, in ascending order.
    #[pyo3(signature = (radius = None))]
    fn neighbours<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = words::radius)] radius: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(radius) = radius.filter(|radius| !(radius.is_finite() && *radius >= 0.0)) {
            return Err(refused(py, format!("radius must be 0 or more, not {radius}")));
        }
        let found = self.held.with(py, |Flying { opened, document, .. }| {
            let radius = radius.unwrap_or(document.parameters.cohesion.radius);
            Ok(within(&document.parameters, &opened.get().state()?, radius)?)
        })?;
        let (starts, indices) = (found.starts.into_pyarray(py), found.indices.into_pyarray(py));
        Ok((starts, indices, found.distances.into_pyarray(py)).into_pyobject(py)?.into_any())
    }

    /// The next step of the boid with an id, explained by the code that makes it: a dict of what it sees and does.
    ///
    /// `position`, `velocity` and `next_velocity`, arrays (3,); `speed`; `turn`, the angle to the next velocity in
    /// degrees; `neighbours`, the ids of the boids that each rule and each term perceives, an array each, by its name;
    /// `changes`, the change of velocity by each request (length per time), an array (3,) each, by its name: their sum is
    /// the change before limits and random turns; `limits`, the names of the limits that it meets; `perched`, `id` and
    /// `step`. Raises UsageError if there is no such boid.
    fn explain<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = words::id)] id: u64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let id = u32::try_from(id).unwrap_or(u32::MAX);
        let explained = self.held.with(py, |Flying { opened, document, .. }| {
            let engine = opened.get();
            let state = engine.state()?;
            Ok(Explanation::new(engine.numeric(), &document.parameters, &state, id))
        })?;
        let explained = explained.map_err(|why| refused(py, why.to_string()))?;
        arrays::explanation_dict(py, &explained)
    }

    /// A picture of the current flock as an array of shape (height, width, 4), uint8: red, green and blue in sRGB, and
    /// 255. Notebooks show it as an image.
    ///
    /// picture(look=None, *, size=(1280, 720), colour=None, style="auto", yaw=None, pitch=None, field_of_view=None,
    /// zoom=None, adapter=None, backend=None, mark_centre=False, camera=None)
    ///
    /// The arguments are the options of `murmuration render`; `look` is "dusk", "cones", "paper" or "water". A flock in
    /// two dimensions is drawn as arrows, without an adapter, unless `style` is "cones". Otherwise drawing requires an
    /// adapter, in hardware or software, and raises Error without one.
    #[pyo3(signature = (look = None, **arguments))]
    #[pyo3(
        text_signature = "(look=None, *, size=(1280, 720), colour=None, style='auto', yaw=None, pitch=None, \
        field_of_view=None, zoom=None, adapter=None, backend=None, mark_centre=False, camera=None)"
    )]
    fn picture<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = words::look)] look: Option<String>,
        arguments: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut options = words::options(arguments, options::PICTURE, false)?;
        options.extend(look.map(|look| format!("--look={look}").into()));
        options.push("still.png".into());
        let draw = |Flying { opened, document, device, .. }: &mut Flying| {
            let request = cli::request(options, cli::render::resolve)?;
            Ok((render::picture(&request, device, document, opened)?, request.options.size))
        };
        let (pixels, [width, height]) = silenced(py, || self.held.with(py, draw))?;
        let shape = [height as usize, width as usize, 4];
        let array = pixels.into_pyarray(py).reshape(shape)?.into_any();
        array.call_method1("view", (py.import("murmuration_boids.picture")?.getattr("Picture")?,))
    }

    /// Films the flock for the next `steps` steps: an .mp4, a .gif, a .png of the last frame, or with %04d in the name
    /// one .png per frame.
    ///
    /// film(path, steps=300, *, every=1, fps=30, size=(1280, 720), look=None, quality=45, blur=1, trails=None, orbit=3,
    /// yes=False, …)
    ///
    /// The arguments are the options of `murmuration render`, including those of `picture`: one frame every `every`
    /// steps, `fps` frames per second, `yes` to replace a file. Ctrl-C stops it between two steps with
    /// KeyboardInterrupt; the film then ends with the last frame drawn.
    #[pyo3(signature = (path, steps = 300, **arguments))]
    #[pyo3(
        text_signature = "(path, steps=300, *, every=1, fps=30, size=(1280, 720), look=None, quality=45, blur=1, \
        trails=None, orbit=3, yes=False, **arguments)"
    )]
    fn film(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = words::path)] path: PathBuf,
        #[pyo3(from_py_with = words::steps)] steps: u64,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let mut options =
            words::options(arguments, &format!("{} {}", options::PICTURE, options::FILM), false)?;
        if files::is_stdout(&path) {
            return Err(refused(py, "path must be the name of a file, not -"));
        }
        let last = self.step_count(py)?.saturating_add(steps);
        let option = format!("--steps={steps}").into();
        options.extend([option, "--quiet".into(), "--".into(), path.into_os_string()]);
        let begin = |Flying { opened, document, device, .. }: &mut Flying| {
            Filming::new(&cli::request(options, cli::render::resolve)?, device, document, opened)
        };
        let mut filming = silenced(py, || self.held.with(py, begin))?;
        loop {
            let heard = py.check_signals();
            let leave = heard.is_err();
            let ended = self.held.with(py, |flying| filming.draw_next(&mut flying.opened, leave))?;
            if ended.is_some() {
                self.held.with(py, |_| filming.finish())?;
                heard?;
                // The remaining steps after the last frame.
                return self.take(py, &[], last.saturating_sub(self.step_count(py)?), |_| {});
            }
        }
    }

    /// The number of the current step.
    #[getter]
    fn step_count(&self, py: Python<'_>) -> PyResult<u64> {
        self.held.with(py, |flying| Ok(flying.step()))
    }

    /// Engine, device and number type, as text. Set it to "cpu", "gpu", "auto" or "rp2040" to continue with that engine
    /// in the same number type. If the GPU was lost, the flock continues from the last state that was set, or that was
    /// read from the GPU, which happens every two seconds or more: see `step_count`.
    #[getter]
    fn engine(&self, py: Python<'_>) -> PyResult<String> {
        self.held.with(py, |flying| Ok(flying.opened.get().describe()))
    }

    #[setter]
    fn set_engine(&self, engine: &Bound<'_, PyAny>) -> PyResult<()> {
        let (py, name) = (engine.py(), words::engine(engine)?);
        silenced(py, || self.held.with(py, |flying| flying.change_engine(&name)))
    }

    /// Parts that make the flock again, for pickle and copy.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let (options, parameters, state) = self.held.with(py, |flying| {
            let (options, parameters) = (pickled::options(&flying.request), config::save(&flying.document));
            Ok((options, parameters, flying.opened.get().state()?))
        })?;
        let restore = py.import("murmuration_boids.native")?.getattr("restore_flock")?;
        Ok((restore, (options, parameters, pickled::from_states(py, &[state])?)))
    }

    /// The number of boids.
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.held.with(py, |flying| Ok(flying.opened.get().boids() as usize))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (boids, step, engine) = (self.__len__(py)?, self.step_count(py)?, self.engine(py)?);
        Ok(format!("<Flock of {boids} boids at step {step}: {engine}>"))
    }
}

/// Options, parameters and state of a flock.
type Pickled<'py> = (Vec<OsString>, String, pickled::States<'py>);

/// The flock of a pickle; see Flock.__reduce__.
#[pyfunction]
pub fn restore_flock(
    py: Python<'_>,
    options: Vec<OsString>,
    parameters: &str,
    states: pickled::States<'_>,
) -> PyResult<Flock> {
    let document = pickled::document(py, parameters)?;
    let state = pickled::to_states(&document, states)?.pop();
    let state = state.ok_or_else(|| refused(py, "a pickled flock must have one state, not none"))?;
    let flying = beside(py, || Flying::resume(options, document, state))?;
    Ok(Flock { held: Guarded::new(flying) })
}

impl Flock {
    fn open(
        py: Python<'_>,
        source: Option<OsString>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut options = words::options(arguments, options::FLOCK, true)?;
        options.extend(source);
        let flying = beside(py, || Flying::open(options))?;
        Ok(Flock { held: Guarded::new(flying) })
    }

    /// Takes `steps` steps; reports the steps taken at intervals.
    fn take(
        &self,
        py: Python<'_>,
        requests: &[[f64; 3]],
        mut left: u64,
        mut taken: impl FnMut(u64),
    ) -> PyResult<()> {
        while left > 0 {
            let steps = self.held.with(py, |flying| Ok(flying.advance(requests, left)?))?;
            taken(steps);
            left -= steps;
            py.check_signals()?;
        }
        Ok(())
    }

    /// See `step`; reports the steps taken at intervals.
    fn step_on(&self, py: Python<'_>, steps: u64, taken: impl FnMut(u64)) -> PyResult<()> {
        self.held.with(py, |flying| start::check_steps(flying.step(), steps))?;
        self.take(py, &[], steps, taken)
    }

    /// The current flock, all arrays at the same step.
    fn now(&self, py: Python<'_>) -> PyResult<PyState> {
        let (state, numeric) = self.held.with(py, |flying| {
            let engine = flying.opened.get();
            Ok((engine.state()?, engine.numeric()))
        })?;
        match numeric {
            Numeric::F32 => PyState::of::<f32>(py, &state),
            _ => PyState::of::<f64>(py, &state),
        }
    }

    fn vectors<'py>(&self, py: Python<'py>, of: VectorOf) -> PyResult<Bound<'py, PyAny>> {
        let (boids, numeric) = self.held.with(py, |flying| {
            let engine = flying.opened.get();
            Ok((engine.boids() as usize, engine.numeric()))
        })?;
        arrays::read_only(match numeric {
            Numeric::F32 => arrays::rows::<f32, 3>(py, &[boids, 3], |all| self.read(py, of, all)),
            _ => arrays::rows::<f64, 3>(py, &[boids, 3], |all| self.read(py, of, all)),
        }?)
    }

    fn read<T: Handed>(&self, py: Python<'_>, of: VectorOf, into: &mut [[T; 3]]) -> PyResult<()> {
        self.held.with(py, |flying| Ok(flying.opened.get().vectors(of, T::vectors(into))?))
    }

    fn set_vectors(&self, value: &Bound<'_, PyAny>, of: VectorOf) -> PyResult<()> {
        let py = value.py();
        let array = arrays::numbers(value, of.name(), &[self.__len__(py)?, 3])?;
        let vectors = arrays::as_vectors(&array)?;
        self.held.with(py, |flying| {
            flying.refuse_recorded(of.name())?;
            let Flying { opened, document, device, .. } = flying;
            let state = with_vectors(opened.get(), document, device, of, vectors)?;
            Ok(flying.set_state(state)?)
        })
    }
}

/// Steps a flock as the iterator advances; see Flock.run.
#[derive(Debug)]
#[pyclass(module = "murmuration_boids")]
pub struct Run {
    flock: Py<Flock>,
    left: u64,
    every: u64,
    begun: bool,
}

#[pymethods]
impl Run {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<PyState>> {
        if self.begun && self.left == 0 {
            return Ok(None);
        }
        let flock = self.flock.get();
        if self.begun {
            flock.step_on(py, self.left.min(self.every), |taken| self.left -= taken)?;
        }
        self.begun = true;
        flock.now(py).map(Some)
    }
}

/// The state of an engine with one vector replaced for each boid.
///
/// # Errors
/// When no step can continue from it.
pub fn with_vectors(
    engine: &mut dyn Engine,
    document: &Document,
    device: &Device,
    of: VectorOf,
    vectors: &[[f64; 3]],
) -> Result<State> {
    let mut state = engine.state()?;
    for (boid, vector) in state.boids.iter_mut().zip(vectors) {
        *of.of(boid) = *vector;
    }
    // The number of boids is the document's, so the document is unchanged.
    start::fit(Path::new(of.name()), &mut { *document }, &mut state, device)?;
    Ok(state)
}

/// The measures of these names; all measures without names.
pub fn measures(py: Python<'_>, names: &[String]) -> PyResult<Vec<Measure>> {
    let names = names.iter().map(String::as_str);
    let all = if names.len() == 0 { Measures::NAMES } else { &[] };
    let found = names.chain(all.iter().copied()).map(Measure::find).collect::<Result<Vec<_>, _>>();
    found.map_err(|error| raised(py, error.into()))
}

/// The values of measures of an engine's flock, in order.
pub fn measured(
    engine: &mut dyn Engine,
    document: &Document,
    measures: &[Measure],
) -> Result<Vec<f64>, engine::EngineError> {
    let families: Vec<_> = measures.iter().map(|measure| measure.family()).collect();
    let values: Vec<f64> = measure_only(&document.parameters, &engine.state()?, &families).values().collect();
    Ok(measures.iter().map(|measure| measure.of(&values)).collect())
}
