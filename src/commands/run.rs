//! `run`: steps a flock without a window. A call becomes a plan, which has read and checked all that it needs; then an
//! engine, which a recorder steps; then files and a summary.

mod checkpoint;
mod recorder;
mod summary;

use flock::Parameters;

use super::launch::Ranks;
use super::outputs::{self, Named};
use super::start::{self, Start};
use crate::cli::run::{RunOptions, RunRequest};
use crate::cli::shared::RUN_STEPS;
use checkpoint::Checkpoints;
use config::Document;
use engine::{Engine, State};
use engines::Device;
use files::{Result, interrupt};
use recorder::Recorder;
use study::Schedule;

pub(super) fn run(request: &RunRequest) -> Result {
    let plan = Plan::new(request)?;
    let stages = plan.stages.clone();
    let steps = plan.steps;
    // Another rank has followed rank 0, which writes and prints.
    let Some(mut engine) = plan.open(request)? else { return Ok(()) };
    let last = engine.step_number() + steps;
    let mut recorder = Recorder::new(&request.options, engine.as_ref(), stages, last)?;
    match recorder.run(engine.as_mut()) {
        Ok(state) => recorder.finish(request, engine.as_ref(), state),
        Err(failure) => Err(recorder.keep_samples(failure)),
    }
}

/// All that a run needs before its first step: its files are read, and those that it writes can be.
struct Plan {
    device: Device,
    team: Option<Ranks>,
    stages: Stages,
    state: State,
    /// True if the state comes from a file.
    given: bool,
    steps: u64,
    /// True if nothing is said.
    quiet: bool,
}

impl Plan {
    fn new(request: &RunRequest) -> Result<Plan> {
        let options = &request.options;
        let files = Files::of(request);
        files.check()?;
        let document = request.flock.document()?;
        outputs::keep_existing(&files.written, options.yes)?;
        let (device, chosen) = request.engine.choose()?;
        let mut notes = Vec::from_iter(chosen);
        let mut schedule = None;
        if let Some(path) = &options.schedule {
            let (read, note) = Schedule::read(path, &request.flock.source, &request.flock.settings)?;
            notes.extend(note);
            schedule = Some(read);
        }
        let scheduled = schedule.as_ref().map_or(RUN_STEPS, Schedule::steps);
        let steps = options.steps.unwrap_or(scheduled);
        let parts = options.ranks.named().is_some();
        let start = start::state(&request.flock, &options.start, steps, parts, document, &device)?;
        // Until here files are read, which may be pipes that never end.
        interrupt::listen();
        let Start { document, state, notes: of_start } = start;
        notes.extend(document.world.line());
        notes.extend(of_start);
        let stages = Stages::new(schedule.as_ref(), document)?;
        let numbers = state.step..=state.step + steps;
        Checkpoints::of(options).check(&files.all(), numbers, options.yes)?;
        let team = Ranks::of(&options.ranks)?;
        let quiet = options.quiet || team.as_ref().is_some_and(|team| !team.leads());
        for note in notes {
            super::note(Some(note), quiet);
        }
        Ok(Plan { device, team, stages, state, given: options.start.init.is_some(), steps, quiet })
    }

    /// The engine, with the flock at the first step. None at a rank other than 0, once the run has ended.
    fn open(self, request: &RunRequest) -> Result<Option<Box<dyn Engine>>> {
        let parameters = self.stages.of_next_step(self.state.step);
        let Some(team) = self.team else {
            return Ok(Some(self.device.engine(&parameters, &self.state)?.boxed()));
        };
        let start = (self.state, self.given);
        let engine = team.engine(&request.engine, &parameters, start, self.quiet, || Ok(()))?;
        Ok(engine.map(|engine| -> Box<dyn Engine> { engine }))
    }
}

/// The files of a run, each with its option.
struct Files {
    read: Vec<Named>,
    init: Vec<Named>,
    written: Vec<Named>,
}

impl Files {
    fn of(request: &RunRequest) -> Files {
        let named = |option, path: &Option<_>| path.clone().map(|path| (option, path));
        let RunOptions { schedule, start, out, trajectory, metrics, .. } = &request.options;
        let written = [("--out", out), ("--trajectory", trajectory), ("--metrics", metrics)];
        Files {
            read: request.flock.files().chain(named("--schedule", schedule)).collect(),
            init: named("--init", &start.init).into_iter().collect(),
            written: written.into_iter().filter_map(|(option, path)| named(option, path)).collect(),
        }
    }

    fn check(&self) -> Result {
        outputs::check(&self.read, &self.written)?;
        // A run may replace the file it started from: that is read before it is written.
        let others: Vec<Named> =
            self.written.iter().filter(|(option, _)| *option != "--out").cloned().collect();
        outputs::check(&self.init, &others)
    }

    fn all(&self) -> Vec<Named> {
        [&self.read[..], &self.init, &self.written].concat()
    }
}

/// The parameters of a run, which a schedule changes at each stage; those of the last stage stay.
#[derive(Clone)]
struct Stages {
    parameters: Vec<Parameters>,
    steps_per_stage: u64,
}

impl Stages {
    fn new(schedule: Option<&Schedule>, document: Document) -> Result<Stages> {
        Ok(match schedule {
            Some(schedule) => {
                Stages { parameters: schedule.parameters(document)?, steps_per_stage: schedule.dwell }
            }
            None => Stages { parameters: vec![document.parameters], steps_per_stage: u64::MAX },
        })
    }

    /// The number of the stage in which the step after so many of the flock is taken.
    fn number(&self, steps: u64) -> usize {
        (steps / self.steps_per_stage).min(self.parameters.len() as u64 - 1) as usize
    }

    /// The parameters of the step after so many.
    fn of_next_step(&self, steps: u64) -> Parameters {
        self.parameters[self.number(steps)]
    }

    /// Steps until the next stage begins.
    fn until_next(&self, steps: u64) -> u64 {
        self.steps_per_stage - steps % self.steps_per_stage
    }
}
