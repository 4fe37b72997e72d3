//! The picture of a flock: boids from the engine's own buffers, the other bodies, and the sky.
//!
//! It uses only features of every WebGPU device: no storage buffer in a vertex shader. One pass draws sky, boids, things
//! and lines, in that order, on 4 samples a pixel where the format has them.

mod buffers;
mod look;
mod mesh;
mod pipelines;
mod targets;
mod things;
mod uniform;

use flock::{Parameters, Predator};

use self::buffers::{GrowingBuffer, Mesh};
use crate::gpu::Gpu;
pub use crate::instances::Instances;
use crate::view::camera::Camera;
pub use look::{Colour, Detail, Look, smooth_for_window};
use mesh::Shape;
use pipelines::Pipelines;
pub use pipelines::SHADERS;
use targets::Targets;
use things::Things;
pub use uniform::ViewUniform;

/// Boids shorter than this, in pixels, are drawn as [`Detail::Dart`].
const FAR_PIXELS: f32 = 5.0;

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Drawn<'a> {
    /// The boids, in their buffers.
    pub instances: &'a Instances,
    /// The predators.
    pub predators: &'a [Predator<f32>],
    /// For the attractor, the obstacles, the world's edges and the scale of colours.
    pub parameters: &'a Parameters,
    /// Where to mark the flock's centre.
    pub centre: Option<[f32; 3]>,
}

/// Draws flocks on targets of one format.
#[derive(Debug)]
pub struct Scene {
    device: wgpu::Device,
    queue: wgpu::Queue,
    format: wgpu::TextureFormat,
    samples: u32,
    pipelines: Pipelines,
    view: wgpu::Buffer,
    bind_group: wgpu::BindGroup,
    cone: Mesh,
    smooth_cone: Mesh,
    arrowhead: Mesh,
    ball: Mesh,
    cones: GrowingBuffer,
    balls: GrowingBuffer,
    marks: GrowingBuffer,
    lines: GrowingBuffer,
    targets: Option<Targets>,
}

impl Scene {
    /// Prepares to draw on targets of a format. Smooth edges take 4 samples a pixel, where the format allows it; on a
    /// software adapter they take more than half of the time.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, smooth: bool) -> Self {
        let device = &gpu.device;
        let flags = format.guaranteed_format_features(device.features()).flags;
        let samples = if smooth && flags.sample_count_supported(4) { 4 } else { 1 };
        let pipelines = Pipelines::new(device, format, samples);
        let view = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("view"),
            size: size_of::<ViewUniform>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let bind_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("view"),
            layout: &pipelines.bind_group_layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: view.as_entire_binding() }],
        });
        Scene {
            device: device.clone(),
            queue: gpu.queue.clone(),
            format,
            samples,
            view,
            bind_group,
            cone: Mesh::new(device, "cone", &Shape::cone(6)),
            smooth_cone: Mesh::new(device, "smooth cone", &Shape::cone(24)),
            arrowhead: Mesh::new(device, "arrowhead", &Shape::arrowhead()),
            ball: Mesh::new(device, "ball", &Shape::ball()),
            cones: GrowingBuffer::new("cones"),
            balls: GrowingBuffer::new("balls"),
            marks: GrowingBuffer::new("marks"),
            lines: GrowingBuffer::new("lines"),
            targets: None,
            pipelines,
        }
    }

    /// Draws a flock over the whole of a target of `size` pixels; nothing at a size of zero.
    ///
    /// A scene draws once a submit: the next drawing overwrites its buffers.
    pub fn draw(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        size: [u32; 2],
        drawn: &Drawn<'_>,
        camera: &Camera,
        look: &Look,
    ) {
        if size.contains(&0) {
            return;
        }
        let (device, queue) = (&self.device, &self.queue);
        let uniform = ViewUniform::new(camera, look, drawn.parameters, size, self.format.is_srgb());
        queue.write_buffer(&self.view, 0, bytemuck::bytes_of(&uniform));
        let things = Things::new(drawn, camera, look, size[1]);
        self.cones.write(device, queue, &things.cones);
        self.balls.write(device, queue, &things.balls);
        self.marks.write(device, queue, &things.marks);
        self.lines.write(device, queue, &things.lines);
        let targets = self.targets.take().filter(|targets| targets.size == size);
        let targets = targets.unwrap_or_else(|| Targets::new(device, self.format, self.samples, size));
        let mut pass = begin(encoder, &targets, target);
        pass.set_bind_group(0, &self.bind_group, &[]);
        pass.set_pipeline(&self.pipelines.sky);
        pass.draw(0..3, 0..1);
        // Far away all details look the same, so the cheapest is drawn.
        let near =
            look.size > FAR_PIXELS * camera.pixel(size[1]) * if camera.flat { 1.0 } else { camera.distance };
        let detail = if near { look.detail } else { Detail::Dart };
        self.draw_boids(&mut pass, drawn.instances, camera.flat, detail);
        self.draw_things(&mut pass);
        drop(pass);
        self.targets = Some(targets);
    }

    fn draw_boids(&self, pass: &mut wgpu::RenderPass<'_>, boids: &Instances, flat: bool, detail: Detail) {
        if boids.count == 0 {
            return;
        }
        for (slot, buffer) in (0..).zip([&boids.position, &boids.velocity, &boids.tag]) {
            pass.set_vertex_buffer(slot, buffer.slice(..));
        }
        if detail == Detail::Dart {
            pass.set_pipeline(&self.pipelines.darts);
            pass.draw(0..3, 0..boids.count);
            return;
        }
        pass.set_pipeline(&self.pipelines.boids);
        let mesh = if flat { &self.arrowhead } else { &self.cone };
        mesh.draw(pass, 3, boids.count);
    }

    fn draw_things(&self, pass: &mut wgpu::RenderPass<'_>) {
        pass.set_pipeline(&self.pipelines.things);
        for (things, mesh) in [(&self.cones, &self.smooth_cone), (&self.balls, &self.ball)] {
            if let Some(buffer) = things.filled() {
                pass.set_vertex_buffer(0, buffer);
                mesh.draw(pass, 1, things.count);
            }
        }
        if let Some(buffer) = self.lines.filled() {
            pass.set_pipeline(&self.pipelines.lines);
            pass.set_vertex_buffer(0, buffer);
            pass.draw(0..self.lines.count, 0..1);
        }
        if let Some(buffer) = self.marks.filled() {
            pass.set_pipeline(&self.pipelines.marks);
            pass.set_vertex_buffer(0, buffer);
            self.smooth_cone.draw(pass, 1, self.marks.count);
        }
    }
}

fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    targets: &Targets,
    target: &wgpu::TextureView,
) -> wgpu::RenderPass<'a> {
    let (view, resolve_target) = match &targets.colour {
        Some(samples) => (samples, Some(target)),
        None => (target, None),
    };
    // The samples are not read after they are resolved.
    let store = if resolve_target.is_some() { wgpu::StoreOp::Discard } else { wgpu::StoreOp::Store };
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("scene"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target,
            ops: wgpu::Operations { load: wgpu::LoadOp::Clear(wgpu::Color::BLACK), store },
        })],
        depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
            view: &targets.depth,
            depth_ops: Some(wgpu::Operations {
                load: wgpu::LoadOp::Clear(0.0),
                store: wgpu::StoreOp::Discard,
            }),
            stencil_ops: None,
        }),
        ..wgpu::RenderPassDescriptor::default()
    })
}
