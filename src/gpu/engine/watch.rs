//! What an engine tells of its own work: when its passes ran, how full its cells are, what its passes bind.

use super::GpuEngine;
use crate::engine::{EngineError, PassEvent};
use crate::gpu::number::OnGpu;
use crate::gpu::passes::Stage;
use crate::gpu::timing::Span;

/// The times of passes.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// All steps are timed, and when their passes ran is kept; else only the last step of a batch is.
    every: bool,
    /// The first step that is timed of the batch under way, and where among its timed dispatches each step begins.
    step: u64,
    firsts: Vec<usize>,
    /// Milliseconds of each pass in the last step.
    times: Vec<(&'static str, f64)>,
    events: Vec<PassEvent>,
    /// The first tick of all.
    zero: Option<u64>,
}

impl Watch {
    /// Notes what a batch from `step` on consists of: where in it each step begins. Returns where timing begins.
    pub fn planned(&mut self, step: u64, mut firsts: Vec<usize>) -> usize {
        let untimed = if self.every { 0 } else { firsts.len().saturating_sub(1) };
        self.step = step + untimed as u64;
        self.firsts = firsts.split_off(untimed);
        let timed = self.firsts.first().copied().unwrap_or(0);
        self.firsts.iter_mut().for_each(|first| *first -= timed);
        timed
    }

    /// Takes what the GPU told of the batch.
    pub fn told(&mut self, spans: &[Span], period: f64) {
        self.times = times(&spans[self.firsts.last().copied().unwrap_or(0).min(spans.len())..], period);
        if !self.every {
            return;
        }
        for (k, span) in spans.iter().enumerate() {
            let Some((begin, end)) = span.ticks else { continue };
            let turn = self.firsts.partition_point(|first| *first <= k).saturating_sub(1);
            let zero = *self.zero.get_or_insert(begin);
            // A dispatch may have begun before the one that was listed first.
            let place = |tick: u64| tick.wrapping_sub(zero).cast_signed() as f64 * period;
            self.events.push(PassEvent {
                pass: span.stage.label(),
                step: self.step + turn as u64,
                begin: place(begin),
                end: place(end),
            });
        }
    }
}

/// Milliseconds of each pass; one of several dispatches is summed up, a time that was not taken is left out.
fn times(spans: &[Span], period: f64) -> Vec<(&'static str, f64)> {
    let mut times: Vec<(&'static str, f64)> = Vec::new();
    for span in spans {
        let Some((begin, end)) = span.ticks else { continue };
        let milliseconds = (end - begin) as f64 * period / 1e6;
        match times.iter_mut().find(|(label, _)| *label == span.stage.label()) {
            Some((_, sum)) => *sum += milliseconds,
            None => times.push((span.stage.label(), milliseconds)),
        }
    }
    times
}

impl<T: OnGpu> GpuEngine<T> {
    /// Milliseconds of each pass in the last step that the GPU has told of; empty where it has no timestamps.
    #[must_use]
    pub fn pass_times(&self) -> &[(&'static str, f64)] {
        &self.watch.times
    }

    /// Whether passes can be timed at all.
    #[must_use]
    pub fn times_passes(&self) -> bool {
        self.runner.timing.is_some()
    }

    /// Bytes that the pass of this name cannot help but move in a step: each array that it reads, once, and each that
    /// it writes, once.
    ///
    /// # Errors
    /// When there is no such pass.
    pub fn traffic(&self, pass: &str) -> Result<u64, EngineError> {
        match Stage::of::<T>().iter().find(|stage| stage.label() == pass) {
            Some(stage) => self.runner.traffic(*stage),
            None => Err(self.runner.gpu.error(format!("no pass {pass}"))),
        }
    }

    /// Boids in the fullest cell, and the mean of the boids in a boid's own cell.
    #[must_use]
    pub fn occupancy(&self) -> (u32, f64) {
        let boids = f64::from(self.runner.buffers.boids.max(1));
        (self.load.most, self.load.squares() as f64 / boids)
    }

    /// From now on every step is timed, not only the last of a batch, and when each of its passes ran is kept for
    /// [`GpuEngine::take_events`]: or no longer.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn time_every_step(&mut self, on: bool) -> Result<(), EngineError> {
        self.finish()?;
        self.watch.every = on;
        self.watch.events.clear();
        Ok(())
    }

    /// When the passes ran since they were last asked for, in the order of their dispatches; waits for the steps
    /// under way. Nothing of a batch of more dispatches than can be timed, and where there are no timestamps.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn take_events(&mut self) -> Result<Vec<PassEvent>, EngineError> {
        self.finish()?;
        Ok(std::mem::take(&mut self.watch.events))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(ticks: &[(u64, u64)]) -> Vec<Span> {
        let stages = [Stage::Step, Stage::Order];
        let known = |(begin, end): (u64, u64)| (begin != 0).then_some((begin, end));
        let all = ticks.iter().zip(stages.into_iter().cycle());
        all.map(|(ticks, stage)| Span { stage, ticks: known(*ticks) }).collect()
    }

    #[test]
    fn only_the_last_step_is_timed_unless_all_are_asked_for() {
        let mut watch = Watch::default();
        assert_eq!(watch.planned(10, vec![0, 2, 4]), 4);
        watch.told(&spans(&[(100, 300), (300, 400)]), 1e3);
        assert_eq!(watch.times, [("step", 0.2), ("order", 0.1)]);
        assert!(watch.events.is_empty());
    }

    #[test]
    fn events_know_their_step_and_leave_out_what_was_not_taken() {
        let mut watch = Watch { every: true, ..Watch::default() };
        assert_eq!(watch.planned(10, vec![0, 2]), 0);
        watch.told(&spans(&[(100, 300), (300, 400), (450, 500), (0, 0)]), 2.0);
        let told: Vec<_> = watch.events.iter().map(|e| (e.pass, e.step, e.begin, e.end)).collect();
        assert_eq!(told, [("step", 10, 0.0, 400.0), ("order", 10, 400.0, 600.0), ("step", 11, 700.0, 800.0)]);
        assert_eq!(watch.times, [("step", 1e-4)]);
    }
}
