//! A flock at one step.

use pyo3::prelude::*;

use crate::arrays::{self, Handed};

/// A flock at one step: copies that do not change.
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
    pub fn of<T: Handed>(py: Python<'_>, state: &cpu::State) -> PyResult<Self> {
        let vectors = |of: cpu::VectorOf| {
            let rows = arrays::rows::<T, 3>(py, &[state.boids.len(), 3], |all| {
                let boids = all.iter_mut().zip(&state.boids);
                boids.for_each(|(vector, boid)| *vector = of.read(boid).map(T::rounded));
                Ok(())
            });
            arrays::read_only(rows?)
        };
        Ok(State {
            step: state.step,
            position: vectors(cpu::VectorOf::Position)?.unbind(),
            velocity: vectors(cpu::VectorOf::Velocity)?.unbind(),
            group: arrays::groups(py, state)?.unbind(),
        })
    }
}

#[pymethods]
impl State {
    fn __repr__(&self) -> String {
        format!("<State at step {}>", self.step)
    }
}
