//! Stepping in batches: each is planned for the load at its beginning, and its guard stops it where the load outgrows
//! the plan.

use flock::predators::Schedule;
use flock::{Predator, home};
use web_time::Instant;

use super::GpuEngine;
use super::batcher::{Batch, BatchStats};
use crate::layout::{Guard, NEVER};
use crate::number::{OnGpu, vector, words};
use crate::passes::Pass;
use crate::status::Status;
use crate::timing::Timing;
use cpu::engine::EngineError;

impl<T: OnGpu> GpuEngine<T> {
    /// Statistics over all batches so far.
    #[must_use]
    pub fn batch_stats(&self) -> BatchStats {
        self.batcher.stats
    }

    /// Submits steps. The last batch may still be in flight when this returns; [`GpuEngine::settle`] waits for it.
    pub(super) fn submit_steps(&mut self, steps: u32) -> Result<(), EngineError> {
        self.batcher.pending += steps;
        while self.batcher.pending > 0 {
            self.collect(true)?;
            self.sort_if_unsorted()?;
            self.submit_batch()?;
        }
        Ok(())
    }

    /// Waits until all submitted steps are done, and completes those that a guard stopped.
    pub(super) fn settle(&mut self) -> Result<(), EngineError> {
        self.collect(true)?;
        while self.batcher.unsorted {
            self.sort_if_unsorted()?;
            self.submit_steps(0)?;
            self.collect(true)?;
        }
        Ok(())
    }

    /// Takes the status of the batch in flight, if it has come or is to be waited for.
    pub(super) fn collect(&mut self, wait: bool) -> Result<(), EngineError> {
        let asked = Instant::now();
        let Some(status) = self.status.receive(&self.runner, wait)? else {
            return Ok(());
        };
        self.load = status.load;
        for (predator, on_gpu) in self.predators.iter_mut().zip(&status.context.predators) {
            *predator = Predator { position: vector(on_gpu.position), velocity: vector(on_gpu.velocity) };
        }
        let Some(batch) = self.batcher.in_flight.take() else {
            return Ok(());
        };
        if status.guard.turn != NEVER {
            self.step -= u64::from(self.batcher.stopped_after(&batch, status.guard.turn));
            return Ok(());
        }
        self.batcher.completed(&batch, status.load);
        if !batch.plan.clustered() {
            // The wall clock says how long the batch took only where this call waited for it.
            let waited = asked.elapsed() > batch.begun.elapsed() / 4;
            self.learn(&batch, &status, waited.then(|| batch.begun.elapsed().as_secs_f64()));
        }
        let period = self.runner.timing.as_ref().map_or(0.0, Timing::period);
        self.pass_log.record(&status.spans, period);
        Ok(())
    }

    /// Updates the cost model from a batch: by timestamps on hardware, else by the wall clock. A software adapter may
    /// write all its timestamps at the end.
    fn learn(&mut self, batch: &Batch, status: &Status, seconds: Option<f64>) {
        let (candidates, boids) = (batch.plan.candidates().1, f64::from(batch.plan.boids));
        let timing = self.runner.timing.as_ref().filter(|_| self.runner.gpu.hardware());
        let Some(timing) = timing else {
            if let Some(seconds) = seconds {
                self.costs.learn_total(candidates, boids, seconds / f64::from(batch.steps));
            }
            return;
        };
        let steps = status.spans.iter().filter(|span| span.pass == Pass::ScanBlocks).count().max(1);
        let seconds = |search: bool| {
            let spans = status.spans.iter().filter(|span| (span.pass == Pass::Step) == search);
            let ticks: u64 = spans.filter_map(|span| span.ticks).map(|(begin, end)| end - begin).sum();
            ticks as f64 * timing.period() * 1e-9 / steps as f64
        };
        self.costs.learn(candidates, boids, seconds(true), seconds(false));
    }

    /// Sorts the boids that the last batch counted and did not sort.
    fn sort_if_unsorted(&mut self) -> Result<(), EngineError> {
        if self.batcher.unsorted {
            self.sort()?;
            self.batcher.unsorted = false;
        }
        Ok(())
    }

    /// Sorts boids whose cells are counted, with the guard open.
    pub(super) fn sort(&mut self) -> Result<(), EngineError> {
        self.runner.write("guard", &[Guard::OPEN])?;
        let mut dispatches = Vec::new();
        self.plan().order(&mut dispatches);
        self.runner.submit(&dispatches, None)
    }

    /// Submits the next batch.
    fn submit_batch(&mut self) -> Result<(), EngineError> {
        let plan = self.plan();
        let steps = self.batcher.next_steps(&plan);
        let (mut schedules, mut homes) = (Vec::new(), Vec::new());
        let mut dispatches = Vec::new();
        let mut firsts = Vec::new();
        for turn in 0..steps {
            let step = self.step + u64::from(turn);
            for index in 0..self.predators.len() {
                let Schedule { knot, leaves } = Schedule::new(&self.rule, step, index);
                let leaves = if leaves { T::ONE } else { T::ZERO };
                schedules.push(words(knot.map(T::from_f64), leaves.word()));
            }
            homes.push(words(home::position(&self.rule, step).to_array(), 0));
            firsts.push(dispatches.len());
            plan.step(&mut dispatches, step as u32, turn);
        }
        self.runner.write("schedules", &schedules)?;
        self.runner.write("homes", &homes)?;
        let guard = plan.guard(steps);
        self.runner.write("guard", &[guard])?;
        let timed = self.pass_log.begin_batch(self.step, firsts);
        let begun = Instant::now();
        self.runner.submit(&dispatches, Some(timed))?;
        self.status.request(&self.runner)?;
        self.batcher.in_flight = Some(Batch { steps, guard, plan, begun });
        self.step += u64::from(steps);
        self.batcher.pending -= steps;
        self.published = false;
        Ok(())
    }
}
