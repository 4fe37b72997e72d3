//! One run: steps, samples, and what is kept of them.

use flock::Parameters;

use super::column::Measure;
use super::log::Outcome;
use super::plan::Study;
use config::{Document, with_settings};
use cpu::engine::{Batcher, Engine, EngineError};
use cpu::measures::{Family, measure_only};
use cpu::state::State;
use cpu::system::Threads;
use engines::Device;
use report::failure::Failure;

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
    /// True to leave the run unfinished.
    pub leave: &'a (dyn Fn() -> bool + Sync),
    /// Called with the steps that were taken.
    pub advanced: &'a (dyn Fn(u64) + Sync),
}

/// The steps that were sampled, each with all measures.
type Samples = Vec<(u64, Vec<f64>)>;

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
        let parameters = self.parameters(run, 0)?;
        self.device.check_capacity(parameters.flock.boids)?;
        let state = self.threads.install(|| State::try_start(&parameters))?;
        let mut opened = self.device.engine(&parameters, &state)?;
        let engine = opened.get();
        let mut batcher = Batcher::default();
        let (mut cells, mut series) = (Vec::new(), String::new());
        for stair in 0..self.study.stairs() {
            let parameters = self.parameters(run, stair)?;
            if stair > 0 {
                engine.set_parameters(&parameters)?;
            }
            let (samples, last) = self.stair(engine, &mut batcher, &parameters, stair, watch)?;
            let hash = engine.hash(&parameters)?;
            cells.push(engine.step_number().to_string());
            for column in &self.study.columns {
                let measure = column.sampled();
                let over_time = samples.iter().map(|(_, values)| measure.of(values));
                let values = column.values(over_time, measure.of(&last), state.boids.len());
                cells.extend(values.into_iter().map(cell));
            }
            cells.push(format!("{hash:016x}"));
            series += &self.series(&samples);
        }
        Ok(Outcome { run, cells, series, error: None })
    }

    /// The parameters of a run on a stair.
    fn parameters(&self, run: usize, stair: usize) -> Result<Parameters, Fault> {
        let settings = self.study.run_settings(run, stair).and_then(|set| with_settings(self.flock, &set));
        Ok(settings.map_err(|error| Fault::Run(error.into()))?.parameters)
    }

    /// Steps a flock to the end of a stair, or until it stops; returns its samples, and the measures at the end.
    fn stair(
        &self,
        engine: &mut dyn Engine,
        batcher: &mut Batcher,
        parameters: &Parameters,
        stair: usize,
        watch: &Watch<'_>,
    ) -> Result<(Samples, Vec<f64>), Fault> {
        let study = self.study;
        let end = study.dwell() * (stair as u64 + 1);
        let mut next = end - study.dwell() + study.after;
        let mut samples = Samples::new();
        loop {
            let here = engine.step_number();
            let ended = here == end;
            if here == next || ended {
                let state = engine.state()?;
                let measures = self.threads.install(|| measure_only(parameters, &state, &self.families));
                let values: Vec<f64> = measures.values().collect();
                let mut stopped = ended;
                if here == next {
                    stopped |= self.stops(&values);
                    samples.push((here, values.clone()));
                    next += study.every;
                }
                if stopped {
                    (watch.advanced)(end - here);
                    return Ok((samples, values));
                }
            }
            if (watch.leave)() {
                return Err(Fault::Left);
            }
            (watch.advanced)(batcher.advance(engine, next.min(end) - here)?);
        }
    }

    /// True if a measure lies beyond its bound.
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
