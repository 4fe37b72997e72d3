//! Buffers of shapes and of their instances.

use super::mesh::Shape;

/// A shape on the GPU.
#[derive(Debug)]
pub(super) struct Mesh {
    corners: wgpu::Buffer,
    indices: wgpu::Buffer,
    /// Number of indices.
    pub count: u32,
}

impl Mesh {
    pub fn new(device: &wgpu::Device, label: &str, shape: &Shape) -> Self {
        let buffer = |contents: &[u8], usage| {
            // A mapped range has a length that is a multiple of 4, as all shapes have.
            wgpu::util::DeviceExt::create_buffer_init(
                device,
                &wgpu::util::BufferInitDescriptor { label: Some(label), contents, usage },
            )
        };
        Mesh {
            corners: buffer(bytemuck::cast_slice(&shape.corners), wgpu::BufferUsages::VERTEX),
            indices: buffer(bytemuck::cast_slice(&shape.indices), wgpu::BufferUsages::INDEX),
            count: shape.indices.len() as u32,
        }
    }

    /// Draws so many instances; `slot` is the vertex buffer slot after those of the instances.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, slot: u32, instances: u32) {
        pass.set_vertex_buffer(slot, self.corners.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint16);
        pass.draw_indexed(0..self.count, 0, 0..instances);
    }

    /// The same with the arguments that a buffer holds.
    pub fn draw_indirect(&self, pass: &mut wgpu::RenderPass<'_>, slot: u32, arguments: &wgpu::Buffer) {
        pass.set_vertex_buffer(slot, self.corners.slice(..));
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint16);
        pass.draw_indexed_indirect(arguments, 0);
    }
}

/// A vertex buffer that grows with its contents.
#[derive(Debug)]
pub(super) struct GrowingBuffer {
    label: &'static str,
    buffer: Option<wgpu::Buffer>,
    pub count: u32,
}

impl GrowingBuffer {
    pub fn new(label: &'static str) -> Self {
        GrowingBuffer { label, buffer: None, count: 0 }
    }

    pub fn write<T: bytemuck::Pod>(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, items: &[T]) {
        self.count = items.len() as u32;
        if items.is_empty() {
            return;
        }
        let bytes: &[u8] = bytemuck::cast_slice(items);
        let needed = bytes.len() as u64;
        let buffer = match self.buffer.take() {
            Some(buffer) if buffer.size() >= needed => buffer,
            _ => device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(self.label),
                size: needed.next_power_of_two(),
                usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
        };
        queue.write_buffer(&buffer, 0, bytes);
        self.buffer = Some(buffer);
    }

    /// The buffer, unless it is empty.
    pub fn filled(&self) -> Option<wgpu::BufferSlice<'_>> {
        self.buffer.as_ref().filter(|_| self.count > 0).map(|buffer| buffer.slice(..))
    }
}
