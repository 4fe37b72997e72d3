//! Draws a frame: the flock on a texture of its own, and the panel over it.
//!
//! The flock is drawn again only when it, the camera or the look has changed; otherwise the texture is copied to the
//! screen, so that the panel responds quickly where drawing is slow.

use web_time::Instant;

use super::picture::drawn;
use super::scene::{Scene, smooth_for_window};
use super::session::Session;
use super::sheet::{Sheet, SheetPainter};
use super::surface::Screen;
use super::texture::plain;
use cpu::engine::EngineError;
use gpu::Gpu;
use gpu::upload::Uploaded;

/// Draws the flock and what egui shows.
pub struct Painter {
    scene: Scene,
    /// True if the scene draws several samples a pixel.
    smooth: bool,
    sheets: SheetPainter,
    uploaded: Uploaded,
    picture: Option<Picture>,
    format: wgpu::TextureFormat,
    /// True if the picture is copied to the screen; else egui draws it.
    copies: bool,
}

impl std::fmt::Debug for Painter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Painter").field("picture", &self.picture).finish_non_exhaustive()
    }
}

/// The view as last drawn.
#[derive(Debug)]
struct Picture {
    texture: wgpu::Texture,
    view: wgpu::TextureView,
    id: Option<egui::TextureId>,
    size: [u32; 2],
}

impl Painter {
    /// Prepares to draw on a screen.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn new(gpu: &Gpu, screen: &Screen) -> Result<Self, EngineError> {
        let format = screen.format();
        gpu.create(|_| Painter {
            scene: Scene::new(gpu, format, true),
            smooth: true,
            sheets: SheetPainter::new(gpu, format, screen.takes_copies()),
            uploaded: Uploaded::default(),
            picture: None,
            format,
            copies: screen.takes_copies(),
        })
    }

    /// The id of the picture of the flock, where egui draws it.
    pub fn id(&self) -> Option<egui::TextureId> {
        self.picture.as_ref().and_then(|picture| picture.id)
    }

    /// Updates the picture of the flock. Returns whether it is new to egui, which then needs one more frame.
    pub fn draw_flock(&mut self, gpu: &Gpu, session: &mut Session, size: [u32; 2]) -> bool {
        let most = gpu.limits.max_texture_dimension_2d;
        let size = size.map(|side| side.clamp(1, most));
        let resized = self.picture.as_ref().is_none_or(|picture| picture.size != size);
        let known = self.copies || self.id().is_some();
        if resized {
            self.resize(gpu, size);
        }
        let stale = session.take_stale();
        let smooth = smooth_for_window(session.frame().boids.count(), gpu.hardware());
        if smooth != self.smooth {
            match gpu.create(|_| Scene::new(gpu, self.format, smooth)) {
                Ok(scene) => (self.scene, self.smooth) = (scene, smooth),
                Err(why) => session.fail(why.to_string()),
            }
        }
        let Some(picture) = self.picture.as_ref().filter(|_| stale || resized) else { return !known };
        let drawn = match drawn(gpu, session, &mut self.uploaded) {
            Ok(drawn) => drawn,
            Err(why) => {
                session.fail(why.to_string());
                return !known;
            }
        };
        let label = wgpu::CommandEncoderDescriptor { label: Some("flock") };
        let mut encoder = gpu.device.create_command_encoder(&label);
        self.scene.draw(&mut encoder, &picture.view, size, &drawn, &session.camera, &session.look);
        gpu.queue.submit([encoder.finish()]);
        !known
    }

    fn resize(&mut self, gpu: &Gpu, size: [u32; 2]) {
        use wgpu::TextureUsages as Usages;
        let usage = Usages::RENDER_ATTACHMENT | Usages::TEXTURE_BINDING | Usages::COPY_SRC;
        let texture = plain(&gpu.device, "picture", size, self.format, usage);
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        let id = self.id();
        let id = (!self.copies).then(|| self.sheets.name(gpu, &view, id));
        self.picture = Some(Picture { texture, view, id, size });
    }

    /// When one more frame is due for the panel: see [`SheetPainter::due`].
    pub fn sheet_due(&self) -> Option<Instant> {
        self.sheets.due()
    }

    /// Draws what egui shows on a surface's texture, over the picture of the flock in its upper left corner.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn draw_sheet(&mut self, gpu: &Gpu, target: &wgpu::Texture, sheet: Sheet) -> Result<(), EngineError> {
        let picture = self.picture.as_ref().filter(|_| self.copies).map(|picture| &picture.texture);
        self.sheets.draw(gpu, target, sheet, picture)
    }
}
