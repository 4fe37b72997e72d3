//! Timestamps at the beginning and the end of each pass.

use super::{Gpu, passes::Pass, readback};
use cpu::engine::EngineError;

/// The most dispatches that are timed at once: more than a step of an evenly spread flock has; a query set holds more.
pub const MOST: u32 = 1024;

/// When a dispatch ran, in ticks of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub pass: Pass,
    /// Begin and end; none where the driver did not write them: zero, or an end before the beginning.
    pub ticks: Option<(u64, u64)>,
}

/// The timestamp queries of a batch of steps.
#[derive(Debug)]
pub struct Timing {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Nanoseconds a tick.
    period: f64,
    /// The timed dispatches, in order.
    passes: Vec<Pass>,
}

impl Timing {
    /// Bytes of the times as they are read back.
    pub const BYTES: u64 = MOST as u64 * 16;

    /// The queries; none where the device has no timestamps.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn new(gpu: &Gpu) -> Result<Option<Self>, EngineError> {
        if !gpu.timestamps {
            return Ok(None);
        }
        let (set, resolved) = gpu.create(|device| {
            let set = device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("pass times"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * MOST,
            });
            let resolved = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("pass times"),
                size: Timing::BYTES,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            (set, resolved)
        })?;
        let period = f64::from(gpu.queue.get_timestamp_period());
        Ok(Some(Timing { set, resolved, period, passes: Vec::new() }))
    }

    /// Begins a new batch. Returns whether so many dispatches can be timed.
    pub fn begin(&mut self, dispatches: usize) -> bool {
        self.passes.clear();
        dispatches <= MOST as usize
    }

    /// The queries that the next dispatch writes.
    pub fn writes(&mut self, pass: Pass) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let index = self.passes.len() as u32;
        if index >= MOST {
            return None;
        }
        self.passes.push(pass);
        Some(wgpu::ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: Some(2 * index),
            end_of_pass_write_index: Some(2 * index + 1),
        })
    }

    /// Writes the times to a buffer, from `offset` on.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer, offset: u64) {
        let count = 2 * self.passes.len() as u32;
        if count > 0 {
            encoder.resolve_query_set(&self.set, 0..count, &self.resolved, 0);
            encoder.copy_buffer_to_buffer(&self.resolved, 0, to, offset, u64::from(count) * 8);
        }
    }

    /// The seconds of all timed dispatches together, once they are done; none where a time is unknown or zero.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn seconds(&self, gpu: &Gpu) -> Result<Option<f64>, EngineError> {
        if self.passes.is_empty() {
            return Ok(None);
        }
        let mut ticks = vec![0_u64; 2 * self.passes.len()];
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.resolve_query_set(&self.set, 0..ticks.len() as u32, &self.resolved, 0);
        gpu.queue.submit([encoder.finish()]);
        readback::read(gpu, &self.resolved, bytemuck::cast_slice_mut(&mut ticks))?;
        let times = self.spans(&ticks).into_iter().map(|span| span.ticks.map(|(begin, end)| end - begin));
        let sum = times.sum::<Option<u64>>().filter(|sum| *sum > 0);
        Ok(sum.map(|sum| sum as f64 * self.period * 1e-9))
    }

    /// Nanoseconds a tick.
    #[must_use]
    pub fn period(&self) -> f64 {
        self.period
    }

    /// The spans of the dispatches, in their order, from the ticks that were read back.
    #[must_use]
    pub fn spans(&self, ticks: &[u64]) -> Vec<Span> {
        let pairs = self.passes.iter().zip(ticks.chunks_exact(2));
        pairs.map(|(pass, pair)| Span { pass: *pass, ticks: known(pair[0], pair[1]) }).collect()
    }
}

fn known(begin: u64, end: u64) -> Option<(u64, u64)> {
    (begin != 0 && begin <= end).then_some((begin, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_and_backward_times_are_unknown() {
        assert_eq!(known(0, 5), None);
        assert_eq!(known(7, 5), None);
        assert_eq!(known(5, 0), None);
        assert_eq!(known(5, 5), Some((5, 5)));
        assert_eq!(known(5, 9), Some((5, 9)));
    }
}
