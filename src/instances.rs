//! The flock as it lies on the GPU to be drawn: three buffers of one entry a boid, in any order.

use flock::Boid;

use crate::engine::EngineError;
use crate::gpu::Gpu;

/// Buffers that a drawing pass reads as vertices, once a boid.
#[derive(Clone, Copy, Debug)]
pub struct Instances<'a> {
    /// `[f32; 4]` a boid: x, y, z, bias.
    pub position: &'a wgpu::Buffer,
    /// `[f32; 4]` a boid: x, y, z, then −1 while it rests, else how many others it perceived at its last step.
    pub velocity: &'a wgpu::Buffer,
    /// `[u32; 2]` a boid: id, group | rest << 2.
    pub tag: &'a wgpu::Buffer,
    /// How many boids there are.
    pub count: u32,
}

/// A boid as the three buffers hold it.
#[must_use]
pub fn entry(id: u32, boid: &Boid<f64>) -> ([f32; 4], [f32; 4], [u32; 2]) {
    let [x, y, z] = boid.position.map(|c| c as f32);
    let [vx, vy, vz] = boid.velocity.map(|c| c as f32);
    let neighbours = if boid.resting() { -1.0 } else { 0.0 };
    ([x, y, z, boid.bias as f32], [vx, vy, vz, neighbours], [id, boid.group | (boid.rest as u32) << 2])
}

/// Such buffers for a flock that another than the GPU steps.
#[derive(Debug)]
pub struct Uploaded {
    position: wgpu::Buffer,
    velocity: wgpu::Buffer,
    tag: wgpu::Buffer,
    count: u32,
}

impl Uploaded {
    /// A flock of nobody.
    #[must_use]
    pub fn new(device: &wgpu::Device) -> Self {
        Uploaded::with_room(device, 0)
    }

    fn with_room(device: &wgpu::Device, count: u32) -> Self {
        let buffer = |label, stride: u64| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: u64::from(count.max(1)) * stride,
                usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        Uploaded {
            position: buffer("uploaded positions", 16),
            velocity: buffer("uploaded velocities", 16),
            tag: buffer("uploaded tags", 8),
            count,
        }
    }

    /// Puts a flock in; slices of another length than the room make new room.
    ///
    /// # Errors
    /// When there are more boids than the device can draw, or its memory runs out.
    pub fn write(
        &mut self,
        gpu: &Gpu,
        position: &[[f32; 4]],
        velocity: &[[f32; 4]],
        tag: &[[u32; 2]],
    ) -> Result<(), EngineError> {
        let asked = position.len() as u64;
        let most = (gpu.limits.max_buffer_size / 16).min(u64::from(u32::MAX));
        if asked > most {
            return Err(EngineError::TooMany { asked, most, device: gpu.name() });
        }
        if asked != u64::from(self.count) {
            *self = gpu.create(|device| Uploaded::with_room(device, asked as u32))?;
        }
        gpu.queue.write_buffer(&self.position, 0, bytemuck::cast_slice(position));
        gpu.queue.write_buffer(&self.velocity, 0, bytemuck::cast_slice(velocity));
        gpu.queue.write_buffer(&self.tag, 0, bytemuck::cast_slice(tag));
        Ok(())
    }

    /// What a drawing pass reads.
    #[must_use]
    pub fn instances(&self) -> Instances<'_> {
        Instances { position: &self.position, velocity: &self.velocity, tag: &self.tag, count: self.count }
    }
}
