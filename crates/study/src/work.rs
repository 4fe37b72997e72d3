//! One run: its steps, samples and results.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::Builder;

use flock::Parameters;

use super::{Log, Outcome, Study};
use config::{ConfigError, Document, with_settings};
use engine::measures::{Family, measure_only};
use engine::system::{NoThreads, Threads};
use engine::{Batcher, Engine, EngineError, Result, State};
use engines::Device;
use files::Failure;

/// A worker that does runs one after the other. Its threads do all but the steps.
#[derive(Debug)]
pub struct Worker<'a> {
    pub device: &'a Device,
    pub study: &'a Study,
    pub flock: Document,
    /// Prefix of the error of a run.
    pub origin: &'a str,
    pub threads: Threads,
}

/// Callbacks between two batches of steps.
pub(super) struct Watch<'a> {
    /// True to leave the run unfinished.
    pub leave: &'a (dyn Fn() -> bool + Sync),
    /// Called with the steps that were taken.
    pub advanced: &'a (dyn Fn(u64) + Sync),
}

/// The steps that were sampled, each with all measures.
type Samples = Vec<(u64, Vec<f64>)>;

impl Worker<'_> {
    /// Executes a run. None if it was stopped.
    ///
    /// # Errors
    /// When the device is lost: the run then has no result.
    pub(super) fn run(&self, run: usize, watch: &Watch<'_>) -> Result<Option<Outcome>, Failure> {
        let parameters = |stage| {
            let settings = self.study.run_settings(run, stage)?;
            Ok(with_settings(self.flock, &settings)?.parameters)
        };
        let stages: Result<Vec<Parameters>, ConfigError> = (0..self.study.stages()).map(parameters).collect();
        let failure = match stages.map(|stages| self.threads.install(|| self.outcome(run, &stages, watch))) {
            Ok(Ok(outcome)) => return Ok(outcome),
            Ok(Err(error @ EngineError::Lost { .. })) => return Err(error.into()),
            Ok(Err(error)) => Failure::from(error),
            Err(error) => error.into(),
        };
        let error = format!("{}: {}: {}", self.origin, self.study.describe(run), failure.message);
        Ok(Some(Outcome { run, error: Some(error), ..Outcome::default() }))
    }

    /// Does a run by the parameters of each stage.
    fn outcome(&self, run: usize, stages: &[Parameters], watch: &Watch<'_>) -> Result<Option<Outcome>> {
        let start = &stages[0];
        self.device.check(start)?;
        let state = State::try_start(start)?;
        let mut opened = self.device.engine(start, &state)?;
        let engine = opened.get();
        let mut batcher = Batcher::default();
        let mut outcome = Outcome { run, ..Outcome::default() };
        for (stage, parameters) in (0..).zip(stages) {
            if stage > 0 {
                engine.set_parameters(parameters)?;
            }
            let Some((samples, last)) = self.stage(engine, &mut batcher, parameters, stage, watch)? else {
                return Ok(None);
            };
            outcome.cells.push(engine.step_number().to_string());
            for column in &self.study.columns {
                let measure = column.sampled();
                let over_time = samples.iter().map(|(_, values)| measure.of(values));
                let values = column.values(over_time, measure.of(&last), state.boids.len());
                outcome.cells.extend(values.into_iter().map(cell));
            }
            outcome.cells.push(format!("{:016x}", engine.hash()?));
            for (step, values) in samples.iter().filter(|_| self.study.series) {
                let values = self.study.sampled().map(|measure| format!(",{}", cell(measure.of(values))));
                outcome.series += &format!("{step}{}\n", values.collect::<String>());
            }
        }
        Ok(Some(outcome))
    }

    /// Steps a flock to the end of a stage, or until it stops; returns its samples, and the measures at the end. None
    /// where it was left.
    fn stage(
        &self,
        engine: &mut dyn Engine,
        batcher: &mut Batcher,
        parameters: &Parameters,
        stage: u64,
        watch: &Watch<'_>,
    ) -> Result<Option<(Samples, Vec<f64>)>> {
        let study = self.study;
        let columns = study.columns.iter().chain(study.stop.iter().map(|stop| &stop.column));
        let families: Vec<Family> = columns.map(|column| column.sampled().family()).collect();
        let end = study.dwell() * (stage + 1);
        let mut next = end - study.dwell() + study.after;
        let mut samples = Samples::new();
        loop {
            let here = engine.step_number();
            if here == next || here == end {
                let state = engine.state()?;
                let measures = measure_only(parameters, &state, &families);
                let values: Vec<f64> = measures.values().collect();
                let mut stopped = here == end;
                if here == next {
                    stopped |= self.stops(&values);
                    samples.push((here, values.clone()));
                    next += study.every;
                }
                if stopped {
                    (watch.advanced)(end - here);
                    return Ok(Some((samples, values)));
                }
            }
            if (watch.leave)() {
                return Ok(None);
            }
            (watch.advanced)(batcher.advance(engine, next.min(end) - here)?);
        }
    }

    /// True if a measure lies beyond its bound.
    fn stops(&self, values: &[f64]) -> bool {
        self.study.stop.iter().any(|stop| {
            let value = stop.column.sampled().of(values);
            stop.above.is_some_and(|bound| value > bound) || stop.below.is_some_and(|bound| value < bound)
        })
    }
}

/// A number with the fewest digits that read back as the same bits; empty for NaN.
pub(super) fn cell(number: f64) -> String {
    if number.is_nan() { String::new() } else { format!("{number:?}") }
}

/// Executes runs in order, one at a time per worker, until all are done or `leave` returns true. Finished runs are in the log.
///
/// # Errors
/// When the log cannot be written, or a device is lost.
pub fn execute(
    runs: &[usize],
    workers: Vec<Worker<'_>>,
    log: &mut Log,
    leave: &(dyn Fn() -> bool + Sync),
    advanced: &(dyn Fn(u64) + Sync),
) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    let broken = AtomicBool::new(false);
    let log = Mutex::new(log);
    let watch = Watch { leave: &|| broken.load(Ordering::Relaxed) || leave(), advanced };
    let panicked = || Failure::work("a run crashed");
    let work = |worker: Worker<'_>| {
        while !(watch.leave)()
            && let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed))
            && let Some(outcome) = worker.run(*run, &watch)?
        {
            log.lock().map_err(|_| panicked())?.add(&outcome)?;
        }
        Ok(())
    };
    let guarded = |worker| work(worker).inspect_err(|_| broken.store(true, Ordering::Relaxed));
    let count = workers.len();
    if count == 1 {
        // This thread does it: no other is needed.
        let all = || workers.into_iter().try_for_each(guarded);
        return catch_unwind(AssertUnwindSafe(all)).unwrap_or_else(|_| Err(panicked()));
    }
    std::thread::scope(|scope| {
        let mut threads = Vec::new();
        for worker in workers {
            match Builder::new().spawn_scoped(scope, || guarded(worker)) {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    broken.store(true, Ordering::Relaxed);
                    let failure = Failure::work(NoThreads::new(count, &error));
                    return Err(failure.hint("use --jobs 1"));
                }
            }
        }
        let ends: Vec<_> =
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(panicked()))).collect();
        ends.into_iter().collect()
    })
}
