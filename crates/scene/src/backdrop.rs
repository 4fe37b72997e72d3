//! The background without the boids, kept from picture to picture: it changes only when the camera turns, and with the
//! light of dusk.
//!
//! On a software adapter the sky takes longer than the flock, so it is drawn once per view and then read.

use wgpu::{BindingResource, Device, TextureUsages as Usages};

use super::pipelines::{Background, Passes};
use super::resources::{BACKDROP_FORMAT, BLACK, begin_pass, texture};
use super::{Camera, FrameContext};

/// Sine of the angle above and below the horizon within which land and its reflection lie.
const LAND_HEIGHT: f32 = 0.06;

/// The inputs of a backdrop: the picture's axes, with the light of dusk after the second; the size of a pixel, the
/// background.
type BackdropKey = ([[f32; 4]; 3], f32, Background);

/// The backdrop of pictures of one size.
#[derive(Debug)]
pub(super) struct Backdrop {
    pub texture: wgpu::Texture,
    seen: Option<BackdropKey>,
}

impl Backdrop {
    pub fn new(device: &Device, size: [u32; 2]) -> Self {
        let usage = Usages::RENDER_ATTACHMENT | Usages::TEXTURE_BINDING;
        Backdrop { texture: texture(device, "backdrop", size, 1, BACKDROP_FORMAT, usage), seen: None }
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
