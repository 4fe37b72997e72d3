//! The step batcher: which steps are still to be submitted, and what is known of the batch in flight.

use web_time::Instant;

use crate::buffers::TURNS;
use crate::layout::{Guard, Load};
use crate::plan::{BUDGET, Plan};

/// Steps of a batch while the speed of the device is unknown.
const FIRST_STEPS: u32 = 4;

/// Statistics over all batches of an engine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BatchStats {
    /// Batches that the guard stopped: the cells had become fuller than planned for.
    pub stopped: u32,
    /// The largest ratio of candidates met to candidates allowed, over the batches that ran to their end. At most 1
    /// while the guard works.
    pub worst_ratio: f64,
}

/// A batch that was submitted.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    pub steps: u32,
    pub guard: Guard,
    pub plan: Plan,
    pub begun: Instant,
}

/// The state of batching between two calls of the engine.
#[derive(Debug)]
pub struct StepBatcher {
    /// Steps that were asked for and are not submitted.
    pub pending: u32,
    pub in_flight: Option<Batch>,
    /// The last batch ended, or was stopped, after counting the boids and before sorting them.
    pub unsorted: bool,
    /// The most steps of the next batch.
    max_steps: u32,
    pub stats: BatchStats,
}

impl Default for StepBatcher {
    fn default() -> Self {
        StepBatcher {
            pending: 0,
            in_flight: None,
            unsorted: false,
            max_steps: FIRST_STEPS,
            stats: BatchStats::default(),
        }
    }
}

impl StepBatcher {
    /// The number of steps of the next batch: as many as the time budget of a submit allows. A batch has at most twice
    /// the steps of the batch before.
    pub fn next_steps(&mut self, plan: &Plan) -> u32 {
        // How a clustered flock is to be sorted is known only after its step.
        let max = if plan.clustered() { 1 } else { self.max_steps };
        let steps = ((BUDGET / plan.step_cost().max(1e-9)) as u32).clamp(1, max);
        self.max_steps = (2 * steps).clamp(FIRST_STEPS, TURNS);
        steps.min(self.pending)
    }

    /// Notes that the guard stopped a batch after a step of it. Returns how many of its steps were not done.
    pub fn stopped_after(&mut self, batch: &Batch, turn: u32) -> u32 {
        let left = batch.steps.saturating_sub(turn + 1);
        self.pending += left;
        self.unsorted = true;
        self.stats.stopped += 1;
        left
    }

    /// Notes that a batch ran to its end, with this load at last.
    pub fn completed(&mut self, batch: &Batch, load: Load) {
        let candidates = |load| Plan { load, ..batch.plan }.candidates().1;
        let Guard { squares_low, squares_high, .. } = batch.guard;
        let allowed = candidates(Load { squares_low, squares_high, most: u32::MAX });
        if allowed > 0.0 {
            self.stats.worst_ratio = self.stats.worst_ratio.max(candidates(load) / allowed);
        }
        self.unsorted |= batch.plan.clustered();
    }
}
