//! The layers of a picture besides its target: textures kept from picture to picture.
//!
//! The **backdrop** is the background without the boids. It changes only when the camera turns, and with the light of dusk:
//! on a software adapter the sky takes longer than the flock, so it is drawn once per view and then read.
//!
//! The **exposure** is a gain on the coverage in each tile of a picture, so that the inside of a deep flock is visible. A
//! sparse flock has gains of 1. Tiles are counted as integers, so a picture has the same bits every time.
//!
//! ```text
//! ink ─▶ depths, by tile ─┬─▶ the deepest, slowly ─┬─▶ gains, by corner ─▶ what shows the ink
//!                         └────────────────────────┘
//! ```
//!
//! The **trails** of the boids fade from picture to picture.
//!
//! ```text
//! backdrop ─────────┐
//! trails, faded ────┴─▶ what the scene draws as its backdrop
//! trails, faded, and the boids of this picture ─▶ the trails of the next one
//! ```
//!
//! Exposure and trails change by steps, not by time, so that films have the same bits on machines of any speed.

use wgpu::{
    BindingResource, BufferUsages, Device, Texture, TextureFormat, TextureUsages as Usages, TextureView,
};

use super::coverage::Grid;
use super::pipelines::{Background, Passes, bind};
use super::resources::{BACKDROP_FORMAT, BLACK, DEPTH_FORMAT, DEPTHS_FORMAT, GAINS_FORMAT, TRAILS_FORMAT};
use super::resources::{begin_pass, buffer, texture, view_of};
use super::{Camera, FrameContext, FrameInput, Scene, ViewUniform};

/// The textures besides the target, for pictures of one size.
#[derive(Debug)]
pub(super) struct Layers {
    pub backdrop: Backdrop,
    /// The coverage, as integers.
    pub ink: Texture,
    pub exposure: Exposure,
    /// `None` with one sample per pixel: then the scene draws on the target itself.
    pub colour: Option<TextureView>,
    pub depth: TextureView,
}

impl Layers {
    pub fn new(scene: &Scene, grid: &Grid) -> Self {
        let (device, size) = (&scene.gpu.device, scene.size());
        let attachment = |format| {
            let usage = Usages::RENDER_ATTACHMENT;
            view_of(&texture(device, "attachment", size, scene.samples, format, usage))
        };
        Layers {
            backdrop: Backdrop::new(device, size),
            ink: grid.ink(device),
            exposure: Exposure::new(device, grid),
            colour: (scene.samples > 1).then(|| attachment(scene.target.format())),
            depth: attachment(DEPTH_FORMAT),
        }
    }

    /// True if the textures fit pictures of this size.
    pub fn fit(&self, size: [u32; 2], grid: &Grid) -> bool {
        is_of(&self.backdrop.texture, size)
            && is_of(&self.ink, grid.sides)
            && self.ink.format() == grid.format()
    }
}

pub(super) fn is_of(texture: &Texture, size: [u32; 2]) -> bool {
    [texture.width(), texture.height()] == size
}

/// A texture that one pass fills and others read.
fn layer(device: &Device, label: &str, size: [u32; 2], format: TextureFormat) -> Texture {
    texture(device, label, size, 1, format, Usages::RENDER_ATTACHMENT | Usages::TEXTURE_BINDING)
}

/// Sine of the angle above and below the horizon within which land and its reflection lie.
const LAND_HEIGHT: f32 = 0.06;

/// The inputs of a backdrop: the picture's axes, with the light of dusk after the second; the size of a pixel, the
/// background.
type BackdropKey = ([[f32; 4]; 3], f32, Background);

/// The backdrop of pictures of one size.
#[derive(Debug)]
pub(super) struct Backdrop {
    pub texture: Texture,
    seen: Option<BackdropKey>,
}

impl Backdrop {
    pub fn new(device: &Device, size: [u32; 2]) -> Self {
        Backdrop { texture: layer(device, "backdrop", size, BACKDROP_FORMAT), seen: None }
    }

    /// Records the drawing of the backdrop if its inputs have changed.
    pub fn record(
        &mut self,
        passes: &mut Passes<'_>,
        view: &BindingResource<'_>,
        context: &FrameContext<'_>,
    ) {
        let FrameContext { drawn, uniform, .. } = context;
        let background = Background::of(drawn.look.scenery, drawn.camera.flat);
        let ([x, y, z, _], [u, v, w, _]) = (uniform.forward, uniform.right);
        let mut up = uniform.up;
        if !drawn.dusk() {
            up[3] = 0.0;
        }
        let seen = match background {
            // The same from everywhere: a camera that follows a flock on a plane moves in every picture.
            Background::Plane | Background::Paper => ([[0.0; 4]; 3], 0.0, background),
            _ => ([[u, v, w, 0.0], up, [x, y, z, 0.0]], uniform.eye[3], background),
        };
        if self.seen.replace(seen) == Some(seen) {
            return;
        }
        let [width, height] = [self.texture.width(), self.texture.height()];
        let mut pass = begin_pass(passes.encoder, "backdrop", &[&self.texture], BLACK);
        let mut draw = |background: Background, first: u32, last: u32| {
            if first < last {
                pass.set_scissor_rect(0, first, width, last - first);
                let pipeline = &passes.pipelines.backdrops[background as usize];
                pipeline.set(&mut pass, passes.device, std::slice::from_ref(view));
                pass.draw(0..3, 0..1);
            }
        };
        let [first, last] = match background {
            Background::Dusk => land_rows(drawn.camera, [width, height]),
            _ => [height; 2],
        };
        draw(background, 0, first);
        draw(Background::Land, first, last);
        draw(background, last, height);
    }
}

/// The first row of a picture whose pixels lie below the horizon.
pub(super) fn lake_row(camera: &Camera, height: u32) -> u32 {
    let horizon = -camera.forward().z / (camera.up().z * camera.slope()).max(1e-6);
    let row = (0.5 - 0.5 * horizon) * height as f32 - 0.5;
    row.ceil().clamp(0.0, height as f32) as u32
}

/// The range of rows of a picture in which land may be visible: first row, row after the last.
pub(super) fn land_rows(camera: &Camera, size: [u32; 2]) -> [u32; 2] {
    let (forward, up) = (camera.forward().z, camera.up().z * camera.slope());
    let aspect = size[0] as f32 / size[1].max(1) as f32;
    // The longest line of sight at depth 1, in a corner.
    let longest = (1.0 + camera.slope().powi(2) * (1.0 + aspect * aspect)).sqrt();
    let row = |height: f32| {
        let pointer = (height * longest - forward) / up.max(1e-6);
        (0.5 - 0.5 * pointer) * size[1] as f32
    };
    let rows = [row(LAND_HEIGHT).floor(), row(-LAND_HEIGHT).ceil()];
    rows.map(|row| row.clamp(0.0, size[1] as f32) as u32)
}

/// Grid pixels along a side of a tile, as in `shaders/view/exposure.wgsl`.
const TILE: u32 = 8;
/// Decay of an exposure per step: it adapts within a second.
const EXPOSURE_LEFT: f32 = 0.97;

/// The textures of pictures of one size.
#[derive(Debug)]
pub(super) struct Exposure {
    depths: Texture,
    /// Gains on the coverage, by corner of tiles.
    pub gains: Texture,
    deepest: wgpu::Buffer,
    /// Time of the last picture, in steps.
    last: f64,
}

impl Exposure {
    pub fn new(device: &Device, grid: &Grid) -> Self {
        let tiles = grid.sides.map(|side| side.div_ceil(TILE));
        let usage = BufferUsages::STORAGE | BufferUsages::UNIFORM;
        Exposure {
            depths: layer(device, "depths", tiles, DEPTHS_FORMAT),
            gains: layer(device, "gains", tiles.map(|side| side + 1), GAINS_FORMAT),
            deepest: buffer(device, "deepest", 16, usage),
            last: f64::INFINITY,
        }
    }

    /// Decay of the exposure since the last picture.
    pub fn left(&mut self, drawn: &FrameInput<'_>) -> f32 {
        let now = drawn.moment();
        since(std::mem::replace(&mut self.last, now), now)
    }

    /// Records the passes.
    pub fn record(&self, passes: &mut Passes<'_>, [view, ink]: [&BindingResource<'_>; 2], kind: usize) {
        let pipelines = passes.pipelines;
        let depths = view_of(&self.depths);
        let (depths, deepest) = (BindingResource::TextureView(&depths), self.deepest.as_entire_binding());
        passes.fill("depths", &[&self.depths], &pipelines.depths[kind], &[view, ink]);
        let mut pass = passes.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&pipelines.deepest);
        let layout = pipelines.deepest.get_bind_group_layout(0);
        pass.set_bind_group(0, &bind(passes.device, &layout, [view, &depths, &deepest]), &[]);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        passes.fill("gains", &[&self.gains], &pipelines.gains[kind], &[view, &depths, &deepest]);
    }
}

/// Decay of an exposure between two times in steps. It is zero for the first picture and after a jump back: the exposure
/// then adapts at once.
fn since(last: f64, now: f64) -> f32 {
    if last < now { EXPOSURE_LEFT.powf((now - last) as f32) } else { 0.0 }
}

/// The share of a trail that remains after its length in steps; `TRAIL_END` in `shaders/view/coverage.wgsl`.
const TRAIL_LEFT: f64 = 0.05;

/// The textures of pictures of one size.
#[derive(Debug)]
pub(super) struct Trails {
    /// The trails after the last picture, and the target for the next ones.
    trails: [Texture; 2],
    /// The backdrop with the trails before it.
    pub behind: Texture,
    /// Time of the last picture, in steps, and its view projection.
    last: Option<(f64, [[f32; 4]; 4])>,
    swept: Swept,
}

/// The stretch between two pictures, along which boids leave their trails.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Swept {
    /// Number of steps, at most a whole trail's.
    pub steps: f64,
    /// Decay of the trails before: 0 where they are cleared, and boids leave whole trails at once.
    pub left: f32,
    /// The view projection of the last picture.
    pub from: [[f32; 4]; 4],
}

impl Trails {
    pub fn new(device: &Device, size: [u32; 2]) -> Self {
        Trails {
            trails: [TRAILS_FORMAT; 2].map(|format| layer(device, "trails", size, format)),
            behind: layer(device, "trails", size, BACKDROP_FORMAT),
            last: None,
            swept: Swept::default(),
        }
    }

    /// The stretch since the last picture, and false if that had the same time and the same view, so that its trails
    /// are reused. After a jump back, and when the camera turns at a standstill, the trails are cleared.
    pub fn swept(&mut self, drawn: &FrameInput<'_>, uniform: &ViewUniform) -> (Swept, bool) {
        let (now, length) = (drawn.moment(), f64::from(drawn.look.trails));
        let side = uniform.view_projection;
        let (before, from) = self.last.replace((now, side)).unwrap_or((f64::INFINITY, side));
        let passed = now - before;
        if passed == 0.0 && from == side {
            return (self.swept, false);
        }
        self.swept = if passed > 0.0 {
            Swept { steps: passed.min(length), left: TRAIL_LEFT.powf(passed / length) as f32, from }
        } else {
            Swept { steps: length, left: 0.0, from: side }
        };
        (self.swept, true)
    }

    /// Records the pass, which reads the view, the ink, the gains and the backdrop.
    pub fn record(&mut self, passes: &mut Passes<'_>, read: &[BindingResource<'_>; 4], kind: usize) {
        let [old, new] = &self.trails;
        let (old, [view, ink, gains, backdrop]) = (view_of(old), read);
        let with_old = [view, ink, gains, backdrop, &BindingResource::TextureView(&old)];
        passes.fill("trails", &[new, &self.behind], &passes.pipelines.trails[kind], &with_old);
        self.trails.swap(0, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exposure_follows_by_steps_and_is_there_at_once_at_first() {
        for last in [f64::INFINITY, 8.0, 7.0] {
            assert_eq!(since(last, 7.0), 0.0);
        }
        let [one, four] = [1.0, 4.0].map(|steps| since(7.0, 7.0 + steps));
        assert!((one.powi(4) - four).abs() < 1e-6 && one < 1.0);
    }
}
