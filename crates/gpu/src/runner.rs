//! Runs dispatches: the pipelines of a rule, the buffers of a flock, and the submits.

use bytemuck::Pod;
use engine::{PreparedRule, Result};
use naga::valid::{Capabilities, GlobalUse};

use super::buffers::{Buffers, DISPATCHES, REQUESTS, Sizes, checked_boids};
use super::device::Pipeline;
use super::number::OnGpu;
use super::passes::{Pass, Variant};
use super::pipeline::Ready;
use super::plan::{self, Dispatch};
use super::shaders::{Shader, Shaders};
use super::timing::Timing;
use super::{Gpu, readback};

/// Bytes per write. wgpu keeps a copy of the data until the next submit; pieces keep the copies small.
const PIECE: usize = 64 << 20;

/// Pipelines and buffers of a flock on a device.
#[derive(Debug)]
pub(crate) struct Runner<T> {
    pub gpu: Gpu,
    pub buffers: Buffers,
    pub timing: Option<Timing>,
    shaders: Shaders,
    /// The passes under the rule, indexed by pass.
    passes: Vec<Bound>,
    number: std::marker::PhantomData<T>,
}

/// A pass under a rule; its pipeline, if it is compiled.
#[derive(Debug)]
struct Bound {
    variant: Variant,
    ready: Option<Ready>,
}

/// Compiles or reuses the pipeline of a pass variant, and binds its buffers.
fn bind<T: OnGpu>(
    gpu: &Gpu,
    shaders: &Shaders,
    buffers: &Buffers,
    pass: Pass,
    variant: &Variant,
) -> Result<Ready> {
    let shader = match &variant.formulas {
        None => pass.shader::<T>(shaders, gpu.settings.kernel),
        Some(text) => pass.shader::<T>(&shaders.with_formulas(text), gpu.settings.kernel),
    };
    let shader = shader.map_err(|error| gpu.error(error))?;
    let pipeline = Pipeline::new(gpu, pass.name(), &shader, &variant.constants)?;
    pipeline.bind(gpu, |name| buffers.find(name))
}

/// Binds all passes under a rule except the late ones, whose buffers may not exist before they are needed.
fn bind_all<T: OnGpu>(
    gpu: &Gpu,
    shaders: &Shaders,
    buffers: &Buffers,
    rule: &PreparedRule<T>,
) -> Result<Vec<Bound>> {
    let outside = buffers.find(REQUESTS).is_some();
    let bound = |pass: &Pass| {
        let variant = pass.variant(gpu, rule, outside);
        let ready = (!pass.late()).then(|| bind::<T>(gpu, shaders, buffers, *pass, &variant)).transpose()?;
        Ok(Bound { variant, ready })
    };
    Pass::of::<T>().iter().map(bound).collect()
}

impl<T: OnGpu> Runner<T> {
    /// Creates the pipelines for a rule, and buffers for an empty flock.
    ///
    /// # Errors
    /// When the driver refuses or memory runs out.
    pub fn new(gpu: &Gpu, shaders: Shaders, rule: &PreparedRule<T>) -> Result<Self> {
        let empty = Sizes { boids: 0, cells: 1, rows: 1, predators: 0, requests: false };
        let buffers = Buffers::new::<T>(gpu, &empty, None)?;
        let passes = bind_all(gpu, &shaders, &buffers, rule)?;
        let (gpu, timing) = (gpu.clone(), Timing::new(gpu)?);
        Ok(Runner { gpu, buffers, timing, shaders, passes, number: std::marker::PhantomData })
    }

    /// Changes to the pipelines of a rule and to buffers of these sizes. Buffers of the right size keep their contents.
    ///
    /// # Errors
    /// When there are too many boids, the driver refuses or memory runs out; the runner is then unchanged.
    pub fn fit(&mut self, rule: &PreparedRule<T>, sizes: &Sizes) -> Result {
        checked_boids(&self.gpu, sizes.boids as usize)?;
        let buffers = Buffers::new::<T>(&self.gpu, sizes, Some(&self.buffers))?;
        self.passes = bind_all(&self.gpu, &self.shaders, &buffers, rule)?;
        self.buffers = buffers;
        Ok(())
    }

    /// The minimum memory traffic of a pass in bytes: each array that its shader reads counts once, each that it writes
    /// once.
    ///
    /// # Errors
    /// When its shader is invalid.
    pub fn traffic(&self, pass: Pass) -> Result<u64> {
        let shader = pass.shader::<T>(&self.shaders, self.gpu.settings.kernel);
        let bytes = shader.and_then(|shader| bytes_transferred(&shader, &self.buffers));
        bytes.map_err(|error| self.gpu.error(error))
    }

    /// Writes the beginning of an array.
    ///
    /// # Errors
    /// When there is no such array.
    pub fn write<E: Pod>(&self, name: &str, data: &[E]) -> Result {
        self.write_from(0, name, data)
    }

    /// Writes an array from entry `first` on.
    ///
    /// # Errors
    /// When there is no such array.
    pub fn write_from<E: Pod>(&self, first: u32, name: &str, data: &[E]) -> Result {
        let buffer = self.buffers.get(&self.gpu, name)?;
        let first = u64::from(first) * size_of::<E>() as u64;
        for (piece, bytes) in (0..).zip(bytemuck::cast_slice(data).chunks(PIECE)) {
            self.gpu.queue.write_buffer(buffer, first + piece * PIECE as u64, bytes);
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
    pub fn read<E: Pod>(&self, name: &str, count: usize) -> Result<Vec<E>> {
        let mut found = vec![E::zeroed(); count];
        let buffer = self.buffers.get(&self.gpu, name)?;
        readback::read(&self.gpu, buffer, bytemuck::cast_slice_mut(&mut found))?;
        Ok(found)
    }

    /// Copies arrays to arrays of the same size, then clears the array `clear`.
    ///
    /// # Errors
    /// When there is no such array.
    pub fn copy_and_clear(&self, pairs: &[(&str, &str)], clear: &str) -> Result {
        let mut encoder = self.gpu.encoder();
        for (from, to) in pairs {
            let (from, to) = (self.buffers.get(&self.gpu, from)?, self.buffers.get(&self.gpu, to)?);
            encoder.copy_buffer_to_buffer(from, 0, to, 0, from.size());
        }
        encoder.clear_buffer(self.buffers.get(&self.gpu, clear)?, 0, None);
        self.gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// Submits the dispatches in as many submits as their costs require.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn submit(&mut self, dispatches: &[Dispatch]) -> Result {
        self.submit_timed(dispatches, dispatches.len())
    }

    /// See [`Runner::submit`]; the dispatches from index `timed` on are timed if the device can.
    ///
    /// # Errors
    /// See [`Runner::submit`].
    pub fn submit_timed(&mut self, dispatches: &[Dispatch], timed: usize) -> Result {
        for Dispatch { pass, .. } in dispatches {
            let Bound { variant, ready } = &mut self.passes[*pass as usize];
            if ready.is_none() {
                *ready = Some(bind::<T>(&self.gpu, &self.shaders, &self.buffers, *pass, variant)?);
            }
        }
        let stride = self.buffers.stride as usize;
        let mut done = 0;
        let mut before = None;
        while done < dispatches.len() {
            let rest = &dispatches[done..];
            let piece = &rest[..plan::next_submit(rest, DISPATCHES as usize)];
            let mut parameters = vec![0_u8; piece.len() * stride];
            for (slot, dispatch) in parameters.chunks_mut(stride).zip(piece) {
                let bytes = bytemuck::bytes_of(&dispatch.parameters);
                slot[..bytes.len()].copy_from_slice(bytes);
            }
            self.write("dispatch", &parameters)?;
            let mut encoder = self.gpu.encoder();
            let untimed = timed.saturating_sub(done).min(piece.len());
            self.record(&mut encoder, &piece[..untimed], 0, false)?;
            for index in untimed..piece.len() {
                self.record(&mut encoder, &piece[index..=index], index, true)?;
            }
            let index = self.gpu.queue.submit([encoder.finish()]);
            // At most one submit runs while the next is recorded.
            if let Some(before) = before.replace(index) {
                self.gpu.wait_for(before)?;
            }
            done += piece.len();
        }
        self.gpu.check()
    }

    /// Records dispatches into one compute pass; `index` is the index of the first in the submit.
    fn record(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        dispatches: &[Dispatch],
        index: usize,
        timed: bool,
    ) -> Result {
        let Some(first) = dispatches.first() else { return Ok(()) };
        let timing = self.timing.as_mut().filter(|_| timed);
        let descriptor = wgpu::ComputePassDescriptor {
            label: Some(if timed { first.pass.name() } else { "steps" }),
            timestamp_writes: timing.map(|timing| timing.writes(first)),
        };
        let mut recording = encoder.begin_compute_pass(&descriptor);
        for (index, dispatch) in (index..).zip(dispatches) {
            let ready = self.passes[dispatch.pass as usize].ready.as_ref();
            let Ready { pipeline, group } = ready.ok_or_else(|| self.gpu.error("a pass is not compiled"))?;
            let offset = [index as u32 * self.buffers.stride];
            let offsets: &[u32] = if pipeline.has_parameters() { &offset } else { &[] };
            recording.set_pipeline(&pipeline.pipeline);
            recording.set_bind_group(0, group, offsets);
            recording.dispatch_workgroups(dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
        }
        Ok(())
    }
}

/// The storage buffers of a shader, and how often each is transferred: 1 if only read or only written, 2 if both.
/// Uniforms are small and left out.
///
/// # Errors
/// When the shader is invalid.
fn uses(shader: &Shader) -> Result<Vec<(String, u64)>, String> {
    let (module, info) = shader.check(Capabilities::all())?;
    let storage = module
        .global_variables
        .iter()
        .filter(|(_, global)| matches!(global.space, naga::AddressSpace::Storage { .. }));
    let times = |(handle, global): (naga::Handle<naga::GlobalVariable>, &naga::GlobalVariable)| {
        let used = info.get_entry_point(0)[handle];
        let times = [GlobalUse::READ, GlobalUse::WRITE].into_iter().filter(|way| used.contains(*way)).count();
        Some((global.name.clone()?, times as u64)).filter(|_| times > 0)
    };
    Ok(storage.filter_map(times).collect())
}

/// The bytes that a pass transfers.
///
/// # Errors
/// When the shader is invalid or a buffer is missing.
fn bytes_transferred(shader: &Shader, buffers: &Buffers) -> Result<u64, String> {
    let bytes = |(name, times): (String, u64)| {
        let buffer = buffers.find(&name).ok_or_else(|| format!("no buffer {name}"))?;
        Ok(buffer.size() * times)
    };
    uses(shader)?.into_iter().map(bytes).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Kernel;
    use crate::passes::Pass;
    use crate::shaders::Shaders;

    #[test]
    fn arrays_are_counted_as_they_are_used() {
        let shader = Pass::Scatter.shader::<f32>(&Shaders::default(), Kernel::Plain);
        let uses = uses(&shader.expect("part of the program")).expect("valid");
        let known = [("arrivals", 1), ("starts", 1), ("members", 1), ("load", 1), ("guard", 2)];
        assert_eq!(uses, known.map(|(name, times)| (name.to_owned(), times)));
    }
}
