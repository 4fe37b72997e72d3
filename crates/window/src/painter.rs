//! Draws the frames of a window: a trait, and the GPU, with the flock on its own texture and egui's output over it.
//!
//! The flock is redrawn only when the flock, the camera or the appearance has changed; otherwise the texture is copied
//! to the screen, so that the panel responds quickly even if drawing is slow. At half size the picture is enlarged to
//! another texture first. A software adapter takes longer for the panel's pixels than for a flock of 100,000: there the
//! part beside the picture is cached in a texture, redrawn at every input and otherwise a few times a second.

use std::time::Duration;

use egui::epaint::Primitive;
use egui::{ClippedPrimitive, Context, FullOutput, TextureId};
use egui_wgpu::{Renderer, RendererOptions, ScreenDescriptor};
use web_time::Instant;
use wgpu::Texture;
use wgpu::util::{TextureBlitter, TextureBlitterBuilder};

use super::frame::{Boids, Frame};
use super::session::rival::Rival;
use super::session::{PictureKey, Session};
use super::surface::Screen;
use engine::contained::contain;
use engine::{EngineError, Result};
use files::{beside, halves};
use gpu::Gpu;
use gpu::buffers::{Instances, Uploaded};
use scene::offscreen::Offscreen;
use scene::{BLACK, FrameInput, Scene, begin_pass, canvas, texture, view_of};

/// Lifetime of the cached part without input.
const CACHE_LIFETIME: Duration = Duration::from_millis(400);
/// Time after an input during which the cached part is redrawn in every frame: the touched widget may still be moving.
const AFTER_INPUT: Duration = Duration::from_millis(300);

/// The backend that draws the frames of a window, a GPU, or WebGL2 on a page without one: `begin`, the flock, egui's output, `present`.
pub trait Paint {
    /// The GPU that draws, if there is one.
    fn gpu(&self) -> Option<&Gpu>;

    /// Name of the backend, for the user.
    fn name(&self) -> String {
        self.gpu().map_or_else(|| "WebGL2".to_owned(), Gpu::name)
    }

    /// Adapts to the window's size.
    fn resize(&mut self) {}

    /// Begins a frame; if there is nothing to draw on, returns the time until the next attempt.
    ///
    /// # Errors
    /// When the device is lost, or a lost surface cannot be recreated.
    fn begin(&mut self) -> Result<Option<Duration>>;

    /// The texture with the picture of the flock, if egui draws it.
    fn picture(&self) -> Option<TextureId> {
        None
    }

    /// Draws the picture of the flock at a size in pixels. True if its texture is new to egui: another frame is due.
    ///
    /// # Errors
    /// When the device fails.
    fn draw_flock(&mut self, session: &Session, size: [u32; 2]) -> Result<bool>;

    /// The pixels of the flock just drawn, row by row from the top; `None` if a GPU can draw them again.
    fn pixels(&self, _size: [u32; 2]) -> Option<Vec<u8>> {
        None
    }

    /// Draws egui's output over the picture in the upper left corner. `touched` is true after input. Returns the time
    /// of another frame if one is due.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    fn draw_panel(&mut self, ctx: &Context, output: FullOutput, touched: bool) -> Result<Option<Instant>>;

    /// Shows the frame.
    fn present(&mut self) {}
}

/// The input of the view's picture on a GPU. A flock in memory is uploaded first.
pub fn drawn<'a>(gpu: &Gpu, session: &'a Session, uploaded: &'a mut Uploaded) -> Result<FrameInput<'a>> {
    Ok(shown(session, in_buffers(gpu, &session.frame().boids, uploaded)?))
}

/// The boids in a GPU's buffers; those in memory are uploaded first.
fn in_buffers<'a>(gpu: &Gpu, boids: &'a Boids, uploaded: &'a mut Uploaded) -> Result<&'a Instances> {
    match boids {
        Boids::Device(instances) => Ok(instances),
        Boids::Host(boids) => uploaded.write(gpu, boids),
    }
}

/// The input of the picture of the flock beside it.
///
/// # Errors
/// When the device fails.
pub fn drawn_rival<'a>(
    gpu: &Gpu,
    session: &'a Session,
    rival: &'a Rival,
    uploaded: &'a mut Uploaded,
) -> Result<FrameInput<'a>> {
    let frame = &rival.playback.frame;
    let instances = in_buffers(gpu, &frame.boids, uploaded)?;
    Ok(FrameInput {
        predators: &frame.predators,
        parameters: &rival.parameters,
        centre: marked_centre(session, frame),
        explained: None,
        step: frame.step,
        ..shown(session, instances)
    })
}

/// Pictures of a view off screen, of one flock or of two side by side.
#[derive(Debug)]
pub struct Offscreens {
    size: [u32; 2],
    left: (Offscreen, Uploaded),
    right: Option<(Offscreen, Uploaded)>,
}

impl Offscreens {
    /// Pictures of this size in pixels.
    ///
    /// # Errors
    /// When the device cannot hold them.
    pub fn new(gpu: &Gpu, session: &Session, size: [u32; 2]) -> Result<Self> {
        let [width, height] = size;
        let one = |width| Ok::<_, EngineError>((Offscreen::new(gpu, [width, height])?, Uploaded::default()));
        let [left, right] = halves(width);
        Ok(match session.rival {
            Some(_) if width > 1 => Offscreens { size, left: one(left)?, right: Some(one(right)?) },
            _ => Offscreens { size, left: one(width)?, right: None },
        })
    }

    /// Draws the view; [`Offscreens::read`] returns the picture.
    ///
    /// # Errors
    /// When the device fails.
    pub fn begin(&mut self, gpu: &Gpu, session: &Session) -> Result<()> {
        let (offscreen, uploaded) = &mut self.left;
        offscreen.begin(&drawn(gpu, session, uploaded)?);
        if let (Some((offscreen, uploaded)), Some(rival)) = (&mut self.right, &session.rival) {
            offscreen.begin(&drawn_rival(gpu, session, rival, uploaded)?);
        }
        Ok(())
    }

    /// The picture: 4 bytes a pixel, row by row from the top.
    ///
    /// # Errors
    /// When the device fails.
    pub fn read(&self) -> Result<Vec<u8>> {
        let left = self.left.0.read()?;
        match &self.right {
            Some((right, _)) => Ok(beside(&left, &right.read()?, self.size)),
            None => Ok(left),
        }
    }
}

/// The input of the view's picture, with the given boids.
pub fn shown<B>(session: &Session, instances: B) -> FrameInput<'_, B> {
    let frame = session.frame();
    // A camera that flies along with a bird moves from step to step, so nothing is interpolated.
    let behind = if session.eye.companion().is_none() { session.playback.behind } else { 0.0 };
    let shift = behind * session.document.parameters.motion.time_step;
    FrameInput {
        instances,
        predators: &frame.predators,
        parameters: &session.document.parameters,
        centre: marked_centre(session, frame),
        explained: session.explained(),
        step: frame.step,
        shift: -shift as f32,
        camera: &session.eye.camera,
        look: &session.eye.look,
    }
}

/// The centre of the flock of a frame, if it is marked.
fn marked_centre(session: &Session, frame: &Frame) -> Option<[f32; 3]> {
    frame.summary.map(|summary| summary.centre).filter(|_| session.eye.mark_centre)
}

/// The picture of the flock beside the first, and both side by side.
struct RivalPicture {
    scene: Scene,
    uploaded: Uploaded,
    both: Texture,
}

/// A GPU that draws the flock and egui's output on a window.
pub struct Painter {
    scene: Scene,
    /// The picture at full size and its scaling pass, if the view is drawn at half size.
    enlarged: Option<(Texture, TextureBlitter)>,
    uploaded: Uploaded,
    /// The picture of the flock beside it, and both.
    rival: Option<RivalPicture>,
    /// The inputs of the picture.
    seen: Option<PictureKey>,
    renderer: Renderer,
    /// True if the picture is copied to the screen; otherwise egui draws it.
    copies: bool,
    /// The picture's texture in egui, if egui draws it.
    id: Option<TextureId>,
    /// The cached part beside the picture, and when it was drawn.
    kept: Option<(Texture, Instant)>,
    /// Time until which it is drawn in every frame.
    live: Instant,
    screen: Screen,
}

impl Paint for Painter {
    fn gpu(&self) -> Option<&Gpu> {
        Some(&self.screen.gpu)
    }

    fn resize(&mut self) {
        self.screen.resize();
    }

    fn begin(&mut self) -> Result<Option<Duration>> {
        self.screen.acquire()
    }

    fn picture(&self) -> Option<TextureId> {
        self.id
    }

    fn draw_flock(&mut self, session: &Session, size: [u32; 2]) -> Result<bool> {
        let gpu = self.screen.gpu.clone();
        let size = size.map(|side| side.clamp(1, gpu.limits.max_texture_dimension_2d));
        let known = self.copies || self.id.is_some();
        if let Some(rival) = &session.rival {
            return self.draw_both(session, rival, size).map(|()| !known);
        }
        self.rival = None;
        // The browser records the page's own canvas, so a film needs full size there.
        let filmed = cfg!(target_arch = "wasm32") && session.controls.film_wanted;
        let half = session.eye.detail.half(session.playback.playing) && !filmed;
        let drawn_size = if half { size.map(|side| side.div_ceil(2)) } else { size };
        let resized = sides(self.shown()) != size || self.scene.size() != drawn_size;
        let format = self.scene.target.format();
        if resized {
            self.scene.resize(drawn_size);
            let enlarged = || gpu.create(|device| (canvas(device, format, size), blitter(device, format)));
            self.enlarged = half.then(enlarged).transpose()?;
            self.register();
        }
        if self.has_news(session, resized) {
            self.scene.paint(&drawn(&gpu, session, &mut self.uploaded)?);
            if let Some((enlarged, blitter)) = &self.enlarged {
                let mut encoder = gpu.encoder();
                let [from, to] = [&self.scene.target, enlarged].map(view_of);
                blitter.copy(&gpu.device, &mut encoder, &from, &to);
                gpu.queue.submit([encoder.finish()]);
            }
        }
        Ok(!known)
    }

    fn draw_panel(&mut self, ctx: &Context, output: FullOutput, touched: bool) -> Result<Option<Instant>> {
        let FullOutput { mut textures_delta, shapes, pixels_per_point, .. } = output;
        let Some(target) = self.screen.target() else {
            textures_delta.clear();
            return Ok(None);
        };
        let gpu = &self.screen.gpu;
        for (id, deltas) in &textures_delta.set {
            for delta in deltas {
                self.renderer.update_texture(&gpu.device, &gpu.queue, *id, delta);
            }
        }
        if touched {
            self.live = Instant::now() + AFTER_INPUT;
        }
        let jobs = ctx.tessellate(shapes, pixels_per_point);
        let due = self.draw(&target, pixels_per_point, &jobs);
        for id in &textures_delta.free {
            self.renderer.free_texture(id);
        }
        // egui asserts that the delta was applied and cleared.
        textures_delta.clear();
        due
    }

    fn present(&mut self) {
        self.screen.present();
    }
}

impl Painter {
    /// Prepares to draw on a screen.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn new(screen: Screen) -> Result<Self> {
        let (gpu, format) = (&screen.gpu, screen.config.format);
        let renderer = || gpu.create(|device| Renderer::new(device, format, RendererOptions::default()));
        Ok(Painter {
            scene: Scene::new(gpu, format, [1, 1], gpu.hardware())?,
            enlarged: None,
            uploaded: Uploaded::default(),
            rival: None,
            seen: None,
            renderer: renderer()?,
            copies: screen.config.usage.contains(wgpu::TextureUsages::COPY_DST),
            id: None,
            kept: None,
            live: Instant::now(),
            screen,
        })
    }

    /// True if the inputs of the picture are others than at the last call, or its size is.
    fn has_news(&mut self, session: &Session, resized: bool) -> bool {
        let key = session.picture_key();
        let news = resized || key.is_some() && key != self.seen;
        if news {
            self.seen = key;
        }
        news
    }

    /// The picture of the flock, at the size of the view.
    fn shown(&self) -> &Texture {
        match (&self.rival, &self.enlarged) {
            (Some(rival), _) => &rival.both,
            (None, Some((enlarged, _))) => enlarged,
            (None, None) => &self.scene.target,
        }
    }

    /// Registers another picture with egui, if egui draws it.
    fn register(&mut self) {
        if self.copies {
            return;
        }
        let device = &self.screen.gpu.device;
        let (view, filter) = (view_of(self.shown()), wgpu::FilterMode::Nearest);
        match self.id {
            Some(id) => self.renderer.update_egui_texture_from_wgpu_texture(device, &view, filter, id),
            None => self.id = Some(self.renderer.register_native_texture(device, &view, filter)),
        }
    }

    /// Draws two flocks side by side, at full size.
    fn draw_both(&mut self, session: &Session, rival: &Rival, size: [u32; 2]) -> Result<()> {
        let gpu = self.screen.gpu.clone();
        let [width, height] = size;
        let widths = halves(width);
        let resized = self.rival.as_ref().is_none_or(|picture| sides(&picture.both) != size);
        if resized {
            let format = self.scene.target.format();
            let usage = wgpu::TextureUsages::COPY_DST
                | wgpu::TextureUsages::COPY_SRC
                | wgpu::TextureUsages::TEXTURE_BINDING;
            self.enlarged = None;
            self.scene.resize([widths[0], height]);
            let scene = Scene::new(&gpu, format, [widths[1], height], gpu.hardware())?;
            let both = gpu.create(|device| texture(device, "both flocks", size, 1, format, usage))?;
            self.rival = Some(RivalPicture { scene, uploaded: Uploaded::default(), both });
            self.register();
        }
        if !self.has_news(session, resized) {
            return Ok(());
        }
        let Some(picture) = &mut self.rival else { return Ok(()) };
        self.scene.paint(&drawn(&gpu, session, &mut self.uploaded)?);
        picture.scene.paint(&drawn_rival(&gpu, session, rival, &mut picture.uploaded)?);
        let mut encoder = gpu.encoder();
        let mut left = 0;
        for scene in [&self.scene, &picture.scene] {
            let mut to = picture.both.as_image_copy();
            to.origin.x = left;
            let part = wgpu::Extent3d { width: scene.size()[0].min(width - left), ..scene.target.size() };
            encoder.copy_texture_to_texture(scene.target.as_image_copy(), to, part);
            left += part.width;
        }
        gpu.queue.submit([encoder.finish()]);
        Ok(())
    }

    /// Draws egui's output on a surface's texture, over the picture of the flock in its upper left corner. Returns when
    /// another frame is due: a cached part may be older than egui's output, and a sleeping window would keep showing
    /// it.
    fn draw(&mut self, target: &Texture, scale: f32, jobs: &[ClippedPrimitive]) -> Result<Option<Instant>> {
        if !self.copies {
            return self.render(target, scale, jobs, &[]).map(|()| None);
        }
        // The sizes may differ by a pixel or two while the window is being resized.
        let width = self.shown().width().min(target.width());
        let picture = (self.shown().clone(), 0, width);
        if self.screen.gpu.hardware() || width == target.width() {
            return self.render(target, scale, jobs, &[picture]).map(|()| None);
        }
        let (beside, over) = parted(jobs, width as f32 / scale);
        let now = Instant::now();
        let kept = self.kept.take().filter(|(texture, _)| texture.size() == target.size());
        let (mut drawn, mut due) = (now, None);
        let texture = match kept {
            Some((texture, before)) if self.live <= now && now < before + CACHE_LIFETIME => {
                (drawn, due) = (before, Some(before + CACHE_LIFETIME));
                texture
            }
            old => {
                let texture = old.map_or_else(|| like(&self.screen.gpu, target), |(texture, _)| texture);
                self.render(&texture, scale, &beside, &[])?;
                texture
            }
        };
        self.kept = Some((texture.clone(), drawn));
        self.render(target, scale, &over, &[picture, (texture, width, target.width())])?;
        Ok(due)
    }

    /// Copies columns `from..to` of textures to the target, and draws the jobs over them.
    fn render(
        &mut self,
        target: &Texture,
        pixels_per_point: f32,
        jobs: &[ClippedPrimitive],
        copies: &[(Texture, u32, u32)],
    ) -> Result<()> {
        let (gpu, size_in_pixels) = (&self.screen.gpu, sides(target));
        let screen = ScreenDescriptor { size_in_pixels, pixels_per_point };
        let mut encoder = gpu.encoder();
        // egui panics if the device has no memory for its buffers, as a lost device has none.
        let before =
            contain(|| self.renderer.update_buffers(&gpu.device, &gpu.queue, &mut encoder, jobs, &screen));
        let Some(before) = before else {
            let lost = gpu.check_now();
            return lost.and_then(|()| Err(gpu.error("out of memory")));
        };
        for (texture, first, last) in copies {
            let origin = wgpu::Origin3d { x: *first, y: 0, z: 0 };
            let (width, height) = (last - first, texture.height().min(target.height()));
            let [from, to] = [texture, target]
                .map(|texture| wgpu::TexelCopyTextureInfo { origin, ..texture.as_image_copy() });
            let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
            encoder.copy_texture_to_texture(from, to, size);
        }
        let load = if copies.is_empty() { BLACK } else { wgpu::LoadOp::Load };
        let pass = begin_pass(&mut encoder, "panel", &[target], load);
        self.renderer.render(&mut pass.forget_lifetime(), jobs, &screen);
        gpu.queue.submit(before.into_iter().chain([encoder.finish()]));
        Ok(())
    }
}

/// Creates the pass that scales a picture to the size of the view.
fn blitter(device: &wgpu::Device, format: wgpu::TextureFormat) -> TextureBlitter {
    TextureBlitterBuilder::new(device, format).sample_type(wgpu::FilterMode::Linear).build()
}

/// Width and height in pixels.
fn sides(texture: &Texture) -> [u32; 2] {
    [texture.width(), texture.height()]
}

/// A texture with the size and the format of the target, to cache a part of it.
fn like(gpu: &Gpu, target: &Texture) -> Texture {
    let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
    texture(&gpu.device, "kept panel", sides(target), 1, target.format(), usage)
}

/// Splits the jobs into those beyond the edge and the others. Jobs after a popup across the edge belong with it.
fn parted(jobs: &[ClippedPrimitive], edge: f32) -> (Vec<ClippedPrimitive>, Vec<ClippedPrimitive>) {
    let mut covered = false;
    jobs.iter().cloned().partition(|job| {
        let drawn = match &job.primitive {
            Primitive::Mesh(mesh) => mesh.calc_bounds(),
            Primitive::Callback(callback) => callback.rect,
        };
        let seen = drawn.intersect(job.clip_rect);
        covered |= seen.left() <= edge - 1.0 && seen.right() > edge + 1.0;
        !covered && seen.left() > edge - 1.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use egui::{Color32, Mesh, Rect, pos2};

    #[test]
    fn jobs_are_parted_by_where_they_begin_and_what_a_popup_holds_stays_on_it() {
        let job = |mesh: [f32; 2], clip: f32| {
            let mut drawn = Mesh::default();
            let rect = |[left, right]: [f32; 2]| Rect::from_min_max(pos2(left, 0.0), pos2(right, 9.0));
            drawn.add_colored_rect(rect(mesh), Color32::WHITE);
            ClippedPrimitive { clip_rect: rect([clip, 900.0]), primitive: Primitive::Mesh(drawn) }
        };
        let lefts = |jobs: Vec<ClippedPrimitive>| -> Vec<f32> {
            let left = |job: ClippedPrimitive| match job.primitive {
                Primitive::Mesh(mesh) => mesh.calc_bounds().left(),
                Primitive::Callback(_) => panic!("a mesh"),
            };
            jobs.into_iter().map(left).collect()
        };
        // The panel, a clipped field of it, the view with its tab; then a popup over both, and a picture in that.
        let jobs = [job([640.0, 900.0], 0.0), job([0.0, 900.0], 640.0), job([0.0, 640.0], 0.0)];
        let (beside, over) = parted(&jobs, 640.0);
        assert_eq!((lefts(beside), lefts(over)), (vec![640.0, 0.0], vec![0.0]));
        let jobs = [job([641.0, 900.0], 0.0), job([600.0, 900.0], 0.0), job([700.0, 800.0], 0.0)];
        let (beside, over) = parted(&jobs, 640.0);
        assert_eq!((lefts(beside), lefts(over)), (vec![641.0], vec![600.0, 700.0]));
    }
}
