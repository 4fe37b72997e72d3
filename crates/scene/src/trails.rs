//! Trails of the boids: a texture that fades from picture to picture.
//!
//! ```text
//! backdrop ─────────┐
//! trails, faded ────┴─▶ what the scene draws as its backdrop
//! trails, faded, and the boids of this picture ─▶ the trails of the next one
//! ```
//!
//! Trails fade by steps, not by time, so that films have the same bits on machines of any speed.

use wgpu::{BindingResource, TextureUsages as Usages};

use super::pipelines::Passes;
use super::resources::{BACKDROP_FORMAT, TRAILS_FORMAT, texture, view_of};
use super::{FrameInput, ViewUniform};

/// The share of a trail that remains after its length in steps; `TRAIL_END` in `shaders/view/coverage.wgsl`.
const LEFT: f64 = 0.05;

/// The textures of pictures of one size.
#[derive(Debug)]
pub(super) struct Trails {
    /// The trails after the last picture, and the target for the next ones.
    trails: [wgpu::Texture; 2],
    /// The backdrop with the trails before it.
    pub behind: wgpu::Texture,
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
    pub fn new(device: &wgpu::Device, size: [u32; 2]) -> Self {
        let usage = Usages::RENDER_ATTACHMENT | Usages::TEXTURE_BINDING;
        let layer = |format| texture(device, "trails", size, 1, format, usage);
        Trails {
            trails: [TRAILS_FORMAT; 2].map(layer),
            behind: layer(BACKDROP_FORMAT),
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
            Swept { steps: passed.min(length), left: LEFT.powf(passed / length) as f32, from }
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
