//! The states of a flock as they come.

use pyo3::prelude::*;

use crate::error::refused;

/// A flock at one step: copies that stay as they are.
#[derive(Debug)]
#[pyclass(frozen, get_all, module = "murmuration_boids")]
pub struct State {
    /// The step.
    step: u64,
    /// (boids, 3), as Flock.position.
    position: Py<PyAny>,
    /// (boids, 3), as Flock.velocity.
    velocity: Py<PyAny>,
    /// (boids,), as Flock.group.
    group: Py<PyAny>,
}

#[pymethods]
impl State {
    fn __repr__(&self) -> String {
        format!("<State at step {}>", self.step)
    }
}

/// Steps a flock as its states are asked for; see Flock.run.
#[derive(Debug)]
#[pyclass(module = "murmuration_boids")]
pub struct Run {
    flock: Py<PyAny>,
    left: u64,
    every: u64,
    begun: bool,
}

impl Run {
    pub fn new(py: Python<'_>, flock: Py<PyAny>, steps: u64, every: u64) -> PyResult<Self> {
        if every == 0 {
            return Err(refused(py, "every = 0: allowed is a whole number from 1 on"));
        }
        Ok(Run { flock, left: steps, every, begun: false })
    }
}

#[pymethods]
impl Run {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<State>> {
        if self.begun && self.left == 0 {
            return Ok(None);
        }
        let flock = self.flock.bind(py);
        if self.begun {
            let steps = self.left.min(self.every);
            flock.call_method1("step", (steps,))?;
            self.left -= steps;
        }
        self.begun = true;
        let array = |name| flock.getattr(name).map(Bound::unbind);
        let (position, velocity, group) = (array("position")?, array("velocity")?, array("group")?);
        let step = flock.getattr("step_count")?.extract()?;
        Ok(Some(State { step, position, velocity, group }))
    }
}
