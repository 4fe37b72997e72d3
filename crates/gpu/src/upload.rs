//! Buffers for a flock that the drawing GPU does not step.

use crate::Gpu;
use crate::instances::Instances;
use engine::{EngineError, HostInstances, Result};

/// Buffers of the last upload.
#[derive(Debug, Default)]
pub struct Uploaded {
    instances: Option<Instances>,
}

impl Uploaded {
    /// Uploads a flock, and returns its buffers for drawing, which are reused for the same number of boids.
    ///
    /// # Errors
    /// When the flock is too large for the device's buffers, or memory runs out.
    pub fn write(&mut self, gpu: &Gpu, flock: &HostInstances) -> Result<&Instances> {
        let count = flock.tag.len() as u32;
        let instances = match self.instances.take() {
            Some(same) if same.count == count => same,
            _ => instances(gpu, flock.tag.len() as u64)?,
        };
        gpu.queue.write_buffer(&instances.position, 0, bytemuck::cast_slice(&flock.position));
        gpu.queue.write_buffer(&instances.velocity, 0, bytemuck::cast_slice(&flock.velocity));
        gpu.queue.write_buffer(&instances.tag, 0, bytemuck::cast_slice(&flock.tag));
        Ok(self.instances.insert(instances))
    }
}

/// Allocates buffers for `count` boids.
fn instances(gpu: &Gpu, count: u64) -> Result<Instances> {
    let most = gpu.limits.max_buffer_size / size_of::<[f32; 4]>() as u64;
    if count > most {
        let (device, limit) = (gpu.name(), format!("max_buffer_size = {}", gpu.limits.max_buffer_size));
        return Err(EngineError::TooMany { asked: count, most, device, limit });
    }
    let usage = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    let buffer = |label, stride: usize| gpu.create_buffer(label, count.max(1) * stride as u64, usage);
    Ok(Instances {
        position: buffer("uploaded positions", size_of::<[f32; 4]>())?,
        velocity: buffer("uploaded velocities", size_of::<[f32; 4]>())?,
        tag: buffer("uploaded tags", size_of::<[u32; 2]>())?,
        count: count as u32,
    })
}
