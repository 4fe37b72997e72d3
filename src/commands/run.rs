//! `run`: steps a flock without a window. A call becomes a plan, which has read and checked all that it needs; then an
//! engine, which a recorder steps; then files and a summary.

mod checkpoint;
mod recorder;

use std::time::Duration;

use checkpoint::Checkpoints;
use engine::measures::{Measures, measure};
use engine::{Engine, State};
use engines::{Device, EngineRequest};
use files::{Result, Table, interrupt};
use flight::{Changes, Replay};
use flock::Parameters;
use recorder::Recorder;
use serde_json::{Value, json};
use study::Schedule;

use super::launch::Ranks;
use super::outputs::{self, Named};
use super::start::{self, Recorded, Start};
use crate::cli::run::{RunOptions, RunRequest};
use crate::cli::shared::RUN_STEPS;

pub(super) fn run(request: &RunRequest) -> Result {
    let mut plan = Plan::new(request)?;
    // Another rank has followed rank 0, which writes and prints.
    let Some(mut engine) = plan.open()? else { return Ok(()) };
    let mut recorder = Recorder::new(&request.options, engine.as_ref(), plan.course)?;
    match recorder.run(engine.as_mut()) {
        Ok(state) => recorder.finish(engine.as_ref(), state),
        Err(failure) => Err(recorder.keep_samples(failure)),
    }
}

/// All that a run needs before its first step: its files are read, and those that it writes can be.
struct Plan {
    device: Device,
    /// The engine that is asked for.
    engine: EngineRequest,
    team: Option<Ranks>,
    course: Course,
    state: State,
    /// True if the state comes from a file.
    given: bool,
    /// True if nothing is said.
    quiet: bool,
}

/// The events of a run.
struct Course {
    /// The changes to the flock.
    replay: Replay,
    /// The flight that is repeated, whose hashes are compared.
    recorded: Option<Recorded>,
    /// The preset that the flock starts from.
    preset: Option<&'static str>,
    /// The step to end at.
    last: u64,
}

impl Plan {
    fn new(request: &RunRequest) -> Result<Plan> {
        let options = &request.options;
        let files = Files::of(request);
        files.check()?;
        let mut engine = request.engine.clone();
        let recorded = Recorded::of(&options.start.recorded, &mut engine, request.names_numeric)?;
        let document = request.flock.document()?;
        outputs::keep_existing(&files.written, options.yes)?;
        let (device, chosen) = engine.choose()?;
        let mut notes = Vec::from_iter(chosen);
        let mut schedule = None;
        if let Some(path) = &options.schedule {
            let (read, note) = Schedule::read(path, &request.flock.source, &request.flock.settings)?;
            notes.extend(note);
            schedule = Some(read);
        }
        let changed = schedule.as_ref().map(Schedule::steps).or(recorded.as_ref().map(Recorded::steps));
        let steps = options.steps.or(changed).unwrap_or(RUN_STEPS);
        let parts = options.ranks.named().is_some();
        let start = match &recorded {
            Some(recorded) => recorded.start(steps, &device)?,
            None => start::state(&request.flock, &options.start, steps, parts, document, &device)?,
        };
        // Until here files are read, which may be pipes that never end.
        interrupt::listen();
        let Start { document, state, notes: of_start } = start;
        notes.extend(document.world.line());
        notes.extend(of_start);
        let replay = match (&recorded, schedule) {
            (Some(recorded), _) => recorded.flight.replay(),
            (None, Some(schedule)) => schedule.replay(document, state.step)?,
            (None, None) => Replay::new(document.parameters, Changes::default()),
        };
        let numbers = state.step..=state.step + steps;
        Checkpoints::of(options).check(&files.all(), numbers, options.yes)?;
        let team = Ranks::of(&options.ranks)?;
        let quiet = options.quiet || team.as_ref().is_some_and(|team| !team.leads());
        for note in notes {
            super::note(Some(note), quiet);
        }
        let course = Course { replay, recorded, preset: document.preset, last: state.step + steps };
        Ok(Plan { device, engine, team, course, state, given: options.start.init.is_some(), quiet })
    }

    /// The engine, with the flock at the first step. None at a rank other than 0, once the run has ended.
    fn open(&mut self) -> Result<Option<Box<dyn Engine>>> {
        let parameters = self.course.replay.parameters();
        let Some(team) = self.team.take() else {
            return Ok(Some(self.device.engine(parameters, &self.state)?.boxed()));
        };
        let start = (std::mem::take(&mut self.state), self.given);
        let engine = team.engine(&self.engine, parameters, start, self.quiet, || Ok(()))?;
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
            read: request
                .flock
                .files()
                .chain(named("--schedule", schedule))
                .chain(named("--flight", &start.recorded.flight))
                .collect(),
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

struct Summary<'a> {
    /// The preset that the flock started from.
    pub preset: Option<&'static str>,
    pub engine: &'a dyn Engine,
    /// The parameters of the last step.
    pub parameters: Parameters,
    /// The number of the first step.
    pub first: u64,
    /// The step the run was to end at.
    pub last: u64,
    /// Time spent in steps.
    pub stepping: Duration,
    pub state: State,
}

impl Summary<'_> {
    /// Milliseconds per step; none if there was no step.
    fn step_time(&self) -> Option<f64> {
        let steps = self.state.step - self.first;
        (steps > 0).then(|| self.stepping.as_secs_f64() * 1e3 / steps as f64)
    }

    fn text(&self) -> String {
        let mut table = Table::new(&["what", "value"]);
        table.row(["engine", &self.engine.describe()]);
        table.row(["boids", &self.state.boids.len().to_string()]);
        table.row(["steps", &format!("{} to {}", self.first, self.state.step)]);
        if let Some(time) = self.step_time() {
            table.row(["ms_a_step", &format!("{time:.3}")]);
        }
        table.row(["hash", &self.hash()]);
        let measures = measure(&self.parameters, &self.state);
        for (name, value) in Measures::NAMES.iter().zip(measures.values()) {
            // An empty flock has counts but no other measures.
            if value.is_nan() && self.state.boids.is_empty() {
                continue;
            }
            let value = if value.is_nan() { "-".to_owned() } else { format!("{value:.6}") };
            table.row([*name, trim(&value)]);
        }
        table.to_string()
    }

    fn hash(&self) -> String {
        format!("{:016x}", self.state.hash(self.engine.numeric(), &self.parameters))
    }

    fn json(&self, hashes: Option<Vec<(u64, u64)>>) -> Value {
        let measures = measure(&self.parameters, &self.state);
        // A measure that is not defined for the flock is NaN here, and null in JSON.
        let measures: Value = Measures::NAMES.iter().copied().zip(measures.values()).collect();
        let mut summary = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "preset": self.preset,
            "seed": self.parameters.flock.seed,
            "parameters": config::to_json(&self.parameters),
            "engine": self.engine.describe(),
            "numeric": self.engine.numeric().name(),
            "boids": self.state.boids.len(),
            "first_step": self.first,
            "last_step": self.state.step,
            "complete": self.state.step == self.last,
            "seconds": self.stepping.as_secs_f64(),
            "ms_a_step": self.step_time(),
            "hash": self.hash(),
            "measures": measures,
        });
        if let Some(hashes) = hashes {
            let one = |(step, hash)| json!({ "step": step, "hash": format!("{hash:016x}") });
            summary["hashes"] = hashes.into_iter().map(one).collect();
        }
        summary
    }
}

/// A decimal number without trailing zeros.
fn trim(value: &str) -> &str {
    if value.contains('.') { value.trim_end_matches('0').trim_end_matches('.') } else { value }
}
