//! Draws what egui shows over the picture of the flock.
//!
//! A software adapter takes longer for the panel's pixels than for a flock of 100,000. There what lies beside the picture
//! is kept on a texture, and drawn again at every input but otherwise only some times a second.

use std::time::Duration;

use egui::ClippedPrimitive;
use egui::epaint::Primitive;
use egui_wgpu::{Renderer, RendererOptions, ScreenDescriptor};
use web_time::Instant;

use super::texture::plain;
use cpu::contained::contain;
use cpu::engine::EngineError;
use gpu::Gpu;

/// How long the kept part may stay as it is, without input.
const CACHE_LIFETIME: Duration = Duration::from_millis(400);
/// How long after an input it is drawn in every frame: what was touched may still be moving.
const AFTER_INPUT: Duration = Duration::from_millis(300);

/// What egui made of a frame.
#[derive(Debug)]
pub struct Sheet {
    pub jobs: Vec<ClippedPrimitive>,
    pub textures: egui::TexturesDelta,
    pub pixels_per_point: f32,
    /// True if there was input.
    pub touched: bool,
}

/// Draws sheets.
pub struct SheetPainter {
    renderer: Renderer,
    format: wgpu::TextureFormat,
    /// True if it keeps what lies beside the picture.
    keeps: bool,
    kept: Option<(wgpu::Texture, Instant)>,
    touched: Option<Instant>,
    /// When what is kept must be drawn again, as the last frame may have changed it.
    due: Option<Instant>,
}

impl std::fmt::Debug for SheetPainter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SheetPainter").field("keeps", &self.keeps).finish_non_exhaustive()
    }
}

impl SheetPainter {
    /// For targets of a format; `copies` where textures can be copied to them.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, copies: bool) -> Self {
        let renderer = Renderer::new(&gpu.device, format, RendererOptions::default());
        SheetPainter {
            renderer,
            format,
            keeps: copies && !gpu.hardware(),
            kept: None,
            touched: None,
            due: None,
        }
    }

    /// When one more frame is due: the last one showed what was kept, which may be older than what egui made of it. A
    /// window that sleeps would show it on.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// The id by which egui names a texture, which may have had one before.
    pub fn name(
        &mut self,
        gpu: &Gpu,
        view: &wgpu::TextureView,
        id: Option<egui::TextureId>,
    ) -> egui::TextureId {
        let filter = wgpu::FilterMode::Nearest;
        match id {
            Some(id) => {
                self.renderer.update_egui_texture_from_wgpu_texture(&gpu.device, view, filter, id);
                id
            }
            None => self.renderer.register_native_texture(&gpu.device, view, filter),
        }
    }

    /// Draws a sheet on a target, over a picture that is copied to its upper left corner; without one egui draws it.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        target: &wgpu::Texture,
        mut sheet: Sheet,
        picture: Option<&wgpu::Texture>,
    ) -> Result<(), EngineError> {
        for (id, deltas) in &sheet.textures.set {
            for delta in deltas {
                self.renderer.update_texture(&gpu.device, &gpu.queue, *id, delta);
            }
        }
        let drawn = self.draw_jobs(gpu, target, &sheet, picture);
        for id in &sheet.textures.free {
            self.renderer.free_texture(id);
        }
        // egui asserts that the delta was applied and cleared.
        sheet.textures.clear();
        drawn
    }

    fn draw_jobs(
        &mut self,
        gpu: &Gpu,
        target: &wgpu::Texture,
        sheet: &Sheet,
        picture: Option<&wgpu::Texture>,
    ) -> Result<(), EngineError> {
        // The sizes may differ by a pixel or two while the window is being resized.
        let width = picture.map_or(0, |picture| picture.width().min(target.width()));
        let mut copies = Vec::new();
        if let Some(picture) = picture {
            copies.push((picture.clone(), 0, width));
        }
        self.due = None;
        if !(self.keeps && 0 < width && width < target.width()) {
            return self.render(gpu, target, sheet, &sheet.jobs, &copies);
        }
        let edge = width as f32 / sheet.pixels_per_point;
        let (beside, over): (Vec<_>, Vec<_>) =
            sheet.jobs.iter().cloned().partition(|job| left_end(job) > edge - 1.0);
        let now = Instant::now();
        if sheet.touched {
            self.touched = Some(now);
        }
        let after_input = self.touched.is_some_and(|touched| now - touched < AFTER_INPUT);
        let kept = self.kept.take().filter(|(texture, _)| texture.size() == target.size());
        let kept = match kept {
            Some(kept) if !after_input && now - kept.1 < CACHE_LIFETIME => {
                self.due = Some(kept.1 + CACHE_LIFETIME);
                kept
            }
            old => {
                let texture = old.map_or_else(|| self.texture(gpu, target), |(texture, _)| texture);
                self.render(gpu, &texture, sheet, &beside, &[])?;
                (texture, now)
            }
        };
        copies.push((kept.0.clone(), width, target.width()));
        self.kept = Some(kept);
        self.render(gpu, target, sheet, &over, &copies)
    }

    /// Room for what is kept of a target.
    fn texture(&self, gpu: &Gpu, target: &wgpu::Texture) -> wgpu::Texture {
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        plain(&gpu.device, "kept panel", [target.width(), target.height()], self.format, usage)
    }

    /// Copies columns of textures to the target, each from one to before another, and draws the jobs over them.
    fn render(
        &mut self,
        gpu: &Gpu,
        target: &wgpu::Texture,
        sheet: &Sheet,
        jobs: &[ClippedPrimitive],
        copies: &[(wgpu::Texture, u32, u32)],
    ) -> Result<(), EngineError> {
        let size = target.size();
        let screen = ScreenDescriptor {
            size_in_pixels: [size.width, size.height],
            pixels_per_point: sheet.pixels_per_point,
        };
        let label = wgpu::CommandEncoderDescriptor { label: Some("panel") };
        let mut encoder = gpu.device.create_command_encoder(&label);
        // egui panics where the device has no memory for what it writes, as a lost device has none.
        let before =
            contain(|| self.renderer.update_buffers(&gpu.device, &gpu.queue, &mut encoder, jobs, &screen));
        let Some(before) = before else {
            let lost = gpu.check_now();
            return lost.and_then(|()| Err(gpu.error("out of memory")));
        };
        for (texture, first, last) in copies {
            let origin = wgpu::Origin3d { x: *first, y: 0, z: 0 };
            let part = |texture| wgpu::TexelCopyTextureInfo {
                texture,
                mip_level: 0,
                origin,
                aspect: wgpu::TextureAspect::All,
            };
            let height = texture.height().min(size.height);
            let extent = wgpu::Extent3d { width: last - first, height, depth_or_array_layers: 1 };
            encoder.copy_texture_to_texture(part(texture), part(target), extent);
        }
        let load = match copies {
            [] => wgpu::LoadOp::Clear(wgpu::Color::BLACK),
            _ => wgpu::LoadOp::Load,
        };
        let view = target.create_view(&wgpu::TextureViewDescriptor::default());
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("panel"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: &view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations { load, store: wgpu::StoreOp::Store },
            })],
            depth_stencil_attachment: None,
            timestamp_writes: None,
            occlusion_query_set: None,
            multiview_mask: None,
        });
        self.renderer.render(&mut pass.forget_lifetime(), jobs, &screen);
        gpu.queue.submit(before.into_iter().chain([encoder.finish()]));
        Ok(())
    }
}

/// The left end of what a job draws, in points.
fn left_end(job: &ClippedPrimitive) -> f32 {
    let drawn = match &job.primitive {
        Primitive::Mesh(mesh) => mesh.calc_bounds().left(),
        Primitive::Callback(callback) => callback.rect.left(),
    };
    drawn.max(job.clip_rect.left())
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Color32, Mesh, Rect, pos2};

    #[test]
    fn a_job_begins_where_its_mesh_or_its_clip_does() {
        let job = |mesh: f32, clip: f32| {
            let mut drawn = Mesh::default();
            let rect = |left: f32| Rect::from_min_max(pos2(left, 0.0), pos2(900.0, 9.0));
            drawn.add_colored_rect(rect(mesh), Color32::WHITE);
            left_end(&ClippedPrimitive { clip_rect: rect(clip), primitive: Primitive::Mesh(drawn) })
        };
        assert_eq!(job(700.0, 0.0), 700.0);
        assert_eq!(job(0.0, 640.0), 640.0);
    }
}
