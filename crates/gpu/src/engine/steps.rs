//! Stepping in batches: each is planned for the load at its beginning, and its guard stops it if the load outgrows the
//! plan.

use std::mem::offset_of;

use bytemuck::{Pod, Zeroable, pod_collect_to_vec, pod_read_unaligned};
use flock::predators::Schedule;
use flock::{Predator, home};
use web_time::Instant;

use super::GpuEngine;
use crate::Gpu;
use crate::buffers::MAX_BATCH_STEPS;
use crate::layout::{Guard, Load, NEVER, StepContext};
use crate::number::{OnGpu, vector, words};
use crate::plan::{BUDGET, Plan};
use crate::readback::Readback;
use crate::timing::Timing;
use engine::Result;

/// Steps of a batch while the device's speed is unknown.
const FIRST_STEPS: u32 = 4;

/// A batch that was submitted.
#[derive(Clone, Copy, Debug)]
struct Batch {
    steps: u32,
    plan: Plan,
    begun: Instant,
}

/// The state of batching between two calls of the engine.
#[derive(Debug)]
pub(super) struct Batches {
    /// Steps requested and not yet submitted.
    pending: u32,
    in_flight: Option<Batch>,
    /// The last batch ended, or was stopped, after the boids were counted and before they were sorted.
    pub unsorted: bool,
    /// Maximum number of steps of the next batch.
    max_steps: u32,
    /// Number of batches that the guard stopped, because the cells became fuller than planned for.
    stopped: u32,
    /// Status after the batch in flight, and the times of its passes.
    status: Readback,
}

/// Data read back after every batch, apart from the times.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Status {
    load: Load,
    guard: Guard,
    context: StepContext,
}

impl Batches {
    /// # Errors
    /// When memory runs out.
    pub fn new(gpu: &Gpu) -> Result<Self> {
        let status = Readback::new(gpu, size_of::<Status>() as u64 + Timing::BYTES)?;
        Ok(Batches {
            pending: 0,
            in_flight: None,
            unsorted: false,
            max_steps: FIRST_STEPS,
            stopped: 0,
            status,
        })
    }

    /// Number of steps of the next batch: as many as the time budget of a submit allows, and at most twice the steps of
    /// the batch before.
    fn next_steps(&mut self, plan: &Plan) -> u32 {
        let steps = ((BUDGET / plan.step_cost().max(1e-9)) as u32).clamp(1, self.max_steps);
        self.max_steps = (2 * steps).clamp(FIRST_STEPS, MAX_BATCH_STEPS);
        steps.min(self.pending)
    }
}

impl<T: OnGpu> GpuEngine<T> {
    /// Number of batches that the guard has stopped so far.
    pub fn stopped_batches(&self) -> u32 {
        self.batches.stopped
    }

    /// Submits steps. The last batch may still be in flight when this returns; [`GpuEngine::settle`] waits for it.
    pub(super) fn submit_steps(&mut self, steps: u32) -> Result {
        self.batches.pending += steps;
        while self.batches.pending > 0 {
            self.collect(true)?;
            if self.batches.unsorted {
                self.sort()?;
            }
            self.submit_batch()?;
        }
        Ok(())
    }

    /// Waits until all submitted steps are done, and completes those that a guard stopped.
    pub(super) fn settle(&mut self) -> Result {
        self.collect(true)?;
        while self.batches.unsorted {
            self.sort()?;
            self.submit_steps(0)?;
            self.collect(true)?;
        }
        Ok(())
    }

    /// Takes the status of the batch in flight, if it has arrived or `wait` is set.
    pub(super) fn collect(&mut self, wait: bool) -> Result {
        let asked = Instant::now();
        let read = |bytes: &[u8]| {
            let (status, times) = bytes.split_at(size_of::<Status>());
            (pod_read_unaligned::<Status>(status), pod_collect_to_vec::<u8, u64>(times))
        };
        let Some((status, ticks)) = self.batches.status.receive(&self.runner.gpu, wait, read)? else {
            return Ok(());
        };
        self.load = status.load;
        for (predator, on_gpu) in self.predators.iter_mut().zip(&status.context.predators) {
            *predator = Predator { position: vector(on_gpu.position), velocity: vector(on_gpu.velocity) };
        }
        let Some(batch) = self.batches.in_flight.take() else {
            return Ok(());
        };
        if status.guard.turn != NEVER {
            let left = batch.steps.saturating_sub(status.guard.turn + 1);
            self.step -= u64::from(left);
            self.batches.pending += left;
            self.batches.unsorted = true;
            self.batches.stopped += 1;
            return Ok(());
        }
        let times = self.runner.timing.as_mut().map(|timing| timing.log.record(&ticks, timing.period));
        // A software adapter may write all its timestamps at the end, so the wall clock measures its batches, but only
        // if this call waited for the batch.
        let (candidates, boids) = (batch.plan.candidates().1, f64::from(batch.plan.boids));
        let taken = batch.begun.elapsed();
        match times.filter(|_| self.runner.gpu.hardware()) {
            Some((search, rest)) => self.costs.learn(candidates, boids, search, rest),
            None if asked.elapsed() > taken / 4 => {
                self.costs.learn_total(candidates, boids, taken.as_secs_f64() / f64::from(batch.steps));
            }
            None => {}
        }
        Ok(())
    }

    /// Sorts boids whose cells are counted, with the guard open.
    pub(super) fn sort(&mut self) -> Result {
        self.runner.write("guard", &[Guard::OPEN])?;
        let order: Vec<_> = self.plan().order().collect();
        self.runner.submit(&order)?;
        self.batches.unsorted = false;
        Ok(())
    }

    /// Submits the next batch, and requests its status.
    fn submit_batch(&mut self) -> Result {
        let plan = self.plan();
        let steps = self.batches.next_steps(&plan);
        let (mut schedules, mut homes) = (Vec::new(), Vec::new());
        let mut dispatches = Vec::new();
        for turn in 0..steps {
            let step = self.step + u64::from(turn);
            for index in 0..self.predators.len() {
                let Schedule { knot, leaves } = Schedule::new(&self.rule, step, index);
                let leaves = if leaves { T::ONE } else { T::ZERO };
                schedules.push(words(knot.map(T::from_f64), leaves.word()));
            }
            homes.push(words(home::position(&self.rule, step).to_array(), 0));
            dispatches.extend(plan.step(step as u32, turn));
        }
        self.runner.write("schedules", &schedules)?;
        self.runner.write("homes", &homes)?;
        self.runner.write("guard", &[plan.guard(steps)])?;
        let timing = self.runner.timing.as_mut();
        let timed = timing.map_or(dispatches.len(), |timing| timing.log.begin(self.step, &dispatches));
        let begun = Instant::now();
        self.runner.submit_timed(&dispatches, timed)?;
        let (gpu, status) = (&self.runner.gpu, &mut self.batches.status);
        let mut encoder = gpu.encoder();
        for (name, offset, size) in [
            ("load", offset_of!(Status, load), size_of::<Load>()),
            ("guard", offset_of!(Status, guard), size_of::<Guard>()),
            ("context", offset_of!(Status, context), size_of::<StepContext>()),
        ] {
            let from = self.runner.buffers.get(gpu, name)?;
            encoder.copy_buffer_to_buffer(from, 0, &status.staging, offset as u64, size as u64);
        }
        if let Some(timing) = &self.runner.timing {
            timing.resolve(&mut encoder, &status.staging, size_of::<Status>() as u64);
        }
        status.request(gpu, encoder);
        self.batches.in_flight = Some(Batch { steps, plan, begun });
        self.step += u64::from(steps);
        self.batches.pending -= steps;
        self.published = false;
        Ok(())
    }
}
