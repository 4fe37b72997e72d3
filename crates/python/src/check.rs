//! Checks of a program's own numbers against the models of docs/reference.md.

use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods as _};
use pyo3::prelude::*;
use reference::Computed;

use crate::error::{raised, refused};
use crate::{arrays, words};

/// The result of a check: true if all numbers are right. Printed, it is a sentence.
#[derive(Debug)]
#[pyclass(frozen, module = "murmuration_boids")]
pub struct Check {
    check: reference::Check,
}

#[pymethods]
impl Check {
    /// True if all numbers lie within their bounds.
    #[getter]
    fn right(&self) -> bool {
        self.check.difference.is_none()
    }

    /// The first boid with a wrong number, or None.
    #[getter]
    fn boid(&self) -> Option<usize> {
        self.check.difference.as_ref().map(|first| first.boid)
    }

    /// The name of its first wrong number: x, y, z, vx, vy or vz; or None.
    #[getter]
    fn number(&self) -> Option<&'static str> {
        self.check.difference.as_ref().map(|first| first.number)
    }

    /// The wrong number, or None.
    #[getter]
    fn computed(&self) -> Option<f64> {
        self.check.difference.as_ref().map(|first| first.computed)
    }

    /// The right number, or None.
    #[getter]
    fn expected(&self) -> Option<f64> {
        self.check.difference.as_ref().map(|first| first.expected)
    }

    /// How far any program in float64 may be from the right number, or None.
    #[getter]
    fn bound(&self) -> Option<f64> {
        self.check.difference.as_ref().map(|first| first.bound)
    }

    /// The mistakes that would give these numbers, as texts: one of them was made. Empty if none is known.
    #[getter]
    fn mistakes(&self) -> Vec<String> {
        self.check.causes.clone()
    }

    fn __bool__(&self) -> bool {
        self.right()
    }

    fn __repr__(&self) -> String {
        self.check.to_string()
    }
}

/// Checks positions and velocities that a program of your own has computed, against a model of docs/reference.md.
///
/// `name` is "agents" or another of these. The program begins at `reference(name, boids=...)` and takes `step` steps,
/// 1, 2, 5 or 10. `position` and `velocity` are arrays (boids, 2) or (boids, 3) of 8 or 200 boids in the order of the
/// start, in float64. The result is true if all are right. If not, it names the first boid that differs, and the mistakes
/// that would give these numbers: each is tried from the same start. Raises UsageError for another name, step or shape.
#[pyfunction]
#[pyo3(signature = (name, *, step, position, velocity))]
pub fn check(
    py: Python<'_>,
    name: &Bound<'_, PyAny>,
    step: &Bound<'_, PyAny>,
    position: &Bound<'_, PyAny>,
    velocity: &Bound<'_, PyAny>,
) -> PyResult<Check> {
    let model = model(name)?;
    let step = words::step(step)?;
    let (position, velocity) = (vectors("position", position)?, vectors("velocity", velocity)?);
    let computed = Computed { position: &position, velocity: &velocity };
    let check =
        py.detach(|| reference::check(model, step, computed)).map_err(|failure| raised(py, failure))?;
    Ok(Check { check })
}

/// The positions and velocities of a model of docs/reference.md, two new arrays (boids, 2) of float64.
///
/// `name` is "agents" or another of these, `boids` 8 or 200, `step` 0, the start, or 1, 2, 5 or 10. Raises UsageError for
/// others.
#[pyfunction]
#[pyo3(name = "reference", signature = (name, *, boids = None, step = None))]
pub fn reference_flock<'py>(
    py: Python<'py>,
    name: &Bound<'py, PyAny>,
    boids: Option<&Bound<'py, PyAny>>,
    step: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let model = model(name)?;
    let boids = boids.map_or(Ok(200), words::boids)?;
    let step = step.map_or(Ok(0), words::step)?;
    let birds = py.detach(|| reference::at(model, boids, step)).map_err(|failure| raised(py, failure))?;
    let array = |of: fn(&reference::Bird) -> reference::Vector| {
        arrays::rows::<f64, 2>(py, &[birds.len(), 2], |rows| {
            for (row, bird) in rows.iter_mut().zip(&birds) {
                *row = [of(bird).x.value, of(bird).y.value];
            }
            Ok(())
        })
    };
    Ok((array(|bird| bird.position)?, array(|bird| bird.velocity)?))
}

/// The model of a name.
fn model(name: &Bound<'_, PyAny>) -> PyResult<&'static reference::Model> {
    let text: String = name.extract().map_err(|_| words::mistyped("name", "text", name))?;
    reference::model(&text).map_err(|failure| raised(name.py(), failure))
}

/// Vectors of two or three numbers, the third of two being zero.
fn vectors(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<[f64; 3]>> {
    let py = value.py();
    let array: PyReadonlyArrayDyn<'_, f64> = arrays::numbers_of_any_shape(value, name)?;
    let columns = match array.shape() {
        [_, columns @ (2 | 3)] => *columns,
        other => {
            let line = format!("{name} must have the shape [boids, 2] or [boids, 3], not {other:?}");
            return Err(refused(py, line));
        }
    };
    let mut rows = Vec::new();
    for row in array.as_slice()?.chunks_exact(columns) {
        rows.push([row[0], row[1], row.get(2).copied().unwrap_or(0.0)]);
    }
    Ok(rows)
}
