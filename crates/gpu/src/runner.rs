//! Runs dispatches: the pipelines of a rule, the buffers of a flock, and the submits.

use bytemuck::Pod;
use flock::Rule;
use web_time::Instant;

use super::buffers::{Buffers, DISPATCHES, Sizes};
use super::choice::Reason;
use super::kernel::Kernel;
use super::number::OnGpu;
use super::passes::{Pass, Passes};
use super::plan::{self, Dispatch};
use super::shaders::Shaders;
use super::timing::Timing;
use super::{Gpu, capacity, readback, traffic};
use cpu::engine::EngineError;

/// Bytes written at once. wgpu keeps a copy of what is written until the next submit; pieces keep the copies small.
const PIECE: usize = 64 << 20;

/// Pipelines and buffers of a flock on a device.
#[derive(Debug)]
pub struct Runner<T> {
    pub gpu: Gpu,
    pub buffers: Buffers,
    pub timing: Option<Timing>,
    passes: Passes<T>,
    /// What each compiled pass binds.
    groups: Vec<Option<wgpu::BindGroup>>,
}

impl<T: OnGpu> Runner<T> {
    /// Pipelines for a rule, and buffers for an empty flock.
    ///
    /// # Errors
    /// When the driver refuses or memory runs out.
    pub fn new(gpu: &Gpu, shaders: Shaders, rule: &Rule<T>) -> Result<Self, EngineError> {
        let passes = Passes::new(gpu, shaders, rule)?;
        let empty = Sizes { boids: 0, cells: 1, rows: 1, predators: 0 };
        let buffers = Buffers::new::<T>(gpu, &empty, None)?;
        let groups = passes.bind(gpu, &buffers)?;
        Ok(Runner { gpu: gpu.clone(), buffers, timing: Timing::new(gpu)?, passes, groups })
    }

    /// Changes to the pipelines of a rule and to buffers of these sizes. Buffers of the right size keep their contents.
    ///
    /// # Errors
    /// When there are too many boids, the driver refuses or memory runs out; nothing has changed then.
    pub fn fit(&mut self, rule: &Rule<T>, sizes: &Sizes) -> Result<(), EngineError> {
        capacity::check::<T>(&self.gpu, sizes.boids as usize, sizes.rows)?;
        let mut passes = self.passes.clone();
        passes.adapt(&self.gpu, rule)?;
        let buffers = Buffers::new::<T>(&self.gpu, sizes, Some(&self.buffers))?;
        self.groups = passes.bind(&self.gpu, &buffers)?;
        (self.passes, self.buffers) = (passes, buffers);
        Ok(())
    }

    /// Changes to another kernel, under the same rule. The pipeline of the old one is kept.
    ///
    /// # Errors
    /// When the device cannot run it; nothing has changed then.
    pub fn set_kernel(&mut self, kernel: Kernel, reason: Reason, rule: &Rule<T>) -> Result<(), EngineError> {
        let gpu = self.gpu.with_settings(self.gpu.settings.with_kernel(kernel, reason))?;
        if kernel != self.gpu.settings.kernel {
            let mut passes = self.passes.clone();
            passes.adapt(&gpu, rule)?;
            self.groups = passes.bind(&gpu, &self.buffers)?;
            self.passes = passes;
        }
        self.gpu = gpu;
        Ok(())
    }

    /// The least memory traffic of a pass: see [`traffic`].
    ///
    /// # Errors
    /// When its shader is invalid.
    pub fn traffic(&self, pass: Pass) -> Result<u64, EngineError> {
        let shader = pass.shader::<T>(self.passes.shaders(), pass.kernel(&self.gpu));
        let shader = shader.map_err(|error| self.gpu.error(error.to_string()))?;
        traffic::bytes(&self.gpu, &shader, &self.buffers)
    }

    /// Writes the beginning of an array.
    ///
    /// # Errors
    /// When there is no such array.
    pub fn write<E: Pod>(&self, name: &str, data: &[E]) -> Result<(), EngineError> {
        let buffer = self.buffers.get(&self.gpu, name)?;
        for (piece, bytes) in (0..).zip(bytemuck::cast_slice(data).chunks(PIECE)) {
            self.gpu.queue.write_buffer(buffer, piece * PIECE as u64, bytes);
            if bytes.len() == PIECE {
                self.gpu.queue.submit([]);
            }
        }
        Ok(())
    }

    /// Reads the beginning of an array, after all earlier submits.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn read<E: Pod>(&self, name: &str, count: usize) -> Result<Vec<E>, EngineError> {
        let mut found = vec![E::zeroed(); count];
        let buffer = self.buffers.get(&self.gpu, name)?;
        readback::read(&self.gpu, buffer, bytemuck::cast_slice_mut(&mut found))?;
        Ok(found)
    }

    /// Copies arrays to arrays of the same size, then clears one.
    ///
    /// # Errors
    /// When there is no such array.
    pub fn copy_and_clear(&self, pairs: &[(&str, &str)], clear: &str) -> Result<(), EngineError> {
        let mut encoder = self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (from, to) in pairs {
            let (from, to) = (self.buffers.get(&self.gpu, from)?, self.buffers.get(&self.gpu, to)?);
            encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
        }
        encoder.clear_buffer(self.buffers.get(&self.gpu, clear)?, 0, None);
        self.gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// Submits the dispatches, in as many pieces as their costs demand; those from index `timed` on are timed.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn submit(&mut self, dispatches: &[Dispatch], timed: Option<usize>) -> Result<(), EngineError> {
        for pass in dispatches.iter().map(|dispatch| dispatch.pass) {
            if self.passes.get(pass).is_none() {
                self.groups[pass as usize] = Some(self.passes.compile(&self.gpu, pass, &self.buffers)?);
            }
        }
        let timed = timed.unwrap_or(dispatches.len());
        let fits = self.timing.as_mut().is_some_and(|timing| timing.begin(dispatches.len() - timed));
        let timed = if fits { timed } else { dispatches.len() };
        let stride = self.buffers.stride as usize;
        let mut done = 0;
        let mut before = None;
        // Seconds of a round, once the first is timed.
        let mut round = None;
        while done < dispatches.len() {
            let rest = &dispatches[done..];
            let piece = &rest[..plan::next_submit(rest, DISPATCHES as usize, round)];
            let begun = Instant::now();
            let mut parameters = vec![0_u8; piece.len() * stride];
            for (slot, dispatch) in parameters.chunks_mut(stride).zip(piece) {
                let parameters = bytemuck::bytes_of(&dispatch.parameters);
                slot[..parameters.len()].copy_from_slice(parameters);
            }
            self.write("dispatch", &parameters)?;
            let mut encoder =
                self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let untimed = timed.saturating_sub(done).min(piece.len());
            self.record(&mut encoder, &piece[..untimed], 0, None)?;
            for (index, dispatch) in piece.iter().enumerate().skip(untimed) {
                let label = Some(dispatch.pass.name());
                self.record(&mut encoder, std::slice::from_ref(dispatch), index, label)?;
            }
            let index = self.gpu.queue.submit([encoder.finish()]);
            // At most one submit runs while the next is recorded.
            if let Some(before) = before.replace(index.clone()) {
                self.gpu.wait_for(before)?;
            }
            if round.is_none() && piece.iter().any(Dispatch::in_rounds) {
                self.gpu.wait_for(index)?;
                round = Some(begun.elapsed().as_secs_f64());
            }
            done += piece.len();
        }
        self.gpu.check()
    }

    /// Seconds that a dispatch takes: by timestamps on hardware, else by the wall clock. A software adapter may write all
    /// its timestamps at the end.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn time(&mut self, dispatch: Dispatch) -> Result<f64, EngineError> {
        self.gpu.wait()?;
        let begun = Instant::now();
        self.submit(&[dispatch], Some(0))?;
        self.gpu.wait()?;
        let waited = begun.elapsed().as_secs_f64();
        let timing = self.timing.as_ref().filter(|_| self.gpu.hardware());
        Ok(timing.map_or(Ok(None), |timing| timing.seconds(&self.gpu))?.unwrap_or(waited))
    }

    /// Records dispatches into one compute pass; `index` is the first one's in the submit. With a label the pass is timed.
    fn record(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        dispatches: &[Dispatch],
        index: usize,
        label: Option<&'static str>,
    ) -> Result<(), EngineError> {
        let Some(first) = dispatches.first() else {
            return Ok(());
        };
        let timing = self.timing.as_mut().filter(|_| label.is_some());
        let timestamp_writes = timing.and_then(|timing| timing.writes(first.pass));
        let descriptor = wgpu::ComputePassDescriptor { label: label.or(Some("steps")), timestamp_writes };
        let mut recording = encoder.begin_compute_pass(&descriptor);
        for (index, dispatch) in (index..).zip(dispatches) {
            let missing = || self.gpu.error(format!("no pipeline for {}", dispatch.pass.name()));
            let compiled = self.passes.get(dispatch.pass).ok_or_else(missing)?;
            let offset = [index as u32 * self.buffers.stride];
            let offsets: &[u32] = if compiled.has_parameters() { &offset } else { &[] };
            recording.set_pipeline(&compiled.pipeline);
            recording.set_bind_group(0, self.groups[dispatch.pass as usize].as_ref(), offsets);
            recording.dispatch_workgroups(dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
        }
        Ok(())
    }
}
