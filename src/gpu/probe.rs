//! What a device can do at best: bytes that a copy moves, multiplications and additions. Both are measured, and the best
//! of several tries counts, since only disturbances make one slower.

use std::time::Instant;

use super::Gpu;
use super::number::OnGpu;
use super::shaders::{Shader, Shaders};
use crate::engine::EngineError;

/// Bytes that are copied: far more than caches hold.
const COPIED: u64 = 256 << 20;
/// Where a device has no room for them, half of them, down to these.
const LEAST: u64 = 8 << 20;
/// Seconds that one try takes at least, so that its submission does not count.
const LONG: f64 = 0.02;
/// Most dispatches or copies of a try.
const MOST: u32 = 1024;
const TRIES: u32 = 5;

/// Groups of a dispatch: 2^19 invocations, which fill large devices.
const GROUPS: u32 = 2048;
/// Invocations of a group, rounds, multiply-adds a round, numbers of a vector and operations of a multiply-add, as in
/// `shaders/probe/multiply.wgsl`.
const OPERATIONS: f64 = GROUPS as f64 * 256.0 * 64.0 * 16.0 * 4.0 * 2.0;

/// The shaders that measure, by their files.
pub const SHADERS: [&str; 2] = ["probe/copy.wgsl", "probe/multiply.wgsl"];

/// The fastest copy of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Copy {
    /// Bytes read and bytes written a second, together.
    pub rate: f64,
    /// Size of what was copied.
    pub bytes: u64,
    /// What copied fastest.
    pub by: &'static str,
}

/// The copy bandwidth of a device: of a shader, or of its own command where that is faster.
///
/// # Errors
/// When the device fails, or has no room for even a small copy.
pub fn copy(gpu: &Gpu) -> Result<Copy, EngineError> {
    let most = gpu.limits.max_storage_buffer_binding_size.min(gpu.limits.max_buffer_size);
    let mut bytes = COPIED.min(most / 16 * 16);
    let [from, to] = loop {
        match buffers(gpu, bytes) {
            Ok(made) => break made,
            Err(error) if bytes / 2 < LEAST => return Err(error),
            Err(_) => bytes = bytes / 32 * 16,
        }
    };
    let kernel = Kernel::new(gpu, &load(SHADERS[0], f32::FILES, gpu)?, &[&from, &to])?;
    let side = gpu.limits.max_compute_workgroups_per_dimension;
    let groups = u32::try_from(bytes / 16 / 256 / 8).unwrap_or(u32::MAX).clamp(1, side);
    let by_shader = fastest(gpu, |encoder, times| kernel.dispatch(encoder, groups, times))?;
    let by_command = fastest(gpu, |encoder, times| {
        (0..times).for_each(|_| encoder.copy_buffer_to_buffer(&from, 0, &to, 0, bytes));
    })?;
    let (seconds, by) =
        if by_shader <= by_command { (by_shader, "by a shader") } else { (by_command, "by a copy command") };
    Ok(Copy { rate: 2.0 * bytes as f64 / seconds, bytes, by })
}

/// Multiplications and additions a second, in numbers of a type as they lie on the GPU.
///
/// # Errors
/// When the device fails.
pub fn arithmetic<T: OnGpu>(gpu: &Gpu) -> Result<f64, EngineError> {
    let shader = load(SHADERS[1], T::FILES, gpu)?;
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    let label = Some("numbers");
    let numbers = gpu.create(|device| {
        device.create_buffer(&wgpu::BufferDescriptor { label, size: 48, usage, mapped_at_creation: false })
    })?;
    // In f32 the chains stay near 5, in integers they run over and over: neither takes longer for some numbers.
    let words = [0.9_f32, 0.5].map(|number| [number.to_bits(); 4]);
    gpu.queue.write_buffer(&numbers, 0, bytemuck::bytes_of(&words));
    let kernel = Kernel::new(gpu, &shader, &[&numbers])?;
    let seconds = fastest(gpu, |encoder, times| kernel.dispatch(encoder, GROUPS, times))?;
    Ok(OPERATIONS / seconds)
}

fn load(name: &str, folder: &str, gpu: &Gpu) -> Result<Shader, EngineError> {
    Shaders::default().load(name, folder).map_err(|error| gpu.error(error.to_string()))
}

fn buffers(gpu: &Gpu, size: u64) -> Result<[wgpu::Buffer; 2], EngineError> {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let label = Some("probe");
    gpu.create(|device| {
        [(); 2].map(|()| {
            device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
        })
    })
}

/// A shader, ready to run.
struct Kernel {
    pipeline: wgpu::ComputePipeline,
    bound: wgpu::BindGroup,
}

impl Kernel {
    fn new(gpu: &Gpu, shader: &Shader, buffers: &[&wgpu::Buffer]) -> Result<Self, EngineError> {
        let label = Some(shader.name);
        gpu.create(|device| {
            let source = wgpu::ShaderSource::Wgsl(shader.source.as_str().into());
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label, source });
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label,
                layout: None,
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            });
            let entries: Vec<_> = (0..)
                .zip(buffers)
                .map(|(binding, buffer)| wgpu::BindGroupEntry {
                    binding,
                    resource: buffer.as_entire_binding(),
                })
                .collect();
            let layout = &pipeline.get_bind_group_layout(0);
            let descriptor = wgpu::BindGroupDescriptor { label, layout, entries: &entries };
            let bound = device.create_bind_group(&descriptor);
            Kernel { pipeline, bound }
        })
    }

    fn dispatch(&self, encoder: &mut wgpu::CommandEncoder, groups: u32, times: u32) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bound, &[]);
        (0..times).for_each(|_| pass.dispatch_workgroups(groups, 1, 1));
    }
}

/// The fewest seconds that one of several equal pieces of work took, `record`ed as often at once as makes a try long
/// enough.
fn fastest(gpu: &Gpu, record: impl Fn(&mut wgpu::CommandEncoder, u32)) -> Result<f64, EngineError> {
    let once = |times: u32| -> Result<f64, EngineError> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        record(&mut encoder, times);
        let commands = encoder.finish();
        gpu.wait()?;
        let begun = Instant::now();
        gpu.queue.submit([commands]);
        gpu.wait()?;
        Ok(begun.elapsed().as_secs_f64())
    };
    // The first try also pays for memory that is touched for the first time.
    once(1)?;
    let mut times = 1;
    while times < MOST && once(times)? < LONG {
        times *= 2;
    }
    let mut best = f64::INFINITY;
    for _ in 0..TRIES {
        best = best.min(once(times)? / f64::from(times));
    }
    Ok(best)
}
