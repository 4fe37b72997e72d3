//! A flock at one step.

use pyo3::prelude::*;

use crate::arrays::{self, Handed};

/// The state of a flock at one step: read-only copies.
#[derive(Debug)]
#[pyclass(frozen, get_all, module = "murmuration_boids")]
pub struct State {
    /// The step.
    step: u64,
    /// (boids, 3): see Flock.position.
    position: Py<PyAny>,
    /// (boids, 3): see Flock.velocity.
    velocity: Py<PyAny>,
    /// (boids,): see Flock.group.
    group: Py<PyAny>,
}

impl State {
    /// The state of an engine, with its vectors in one number type.
    pub fn of<T: Handed>(py: Python<'_>, state: &engine::State) -> PyResult<Self> {
        let vectors = |of: engine::VectorOf| {
            let rows = arrays::rows::<T, 3>(py, &[state.boids.len(), 3], |all| {
                let boids = all.iter_mut().zip(&state.boids);
                boids.for_each(|(vector, boid)| *vector = of.read(boid).map(T::rounded));
                Ok(())
            });
            arrays::read_only(rows?)
        };
        Ok(State {
            step: state.step,
            position: vectors(engine::VectorOf::Position)?.unbind(),
            velocity: vectors(engine::VectorOf::Velocity)?.unbind(),
            group: arrays::groups(py, state)?.unbind(),
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
) -> PyResult<State> {
    let [position, velocity, group] =
        [arrays::read_only(position)?, arrays::read_only(velocity)?, arrays::read_only(group)?]
            .map(Bound::unbind);
    Ok(State { step, position, velocity, group })
}

#[pymethods]
impl State {
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
