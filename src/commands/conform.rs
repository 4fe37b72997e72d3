//! `conform` compares the backends of this machine, `check` another program with a reference model.

use std::path::Path;

use serde_json::Value;

use super::outputs::{create, keep_existing};
use crate::cli::conform::{CheckOptions, ConformOptions, ConformRequest};
use conform::backends::{self, Backend, Platform};
use conform::flights;
use engine::Numeric;
use files::{AtomicFile, Failure, Result, interrupt, progress, read_state};
use reference::Computed;

pub(super) fn conform(request: &ConformRequest) -> Result {
    interrupt::listen();
    engine::system::share_work(None)?;
    let options = &request.options;
    let files = [("--constants", &options.constants), ("--json", &options.json)];
    let named: Vec<_> = files.into_iter().filter_map(|(name, file)| Some((name, file.clone()?))).collect();
    keep_existing(&named, options.yes)?;
    if let Some(file) = create(options.constants.as_deref(), "toml", options.yes)? {
        return file.fill(conform::constants()?);
    }
    // A file that cannot be written is found out before there is work to lose.
    let file = create(options.json.as_deref(), "json", options.yes)?;
    let board = options.serial.as_deref().map(backends::on_serial_port).transpose()?;
    let mut backends = backends::all(options.firmware.as_deref())?;
    backends.extend(board);
    if let Some(path) = &options.flight {
        return conform_flight(options, path, &backends, file);
    }
    let progress = progress(request.plan.parts(&backends), "parts", options.quiet);
    let report = request.plan.run(&backends, || progress.inc(1))?;
    drop(progress);
    if interrupt::asked() {
        return Ok(());
    }
    write(&report.text(), &report.json(), file)?;
    check(options, |place| report.has(place), report.shortfall())
}

/// `check`: compares what another program has computed with a model.
pub(super) fn check_program(options: &CheckOptions) -> Result {
    let model = reference::model(&options.model)?;
    let saved = read_state(&options.file, Numeric::F64)?;
    let step = match options.step {
        Some(step) => step,
        None if saved.has_step => u32::try_from(saved.state.step).unwrap_or(u32::MAX),
        None => {
            let file = options.file.display();
            return Err(Failure::usage(format!("--step is required: {file} has no column 'step'")));
        }
    };
    let (mut position, mut velocity) = (Vec::new(), Vec::new());
    for boid in &saved.state.boids {
        position.push(boid.position);
        velocity.push(boid.velocity);
    }
    let check = reference::check(model, step, Computed { position: &position, velocity: &velocity })?;
    if check.difference.is_some() {
        return Err(Failure::work(check));
    }
    super::print(&format!("{check}\n"))
}

/// Repeats a flight on every engine.
fn conform_flight(
    options: &ConformOptions,
    path: &Path,
    backends: &[Backend],
    file: Option<AtomicFile>,
) -> Result {
    let (name, flight) = (path.display(), flight::load(path)?);
    if flight.hashes.is_empty() {
        return Err(Failure::work(format!("{name} has no hashes to compare")));
    }
    let count = flights::of_type(backends, &flight).count() as u64;
    let progress = progress(count, "engines", options.quiet);
    let steps = options.steps.map_or(u64::MAX / 2, u64::from);
    let report = flights::repeat_on(backends, &flight, steps, || progress.inc(1));
    drop(progress);
    if interrupt::asked() {
        return Ok(());
    }
    write(&report.text(), &report.json(), file)?;
    let shortfall = report.shortfall().map(|what| format!("{name}: {what}"));
    check(options, |place| report.has(place), shortfall)
}

/// Prints the table, and writes all figures where they are asked for.
fn write(text: &str, figures: &Value, file: Option<AtomicFile>) -> Result {
    super::print(text)?;
    file.map_or(Ok(()), |file| file.fill(format!("{figures:#}\n")))
}

/// Fails for a kind of backend that is required and was not compared, and for what was found.
fn check(options: &ConformOptions, has: impl Fn(Platform) -> bool, shortfall: Option<String>) -> Result {
    for place in &options.require {
        if !has(*place) {
            return Err(Failure::work(format!("--require {}: this backend was not compared", place.name())));
        }
    }
    shortfall.map_or(Ok(()), |what| Err(Failure::work(what)))
}
