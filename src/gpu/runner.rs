//! Runs jobs: the pipelines of a rule, the buffers of a flock, and submits of what is to be done with them.

use std::time::Instant;

use bytemuck::Pod;
use flock::Rule;

use super::buffers::{Buffers, DISPATCHES, Sizes};
use super::jobs::{self, Job};
use super::number::OnGpu;
use super::passes::{Passes, Stage};
use super::shaders::Shaders;
use super::timing::Timing;
use super::{Gpu, capacity, readback, traffic};
use crate::engine::EngineError;

/// What is written at once waits in memory until the next submit: pieces keep that small.
const PIECE: usize = 64 << 20;

/// A device with everything that a flock needs on it.
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
    /// Pipelines for a rule, and buffers for nobody yet.
    ///
    /// # Errors
    /// When the driver refuses or memory runs out.
    pub fn new(gpu: &Gpu, shaders: Shaders, rule: &Rule<T>) -> Result<Self, EngineError> {
        let passes = Passes::new(gpu, shaders, rule)?;
        let nobody = Sizes { boids: 0, cells: 1, rows: 1, predators: 0 };
        let buffers = Buffers::new::<T>(gpu, &nobody, None)?;
        let groups = passes.bind(gpu, &buffers)?;
        Ok(Runner { gpu: gpu.clone(), buffers, timing: Timing::new(gpu)?, passes, groups })
    }

    /// Pipelines for another rule, and buffers of other sizes. What was in buffers that fit stays in them.
    ///
    /// # Errors
    /// When there are too many boids, the driver refuses or memory runs out; everything stays as it was.
    pub fn fit(&mut self, rule: &Rule<T>, sizes: &Sizes) -> Result<(), EngineError> {
        capacity::check::<T>(&self.gpu, sizes.boids as usize, sizes.rows)?;
        let mut passes = self.passes.clone();
        passes.adapt(&self.gpu, rule)?;
        let buffers = Buffers::new::<T>(&self.gpu, sizes, Some(&self.buffers))?;
        self.groups = passes.bind(&self.gpu, &buffers)?;
        (self.passes, self.buffers) = (passes, buffers);
        Ok(())
    }

    /// Bytes that a pass cannot help but move: see [`traffic`].
    ///
    /// # Errors
    /// When its shader has no meaning.
    pub fn traffic(&self, stage: Stage) -> Result<u64, EngineError> {
        let shader = stage.shader::<T>(self.passes.shaders(), stage.kernel(&self.gpu));
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

    /// Reads the beginning of an array, after all that was submitted.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn read<E: Pod>(&self, name: &str, count: usize) -> Result<Vec<E>, EngineError> {
        let mut found = vec![E::zeroed(); count];
        let buffer = self.buffers.get(&self.gpu, name)?;
        readback::read(&self.gpu, buffer, bytemuck::cast_slice_mut(&mut found))?;
        Ok(found)
    }

    /// Copies whole arrays of the same size, then fills one with zeros.
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

    /// Submits the jobs, in as many pieces as it takes; those from `timed` on are timed.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn submit(&mut self, jobs: &[Job], timed: Option<usize>) -> Result<(), EngineError> {
        for stage in jobs.iter().map(|job| job.stage) {
            if self.passes.get(stage).is_none() {
                self.groups[stage as usize] = Some(self.passes.compile(&self.gpu, stage, &self.buffers)?);
            }
        }
        let timed = timed.unwrap_or(jobs.len());
        let fits = self.timing.as_mut().is_some_and(|timing| timing.begin(jobs.len() - timed));
        let timed = if fits { timed } else { jobs.len() };
        let stride = self.buffers.stride as usize;
        let mut done = 0;
        let mut before = None;
        // Seconds of one of several rounds, once one was timed.
        let mut round = None;
        while done < jobs.len() {
            let piece = &jobs[done..done + jobs::next_submit(&jobs[done..], DISPATCHES as usize, round)];
            let begun = Instant::now();
            let mut parameters = vec![0_u8; piece.len() * stride];
            for (slot, job) in parameters.chunks_mut(stride).zip(piece) {
                let parameters = bytemuck::bytes_of(&job.parameters);
                slot[..parameters.len()].copy_from_slice(parameters);
            }
            self.write("dispatch", &parameters)?;
            let mut encoder =
                self.gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let untimed = timed.saturating_sub(done).min(piece.len());
            self.dispatch(&mut encoder, &piece[..untimed], 0, None)?;
            for (place, job) in piece.iter().enumerate().skip(untimed) {
                self.dispatch(&mut encoder, std::slice::from_ref(job), place, Some(job.stage.label()))?;
            }
            let index = self.gpu.queue.submit([encoder.finish()]);
            // One submit runs while the next is written, not more.
            if let Some(before) = before.replace(index.clone()) {
                self.gpu.wait_for(before)?;
            }
            if round.is_none() && piece.iter().any(Job::in_rounds) {
                self.gpu.wait_for(index)?;
                round = Some(begun.elapsed().as_secs_f64());
            }
            done += piece.len();
        }
        self.gpu.check()
    }

    /// Records jobs into one compute pass; `place` is where the first one's parameters lies. With a label it is timed.
    fn dispatch(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        jobs: &[Job],
        place: usize,
        label: Option<&'static str>,
    ) -> Result<(), EngineError> {
        let Some(first) = jobs.first() else {
            return Ok(());
        };
        let timing = self.timing.as_mut().filter(|_| label.is_some());
        let timestamp_writes = timing.and_then(|timing| timing.writes(first.stage));
        let descriptor = wgpu::ComputePassDescriptor { label: label.or(Some("steps")), timestamp_writes };
        let mut pass = encoder.begin_compute_pass(&descriptor);
        for (place, job) in (place..).zip(jobs) {
            let lost = || self.gpu.error(format!("no pipeline for {}", job.stage.label()));
            let kernel = self.passes.get(job.stage).ok_or_else(lost)?;
            let offset = [place as u32 * self.buffers.stride];
            let offsets: &[u32] = if kernel.has_parameters() { &offset } else { &[] };
            pass.set_pipeline(&kernel.pipeline);
            pass.set_bind_group(0, self.groups[job.stage as usize].as_ref(), offsets);
            pass.dispatch_workgroups(job.groups[0], job.groups[1], job.groups[2]);
        }
        Ok(())
    }
}
