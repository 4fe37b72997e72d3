//! The log of pass times.

use crate::timing::Span;
use cpu::engine::PassEvent;

/// The pass times of the last step, and the events of all steps if they are recorded.
#[derive(Debug, Default)]
pub struct PassLog {
    /// Time all steps and record their events; else only the last step of a batch is timed.
    pub every_step: bool,
    /// The first timed step of the batch in flight.
    step: u64,
    /// The index of each timed step's first dispatch among the timed ones.
    firsts: Vec<usize>,
    /// Milliseconds of each pass in the last step.
    pub times: Vec<(&'static str, f64)>,
    /// Times in nanoseconds since the first event.
    pub events: Vec<PassEvent>,
    /// The tick of the first event.
    zero: Option<u64>,
}

impl PassLog {
    /// Begins a batch at a step, with the index of each step's first dispatch. Returns the first dispatch to be timed.
    pub fn begin_batch(&mut self, step: u64, mut firsts: Vec<usize>) -> usize {
        let untimed = if self.every_step { 0 } else { firsts.len().saturating_sub(1) };
        self.step = step + untimed as u64;
        self.firsts = firsts.split_off(untimed);
        let timed = self.firsts.first().copied().unwrap_or(0);
        self.firsts.iter_mut().for_each(|first| *first -= timed);
        timed
    }

    /// Records the timed dispatches of the batch; `period` is nanoseconds per tick.
    pub fn record(&mut self, spans: &[Span], period: f64) {
        self.times = times(&spans[self.firsts.last().copied().unwrap_or(0).min(spans.len())..], period);
        if !self.every_step {
            return;
        }
        for (k, span) in spans.iter().enumerate() {
            let Some((begin, end)) = span.ticks else { continue };
            let turn = self.firsts.partition_point(|first| *first <= k).saturating_sub(1);
            let zero = *self.zero.get_or_insert(begin);
            // Negative where a dispatch began before the first one listed.
            let since = |tick: u64| tick.wrapping_sub(zero).cast_signed() as f64 * period;
            self.events.push(PassEvent {
                pass: span.pass.name(),
                step: self.step + turn as u64,
                begin: since(begin),
                end: since(end),
            });
        }
    }
}

/// Milliseconds of each pass, summed over its dispatches; unknown times are left out.
fn times(spans: &[Span], period: f64) -> Vec<(&'static str, f64)> {
    let mut times: Vec<(&'static str, f64)> = Vec::new();
    for span in spans {
        let Some((begin, end)) = span.ticks else { continue };
        let milliseconds = (end - begin) as f64 * period / 1e6;
        match times.iter_mut().find(|(label, _)| *label == span.pass.name()) {
            Some((_, sum)) => *sum += milliseconds,
            None => times.push((span.pass.name(), milliseconds)),
        }
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::Pass;

    fn spans(ticks: &[(u64, u64)]) -> Vec<Span> {
        let passes = [Pass::Step, Pass::Order];
        let known = |(begin, end): (u64, u64)| (begin != 0).then_some((begin, end));
        let all = ticks.iter().zip(passes.into_iter().cycle());
        all.map(|(ticks, pass)| Span { pass, ticks: known(*ticks) }).collect()
    }

    #[test]
    fn only_the_last_step_is_timed_by_default() {
        let mut log = PassLog::default();
        assert_eq!(log.begin_batch(10, vec![0, 2, 4]), 4);
        log.record(&spans(&[(100, 300), (300, 400)]), 1e3);
        assert_eq!(log.times, [("step", 0.2), ("order", 0.1)]);
        assert!(log.events.is_empty());
    }

    #[test]
    fn events_have_their_step_and_unknown_times_are_left_out() {
        let mut log = PassLog { every_step: true, ..PassLog::default() };
        assert_eq!(log.begin_batch(10, vec![0, 2]), 0);
        log.record(&spans(&[(100, 300), (300, 400), (450, 500), (0, 0)]), 2.0);
        let events: Vec<_> = log.events.iter().map(|e| (e.pass, e.step, e.begin, e.end)).collect();
        assert_eq!(
            events,
            [("step", 10, 0.0, 400.0), ("order", 10, 400.0, 600.0), ("step", 11, 700.0, 800.0)]
        );
        assert_eq!(log.times, [("step", 1e-4)]);
    }
}
