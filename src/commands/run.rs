//! `run`: steps a flock without a window.

mod checkpoint;
mod summary;

use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::time::{Duration, Instant};

use flock::{Parameters, parameters::MAX_GROUPS};

use super::outputs::{self, Named};
use super::start::{self, Start};
use super::team::Team;
use crate::cli::run::{RunOptions, RunRequest};
use crate::cli::shared::RUN_STEPS;
use checkpoint::Checkpoints;
use engine::measures::{self, Measures};
use engine::{Batcher, Engine, EngineError, Numeric, State};
use files::{
    self, Existing, Failure, Item, Result, StateFile, TableFile, Trajectory, failure, interrupt, progress,
};
use study::Schedule;

pub(super) fn run(request: &RunRequest) -> Result {
    let options = &request.options;
    let written = written_files(options);
    let schedule = options.schedule.clone().map(|path| ("--schedule", path));
    let read: Vec<Named> = request.flock.files().chain(schedule).collect();
    outputs::check(&read, &written)?;
    let init: Vec<Named> = options.start.init.clone().map(|path| ("--init", path)).into_iter().collect();
    // A run may replace the file it started from: that is read before it is written.
    let others: Vec<Named> = written.iter().filter(|(option, _)| *option != "--out").cloned().collect();
    outputs::check(&init, &others)?;
    let document = request.flock.document()?;
    outputs::keep_existing(&written, options.yes)?;
    let (device, line) = request.engine.choose()?;
    let scheduled = |path: &Path| Schedule::read(path, &request.flock.source, &request.flock.settings);
    let (schedule, said) = options.schedule.as_deref().map(scheduled).transpose()?.unzip();
    super::inform(said.flatten(), options.quiet);
    let scheduled_steps = schedule.as_ref().map_or(RUN_STEPS, Schedule::steps);
    let steps = options.steps.unwrap_or(scheduled_steps);
    let parts = options.ranks.named().is_some();
    let start = start::state(&request.flock, &options.start, steps, parts, document, &device)?;
    let Start { document, state, notes } = start;
    // Until here files are read, which may be pipes that never end.
    interrupt::listen();
    let stairs = match &schedule {
        Some(schedule) => Stairs { parameters: schedule.parameters(document)?, dwell: schedule.dwell },
        None => Stairs { parameters: vec![document.parameters], dwell: u64::MAX },
    };
    let files = [read, init, written].concat();
    Checkpoints::of(options).check(&files, state.step..=state.step + steps, options.yes)?;
    let team = Team::of(&options.ranks)?;
    let quiet = options.quiet || team.as_ref().is_some_and(|team| !team.leads());
    // The choice is reported only once the state is known to fit.
    super::inform(line, quiet);
    super::inform(document.world.line(), quiet);
    notes.into_iter().for_each(|note| super::inform(Some(note), quiet));
    let parameters = &stairs.parameters[stairs.at(state.step)];
    let opened = match team {
        Some(team) => {
            let state = (state, options.start.init.is_some());
            let engine = team.engine(&request.engine, parameters, state, quiet, || Ok(()))?;
            engine.map(|engine| -> Box<dyn Engine> { engine })
        }
        None => Some(device.engine(parameters, &state)?.boxed()),
    };
    // Another rank has followed rank 0, which writes and prints.
    let Some(mut opened) = opened else { return Ok(()) };
    let engine = opened.as_mut();
    let (first, last) = (engine.step_number(), engine.step_number() + steps);
    // Every file is begun before the first step, so that one that cannot be written loses none.
    let existing = Existing::replaced_if(options.yes);
    let out = options.out.as_deref().map(|path| StateFile::create(path, existing)).transpose()?;
    let mut recorder = Recorder::new(options, engine, stairs)?;
    let state = match recorder.run(engine, last) {
        Ok(state) => state,
        Err(Stop::Failure(why)) => return recorder.keep(why, last, out.is_some()),
        Err(Stop::Engine(why)) => return recorder.keep(why.into(), last, out.is_some()),
    };
    finish(request, engine, recorder, (first, last), out, state)
}

/// Completes the files of a run between two steps, and prints its results.
fn finish(
    request: &RunRequest,
    engine: &dyn Engine,
    recorder: Recorder<'_>,
    (first, last): (u64, u64),
    out: Option<StateFile>,
    state: Option<State>,
) -> Result {
    let options = &request.options;
    let (stepping, parameters) = (recorder.stepping, recorder.parameters());
    let (step, numeric) = (engine.step_number(), engine.numeric());
    let stopped = step < last && interrupt::asked();
    let Recorder { hashes, checkpoints, trajectory, metrics, .. } = recorder;
    // Each file is completed, whatever becomes of the others.
    let trajectory = trajectory.map_or(Ok(()), Trajectory::finish);
    let metrics = metrics.map_or(Ok(()), TableFile::finish);
    let saved = match out.zip(state.as_ref()) {
        Some((file, state)) => checkpoints.finish(file, state, numeric, stopped),
        None => Ok(()),
    };
    let written = failure::first([trajectory, metrics, saved]);
    if stopped {
        super::say(&format!("stopped at step {step} of {last}; what was done is kept"));
    }
    written?;
    let Some(state) = state else { return Ok(()) };
    let summary = summary::Summary { request, engine, parameters, first, last, stepping, state };
    match hashes {
        hashes if options.json => super::print_json(&summary.json(hashes.map(|hashes| hashes.kept))),
        Some(_) => Ok(()),
        None if options.on_stdout().is_some() => Ok(()),
        None => super::print(&summary.text()),
    }
}

/// The files that a run writes, each with its option.
fn written_files(options: &RunOptions) -> Vec<Named> {
    let all =
        [("--out", &options.out), ("--trajectory", &options.trajectory), ("--metrics", &options.metrics)];
    all.into_iter().filter_map(|(option, path)| Some((option, path.clone()?))).collect()
}

/// The parameters of a run, which change after so many steps each; the last ones stay.
struct Stairs {
    parameters: Vec<Parameters>,
    dwell: u64,
}

impl Stairs {
    /// The stair on which the step after so many of the flock is taken.
    fn at(&self, steps: u64) -> usize {
        (steps / self.dwell).min(self.parameters.len() as u64 - 1) as usize
    }
}

/// Steps a flock and records what is asked for.
struct Recorder<'a> {
    options: &'a RunOptions,
    checkpoints: Checkpoints<'a>,
    trajectory: Option<Trajectory>,
    metrics: Option<TableFile>,
    hashes: Option<Hashes>,
    /// True if all that is written while the flock flies goes to stdout.
    only_stdout: bool,
    stairs: Stairs,
    /// The stair of the last step.
    stair: usize,
    /// The last step that is sampled.
    sampled: Option<u64>,
    /// The time spent in steps.
    stepping: Duration,
}

/// The reason why a run ends early.
enum Stop {
    /// The engine cannot go on: what was recorded is whole.
    Engine(EngineError),
    /// A file or a stream cannot be written.
    Failure(Failure),
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Self {
        Stop::Engine(error)
    }
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        Stop::Failure(failure)
    }
}

impl<'a> Recorder<'a> {
    fn new(options: &'a RunOptions, engine: &dyn Engine, stairs: Stairs) -> Result<Self> {
        let (trajectory, metrics) = (options.trajectory.as_deref(), options.metrics.as_deref());
        let measures = Measures::NAMES.iter().copied();
        let group = options.by_group.then_some("group");
        let columns = std::iter::once("step").chain(group).chain(measures);
        let existing = Existing::replaced_if(options.yes);
        Ok(Recorder {
            options,
            checkpoints: Checkpoints::of(options),
            trajectory: trajectory
                .map(|path| Trajectory::create(path, engine.numeric(), &stairs.parameters[0], existing))
                .transpose()?,
            metrics: metrics
                .map(|path| TableFile::create(path, columns, Numeric::F64, existing))
                .transpose()?,
            hashes: options.hash.then(|| Hashes { kept: Vec::new(), print: !options.json }),
            only_stdout: !options.json
                && options.out.is_none()
                && trajectory.into_iter().chain(metrics).all(files::is_stdout),
            // A run that goes on from a file goes on with its stairs, too.
            stair: stairs.at(engine.step_number().saturating_sub(1)),
            stairs,
            sampled: None,
            stepping: Duration::ZERO,
        })
    }

    /// The parameters of the last step.
    fn parameters(&self) -> Parameters {
        self.stairs.parameters[self.stair]
    }

    /// True if samples are asked for.
    fn samples(&self) -> bool {
        self.trajectory.is_some() || self.metrics.is_some()
    }

    /// Runs until the last step, Ctrl-C or the end of all readers. Returns the state, or none where nobody reads on.
    fn run(&mut self, engine: &mut dyn Engine, last: u64) -> Result<Option<State>, Stop> {
        let (options, every) = (self.options, self.options.every.unwrap_or(1));
        // On a terminal a progress bar would mix with the lines that are printed.
        let lines = options.hash && !options.json || options.on_stdout().is_some();
        let lines = lines && io::stdout().is_terminal();
        let first = engine.step_number();
        let progress = progress(last - first, "steps", options.quiet || lines);
        let mut batcher = Batcher::default();
        loop {
            let here = engine.step_number();
            let ended = here == last || interrupt::asked();
            let since_first = here - first;
            let since_sample = since_first % every;
            self.record(engine, ended || since_sample == 0)?;
            if self.only_stdout && (files::is_unread() || ended && self.hashes.is_some()) {
                return Ok(None);
            }
            if ended {
                // A GPU may still be at work: waiting for it counts as stepping.
                let begun = Instant::now();
                let state = engine.state()?;
                self.stepping += begun.elapsed();
                return Ok(Some(state));
            }
            let until_kept = self.checkpoints.pass(engine, since_first)?;
            let free = if self.samples() { every - since_sample } else { u64::MAX };
            let stair = self.stairs.at(here);
            if stair != self.stair {
                self.stair = stair;
                engine.set_parameters(&self.parameters())?;
            }
            let changes = self.stairs.dwell - here % self.stairs.dwell;
            let free = free.min(last - here).min(changes).min(until_kept);
            let most = if self.hashes.is_some() { 1 } else { free };
            let begun = Instant::now();
            let taken = batcher.advance(engine, most)?;
            self.stepping += begun.elapsed();
            progress.inc(taken);
        }
    }

    /// Records the flock as it is; `sampled` tells whether a sample is due.
    fn record(&mut self, engine: &mut dyn Engine, sampled: bool) -> Result<(), Stop> {
        let parameters = self.parameters();
        if let Some(hashes) = &mut self.hashes {
            hashes.add(engine.step_number(), engine.hash()?)?;
        }
        if !(sampled && self.samples()) {
            return Ok(());
        }
        let state = engine.state()?;
        if let Some(trajectory) = &mut self.trajectory {
            trajectory.add(&state)?;
        }
        if let Some(metrics) = &mut self.metrics {
            let mut row = |group: Option<u32>, part: &State| {
                let values = measures::measure(&parameters, part).values().map(Item::real);
                let place = [Some(state.step as i64), group.map(i64::from)].into_iter().flatten();
                metrics.row(place.map(Item::Whole).chain(values))
            };
            match self.options.by_group {
                true => by_group(&state).try_for_each(|(group, part)| row(Some(group), &part))?,
                false => row(None, &state)?,
            }
            metrics.end_sample()?;
        }
        self.sampled = Some(state.step);
        Ok(())
    }

    /// Completes the files after the engine or a write has failed: the whole samples are kept. The state that was asked
    /// for is not there, so that its file is not written.
    fn keep(self, mut failure: Failure, last: u64, state_asked: bool) -> Result {
        let checkpoint = self.checkpoints.last.clone();
        let mut kept = false;
        let trajectory = self.trajectory.filter(|_| self.sampled.is_some()).map(Trajectory::keep_samples);
        let metrics = self.metrics.filter(|_| self.sampled.is_some()).map(TableFile::keep_samples);
        for file in [trajectory, metrics].into_iter().flatten() {
            match file {
                Ok(has_samples) => kept |= has_samples,
                Err(why) => failure.message += &format!("; {}", why.message),
            }
        }
        if let Some(step) = self.sampled.filter(|_| kept) {
            failure.message += &format!("; the samples up to step {step} of {last} are kept");
        }
        if state_asked {
            failure.message += "; --out is not written";
        }
        if let Some(path) = checkpoint {
            failure.message += &format!("; {} is whole", path.display());
        }
        Err(failure)
    }
}

/// The boids of each group that has any.
fn by_group(state: &State) -> impl Iterator<Item = (u32, State)> {
    let of = |group| {
        let boids: Vec<_> = state.boids.iter().filter(|boid| boid.group == group).copied().collect();
        (group, State { boids, ..state.clone() })
    };
    (0..MAX_GROUPS as u32).map(of).filter(|(_, part)| !part.boids.is_empty())
}

/// The fingerprints: printed as they come, or kept for the JSON summary.
struct Hashes {
    kept: Vec<(u64, u64)>,
    print: bool,
}

impl Hashes {
    fn add(&mut self, step: u64, hash: u64) -> Result {
        if self.print {
            return super::print(&format!("{step},{hash:016x}\n"));
        }
        self.kept.push((step, hash));
        Ok(())
    }
}
