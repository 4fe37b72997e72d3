//! The explanation of a boid as a dict.

use engine::Explanation;
use numpy::IntoPyArray as _;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The dict of an explanation; see `Flock.explain`.
pub fn dict<'py>(py: Python<'py>, explained: &Explanation) -> PyResult<Bound<'py, PyDict>> {
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
