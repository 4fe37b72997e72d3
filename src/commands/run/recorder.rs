//! Steps a flock and records what is asked for.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use flock::{Parameters, parameters::MAX_GROUPS};

use super::checkpoint::Checkpoints;
use super::{Course, Summary};
use crate::cli::run::RunOptions;
use crate::commands;
use crate::commands::start::Recorded;
use engine::measures::{self, Measures};
use engine::{Batcher, Engine, Numeric, State};
use files::{
    Existing, Failure, Item, Result, StateFile, TableFile, Trajectory, failure, interrupt, progress,
};
use flight::Divergence;

pub(super) struct Recorder<'a> {
    options: &'a RunOptions,
    out: Option<StateFile>,
    checkpoints: Checkpoints<'a>,
    trajectory: Option<Trajectory>,
    metrics: Option<TableFile>,
    hashes: Option<Hashes>,
    /// True if all that is written while the flock flies goes to stdout.
    only_stdout: bool,
    course: Course,
    /// The first hash that differs from the recorded one, and how many are equal.
    divergence: Option<Divergence>,
    equal_hashes: u64,
    first: u64,
    /// The last step that is sampled.
    sampled: Option<u64>,
    /// The time spent in steps.
    stepping: Duration,
}

impl<'a> Recorder<'a> {
    /// Begins every file before the first step, so that one that cannot be written loses none.
    pub fn new(options: &'a RunOptions, engine: &dyn Engine, course: Course) -> Result<Self> {
        let existing = Existing::replaced_if(options.yes);
        let out = options.out.as_deref().map(|path| StateFile::create(path, existing)).transpose()?;
        let mut only_stdout = !options.json && options.out.is_none();
        let mut trajectory = None;
        if let Some(path) = &options.trajectory {
            only_stdout &= files::is_stdout(path);
            let file = Trajectory::create(path, engine.numeric(), course.replay.parameters(), existing)?;
            trajectory = Some(file);
        }
        let mut metrics = None;
        if let Some(path) = &options.metrics {
            only_stdout &= files::is_stdout(path);
            let group = options.by_group.then_some("group");
            let columns = std::iter::once("step").chain(group).chain(Measures::NAMES.iter().copied());
            metrics = Some(TableFile::create(path, columns, Numeric::F64, existing)?);
        }
        let first = engine.step_number();
        Ok(Recorder {
            options,
            out,
            checkpoints: Checkpoints::of(options),
            trajectory,
            metrics,
            hashes: options.hash.then(|| Hashes { kept: Vec::new(), print: !options.json }),
            only_stdout,
            course,
            divergence: None,
            equal_hashes: 0,
            first,
            sampled: None,
            stepping: Duration::ZERO,
        })
    }

    /// The parameters of the last step.
    fn parameters(&self) -> Parameters {
        *self.course.replay.parameters()
    }

    /// True if samples are asked for.
    fn samples(&self) -> bool {
        self.trajectory.is_some() || self.metrics.is_some()
    }

    /// Runs until the last step, Ctrl-C or the end of all readers. Returns the state, or none if the reader of stdout
    /// has left.
    pub fn run(&mut self, engine: &mut dyn Engine) -> Result<Option<State>> {
        let (options, every) = (self.options, self.options.every.unwrap_or(1));
        // On a terminal a progress bar would mix with the lines that are printed.
        let lines = options.hash && !options.json || options.on_stdout().is_some();
        let lines = lines && io::stdout().is_terminal();
        let progress = progress(self.course.last - self.first, "steps", options.quiet || lines);
        let mut batcher = Batcher::default();
        loop {
            let here = engine.step_number();
            let ended = here == self.course.last || interrupt::asked();
            let since_first = here - self.first;
            let since_sample = since_first % every;
            self.record(engine, ended || since_sample == 0)?;
            self.compare(engine)?;
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
            let mut most = self.checkpoints.pass(engine, since_first)?;
            self.course.replay.change(engine)?;
            most = most.min(self.course.until_event(here));
            if self.samples() {
                most = most.min(every - since_sample);
            }
            if self.hashes.is_some() {
                most = 1;
            }
            let begun = Instant::now();
            let taken = batcher.advance(engine, most)?;
            self.stepping += begun.elapsed();
            progress.inc(taken);
        }
    }

    /// Compares the flock with the hash that was recorded at its step.
    fn compare(&mut self, engine: &mut dyn Engine) -> Result {
        let Some(recorded) = self.course.recorded.as_ref().filter(|_| self.divergence.is_none()) else {
            return Ok(());
        };
        let flight = &recorded.flight;
        if flight.start.numeric == engine.numeric() && flight.hash(engine.step_number()).is_some() {
            self.divergence = flight.compare(engine)?;
            self.equal_hashes += u64::from(self.divergence.is_none());
        }
        Ok(())
    }

    /// Records the current flock; `sampled` is true if a sample is due.
    fn record(&mut self, engine: &mut dyn Engine, sampled: bool) -> Result {
        if let Some(hashes) = &mut self.hashes {
            hashes.add(engine.step_number(), engine.hash()?)?;
        }
        if !sampled || !self.samples() {
            return Ok(());
        }
        let state = engine.state()?;
        if let Some(trajectory) = &mut self.trajectory {
            trajectory.add(&state)?;
        }
        let parameters = self.parameters();
        if let Some(metrics) = &mut self.metrics {
            let mut row = |group: Option<u32>, part: &State| {
                let values = measures::measure(&parameters, part).values().map(Item::real);
                let place = [Some(state.step as i64), group.map(i64::from)].into_iter().flatten();
                metrics.row(place.map(Item::Whole).chain(values))
            };
            if self.options.by_group {
                for (group, part) in by_group(&state) {
                    row(Some(group), &part)?;
                }
            } else {
                row(None, &state)?;
            }
            metrics.end_sample()?;
        }
        self.sampled = Some(state.step);
        Ok(())
    }

    /// Completes the files after the last step, or after Ctrl-C, and prints the results. There is no
    /// state if the reader of stdout has left.
    pub fn finish(self, engine: &dyn Engine, state: Option<State>) -> Result {
        let (options, parameters) = (self.options, self.parameters());
        let step = engine.step_number();
        let last = self.course.last;
        let stopped = step < last && interrupt::asked();
        let repeated = self.repeated(engine);
        // Each file is completed, whatever becomes of the others.
        let trajectory = self.trajectory.map_or(Ok(()), Trajectory::finish);
        let metrics = self.metrics.map_or(Ok(()), TableFile::finish);
        let saved = match self.out.zip(state.as_ref()) {
            Some((file, state)) => self.checkpoints.finish(file, state, engine.numeric(), stopped),
            None => Ok(()),
        };
        let written = failure::first([trajectory, metrics, saved]);
        if stopped {
            commands::warn(&format!("stopped at step {step} of {last}; the results so far are saved"));
        }
        written?;
        commands::note(repeated?, options.quiet);
        let Some(state) = state else { return Ok(()) };
        let (preset, first, stepping) = (self.course.preset, self.first, self.stepping);
        let summary = Summary { preset, engine, parameters, first, last, stepping, state };
        if options.json {
            return commands::print_json(&summary.json(self.hashes.map(|hashes| hashes.kept)));
        }
        if self.hashes.is_some() || options.on_stdout().is_some() {
            return Ok(());
        }
        commands::print(&summary.text())
    }

    /// Completes the files after the engine or a write has failed: complete samples are kept. The requested state
    /// was not reached, so its file is not written. Returns the failure, and what is kept.
    pub fn keep_samples(self, mut failure: Failure) -> Failure {
        let mut kept = false;
        if let Some(step) = self.sampled {
            let trajectory = self.trajectory.map(Trajectory::keep_samples);
            let metrics = self.metrics.map(TableFile::keep_samples);
            for file in [trajectory, metrics].into_iter().flatten() {
                match file {
                    Ok(has_samples) => kept |= has_samples,
                    Err(why) => failure.message += &format!("; {}", why.message),
                }
            }
            if kept {
                failure.message +=
                    &format!("; the samples up to step {step} of {} are saved", self.course.last);
            }
        }
        if self.out.is_some() {
            failure.message += "; --out was not written";
        }
        if let Some(path) = &self.checkpoints.last {
            failure.message += &format!("; {} is complete", path.display());
        }
        failure
    }
}

impl Recorder<'_> {
    /// A line on a repeated flight: whether its hashes are equal.
    ///
    /// # Errors
    /// When a hash differs in integers, which have the same bits everywhere.
    fn repeated(&self, engine: &dyn Engine) -> Result<Option<String>> {
        let Some(Recorded { path, flight }) = &self.course.recorded else { return Ok(None) };
        let (name, recorded_in) = (path.display(), flight.start.numeric.name());
        let numeric = engine.numeric();
        if numeric != flight.start.numeric {
            let here = numeric.name();
            return Ok(Some(format!(
                "{name} was recorded in {recorded_in}: in {here} it takes another course"
            )));
        }
        match &self.divergence {
            None if self.equal_hashes == 0 => Ok(None),
            None if self.equal_hashes < flight.hashes.len() as u64 => Ok(Some(format!(
                "{name}: {} of {} recorded hashes compared, all equal",
                self.equal_hashes,
                flight.hashes.len()
            ))),
            None => Ok(Some(format!("{name}: all {} recorded hashes are equal", self.equal_hashes))),
            Some(divergence) if numeric == Numeric::Fixed => {
                Err(Failure::work(format!("{name}: {divergence}")))
            }
            Some(divergence) => Ok(Some(format!(
                "{name}: {divergence}; it was recorded on {}, and {recorded_in} depends on the device",
                flight.start.engine
            ))),
        }
    }
}

impl Course {
    /// Steps to the next one at which something is changed or compared, or the run ends.
    fn until_event(&self, here: u64) -> u64 {
        let mut most = (self.last - here).min(self.replay.until_change(here));
        if let Some(recorded) = &self.recorded {
            most = most.min(recorded.flight.until_hash(here));
        }
        most
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

/// The fingerprints: printed at once, or kept for the JSON summary.
struct Hashes {
    kept: Vec<(u64, u64)>,
    print: bool,
}

impl Hashes {
    fn add(&mut self, step: u64, hash: u64) -> Result {
        if self.print {
            return commands::print(&format!("{step},{hash:016x}\n"));
        }
        self.kept.push((step, hash));
        Ok(())
    }
}
