//! The flock as it lies on the GPU to be drawn: three buffers of one entry a boid, in any order.

use flock::Boid;

/// Buffers that a drawing pass reads as vertices, once a boid.
#[derive(Clone, Copy, Debug)]
pub struct Instances<'a> {
    /// `[f32; 4]` a boid: x, y, z, bias.
    pub position: &'a wgpu::Buffer,
    /// `[f32; 4]` a boid: x, y, z, then −1 while it rests, else how many boids it had within reach.
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
    /// Room for so many boids, with nothing in it yet.
    #[must_use]
    pub fn new(device: &wgpu::Device, count: u32) -> Self {
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
    pub fn write(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        position: &[[f32; 4]],
        velocity: &[[f32; 4]],
        tag: &[[u32; 2]],
    ) {
        let count = u32::try_from(position.len()).unwrap_or(u32::MAX);
        if count != self.count {
            *self = Uploaded::new(device, count);
        }
        queue.write_buffer(&self.position, 0, bytemuck::cast_slice(position));
        queue.write_buffer(&self.velocity, 0, bytemuck::cast_slice(velocity));
        queue.write_buffer(&self.tag, 0, bytemuck::cast_slice(tag));
    }

    /// What a drawing pass reads.
    #[must_use]
    pub fn instances(&self) -> Instances<'_> {
        Instances { position: &self.position, velocity: &self.velocity, tag: &self.tag, count: self.count }
    }
}
