//! One run: steps, samples, and what is kept of them.

use super::column::Measure;
use super::log::Outcome;
use super::plan::Study;
use crate::config::{Document, with_settings};
use crate::engine::{Batcher, Engine, EngineError};
use crate::engines::Device;
use crate::failure::Failure;
use crate::measures::{Family, measure_only};
use crate::state::State;
use crate::system::Threads;

/// What does runs, one after the other. Its threads measure, and make the start.
#[derive(Debug)]
pub struct Worker<'a> {
    device: &'a Device,
    study: &'a Study,
    flock: Document,
    /// Stands before the error of a run.
    origin: &'a str,
    threads: Threads,
    /// Of the columns, and of the bounds at which a run ends.
    families: Vec<Family>,
}

/// What may be asked between two batches of steps.
pub(super) struct Watch<'a> {
    /// Whether to leave the run unfinished.
    pub leave: &'a (dyn Fn() -> bool + Sync),
    /// Called with the steps that were taken.
    pub advanced: &'a (dyn Fn(u64) + Sync),
}

/// Why there is no outcome of a run that could be measured.
enum Fault {
    /// The run cannot be done, now or later.
    Run(Failure),
    /// The device is gone, for all runs.
    Device(Failure),
    /// Nobody waits for it.
    Left,
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Lost { .. } => Fault::Device(error.into()),
            error => Fault::Run(error.into()),
        }
    }
}

impl<'a> Worker<'a> {
    /// A worker with so many threads; none takes one a core.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn new(
        device: &'a Device,
        study: &'a Study,
        flock: Document,
        origin: &'a str,
        threads: Option<usize>,
    ) -> Result<Self, Failure> {
        let columns = study.columns.iter().map(|column| column.sampled());
        let measures = columns.chain(study.stop.iter().map(|stop| stop.column));
        Ok(Worker {
            device,
            study,
            flock,
            origin,
            threads: Threads::new(threads).map_err(Failure::work)?,
            families: measures.map(Measure::family).collect(),
        })
    }

    /// Does a run. None where it was left.
    ///
    /// # Errors
    /// When the device is lost: then nothing is known of the run.
    pub(super) fn run(&self, run: usize, watch: &Watch<'_>) -> Result<Option<Outcome>, Failure> {
        match self.done(run, watch) {
            Ok(outcome) => Ok(Some(outcome)),
            Err(Fault::Left) => Ok(None),
            Err(Fault::Device(failure)) => Err(failure),
            Err(Fault::Run(failure)) => {
                let error =
                    Some(format!("{}: {}: {}", self.origin, self.study.describe(run), failure.message));
                Ok(Some(Outcome { run, cells: Vec::new(), series: String::new(), error }))
            }
        }
    }

    fn done(&self, run: usize, watch: &Watch<'_>) -> Result<Outcome, Fault> {
        let study = self.study;
        let settings = study.run_settings(run).and_then(|settings| with_settings(self.flock, &settings));
        let parameters = settings.map_err(|error| Fault::Run(error.into()))?.parameters;
        self.device.room_for(parameters.flock.boids)?;
        let state = self.threads.install(|| State::try_start(&parameters))?;
        let mut opened = self.device.engine(&parameters, &state)?;
        let engine = opened.get();
        let sampled = |engine: &mut dyn Engine| {
            let state = engine.state()?;
            let measures = self.threads.install(|| measure_only(&parameters, &state, &self.families));
            Ok::<_, EngineError>(measures.values().collect::<Vec<f64>>())
        };
        let mut samples: Vec<(u64, Vec<f64>)> = Vec::new();
        let mut batcher = Batcher::default();
        let mut next = study.after;
        let last = loop {
            let here = engine.step_number();
            let ended = here == study.steps;
            if here == next || ended {
                let values = sampled(engine)?;
                let mut stopped = ended;
                if here == next {
                    stopped |= self.stops(&values);
                    samples.push((here, values.clone()));
                    next += study.every;
                }
                if stopped {
                    (watch.advanced)(study.steps - here);
                    break values;
                }
            }
            if (watch.leave)() {
                return Err(Fault::Left);
            }
            (watch.advanced)(batcher.advance(engine, next.min(study.steps) - here)?);
        };
        let hash = engine.hash(&parameters)?;
        let mut cells = vec![engine.step_number().to_string()];
        for column in &study.columns {
            let measure = column.sampled();
            let over_time = samples.iter().map(|(_, values)| measure.of(values));
            cells
                .extend(column.values(over_time, measure.of(&last), state.boids.len()).into_iter().map(cell));
        }
        cells.push(format!("{hash:016x}"));
        Ok(Outcome { run, cells, series: self.series(&samples), error: None })
    }

    /// Whether a measure lies beyond its bound.
    fn stops(&self, values: &[f64]) -> bool {
        self.study.stop.iter().any(|stop| {
            let value = stop.column.of(values);
            stop.above.is_some_and(|bound| value > bound) || stop.below.is_some_and(|bound| value < bound)
        })
    }

    fn series(&self, samples: &[(u64, Vec<f64>)]) -> String {
        if !self.study.series {
            return String::new();
        }
        let row = |(step, values): &(u64, Vec<f64>)| {
            let values = self.study.sampled().map(|measure| format!(",{}", cell(measure.of(values))));
            format!("{step}{}\n", values.collect::<String>())
        };
        samples.iter().map(row).collect()
    }
}

/// A number with the fewest digits that read back as the same bits; nothing where it is none.
pub(super) fn cell(number: f64) -> String {
    if number.is_nan() { String::new() } else { format!("{number:?}") }
}
