//! Parts that make flocks again, for `pickle` and `copy`: the options of their engine, their parameters as a file, and their
//! states. An engine is opened where they arrive.

use std::ffi::OsString;

use config::Document;
use engine::State;
use engines::{EngineKind, EngineRequest};
use flock::{Boid, Predator};
use murmuration::cli::shared::BACKENDS;
use pyo3::prelude::*;

use crate::arrays;
use crate::error::raised;
use crate::words::with_value;

/// The numbers of a boid: position, velocity, bias, group and rest.
const BOID: usize = 9;

/// The numbers of a predator: position and velocity.
const PREDATOR: usize = 6;

/// The steps of flocks, and all their numbers, in which every number type fits: (flocks, boids, 9) and (flocks,
/// predators, 6) float64.
pub type States<'py> = (Vec<u64>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The states of flocks that have the same numbers of boids and predators.
pub fn from_states<'py>(py: Python<'py>, states: &[State]) -> PyResult<States<'py>> {
    let [boids, predators] =
        states.first().map_or([0; 2], |state| [state.boids.len(), state.predators.len()]);
    let all_boids = states.iter().flat_map(|state| &state.boids);
    let boids = arrays::rows::<f64, BOID>(py, &[states.len(), boids, BOID], |rows| {
        for (row, boid) in rows.iter_mut().zip(all_boids) {
            let [[x, y, z], [vx, vy, vz]] = [boid.position, boid.velocity];
            *row = [x, y, z, vx, vy, vz, boid.bias, boid.group.into(), boid.rest.into()];
        }
        Ok(())
    })?;
    let all_predators = states.iter().flat_map(|state| &state.predators);
    let predators = arrays::rows::<f64, PREDATOR>(py, &[states.len(), predators, PREDATOR], |rows| {
        for (row, predator) in rows.iter_mut().zip(all_predators) {
            let [[x, y, z], [vx, vy, vz]] = [predator.position, predator.velocity];
            *row = [x, y, z, vx, vy, vz];
        }
        Ok(())
    })?;
    Ok((states.iter().map(|state| state.step).collect(), boids, predators))
}

/// The states of `from_states`, for flocks with the parameters of this document.
///
/// # Errors
/// When an array has another shape or item type.
pub fn to_states(document: &Document, (steps, boids, predators): States<'_>) -> PyResult<Vec<State>> {
    if steps.is_empty() {
        return Ok(Vec::new());
    }
    let (count, many) = (steps.len(), document.parameters.flock.boids as usize);
    let hunters = predators.getattr("shape")?.get_item(1)?.extract()?;
    let boids = arrays::numbers(&boids, "boids", &[count, many, BOID])?;
    let predators = arrays::numbers(&predators, "predators", &[count, hunters, PREDATOR])?;
    let (boids, predators) = (boids.as_slice()?.as_chunks().0, predators.as_slice()?.as_chunks().0);
    let state = |(k, step): (usize, u64)| State {
        step,
        boids: boids[k * many..(k + 1) * many].iter().map(to_boid).collect(),
        predators: predators[k * hunters..(k + 1) * hunters].iter().map(to_predator).collect(),
    };
    Ok(steps.into_iter().enumerate().map(state).collect())
}

fn to_boid(&[x, y, z, vx, vy, vz, bias, group, rest]: &[f64; BOID]) -> Boid<f64> {
    Boid { position: [x, y, z], velocity: [vx, vy, vz], bias, group: group as u32, rest: rest as i32 }
}

fn to_predator(&[x, y, z, vx, vy, vz]: &[f64; PREDATOR]) -> Predator<f64> {
    Predator { position: [x, y, z], velocity: [vx, vy, vz] }
}

/// The document of a text that `config::save` wrote.
///
/// # Errors
/// When another version wrote it, whose parameters this one does not know.
pub fn document(py: Python<'_>, text: &str) -> PyResult<Document> {
    config::parse(text, "pickle").map_err(|error| raised(py, error.into()))
}

/// The options that request this engine. A change of the engine may have left others, which do not fit it.
pub fn options(request: &EngineRequest) -> Vec<OsString> {
    let EngineRequest { which, numeric, adapter, backend, kernel, threads, firmware } = request;
    let mut options = vec![with_value("engine", which.name()), with_value("numeric", numeric.name())];
    if matches!(which, EngineKind::Gpu | EngineKind::Auto) {
        let backend = BACKENDS.iter().find(|(known, _)| Some(*known) == *backend);
        options.extend(adapter.iter().map(|adapter| with_value("adapter", adapter)));
        options.extend(backend.map(|(_, name)| with_value("backend", name)));
        options.extend(kernel.map(|kernel| with_value("kernel", kernel.name())));
    }
    if matches!(which, EngineKind::Cpu | EngineKind::Auto) {
        options.extend(threads.map(|threads| with_value("threads", threads.to_string())));
    }
    if *which == EngineKind::Rp2040 {
        options.extend(firmware.iter().map(|firmware| with_value("firmware", firmware)));
    }
    options
}
