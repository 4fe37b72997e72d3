//! The flock in the layout of the drawing passes: three buffers with one entry per boid, in any order.

use flock::Boid;

use crate::Gpu;
use engine::{EngineError, HostInstances, Result};

/// The buffers of a flock, for vertices and storage. Clones share the buffers.
#[derive(Clone, Debug)]
pub struct Instances {
    /// `[f32; 4]` per boid: x, y, z, bias.
    pub position: wgpu::Buffer,
    /// `[f32; 4]` per boid: x, y, z, then −1 at rest, else the number of neighbours perceived in the last step.
    pub velocity: wgpu::Buffer,
    /// `[u32; 2]` per boid: id, [`Boid::tag`].
    pub tag: wgpu::Buffer,
    /// Number of boids.
    pub count: u32,
}

/// A boid's entries in the three buffers.
pub fn entry(id: u32, boid: &Boid<f64>) -> ([f32; 4], [f32; 4], [u32; 2]) {
    let [x, y, z] = boid.position.map(|c| c as f32);
    let [vx, vy, vz] = boid.velocity.map(|c| c as f32);
    let neighbours = if boid.resting() { -1.0 } else { 0.0 };
    ([x, y, z, boid.bias as f32], [vx, vy, vz, neighbours], [id, boid.tag()])
}

/// Buffers of the last flock that the drawing GPU did not step.
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
            _ => allocated(gpu, flock.tag.len() as u64)?,
        };
        gpu.queue.write_buffer(&instances.position, 0, bytemuck::cast_slice(&flock.position));
        gpu.queue.write_buffer(&instances.velocity, 0, bytemuck::cast_slice(&flock.velocity));
        gpu.queue.write_buffer(&instances.tag, 0, bytemuck::cast_slice(&flock.tag));
        Ok(self.instances.insert(instances))
    }
}

/// Allocates buffers for `count` boids.
fn allocated(gpu: &Gpu, count: u64) -> Result<Instances> {
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
