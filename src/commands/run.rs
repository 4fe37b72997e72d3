//! `run`: steps a flock without a window.

mod start;
mod summary;

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use flock::Parameters;

use super::pace::Pace;
use super::written;
use crate::cli::request::RunRequest;
use crate::engine::Engine;
use crate::failure::Failure;
use crate::interrupt;
use crate::measures::{self, Measures};
use crate::report::{self, AtomicFile, Metrics, Progress, Trajectory};
use crate::state::{Numeric, State};

pub(super) fn run(request: &RunRequest) -> Result<(), Failure> {
    interrupt::listen();
    let parameters = start::parameters(request)?;
    let (device, line) = request.engine.choose()?;
    let (parameters, state) = start::state(request, parameters, &device)?;
    if let Some(line) = line.filter(|_| !request.quiet) {
        super::say(&line);
    }
    let mut opened = device.engine(&parameters, &state)?;
    let engine = opened.get();
    let first = engine.step_number();
    let last = first + request.steps;

    // A file that cannot be written is found out before there is work to lose.
    let out = request.out.as_deref().map(AtomicFile::create).transpose()?;
    let mut samples = Samples::create(request, engine)?;
    let mut hashes = request.hash.then(|| Hashes::new(request.json));
    // On a terminal a bar would stand in the way of the lines that are printed.
    let lines = request.hash && !request.json && io::stdout().is_terminal();
    let progress = Progress::new(request.steps, "steps", request.quiet || lines);
    let mut stepping = Duration::ZERO;
    let mut pace = Pace::default();
    loop {
        let here = engine.step_number();
        let ended = here == last || interrupt::asked();
        let sampled = samples.wanted() && (ended || (here - first).is_multiple_of(request.every));
        if hashes.is_some() || sampled {
            let state = engine.state()?;
            if sampled {
                samples.add(&parameters, &state)?;
            }
            if let Some(hashes) = &mut hashes {
                hashes.add(&state, engine.numeric(), &parameters)?;
            }
        }
        if ended {
            break;
        }
        let until_sample = request.every - (here - first) % request.every;
        let free = if samples.wanted() { until_sample } else { u64::MAX };
        let most = if hashes.is_some() { 1 } else { free.min(last - here) };
        let begun = Instant::now();
        let taken = pace.advance(engine, most)?;
        stepping += begun.elapsed();
        progress.advance(taken);
    }
    drop(progress);
    // A GPU may still be at work: what it takes belongs to the steps.
    let begun = Instant::now();
    let state = engine.state()?;
    stepping += begun.elapsed();
    samples.finish()?;
    if let Some(file) = out {
        report::fill_state(file, &state, engine.numeric())?;
    }
    if state.step < last {
        super::say(&format!("stopped at step {} of {last}; what was done is kept", state.step));
    }
    let summary = summary::Summary {
        engine: engine.describe(),
        numeric: engine.numeric(),
        parameters: &parameters,
        first,
        asked: last,
        stepping,
        state: &state,
    };
    match hashes {
        _ if request.json => super::print_json(&summary.json(hashes.map(|hashes| hashes.kept))),
        Some(_) => Ok(()),
        None => super::print(&summary.text()),
    }
}

/// The files that take a sample every few steps.
struct Samples {
    trajectory: Option<Trajectory>,
    metrics: Option<Metrics>,
}

impl Samples {
    fn create(request: &RunRequest, engine: &dyn Engine) -> Result<Self, Failure> {
        let trajectory = request.trajectory.as_deref();
        let columns: Vec<&str> = std::iter::once("step").chain(Measures::NAMES.iter().copied()).collect();
        Ok(Samples {
            trajectory: trajectory.map(|path| Trajectory::create(path, engine.numeric())).transpose()?,
            metrics: request.metrics.as_deref().map(|path| Metrics::create(path, &columns)).transpose()?,
        })
    }

    fn wanted(&self) -> bool {
        self.trajectory.is_some() || self.metrics.is_some()
    }

    fn add(&mut self, parameters: &Parameters, state: &State) -> Result<(), Failure> {
        if let Some(trajectory) = &mut self.trajectory {
            trajectory.add(state)?;
        }
        if let Some(metrics) = &mut self.metrics {
            let mut row = vec![report::Value::Whole(state.step)];
            row.extend(measures::measure(parameters, state).values().map(report::Value::Real));
            metrics.add(&row)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<(), Failure> {
        self.trajectory.map(Trajectory::finish).transpose()?;
        self.metrics.map(Metrics::finish).transpose()?;
        Ok(())
    }
}

/// The fingerprints: printed as they come, or kept for the JSON summary.
struct Hashes {
    kept: Vec<(u64, u64)>,
    print: bool,
}

impl Hashes {
    fn new(json: bool) -> Self {
        Hashes { kept: Vec::new(), print: !json }
    }

    fn add(&mut self, state: &State, numeric: Numeric, parameters: &Parameters) -> Result<(), Failure> {
        let hash = state.hash(numeric, parameters);
        if !self.print {
            self.kept.push((state.step, hash));
            return Ok(());
        }
        let mut out = io::stdout().lock();
        // Nobody left to read them: the files may still be wanted, so the run goes on in silence.
        self.print = written(writeln!(out, "{},{hash:016x}", state.step).and_then(|()| out.flush()))?;
        Ok(())
    }
}
