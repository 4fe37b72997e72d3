//! The flock as it lies on the GPU to be drawn: three buffers of one entry a boid, in any order; or several such parts.

use flock::Boid;

use crate::engine::EngineError;
use crate::gpu::Gpu;

/// Boids as a drawing pass reads them, in as many parts as they lie in.
#[derive(Clone, Copy, Debug)]
pub struct Instances<'a> {
    /// Drawn one after the other.
    pub parts: &'a [Part],
}

impl Instances<'_> {
    /// How many boids there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        count(self.parts)
    }
}

/// How many boids some parts hold.
#[must_use]
pub fn count(parts: &[Part]) -> u32 {
    parts.iter().map(|part| part.count).sum()
}

/// Buffers that a drawing pass reads as vertices, once a boid.
#[derive(Clone, Debug)]
pub struct Part {
    /// `[f32; 4]` a boid: x, y, z, bias.
    pub position: wgpu::Buffer,
    /// `[f32; 4]` a boid: x, y, z, then −1 while it rests, else how many others it perceived at its last step.
    pub velocity: wgpu::Buffer,
    /// `[u32; 2]` a boid: id, group | rest << 2.
    pub tag: wgpu::Buffer,
    /// How many boids they hold.
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
#[derive(Debug, Default)]
pub struct Uploaded {
    parts: Vec<Part>,
}

impl Uploaded {
    /// Puts a flock in; slices of another length than the room make new room.
    ///
    /// # Errors
    /// When the device's memory runs out.
    pub fn write(
        &mut self,
        gpu: &Gpu,
        position: &[[f32; 4]],
        velocity: &[[f32; 4]],
        tag: &[[u32; 2]],
    ) -> Result<(), EngineError> {
        let most = usize::try_from(gpu.limits.max_buffer_size / 16).unwrap_or(usize::MAX).max(1);
        let pieces = || position.chunks(most).zip(velocity.chunks(most)).zip(tag.chunks(most));
        let room = self.parts.iter().map(|part| part.count as usize);
        if !room.eq(pieces().map(|((position, _), _)| position.len())) {
            self.parts =
                gpu.create(|device| pieces().map(|(_, tag)| Part::new(device, tag.len() as u32)).collect())?;
        }
        for (part, ((position, velocity), tag)) in self.parts.iter().zip(pieces()) {
            gpu.queue.write_buffer(&part.position, 0, bytemuck::cast_slice(position));
            gpu.queue.write_buffer(&part.velocity, 0, bytemuck::cast_slice(velocity));
            gpu.queue.write_buffer(&part.tag, 0, bytemuck::cast_slice(tag));
        }
        Ok(())
    }

    /// What a drawing pass reads.
    #[must_use]
    pub fn instances(&self) -> Instances<'_> {
        Instances { parts: &self.parts }
    }
}

impl Part {
    fn new(device: &wgpu::Device, count: u32) -> Self {
        let buffer = |label, stride: u64| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: u64::from(count) * stride,
                usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        Part {
            position: buffer("uploaded positions", 16),
            velocity: buffer("uploaded velocities", 16),
            tag: buffer("uploaded tags", 8),
            count,
        }
    }
}
