//! What comes back after every batch of steps: how the boids are spread, where the predators are, the pass times.

use super::Gpu;
use super::layout::{Guard, Load, StepContext};
use super::readback::{self, Arrival};
use super::runner::Runner;
use super::timing::{Span, Timing};
use crate::engine::EngineError;

/// Where in the staging buffer things lie.
const GUARD: u64 = 64;
const AROUND: u64 = 256;
const TIMES: u64 = 4096;

/// One report, under way or not.
#[derive(Debug)]
pub struct Report {
    staging: wgpu::Buffer,
    under_way: Option<(Arrival, wgpu::SubmissionIndex)>,
}

/// What a report says.
#[derive(Clone, Debug)]
pub struct News {
    pub load: Load,
    pub guard: Guard,
    pub context: StepContext,
    /// When the dispatches that were timed ran.
    pub spans: Vec<Span>,
}

impl Report {
    /// # Errors
    /// When memory runs out.
    pub fn new(gpu: &Gpu) -> Result<Self, EngineError> {
        Ok(Report { staging: readback::staging(gpu, TIMES + Timing::BYTES)?, under_way: None })
    }

    /// Asks for a report of all that was submitted.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn ask<T>(&mut self, runner: &Runner<T>) -> Result<(), EngineError> {
        let Runner { gpu, buffers, timing, .. } = runner;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let [load, guard, context] = ["load", "guard", "context"].map(|name| buffers.get(gpu, name));
        let (load, guard, context) = (load?, guard?, context?);
        encoder.copy_buffer_to_buffer(load, 0, &self.staging, 0, size_of::<Load>() as u64);
        encoder.copy_buffer_to_buffer(guard, 0, &self.staging, GUARD, size_of::<Guard>() as u64);
        encoder.copy_buffer_to_buffer(context, 0, &self.staging, AROUND, size_of::<StepContext>() as u64);
        if let Some(timing) = timing {
            timing.resolve(&mut encoder, &self.staging, TIMES);
        }
        let index = gpu.queue.submit([encoder.finish()]);
        self.under_way = Some((readback::map(&self.staging, self.staging.size()), index));
        Ok(())
    }

    /// What came back, once: waits for it, or looks whether it is there.
    ///
    /// # Errors
    /// When the device is lost, or an error came up since the last report.
    pub fn collect<T>(&mut self, runner: &Runner<T>, wait: bool) -> Result<Option<News>, EngineError> {
        let Runner { gpu, timing, .. } = runner;
        let Some((arrival, index)) = self.under_way.take() else {
            return Ok(None);
        };
        let poll = if wait {
            wgpu::PollType::Wait { submission_index: Some(index.clone()), timeout: None }
        } else {
            wgpu::PollType::Poll
        };
        gpu.device.poll(poll).map_err(|error| {
            // So that it can be mapped again.
            self.staging.unmap();
            gpu.error(error.to_string())
        })?;
        if !readback::arrived(gpu, &arrival)? {
            self.under_way = Some((arrival, index));
            return gpu.check().map(|()| None);
        }
        let news = readback::take(gpu, &self.staging, self.staging.size(), |bytes| {
            let part = |from: u64, size: usize| &bytes[from as usize..from as usize + size];
            News {
                load: bytemuck::pod_read_unaligned(part(0, size_of::<Load>())),
                guard: bytemuck::pod_read_unaligned(part(GUARD, size_of::<Guard>())),
                context: bytemuck::pod_read_unaligned(part(AROUND, size_of::<StepContext>())),
                spans: timing.as_ref().map_or_else(Vec::new, |timing| {
                    timing.spans(&bytemuck::pod_collect_to_vec(part(TIMES, Timing::BYTES as usize)))
                }),
            }
        })?;
        // Only now: a buffer must not stay mapped whatever else went wrong.
        gpu.check()?;
        Ok(Some(news))
    }
}
