//! The states of a flock as they come.

use numpy::IntoPyArray as _;
use pyo3::prelude::*;

use crate::arrays::{self, Handed};
use crate::error::refused;
use crate::one_flock::Flock;

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

impl State {
    /// That of an engine, its vectors in numbers of one kind.
    pub fn of<T: Handed>(py: Python<'_>, state: &cpu::State) -> PyResult<Self> {
        let vectors = |of: cpu::VectorOf| {
            arrays::rows::<T, 3>(py, &[state.boids.len(), 3], |all| {
                let boids = all.iter_mut().zip(&state.boids);
                boids.for_each(|(vector, boid)| *vector = of.read(boid).map(T::rounded));
                Ok(())
            })
        };
        Ok(State {
            step: state.step,
            position: vectors(cpu::VectorOf::Position)?.unbind(),
            velocity: vectors(cpu::VectorOf::Velocity)?.unbind(),
            group: arrays::groups(state).into_pyarray(py).into_any().unbind(),
        })
    }
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
    flock: Py<Flock>,
    left: u64,
    every: u64,
    begun: bool,
}

impl Run {
    pub fn new(py: Python<'_>, flock: Py<Flock>, steps: u64, every: u64) -> PyResult<Self> {
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
        let flock = self.flock.get();
        if self.begun {
            flock.step_on(py, self.left.min(self.every), |taken| self.left -= taken)?;
        }
        self.begun = true;
        flock.now(py).map(Some)
    }
}
