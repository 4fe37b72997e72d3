//! What is read back after every batch of steps: the load of the cells, the guard, the predators and the pass times.

use super::Gpu;
use super::layout::{Guard, Load, StepContext};
use super::readback::{self, Mapping};
use super::runner::Runner;
use super::timing::{Span, Timing};
use cpu::engine::EngineError;

/// Offsets in the staging buffer; the load is at 0.
const GUARD: u64 = 64;
const CONTEXT: u64 = 256;
const TIMES: u64 = 4096;

/// The status of one batch at a time.
#[derive(Debug)]
pub struct StatusReadback {
    staging: wgpu::Buffer,
    pending: Option<(Mapping, wgpu::SubmissionIndex)>,
}

/// The status after a batch.
#[derive(Clone, Debug)]
pub struct Status {
    pub load: Load,
    pub guard: Guard,
    pub context: StepContext,
    /// The timed dispatches, in order.
    pub spans: Vec<Span>,
}

impl StatusReadback {
    /// # Errors
    /// When memory runs out.
    pub fn new(gpu: &Gpu) -> Result<Self, EngineError> {
        Ok(StatusReadback { staging: readback::staging(gpu, TIMES + Timing::BYTES)?, pending: None })
    }

    /// Requests the status after all earlier submits.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn request<T>(&mut self, runner: &Runner<T>) -> Result<(), EngineError> {
        let Runner { gpu, buffers, timing, .. } = runner;
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (name, offset, size) in [
            ("load", 0, size_of::<Load>()),
            ("guard", GUARD, size_of::<Guard>()),
            ("context", CONTEXT, size_of::<StepContext>()),
        ] {
            encoder.copy_buffer_to_buffer(buffers.get(gpu, name)?, 0, &self.staging, offset, size as u64);
        }
        if let Some(timing) = timing {
            timing.resolve(&mut encoder, &self.staging, TIMES);
        }
        let index = gpu.queue.submit([encoder.finish()]);
        self.pending = Some((readback::map(&self.staging, self.staging.size()), index));
        Ok(())
    }

    /// Returns the requested status, once: waits for it, or returns none while it has not come.
    ///
    /// # Errors
    /// When the device is lost, or an error came up since the last status.
    pub fn receive<T>(&mut self, runner: &Runner<T>, wait: bool) -> Result<Option<Status>, EngineError> {
        let Runner { gpu, timing, .. } = runner;
        let Some((mapping, index)) = self.pending.take() else {
            return Ok(None);
        };
        let poll = if wait {
            wgpu::PollType::Wait { submission_index: Some(index.clone()), timeout: None }
        } else {
            wgpu::PollType::Poll
        };
        // The next request maps it again.
        gpu.poll(poll).inspect_err(|_| self.staging.unmap())?;
        if !readback::is_mapped(gpu, &mapping)? {
            self.pending = Some((mapping, index));
            return gpu.check().map(|()| None);
        }
        let status = readback::take(gpu, &self.staging, self.staging.size(), |bytes| {
            let part = |from: u64, size: usize| &bytes[from as usize..from as usize + size];
            Status {
                load: bytemuck::pod_read_unaligned(part(0, size_of::<Load>())),
                guard: bytemuck::pod_read_unaligned(part(GUARD, size_of::<Guard>())),
                context: bytemuck::pod_read_unaligned(part(CONTEXT, size_of::<StepContext>())),
                spans: timing.as_ref().map_or_else(Vec::new, |timing| {
                    timing.spans(&bytemuck::pod_collect_to_vec(part(TIMES, Timing::BYTES as usize)))
                }),
            }
        })?;
        // Checked last, so that no error leaves the buffer mapped.
        gpu.check()?;
        Ok(Some(status))
    }
}
