//! One run: steps, samples, and what is kept of them.

use super::log::Outcome;
use super::plan::Study;
use super::series::Series;
use crate::config::{Document, with_settings};
use crate::engine::{Batcher, Engine, EngineError};
use crate::engines::Device;
use crate::failure::Failure;
use crate::measures::{Measures, measure};
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
    /// The indices of the columns, and of the bounds at which a run ends, among all measures.
    columns: Vec<usize>,
    stops: Vec<usize>,
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
        let index =
            |name: &String| Measures::NAMES.iter().position(|known| known == name).unwrap_or_default();
        Ok(Worker {
            device,
            study,
            flock,
            origin,
            threads: Threads::new(threads).map_err(Failure::work)?,
            columns: study.columns.iter().map(index).collect(),
            stops: study.stop.iter().map(|stop| index(&stop.column)).collect(),
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
            let values: Vec<f64> = self.threads.install(|| measure(&parameters, &state)).values().collect();
            Ok::<_, EngineError>(values)
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
        let cells = self.cells(engine.step_number(), &samples, &last, hash);
        Ok(Outcome { run, cells, series: self.series(&samples), error: None })
    }

    /// Whether a measure lies beyond its bound.
    fn stops(&self, values: &[f64]) -> bool {
        self.study.stop.iter().zip(&self.stops).any(|(stop, column)| {
            let value = values[*column];
            stop.above.is_some_and(|bound| value > bound) || stop.below.is_some_and(|bound| value < bound)
        })
    }

    fn cells(&self, steps: u64, samples: &[(u64, Vec<f64>)], last: &[f64], hash: u64) -> Vec<String> {
        let mut cells = vec![steps.to_string()];
        for column in &self.columns {
            let Series { mean, sem, min, max } =
                Series::new(samples.iter().map(|(_, values)| values[*column]));
            cells.extend([mean, sem, min, max, last[*column]].map(cell));
        }
        cells.push(format!("{hash:016x}"));
        cells
    }

    fn series(&self, samples: &[(u64, Vec<f64>)]) -> String {
        if !self.study.series {
            return String::new();
        }
        let row = |(step, values): &(u64, Vec<f64>)| {
            let values = self.columns.iter().map(|column| format!(",{}", cell(values[*column])));
            format!("{step}{}\n", values.collect::<String>())
        };
        samples.iter().map(row).collect()
    }
}

/// A number with the fewest digits that read back as the same bits; nothing where it is none.
pub(super) fn cell(number: f64) -> String {
    if number.is_nan() { String::new() } else { format!("{number:?}") }
}
