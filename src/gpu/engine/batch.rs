//! Steps in batches: each planned by what is known as it begins, and stopped by its guard where that no longer holds.

use std::time::Instant;

use flock::{Predator, predators};

use super::GpuEngine;
use crate::engine::EngineError;
use crate::gpu::buffers::TURNS;
use crate::gpu::jobs::{BUDGET, Plan};
use crate::gpu::layout::{Guard, Load, NEVER};
use crate::gpu::number::{OnGpu, vector, words};
use crate::gpu::passes::Stage;
use crate::gpu::report::News;
use crate::gpu::timing::Timing;

/// Steps that are planned ahead where nothing is known of how fast the device is.
const FEW: u32 = 4;

/// How batches have gone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Crowding {
    /// How many were stopped, for the flock had become too crowded for what was planned.
    pub stopped: u32,
    /// Of those that went on to their end, how many times as many candidates as allowed a step of them met at most: at
    /// most 1 while the guard does its work.
    pub beyond: f64,
}

/// A batch under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    steps: u32,
    guard: Guard,
    plan: Plan,
    begun: Instant,
}

/// What is left to do, and how far to plan ahead.
#[derive(Debug)]
pub(super) struct Agenda {
    /// Steps that were asked for and are not under way.
    owed: u32,
    under_way: Option<Batch>,
    /// The last batch ended, or was stopped, before its boids were brought in order.
    unordered: bool,
    /// The most steps of the next batch.
    most: u32,
    crowding: Crowding,
}

impl Default for Agenda {
    fn default() -> Self {
        Agenda { owed: 0, under_way: None, unordered: false, most: FEW, crowding: Crowding::default() }
    }
}

impl<T: OnGpu> GpuEngine<T> {
    /// How batches of steps have gone.
    #[must_use]
    pub fn crowding(&self) -> Crowding {
        self.agenda.crowding
    }

    /// Submits steps; the last of them may still be under way, or be planned anew by [`GpuEngine::settle`].
    pub(super) fn go_on(&mut self, steps: u32) -> Result<(), EngineError> {
        self.agenda.owed += steps;
        while self.agenda.owed > 0 {
            self.collect(true)?;
            self.resume()?;
            self.batch()?;
        }
        Ok(())
    }

    /// Waits until all steps are done that were asked for.
    pub(super) fn settle(&mut self) -> Result<(), EngineError> {
        self.collect(true)?;
        while self.agenda.unordered {
            self.resume()?;
            self.go_on(0)?;
            self.collect(true)?;
        }
        Ok(())
    }

    /// The same where the last batch has left boids out of order; does not wait otherwise.
    pub(super) fn settle_if_unordered(&mut self) -> Result<(), EngineError> {
        if self.agenda.unordered { self.settle() } else { Ok(()) }
    }

    /// Takes the last report, where there is one.
    pub(super) fn collect(&mut self, wait: bool) -> Result<(), EngineError> {
        let asked = Instant::now();
        let Some(news) = self.report.collect(&self.runner, wait)? else {
            return Ok(());
        };
        self.load = news.load;
        for (predator, on_gpu) in self.predators.iter_mut().zip(&news.context.predators) {
            *predator = Predator { position: vector(on_gpu.position), velocity: vector(on_gpu.velocity) };
        }
        let Some(batch) = self.agenda.under_way.take() else {
            return Ok(());
        };
        if news.guard.turn != NEVER {
            let left = batch.steps.saturating_sub(news.guard.turn + 1);
            self.step -= u64::from(left);
            self.agenda.owed += left;
            self.agenda.unordered = true;
            self.agenda.crowding.stopped += 1;
            return Ok(());
        }
        let found = Plan { load: news.load, ..batch.plan }.candidates().1;
        let load = Load {
            squares_low: batch.guard.squares_low,
            squares_high: batch.guard.squares_high,
            most: u32::MAX,
        };
        let allowed = Plan { load, ..batch.plan }.candidates().1;
        if allowed > 0.0 {
            self.agenda.crowding.beyond = self.agenda.crowding.beyond.max(found / allowed);
        }
        let seconds =
            (asked.elapsed() > batch.begun.elapsed() / 4).then(|| batch.begun.elapsed().as_secs_f64());
        if batch.plan.crowded() {
            self.agenda.unordered = true;
        } else {
            self.learn(&batch, &news, seconds);
        }
        let period = self.runner.timing.as_ref().map_or(0.0, Timing::period);
        self.watch.told(&news.spans, period);
        Ok(())
    }

    /// Learns how fast the device is: by its own times where it is hardware; a program may take its timestamps when all
    /// is done, so there by the clock, if somebody waited for the batch.
    fn learn(&mut self, batch: &Batch, news: &News, seconds: Option<f64>) {
        let (candidates, boids) = (batch.plan.candidates().1, f64::from(batch.plan.boids));
        if !self.runner.gpu.hardware() {
            let Some(seconds) = seconds else { return };
            return self.pace.learn_whole(candidates, boids, seconds / f64::from(batch.steps));
        }
        let Some(timing) = &self.runner.timing else {
            let Some(seconds) = seconds else { return };
            return self.pace.learn_whole(candidates, boids, seconds / f64::from(batch.steps));
        };
        let steps = news.spans.iter().filter(|span| span.stage == Stage::ScanBlocks).count().max(1);
        let of = |neighbours: bool| {
            let spans = news.spans.iter().filter(|span| (span.stage == Stage::Step) == neighbours);
            let ticks: u64 = spans.filter_map(|span| span.ticks).map(|(begin, end)| end - begin).sum();
            ticks as f64 * timing.period() * 1e-9 / steps as f64
        };
        self.pace.learn(candidates, boids, of(true), of(false));
    }

    /// Brings the boids in order that a batch has left when it ended.
    fn resume(&mut self) -> Result<(), EngineError> {
        if self.agenda.unordered {
            self.order()?;
            self.agenda.unordered = false;
        }
        Ok(())
    }

    /// Brings boids in order whose cells were counted, with all guards open.
    pub(super) fn order(&mut self) -> Result<(), EngineError> {
        self.runner.write("guard", &[Guard::OPEN])?;
        let mut jobs = Vec::new();
        self.plan().order(&mut jobs);
        self.runner.submit(&jobs, None)
    }

    /// Submits as many of the steps that are owed as a submit has time for.
    fn batch(&mut self) -> Result<(), EngineError> {
        let plan = self.plan();
        // How a crowded flock is to be ordered is known only when its step is done.
        let most = if plan.crowded() { 1 } else { self.agenda.most };
        let steps = ((BUDGET / plan.step_cost().max(1e-9)) as u32).clamp(1, most);
        self.agenda.most = (2 * steps).clamp(FEW, TURNS);
        let steps = steps.min(self.agenda.owed);
        let mut knots = Vec::new();
        let mut jobs = Vec::new();
        let mut firsts = Vec::new();
        for turn in 0..steps {
            let step = self.step + u64::from(turn);
            for index in 0..self.predators.len() {
                let knot = predators::knot(step, index, self.rule.knot_period);
                knots.push(words(knot.map(T::from_f64), 0));
            }
            firsts.push(jobs.len());
            plan.step(&mut jobs, step as u32, turn);
        }
        self.runner.write("knots", &knots)?;
        let guard = plan.guard(steps);
        self.runner.write("guard", &[guard])?;
        let timed = self.watch.planned(self.step, firsts);
        let begun = Instant::now();
        self.runner.submit(&jobs, Some(timed))?;
        self.report.ask(&self.runner)?;
        self.agenda.under_way = Some(Batch { steps, guard, plan, begun });
        self.step += u64::from(steps);
        self.agenda.owed -= steps;
        self.published = false;
        Ok(())
    }
}
