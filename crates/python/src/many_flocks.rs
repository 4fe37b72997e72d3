//! Many flocks of one size, stepped over all cores.

use std::ffi::OsString;
use std::path::PathBuf;

use config::Document;
use engine::{Batcher, EngineError, Numeric, State, VectorOf, measures::nearest_others, system::Threads};
use engines::{AnyEngine, Device, EngineKind, EngineRequest};
use files::{Failure, Result};
use murmuration::{cli, commands::start};
use numpy::IntoPyArray as _;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use rayon::iter::{
    IndexedParallelIterator as _, IntoParallelRefIterator as _, IntoParallelRefMutIterator as _,
    ParallelIterator as _,
};
use rayon::slice::ParallelSliceMut as _;
use study::{MAX_RUNS, Measure};

use crate::arrays::{self, Handed};
use crate::flying::with_parameter;
use crate::held::{Guarded, beside};
use crate::one_flock::{ACCELERATION, measured, measures, with_vectors};
use crate::{error::refused, options, pickled, words};

/// Memory of a flock besides its boids, in boids.
const ROOM: u64 = 64;

/// The parameter in which the flocks differ.
const SEED: &str = "flock.seed";

/// One of the flocks; it differs from the others in its seed.
#[derive(Debug)]
struct Member {
    document: Document,
    opened: AnyEngine,
}

impl Member {
    fn seed(&self) -> u32 {
        self.document.parameters.flock.seed
    }
}

/// The flocks, and the threads that they share.
#[derive(Debug)]
struct Many {
    /// Settings shared by the flocks.
    document: Document,
    request: EngineRequest,
    device: Device,
    threads: Threads,
    members: Vec<Member>,
    batcher: Batcher,
}

impl Many {
    /// The device and the threads of flocks that are not open yet.
    fn without_members(mut request: EngineRequest, document: Document) -> Result<Self> {
        request.which = EngineKind::Cpu;
        let (device, _) = request.choose()?;
        let threads = Threads::new(request.threads)?;
        let (members, batcher) = (Vec::new(), Batcher::default());
        Ok(Many { document, request, device, threads, members, batcher })
    }
}

/// Many flocks of the same parameters and size, each with its own seed, stepped on the CPU over all cores in one call.
///
/// Flocks(preset="murmuration", *, count=None, seeds=None, boids=None, numeric="f32", threads=None, **parameters)
///
/// `seeds` has one whole number per flock, for at most a million flocks; with only `count` they are 0, 1, 2, … The
/// other arguments are those of Flock, and each flock has the same bits as a Flock with its seed. The first axis of
/// arrays is the flock. Flocks can be copied and pickled.
#[derive(Debug)]
#[pyclass(frozen, module = "murmuration_boids")]
pub struct Flocks {
    held: Guarded<Many>,
    count: usize,
    boids: usize,
}

#[pymethods]
impl Flocks {
    #[new]
    #[pyo3(signature = (preset = None, *, count = None, seeds = None, **arguments))]
    #[pyo3(
        text_signature = "(preset='murmuration', *, count=None, seeds=None, boids=None, numeric='f32', threads=None, \
        **parameters)"
    )]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = words::preset)] preset: Option<String>,
        count: Option<&Bound<'_, PyAny>>,
        seeds: Option<&Bound<'_, PyAny>>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let preset = preset.map(|name| words::with_value("preset", name));
        Self::open(py, preset, count, seeds, arguments)
    }

    /// Many flocks from a file of parameters: see Flock.load. The other arguments are those of Flocks, and take
    /// precedence over the file.
    #[staticmethod]
    #[pyo3(signature = (path, *, count = None, seeds = None, **arguments))]
    fn load(
        py: Python<'_>,
        #[pyo3(from_py_with = words::path)] path: PathBuf,
        count: Option<&Bound<'_, PyAny>>,
        seeds: Option<&Bound<'_, PyAny>>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Self::open(py, Some(words::with_value("config", path)), count, seeds, arguments)
    }

    /// Advances every flock by `steps` steps: see Flock.step. Ctrl-C stops it between two steps of all flocks.
    /// `acceleration` is an additional request of each boid: (count, boids, 3).
    #[pyo3(signature = (steps = 1, *, acceleration = None))]
    fn step(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = words::steps)] steps: u64,
        acceleration: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let shape = [self.count, self.boids, 3];
        let array = acceleration.map(|array| arrays::numbers(array, ACCELERATION, &shape)).transpose()?;
        let requests = array.as_ref().map(arrays::as_vectors).transpose()?.unwrap_or_default();
        let row = |k: usize| requests.get(k * self.boids..(k + 1) * self.boids).unwrap_or_default();
        self.held.with(py, |Many { members, device, .. }| {
            members.iter_mut().enumerate().try_for_each(|(k, Member { opened, document })| {
                start::check_steps(opened.get().step_number(), steps)?;
                start::check_requests(ACCELERATION, row(k), &document.parameters, device)
            })
        })?;
        let mut left = steps;
        while left > 0 {
            left -= self.held.with(py, |Many { threads, members, batcher, .. }| {
                let mut all = |steps| {
                    let all = members.par_iter_mut().enumerate();
                    all.try_for_each(|(k, one)| one.opened.get().advance_by(row(k), steps))
                };
                Ok(batcher.take(left, |steps| threads.install(|| all(steps)))?)
            })?;
            py.check_signals()?;
        }
        Ok(())
    }

    /// The positions as an array of shape (count, boids, 3), float32 with numeric "f32", otherwise float64: a read-only
    /// copy. Assign an array of this shape to set them: see Flock.position.
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

    /// Restarts flocks at step 0: those for which `mask`, of shape (count,) and bool, is true, or all without a mask.
    /// `seeds` has one seed for each restarted flock; without `seeds`, each keeps its own.
    #[pyo3(signature = (mask = None, seeds = None))]
    fn reset(
        &self,
        py: Python<'_>,
        mask: Option<&Bound<'_, PyAny>>,
        seeds: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let chosen =
            mask.map_or(Ok(vec![true; self.count]), |mask| arrays::mask(mask, "mask", self.count))?;
        let number = chosen.iter().filter(|chosen| **chosen).count();
        let seeds = seeds.map(|seeds| read_seeds(seeds, Some(number))).transpose()?;
        self.held.with(py, |Many { device, threads, members, .. }| {
            let old = members.iter().zip(&chosen).filter(|(_, chosen)| **chosen);
            let mut documents: Vec<Document> = old.map(|(one, _)| one.document).collect();
            for (document, seed) in documents.iter_mut().zip(seeds.iter().flatten()) {
                *document = with_parameter(*document, SEED, seed)?;
            }
            // If one cannot start, none is changed.
            let begun = |document: &Document| begin(*document, device, threads);
            let new: Vec<Member> =
                threads.install(|| documents.par_iter().map(begun).collect::<Result<_, _>>())?;
            let chosen = members.iter_mut().zip(&chosen).filter(|(_, chosen)| **chosen);
            chosen.zip(new).for_each(|((one, _), new)| *one = new);
            Ok(())
        })
    }

    /// Each boid's view of its `nearest` other boids, nearest first: an array of shape (count, boids, nearest, 6),
    /// float32 with numeric "f32", otherwise float64. The first three numbers are the offset to the other boid (to its
    /// nearest image in a world that wraps), the last three are its velocity. The rest is zero if fewer boids are within
    /// `radius`, a length. Raises UsageError if a flock has fewer other boids.
    #[pyo3(signature = (nearest, radius = None))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        nearest: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = words::radius)] radius: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let most = self.boids.saturating_sub(1);
        let nearest = words::whole("nearest", 0..=most as u64, nearest)? as usize;
        if let Some(radius) = radius.filter(|radius| radius.is_nan() || *radius < 0.0) {
            return Err(refused(py, format!("radius must be 0 or more, not {radius}")));
        }
        let radius = radius.unwrap_or(f64::INFINITY);
        let shape = [self.count, self.boids, nearest, 6];
        match self.numeric(py)? {
            Numeric::F32 => arrays::rows::<f32, 6>(py, &shape, |all| self.see(py, nearest, radius, all)),
            _ => arrays::rows::<f64, 6>(py, &shape, |all| self.see(py, nearest, radius, all)),
        }
    }

    /// Measures by name, each an array of shape (count,), float64: see Flock.measure.
    #[pyo3(signature = (*names))]
    fn measure<'py>(&self, names: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyDict>> {
        let (py, names) = (names.py(), words::names(names)?);
        let measures: Vec<Measure> = measures(py, &names)?;
        let rows = self.held.with(py, |Many { threads, members, .. }| {
            let one = |one: &mut Member| measured(one.opened.get(), &one.document, &measures);
            let rows: Result<Vec<_>, _> = threads.install(|| members.par_iter_mut().map(one).collect());
            Ok(rows?)
        })?;
        let all = PyDict::new(py);
        for (column, measure) in measures.iter().enumerate() {
            let values: Vec<f64> = rows.iter().map(|row| row[column]).collect();
            all.set_item(measure.name(), values.into_pyarray(py))?;
        }
        Ok(all)
    }

    /// The fingerprint of each flock: see Flock.hash.
    fn hash(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.held.with(py, |many| {
            let one = |one: &mut Member| Ok(format!("{:016x}", one.opened.get().hash()?));
            many.members.iter_mut().map(one).collect()
        })
    }

    /// The parameters of the first flock; the others differ only in `flock.seed`.
    #[getter]
    fn parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let first = |many: &mut Many| many.members.first().map_or(many.document, |one| one.document);
        arrays::parameter_dict(py, &self.held.with(py, |many| Ok(first(many).parameters))?)
    }

    /// Sets a parameter of every flock: see Flock.set.
    fn set(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = words::name)] name: String,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let value = words::text(&name, value)?;
        self.held.with(py, |many| {
            let document = with_parameter(many.document, &name, &value)?;
            let new = many.members.iter().map(|one| with_parameter(one.document, &name, &value));
            let new: Vec<Document> = new.collect::<Result<_, _>>()?;
            for (one, new) in many.members.iter_mut().zip(new) {
                one.opened.get().set_parameters(&new.parameters)?;
                one.document = new;
            }
            many.document = document;
            Ok(())
        })
    }

    /// The seeds, a read-only array of shape (count,), uint32; `reset` sets them.
    #[getter]
    fn seeds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let seeds: Vec<u32> =
            self.held.with(py, |many| Ok(many.members.iter().map(Member::seed).collect()))?;
        arrays::read_only(seeds.into_pyarray(py).into_any())
    }

    /// The current step number of each flock, a read-only array of shape (count,), uint64.
    #[getter]
    fn step_count<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let step = |one: &mut Member| one.opened.get().step_number();
        let steps: Vec<u64> = self.held.with(py, |many| Ok(many.members.iter_mut().map(step).collect()))?;
        arrays::read_only(steps.into_pyarray(py).into_any())
    }

    /// Parts that make the flocks again, for pickle and copy.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let (options, parameters, seeds, states) = self.held.with(py, |many| {
            let (options, parameters) = (pickled::options(&many.request), config::save(&many.document));
            let seeds = many.members.iter().map(Member::seed).collect();
            let states = many.members.iter_mut().map(|one| one.opened.get().state());
            Ok((options, parameters, seeds, states.collect::<Result<Vec<_>, _>>()?))
        })?;
        let restore = py.import("murmuration_boids.native")?.getattr("restore_flocks")?;
        Ok((restore, (options, parameters, seeds, pickled::from_states(py, &states)?)))
    }

    /// The number of flocks.
    fn __len__(&self) -> usize {
        self.count
    }

    fn __repr__(&self) -> String {
        format!("<Flocks: {} of {} boids>", self.count, self.boids)
    }
}

/// Options, shared parameters, seeds and states of flocks.
type Pickled<'py> = (Vec<OsString>, String, Vec<u32>, pickled::States<'py>);

/// The flocks of a pickle; see Flocks.__reduce__.
#[pyfunction]
pub fn restore_flocks(
    py: Python<'_>,
    options: Vec<OsString>,
    parameters: &str,
    seeds: Vec<u32>,
    states: pickled::States<'_>,
) -> PyResult<Flocks> {
    let document = pickled::document(py, parameters)?;
    let states = pickled::to_states(&document, states)?;
    Ok(Flocks::holding(beside(py, || resume(options, document, &seeds, &states))?))
}

impl Flocks {
    fn open(
        py: Python<'_>,
        source: Option<OsString>,
        count: Option<&Bound<'_, PyAny>>,
        seeds: Option<&Bound<'_, PyAny>>,
        arguments: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let mut options = words::options(arguments, options::FLOCKS, true)?;
        options.extend(source);
        let count = count.map(|count| words::whole("count", 0..=MAX_RUNS as u64, count)).transpose()?;
        let count = count.map(|count| count as usize);
        let seeds = match (seeds, count) {
            (Some(seeds), count) => read_seeds(seeds, count)?,
            (None, Some(count)) => (0..count).map(|seed| seed.to_string()).collect(),
            (None, None) => return Err(refused(py, "Flocks requires count or seeds")),
        };
        Ok(Flocks::holding(beside(py, || open(options, &seeds))?))
    }

    fn holding(many: Many) -> Self {
        let (count, boids) = (many.members.len(), many.document.parameters.flock.boids as usize);
        Flocks { held: Guarded::new(many), count, boids }
    }

    fn numeric(&self, py: Python<'_>) -> PyResult<Numeric> {
        self.held.with(py, |many| Ok(many.device.numeric()))
    }

    fn vectors<'py>(&self, py: Python<'py>, of: VectorOf) -> PyResult<Bound<'py, PyAny>> {
        let shape = [self.count, self.boids, 3];
        arrays::read_only(match self.numeric(py)? {
            Numeric::F32 => arrays::rows::<f32, 3>(py, &shape, |all| self.read(py, of, all)),
            _ => arrays::rows::<f64, 3>(py, &shape, |all| self.read(py, of, all)),
        }?)
    }

    fn read<T: Handed>(&self, py: Python<'_>, of: VectorOf, into: &mut [[T; 3]]) -> PyResult<()> {
        self.held.with(py, |Many { threads, members, .. }| {
            // Flocks without boids have no rows.
            let rows = members.par_iter_mut().zip(into.par_chunks_mut(self.boids.max(1)));
            let read =
                |(one, row): (&mut Member, &mut [[T; 3]])| one.opened.get().vectors(of, T::vectors(row));
            Ok(threads.install(|| rows.try_for_each(read))?)
        })
    }

    fn see<T: Handed>(
        &self,
        py: Python<'_>,
        nearest: usize,
        radius: f64,
        into: &mut [[T; 6]],
    ) -> PyResult<()> {
        self.held.with(py, |Many { threads, members, .. }| {
            let rows = members.par_iter_mut().zip(into.par_chunks_mut((self.boids * nearest).max(1)));
            let see = |(Member { opened, document }, row): (&mut Member, &mut [[T; 6]])| {
                let seen = nearest_others(&document.parameters, &opened.get().state()?, nearest, radius);
                row.iter_mut().zip(seen).for_each(|(to, seen)| *to = seen.map(T::rounded));
                Ok::<_, EngineError>(())
            };
            Ok(threads.install(|| rows.try_for_each(see))?)
        })
    }

    fn set_vectors(&self, value: &Bound<'_, PyAny>, of: VectorOf) -> PyResult<()> {
        let array = arrays::numbers(value, of.name(), &[self.count, self.boids, 3])?;
        let vectors = arrays::as_vectors(&array)?;
        self.held.with(value.py(), |Many { members, device, .. }| {
            let mut rows = vectors.chunks(self.boids.max(1));
            // All are checked before any changes.
            let mut states = Vec::new();
            for one in members.iter_mut() {
                let row = rows.next().unwrap_or_default();
                states.push(with_vectors(one.opened.get(), &one.document, device, of, row)?);
            }
            let both = members.iter_mut().zip(states);
            both.into_iter().try_for_each(|(one, state)| Ok(one.opened.get().set_state(&state)?))
        })
    }
}

/// Opens a flock for each seed.
fn open(options: Vec<OsString>, seeds: &[String]) -> Result<Many> {
    let request = cli::request(options, cli::run::resolve)?;
    let document = request.flock.document()?;
    let mut many = Many::without_members(request.engine, document)?;
    let (count, boids) = (seeds.len(), document.parameters.flock.boids);
    let all = count as u64 * (u64::from(boids) + ROOM);
    if u32::try_from(all).map_or(true, |all| State::check_capacity(all).is_err()) {
        return Err(Failure::work(format!(
            "out of memory: {count} flocks of flock.boids = {boids} are too many"
        )));
    }
    let one = |seed: &String| begin(with_parameter(document, SEED, seed)?, &many.device, &many.threads);
    many.members = many.threads.install(|| seeds.par_iter().map(one).collect::<Result<_, _>>())?;
    Ok(many)
}

/// Opens flocks with these seeds, each in its state.
fn resume(options: Vec<OsString>, document: Document, seeds: &[u32], states: &[State]) -> Result<Many> {
    let mut many = Many::without_members(cli::request(options, cli::run::resolve)?.engine, document)?;
    let one = |(seed, state): (&u32, &State)| {
        let document = with_parameter(document, SEED, &seed.to_string())?;
        open_member(document, state, &many.device, &many.threads)
    };
    let all = seeds.par_iter().zip(states);
    many.members = many.threads.install(|| all.map(one).collect::<Result<_, _>>())?;
    Ok(many)
}

/// Opens a flock at its start, on shared threads.
fn begin(document: Document, device: &Device, threads: &Threads) -> Result<Member> {
    let state = State::try_start(&document.parameters)?;
    open_member(document, &state, device, threads)
}

/// Opens a flock in this state, on shared threads.
fn open_member(document: Document, state: &State, device: &Device, threads: &Threads) -> Result<Member> {
    let opened = device.engine_on(Some(threads), &document.parameters, state);
    Ok(Member { document, opened: opened.map_err(|error: EngineError| Failure::from(error))? })
}

/// The seeds as on the command line: `count` of them, if it is given.
fn read_seeds(seeds: &Bound<'_, PyAny>, count: Option<usize>) -> PyResult<Vec<String>> {
    // Iterating over text would give its characters.
    if seeds.cast::<PyString>().is_ok() || seeds.cast::<PyBytes>().is_ok() {
        return Err(words::mistyped("seeds", "a list of whole numbers", seeds));
    }
    let read = words::values("seeds", seeds, count.unwrap_or(MAX_RUNS))?;
    if let Some(count) = count.filter(|count| *count != read.len()) {
        let why = format!("seeds must have {count} values, one per flock, not {}", read.len());
        return Err(refused(seeds.py(), why));
    }
    read.iter().map(|seed| words::text("seeds", seed)).collect()
}
