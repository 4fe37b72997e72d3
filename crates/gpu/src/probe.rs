//! The peak rates of a device: copy bandwidth and arithmetic. The best of several tries counts, because noise only
//! makes a try slower.

use web_time::Instant;

use super::Gpu;
use super::device::Pipeline;
use super::number::OnGpu;
use super::pipeline::Ready;
use super::shaders::Shaders;
use engine::Result;

/// Bytes copied: far more than the caches hold.
const COPIED: u64 = 256 << 20;
/// The size is halved while it does not fit, down to this.
const MIN: u64 = 8 << 20;
/// Minimum seconds per try, so that the time to submit it is negligible.
const MIN_SECONDS: f64 = 0.02;
/// Maximum number of dispatches or copies per try.
const MAX: u32 = 1024;
const TRIES: u32 = 5;

/// Workgroups per dispatch: 2^19 invocations fill a large device.
const GROUPS: u32 = 2048;
/// Operations per dispatch of `shaders/probe/multiply.wgsl`: workgroups, invocations, rounds, multiply-adds per round,
/// vector components, and two operations per multiply-add.
const OPERATIONS: f64 = GROUPS as f64 * 256.0 * 64.0 * 16.0 * 4.0 * 2.0;

/// Shader files of the probes.
pub const SHADERS: [&str; 2] = ["probe/copy.wgsl", "probe/multiply.wgsl"];

/// The fastest copy on a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Copy {
    /// Bytes read plus bytes written, per second.
    pub rate: f64,
    /// Bytes copied.
    pub bytes: u64,
    /// The faster method.
    pub by: &'static str,
}

/// The copy bandwidth of a device, by a shader or by a copy command, whichever is faster.
///
/// # Errors
/// When the device fails, or even the smallest copy does not fit.
pub fn copy(gpu: &Gpu) -> Result<Copy> {
    let most = gpu.limits.max_storage_buffer_binding_size.min(gpu.limits.max_buffer_size);
    let mut bytes = COPIED.min(most / 16 * 16);
    let [from, to] = loop {
        match buffers(gpu, bytes) {
            Ok(made) => break made,
            Err(error) if bytes / 2 < MIN => return Err(error),
            Err(_) => bytes = bytes / 32 * 16,
        }
    };
    let kernel = ready::<f32>(gpu, SHADERS[0], &[("from_here", &from), ("to_there", &to)])?;
    let side = gpu.limits.max_compute_workgroups_per_dimension;
    let groups = u32::try_from(bytes / 16 / 256 / 8).unwrap_or(u32::MAX).clamp(1, side);
    let by_shader = fastest(gpu, |encoder, times| dispatch(&kernel, encoder, groups, times))?;
    let by_command = fastest(gpu, |encoder, times| {
        (0..times).for_each(|_| encoder.copy_buffer_to_buffer(&from, 0, &to, 0, bytes));
    })?;
    let (seconds, by) =
        if by_shader <= by_command { (by_shader, "by a shader") } else { (by_command, "by a copy command") };
    Ok(Copy { rate: 2.0 * bytes as f64 / seconds, bytes, by })
}

/// Multiplications and additions per second in a number type.
///
/// # Errors
/// When the device fails.
pub fn arithmetic<T: OnGpu>(gpu: &Gpu) -> Result<f64> {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    let numbers = gpu.create_buffer("numbers", 48, usage)?;
    // In f32 the values converge to 5, in integers they wrap around; neither reaches values that take longer.
    let words = [0.9_f32, 0.5].map(|number| [number.to_bits(); 4]);
    gpu.queue.write_buffer(&numbers, 0, bytemuck::bytes_of(&words));
    let kernel = ready::<T>(gpu, SHADERS[1], &[("numbers", &numbers)])?;
    let seconds = fastest(gpu, |encoder, times| dispatch(&kernel, encoder, GROUPS, times))?;
    Ok(OPERATIONS / seconds)
}

fn buffers(gpu: &Gpu, size: u64) -> Result<[wgpu::Buffer; 2]> {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    Ok([gpu.create_buffer("probe", size, usage)?, gpu.create_buffer("probe", size, usage)?])
}

/// A shader that is ready to run.
fn ready<T: OnGpu>(gpu: &Gpu, name: &str, buffers: &[(&str, &wgpu::Buffer)]) -> Result<Ready> {
    let shader = Shaders::default().load(name, T::NUMERIC.name()).map_err(|error| gpu.error(error))?;
    let named = |name: &str| buffers.iter().find(|(known, _)| *known == name).map(|(_, buffer)| *buffer);
    Pipeline::new(gpu, name, &shader, &Vec::new())?.bind(gpu, named)
}

fn dispatch(ready: &Ready, encoder: &mut wgpu::CommandEncoder, groups: u32, times: u32) {
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&ready.pipeline.pipeline);
    pass.set_bind_group(0, &ready.group, &[]);
    (0..times).for_each(|_| pass.dispatch_workgroups(groups, 1, 1));
}

/// The minimum seconds of one command. `record` records it repeatedly, often enough for a long enough try.
fn fastest(gpu: &Gpu, record: impl Fn(&mut wgpu::CommandEncoder, u32)) -> Result<f64> {
    let once = |times: u32| -> Result<f64> {
        let mut encoder = gpu.encoder();
        record(&mut encoder, times);
        let commands = encoder.finish();
        gpu.wait()?;
        let begun = Instant::now();
        gpu.queue.submit([commands]);
        gpu.wait()?;
        Ok(begun.elapsed().as_secs_f64())
    };
    // The first run also maps the memory.
    once(1)?;
    let mut times = 1;
    while times < MAX && once(times)? < MIN_SECONDS {
        times *= 2;
    }
    let mut best = f64::INFINITY;
    for _ in 0..TRIES {
        best = best.min(once(times)? / f64::from(times));
    }
    Ok(best)
}
