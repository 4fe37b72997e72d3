//! A flock on ranks.

use std::thread::available_parallelism;

use cpu::{Engine, Numeric, State};
use flock::{Fixed, Parameters};
use ranks::{Settings, check, on_threads};
use report::Failure;

use crate::cli::run::RunRequest;

/// An engine that steps the flock on so many ranks; the cores are theirs in equal parts, unless `--threads` says how many each has.
///
/// # Errors
/// When ranks cannot step such a flock.
pub(super) fn open(
    request: &RunRequest,
    ranks: usize,
    parameters: &Parameters,
    state: &State,
) -> Result<Box<dyn Engine>, Failure> {
    let numeric = request.engine.numeric;
    check(parameters, numeric)
        .map_err(|why| Failure::usage(why).hint("--numeric fixed has no such order"))?;
    let cores = available_parallelism().map_or(1, usize::from);
    let threads = request.engine.threads.unwrap_or((cores / ranks).max(1));
    let halo = request.options.halo.unwrap_or(1);
    let settings = Settings { halo, threads: Some(threads), ..Settings::default() };
    Ok(match numeric {
        Numeric::F32 | Numeric::F64 => Box::new(on_threads::<f32>(parameters, state, ranks, settings)?),
        Numeric::Fixed => Box::new(on_threads::<Fixed>(parameters, state, ranks, settings)?),
    })
}
