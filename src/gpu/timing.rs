//! How long each pass took: timestamps where it begins and where it ends.

use super::{Gpu, passes::Stage};
use crate::engine::EngineError;

/// Dispatches that can be timed at once.
const MOST: u32 = 256;

/// The queries of one step.
#[derive(Debug)]
pub struct Timing {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    /// Nanoseconds a tick.
    period: f64,
    /// Whose times are being taken, in order.
    stages: Vec<Stage>,
}

impl Timing {
    /// Bytes of the times as they are read back.
    pub const BYTES: u64 = MOST as u64 * 16;

    /// Queries, where the device has them.
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
        Ok(Some(Timing { set, resolved, period, stages: Vec::new() }))
    }

    /// Forgets the last times; times are taken of so many dispatches, or of none if they are too many.
    pub fn begin(&mut self, dispatches: usize) -> bool {
        self.stages.clear();
        dispatches <= MOST as usize
    }

    /// Where a dispatch writes its times.
    pub fn writes(&mut self, stage: Stage) -> Option<wgpu::ComputePassTimestampWrites<'_>> {
        let index = self.stages.len() as u32;
        if index >= MOST {
            return None;
        }
        self.stages.push(stage);
        Some(wgpu::ComputePassTimestampWrites {
            query_set: &self.set,
            beginning_of_pass_write_index: Some(2 * index),
            end_of_pass_write_index: Some(2 * index + 1),
        })
    }

    /// Has the times written to a buffer that can be read, from `offset` on.
    pub fn resolve(&self, encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer, offset: u64) {
        let count = 2 * self.stages.len() as u32;
        if count > 0 {
            encoder.resolve_query_set(&self.set, 0..count, &self.resolved, 0);
            encoder.copy_buffer_to_buffer(&self.resolved, 0, to, offset, u64::from(count) * 8);
        }
    }

    /// Milliseconds of each pass, from the ticks that were read; a pass of several dispatches is summed up. A time
    /// that the driver did not take is left out.
    pub fn times(&self, ticks: &[u64]) -> Vec<(&'static str, f64)> {
        let mut times: Vec<(&'static str, f64)> = Vec::new();
        for (stage, pair) in self.stages.iter().zip(ticks.chunks_exact(2)) {
            if pair[0] == 0 || pair[1] < pair[0] {
                continue;
            }
            let milliseconds = (pair[1] - pair[0]) as f64 * self.period * 1e-6;
            match times.iter_mut().find(|(label, _)| *label == stage.label()) {
                Some((_, sum)) => *sum += milliseconds,
                None => times.push((stage.label(), milliseconds)),
            }
        }
        times
    }
}
