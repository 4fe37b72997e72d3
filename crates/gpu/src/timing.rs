//! Timestamps at the beginning and the end of each pass, and the step times that follow from them.

use super::Gpu;
use super::passes::Pass;
use super::plan::Dispatch;
use engine::{PassEvent, Result, add_to};

/// Maximum number of dispatches timed at once: more than a step without dense cells has, fewer than a query set holds.
pub const MAX: u32 = 1024;

/// The timestamp queries of a batch of steps.
#[derive(Debug)]
pub(crate) struct Timing {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Nanoseconds per tick.
    pub period: f64,
    pub log: PassLog,
}

/// The times of passes.
#[derive(Debug, Default)]
pub(crate) struct PassLog {
    /// Time all steps and keep their events; otherwise only the last step of a batch is timed.
    pub every_step: bool,
    /// Milliseconds of each pass in the last step.
    pub times: Vec<(&'static str, f64)>,
    /// Times in nanoseconds since the first event.
    pub events: Vec<PassEvent>,
    /// The tick of the first event.
    zero: Option<u64>,
    /// The step of turn 0 in the batch in flight; pass and turn of its timed dispatches.
    step: u64,
    timed: Vec<(Pass, u32)>,
}

impl Timing {
    /// Bytes of the timestamps read back.
    pub const BYTES: u64 = MAX as u64 * 16;

    /// Creates the queries; `None` if the device has no timestamps.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn new(gpu: &Gpu) -> Result<Option<Self>> {
        if !gpu.timestamps() {
            return Ok(None);
        }
        let (label, ty) = (Some("pass times"), wgpu::QueryType::Timestamp);
        let descriptor = wgpu::QuerySetDescriptor { label, ty, count: 2 * MAX };
        let set = gpu.create(|device| device.create_query_set(&descriptor))?;
        let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        let resolved = gpu.create_buffer("pass times", Timing::BYTES, usage)?;
        let period = f64::from(gpu.queue.get_timestamp_period());
        Ok(Some(Timing { set, resolved, period, log: PassLog::default() }))
    }

    /// The queries that the next dispatch writes.
    pub fn writes(&mut self, dispatch: &Dispatch) -> wgpu::ComputePassTimestampWrites<'_> {
        let index = 2 * self.log.timed.len() as u32;
        self.log.timed.push((dispatch.pass, dispatch.parameters.turn));
        wgpu::ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: Some(index),
            end_of_pass_write_index: Some(index + 1),
        }
    }

    /// Writes the timestamps to a buffer, from `offset` on.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer, offset: u64) {
        let count = 2 * self.log.timed.len() as u32;
        if count > 0 {
            encoder.resolve_query_set(&self.set, 0..count, &self.resolved, 0);
            encoder.copy_buffer_to_buffer(&self.resolved, 0, to, offset, u64::from(count) * 8);
        }
    }
}

impl PassLog {
    /// Begins a batch whose first step is `step`. Returns the index of the first dispatch to be timed.
    pub fn begin(&mut self, step: u64, dispatches: &[Dispatch]) -> usize {
        (self.step, self.timed) = (step, Vec::new());
        let last = dispatches.last().map_or(0, |dispatch| dispatch.parameters.turn);
        let in_time = |dispatch: &Dispatch| self.every_step || dispatch.parameters.turn == last;
        let first = dispatches.iter().position(in_time).unwrap_or(0);
        if dispatches.len() - first > MAX as usize { dispatches.len() } else { first }
    }

    /// Records the ticks of the timed dispatches; `period` is in nanoseconds per tick. Returns the mean seconds per
    /// step of the neighbour search, and of all other passes.
    pub fn record(&mut self, ticks: &[u64], period: f64) -> (f64, f64) {
        let turns = |timed: Option<&(Pass, u32)>| timed.map_or(0, |(_, turn)| *turn);
        let (first, last) = (turns(self.timed.first()), turns(self.timed.last()));
        self.times.clear();
        let (mut search, mut rest) = (0.0, 0.0);
        for ((pass, turn), ticks) in self.timed.iter().zip(ticks.chunks_exact(2)) {
            let (begin, end) = (ticks[0], ticks[1]);
            if begin == 0 || end < begin {
                // The driver has not written these timestamps.
                continue;
            }
            let time = (end - begin) as f64 * period;
            *(if *pass == Pass::Step { &mut search } else { &mut rest }) += time * 1e-9;
            let name = pass.name();
            if *turn == last {
                add_to(&mut self.times, name, time / 1e6);
            }
            if self.every_step {
                let zero = *self.zero.get_or_insert(begin);
                // Negative where a dispatch began before the first one listed.
                let since = |tick: u64| tick.wrapping_sub(zero).cast_signed() as f64 * period;
                let step = self.step + u64::from(*turn);
                self.events.push(PassEvent { pass: name, step, begin: since(begin), end: since(end) });
            }
        }
        let steps = f64::from(last - first + 1);
        (search / steps, rest / steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::DispatchParameters;

    /// The step and order passes of each turn.
    fn dispatches(turns: u32) -> Vec<Dispatch> {
        let dispatch = |turn, pass| {
            let parameters = DispatchParameters { turn, ..DispatchParameters::default() };
            Dispatch { pass, groups: [1; 3], parameters, cost: 0.0 }
        };
        (0..turns).flat_map(|turn| [Pass::Step, Pass::Order].map(|pass| dispatch(turn, pass))).collect()
    }

    /// A log that records the dispatches of a batch, with these ticks.
    fn recorded(log: &mut PassLog, turns: u32, ticks: &[u64], period: f64) -> (f64, f64) {
        let dispatches = dispatches(turns);
        let first = log.begin(10, &dispatches);
        log.timed = dispatches[first..].iter().map(|one| (one.pass, one.parameters.turn)).collect();
        log.record(ticks, period)
    }

    #[test]
    fn only_the_last_step_is_timed_by_default() {
        let mut log = PassLog::default();
        assert_eq!(log.begin(10, &dispatches(3)), 4);
        let (search, rest) = recorded(&mut log, 3, &[100, 300, 300, 400], 1e3);
        assert_eq!(log.times, [("step", 0.2), ("order", 0.1)]);
        assert!((search - 2e-4).abs() < 1e-12 && (rest - 1e-4).abs() < 1e-12);
        assert!(log.events.is_empty());
        assert_eq!(log.begin(10, &dispatches(1)), 0);
    }

    #[test]
    fn events_have_their_step_and_unknown_times_are_left_out() {
        let mut log = PassLog { every_step: true, ..PassLog::default() };
        let ticks = [100, 300, 300, 400, 450, 500, 0, 5, 9, 5, 0, 0];
        let (search, _) = recorded(&mut log, 3, &ticks, 2.0);
        let events: Vec<_> = log.events.iter().map(|e| (e.pass, e.step, e.begin, e.end)).collect();
        assert_eq!(
            events,
            [("step", 10, 0.0, 400.0), ("order", 10, 400.0, 600.0), ("step", 11, 700.0, 800.0)]
        );
        assert!(log.times.is_empty());
        assert!((search - 500e-9 / 3.0).abs() < 1e-15);
        recorded(&mut log, 2, &[100, 300, 300, 400, 450, 500, 0, 0], 2.0);
        assert_eq!(log.times, [("step", 1e-4)]);
    }
}
