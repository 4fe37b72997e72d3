//! The exposure: a gain on the coverage in each tile of a picture, so that the inside of a deep flock is visible.
//!
//! ```text
//! ink ─▶ depths, by tile ─┬─▶ the deepest, slowly ─┬─▶ gains, by corner ─▶ what shows the ink
//!                         └────────────────────────┘
//! ```
//!
//! A sparse flock has gains of 1. Tiles are counted as integers, so a picture has the same bits every time.

use wgpu::{BindingResource, BufferUsages, Device, TextureUsages as Usages};

use super::FrameInput;
use super::coverage::Grid;
use super::pipelines::{Passes, bind};
use super::resources::{DEPTHS_FORMAT, GAINS_FORMAT, buffer, texture, view_of};

/// Grid pixels along a side of a tile, as in `shaders/view/exposure.wgsl`.
const TILE: u32 = 8;
/// Decay of an exposure per step: it adapts within a second.
const LEFT: f32 = 0.97;

/// The textures of pictures of one size.
#[derive(Debug)]
pub(super) struct Exposure {
    depths: wgpu::Texture,
    /// Gains on the coverage, by corner of tiles.
    pub gains: wgpu::Texture,
    deepest: wgpu::Buffer,
    /// Time of the last picture, in steps.
    last: f64,
}

impl Exposure {
    pub fn new(device: &Device, grid: &Grid) -> Self {
        let tiles = grid.sides.map(|side| side.div_ceil(TILE));
        let layer = |label, sides, format| {
            texture(device, label, sides, 1, format, Usages::RENDER_ATTACHMENT | Usages::TEXTURE_BINDING)
        };
        let usage = BufferUsages::STORAGE | BufferUsages::UNIFORM;
        Exposure {
            depths: layer("depths", tiles, DEPTHS_FORMAT),
            gains: layer("gains", tiles.map(|side| side + 1), GAINS_FORMAT),
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

/// Decay of an exposure between two times in steps: steps, not seconds, so that films have the same bits on machines of
/// any speed. It is zero for the first picture and after a jump back: the exposure then adapts at once.
fn since(last: f64, now: f64) -> f32 {
    if last < now { LEFT.powf((now - last) as f32) } else { 0.0 }
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
