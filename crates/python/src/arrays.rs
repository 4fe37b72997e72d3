//! Copies between engines and NumPy arrays, and the states, dicts and pictures made of them. Every array is a copy that
//! Python owns, in id order. Those of an attribute are read-only: writing into a copy would leave the flock as it is,
//! without a word.

use engine::{Explanation, State, VectorOf, Vectors};
use flock::Parameters;
use flock::parameters::PARAMETERS;
use numpy::{
    Element, IntoPyArray as _, PyArrayDyn, PyArrayMethods as _, PyReadonlyArray3, PyReadonlyArrayDyn,
    PyUntypedArrayMethods as _,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict as _, PyBytes, PyDict};

use crate::error::refused;

/// An element type of the vectors handed to Python.
pub trait Handed: Element + Copy {
    fn vectors(slice: &mut [[Self; 3]]) -> Vectors<'_>;
    fn rounded(number: f64) -> Self;
}

impl Handed for f32 {
    fn vectors(slice: &mut [[Self; 3]]) -> Vectors<'_> {
        Vectors::F32(slice)
    }

    fn rounded(number: f64) -> f32 {
        number as f32
    }
}

impl Handed for f64 {
    fn vectors(slice: &mut [[Self; 3]]) -> Vectors<'_> {
        Vectors::F64(slice)
    }

    fn rounded(number: f64) -> f64 {
        number
    }
}

/// A new array whose rows `fill` writes without the interpreter's lock; `shape` ends with N.
pub fn rows<'py, T: Handed, const N: usize>(
    py: Python<'py>,
    shape: &[usize],
    fill: impl FnOnce(&mut [[T; N]]) -> PyResult<()>,
) -> PyResult<Bound<'py, PyAny>> {
    // NumPy raises an error if memory runs out.
    let array = py.import("numpy")?.call_method1("zeros", (shape, T::get_dtype(py)))?;
    let array = array.cast_into::<PyArrayDyn<T>>()?;
    fill(array.readwrite().as_slice_mut()?.as_chunks_mut::<N>().0)?;
    Ok(array.into_any())
}

/// The array, which NumPy then refuses to write into.
pub fn read_only(array: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let never = [("write", false)].into_py_dict(array.py())?;
    array.call_method("setflags", (), Some(&never))?;
    Ok(array)
}

/// An array of integers or floats of this shape, as contiguous float64.
///
/// # Errors
/// When the shape or the item type differs.
pub fn numbers<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    shape: &[usize],
) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    contiguous(of_shape(value, name, shape, REAL)?)
}

/// The same of any shape.
///
/// # Errors
/// When the item type differs.
pub fn numbers_of_any_shape<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    contiguous(of_kind(value, name, "[boids, 2] or [boids, 3]", REAL)?)
}

/// The kinds of items that are numbers, and what they are called.
const REAL: [&str; 2] = ["iuf", "real numbers"];

fn contiguous(array: Bound<'_, PyAny>) -> PyResult<PyReadonlyArrayDyn<'_, f64>> {
    let numpy = array.py().import("numpy")?;
    let array = numpy.call_method1("ascontiguousarray", (array, "float64"))?;
    Ok(array.cast_into::<PyArrayDyn<f64>>()?.readonly())
}

/// An array of `count` booleans.
///
/// # Errors
/// When the shape or the item type differs.
pub fn mask(value: &Bound<'_, PyAny>, name: &str, count: usize) -> PyResult<Vec<bool>> {
    of_shape(value, name, &[count], ["b", "booleans"])?.call_method0("tolist")?.extract()
}

/// The value as an array of this shape with items of an allowed kind.
fn of_shape<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    shape: &[usize],
    kinds: [&str; 2],
) -> PyResult<Bound<'py, PyAny>> {
    let array = of_kind(value, name, &format!("{shape:?}"), kinds)?;
    let found: Vec<usize> = array.getattr("shape")?.extract()?;
    if found != shape {
        return Err(refused(value.py(), format!("{name} must have the shape {shape:?}, not {found:?}")));
    }
    Ok(array)
}

/// The value as an array with items of an allowed kind; `shape` is what it should have.
fn of_kind<'py>(
    value: &Bound<'py, PyAny>,
    name: &str,
    shape: &str,
    [kinds, allowed]: [&str; 2],
) -> PyResult<Bound<'py, PyAny>> {
    let array = match value.py().import("numpy")?.call_method1("asarray", (value,)) {
        Ok(array) => array,
        // Rows of unequal lengths.
        Err(error) if error.is_instance_of::<PyValueError>(value.py()) => {
            return Err(refused(value.py(), format!("{name} must be an array of shape {shape}")));
        }
        Err(error) => return Err(error),
    };
    let kind: String = array.getattr("dtype")?.getattr("kind")?.extract()?;
    if !kinds.contains(&kind) {
        let found = array.getattr("dtype")?.str()?;
        return Err(PyTypeError::new_err(format!("{name} must have the dtype {allowed}, not {found}")));
    }
    Ok(array)
}

/// The vectors of an array.
pub fn as_vectors<'a>(array: &'a PyReadonlyArrayDyn<'_, f64>) -> PyResult<&'a [[f64; 3]]> {
    debug_assert!(array.shape().last() == Some(&3));
    Ok(array.as_slice()?.as_chunks::<3>().0)
}

/// The groups of boids, read-only.
pub fn groups<'py>(py: Python<'py>, state: &State) -> PyResult<Bound<'py, PyAny>> {
    let groups: Vec<u8> = state.boids.iter().map(|boid| boid.group as u8).collect();
    read_only(groups.into_pyarray(py).into_any())
}

/// The pixels of a picture, (height, width, 4), as a PNG.
#[pyfunction]
pub fn png<'py>(py: Python<'py>, pixels: PyReadonlyArray3<'py, u8>) -> PyResult<Bound<'py, PyBytes>> {
    let &[height, width, depth] = pixels.shape() else {
        return Err(refused(py, "a picture must have three axes"));
    };
    if depth != 4 {
        return Err(refused(py, format!("a picture must have 4 bytes per pixel, not {depth}")));
    }
    let (size, pixels) = ([width as u32, height as u32], pixels.as_slice()?);
    let bytes = py.detach(|| files::png(size, pixels)).map_err(|error| refused(py, error))?;
    Ok(PyBytes::new(py, &bytes))
}

/// All parameters by name, dots included, with those of custom terms.
pub fn parameter_dict<'py>(py: Python<'py>, parameters: &Parameters) -> PyResult<Bound<'py, PyDict>> {
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

/// The dict of an explanation; see `Flock.explain`.
pub fn explanation_dict<'py>(py: Python<'py>, explained: &Explanation) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("id", explained.id)?;
    all.set_item("step", explained.step)?;
    for (name, vector) in [
        ("position", explained.position),
        ("velocity", explained.velocity),
        ("next_velocity", explained.next_velocity),
    ] {
        all.set_item(name, vector.to_vec().into_pyarray(py))?;
    }
    all.set_item("speed", explained.speed())?;
    all.set_item("turn", explained.turn())?;
    all.set_item("perched", explained.rests)?;
    let neighbours = PyDict::new(py);
    for (_, by) in &explained.perceivers {
        let ids: Vec<i64> = explained.seen(by).map(|neighbour| neighbour.id.into()).collect();
        neighbours.set_item(by, ids.into_pyarray(py))?;
    }
    all.set_item("neighbours", neighbours)?;
    let changes = PyDict::new(py);
    for change in &explained.changes {
        changes.set_item(change.name, change.velocity.to_vec().into_pyarray(py))?;
    }
    all.set_item("changes", changes)?;
    let limits: Vec<&str> = explained.limits.iter().map(|limit| limit.name()).collect();
    all.set_item("limits", limits)?;
    Ok(all)
}

/// The state of a flock at one step: read-only copies.
#[derive(Debug)]
#[pyclass(frozen, get_all, name = "State", module = "murmuration_boids")]
pub struct PyState {
    /// The step.
    step: u64,
    /// (boids, 3): see Flock.position.
    position: Py<PyAny>,
    /// (boids, 3): see Flock.velocity.
    velocity: Py<PyAny>,
    /// (boids,): see Flock.group.
    group: Py<PyAny>,
}

impl PyState {
    /// The state of an engine, with its vectors in one number type.
    pub fn of<T: Handed>(py: Python<'_>, state: &State) -> PyResult<Self> {
        let vectors = |of: VectorOf| {
            let rows = rows::<T, 3>(py, &[state.boids.len(), 3], |all| {
                let boids = all.iter_mut().zip(&state.boids);
                boids.for_each(|(vector, boid)| *vector = of.read(boid).map(T::rounded));
                Ok(())
            });
            read_only(rows?)
        };
        Ok(PyState {
            step: state.step,
            position: vectors(VectorOf::Position)?.unbind(),
            velocity: vectors(VectorOf::Velocity)?.unbind(),
            group: groups(py, state)?.unbind(),
        })
    }
}

/// Step, positions, velocities and groups.
type Pickled = (u64, Py<PyAny>, Py<PyAny>, Py<PyAny>);

/// The state of a pickle; see State.__reduce__.
#[pyfunction]
pub fn restore_state(
    step: u64,
    position: Bound<'_, PyAny>,
    velocity: Bound<'_, PyAny>,
    group: Bound<'_, PyAny>,
) -> PyResult<PyState> {
    let [position, velocity, group] =
        [read_only(position)?, read_only(velocity)?, read_only(group)?].map(Bound::unbind);
    Ok(PyState { step, position, velocity, group })
}

#[pymethods]
impl PyState {
    /// Parts that make the state again, for pickle and copy.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled)> {
        let [position, velocity, group] =
            [&self.position, &self.velocity, &self.group].map(|array| array.clone_ref(py));
        let restore = py.import("murmuration_boids.native")?.getattr("restore_state")?;
        Ok((restore, (self.step, position, velocity, group)))
    }

    fn __repr__(&self) -> String {
        format!("<State at step {}>", self.step)
    }
}
