//! Everything that is drawn in a frame: the flock on a texture of its own, and over it what egui shows.
//!
//! The flock is drawn again only when it, the camera or the look has changed, so that the panel stays quick where
//! drawing is slow.

use egui_wgpu::{Renderer, RendererOptions, ScreenDescriptor};

use super::frame::Boids;
use super::scene::{Detail, Drawn, Scene};
use super::session::Session;
use crate::gpu::Gpu;
use crate::instances::{Instances, Uploaded};

/// Format of the flock's texture: what egui shows pictures in.
pub const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Draws the flock and what egui shows.
pub struct Painter {
    scene: Scene,
    renderer: Renderer,
    uploaded: Uploaded,
    picture: Option<Picture>,
}

impl std::fmt::Debug for Painter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Painter").field("picture", &self.picture).finish_non_exhaustive()
    }
}

/// The view as last drawn.
#[derive(Debug)]
struct Picture {
    view: wgpu::TextureView,
    id: egui::TextureId,
    size: [u32; 2],
}

impl Painter {
    /// Prepares to draw on surfaces of a format.
    #[must_use]
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        Painter {
            scene: Scene::new(&gpu.device, FORMAT),
            renderer: Renderer::new(&gpu.device, format, RendererOptions::default()),
            uploaded: Uploaded::new(&gpu.device, 0),
            picture: None,
        }
    }

    /// What egui calls the picture of the flock.
    #[must_use]
    pub fn id(&self) -> Option<egui::TextureId> {
        self.picture.as_ref().map(|picture| picture.id)
    }

    /// Brings the picture of the flock to a size and up to date. Returns whether egui has to show it anew.
    pub fn draw_flock(&mut self, gpu: &Gpu, session: &mut Session, size: [u32; 2]) -> bool {
        let most = gpu.limits.max_texture_dimension_2d;
        let size = size.map(|side| side.clamp(1, most));
        let resized = self.picture.as_ref().is_none_or(|picture| picture.size != size);
        if resized {
            self.resize(gpu, size);
        }
        let stale = session.take_stale();
        let Some(picture) = self.picture.as_ref().filter(|_| stale || resized) else { return false };
        let frame = session.frame();
        let instances = match &frame.boids {
            Boids::Device { position, velocity, tag, count } => {
                Instances { position, velocity, tag, count: *count }
            }
            Boids::Host { position, velocity, tag } => {
                self.uploaded.write(&gpu.device, &gpu.queue, position, velocity, tag);
                self.uploaded.instances()
            }
        };
        let drawn = Drawn {
            instances,
            predators: &frame.predators,
            parameters: &session.parameters,
            centre: frame.summary.map(|summary| summary.centre).filter(|_| session.mark_centre),
        };
        let mut look = session.look;
        look.detail = Detail::for_window(instances.count, gpu.hardware());
        let label = wgpu::CommandEncoderDescriptor { label: Some("flock") };
        let mut encoder = gpu.device.create_command_encoder(&label);
        let (device, queue) = (&gpu.device, &gpu.queue);
        self.scene.draw(device, queue, &mut encoder, &picture.view, size, &drawn, &session.camera, &look);
        gpu.queue.submit([encoder.finish()]);
        resized
    }

    fn resize(&mut self, gpu: &Gpu, size: [u32; 2]) {
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("picture"),
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let (device, filter) = (&gpu.device, wgpu::FilterMode::Nearest);
        let id = match self.id() {
            Some(id) => {
                self.renderer.update_egui_texture_from_wgpu_texture(device, &view, filter, id);
                id
            }
            None => self.renderer.register_native_texture(device, &view, filter),
        };
        self.picture = Some(Picture { view, id, size });
    }

    /// Draws what egui shows on a surface's texture.
    pub fn draw_panel(
        &mut self,
        gpu: &Gpu,
        target: &wgpu::TextureView,
        size: [u32; 2],
        jobs: &[egui::ClippedPrimitive],
        mut textures: egui::TexturesDelta,
        pixels_per_point: f32,
    ) {
        let (device, queue) = (&gpu.device, &gpu.queue);
        let screen = ScreenDescriptor { size_in_pixels: size, pixels_per_point };
        let label = wgpu::CommandEncoderDescriptor { label: Some("panel") };
        let mut encoder = device.create_command_encoder(&label);
        for (id, deltas) in &textures.set {
            for delta in deltas {
                self.renderer.update_texture(device, queue, *id, delta);
            }
        }
        let before = self.renderer.update_buffers(device, queue, &mut encoder, jobs, &screen);
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("panel"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            depth_stencil_attachment: None,
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        self.renderer.render(&mut pass.forget_lifetime(), jobs, &screen);
        queue.submit(before.into_iter().chain([encoder.finish()]));
        for id in &textures.free {
            self.renderer.free_texture(id);
        }
        // Everything was applied: egui insists on hearing so.
        textures.clear();
    }
}
