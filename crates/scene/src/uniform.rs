//! The uniform of the drawing shaders: view, look and flock. Twin of `shaders/view/common.wgsl`.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use super::coverage::Grid;
use super::resources::buffer;
use super::{Camera, FrameInput, Scenery, drawn_scenery, one_speed};

/// `struct View` of the shaders.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct ViewUniform {
    pub view_projection: [[f32; 4]; 4],
    pub right: [f32; 4],
    pub up: [f32; 4],
    pub forward: [f32; 4],
    pub eye: [f32; 4],
    pub light: [f32; 4],
    pub centre: [f32; 4],
    pub scale: [f32; 4],
    pub measure: [f32; 4],
    pub boid: [f32; 4],
    pub grid: [f32; 4],
    pub mode: [u32; 4],
    pub counts: [u32; 4],
    pub bank: [f32; 4],
    pub before: [[f32; 4]; 4],
}

/// Minimum length of a drawn boid in pixels, so that far boids do not flicker.
const MIN_PIXELS: f32 = 1.4;
/// A bird's span over the length of a boid.
const WING_SPAN: f32 = 1.4;

/// Density of the haze in water and on paper relative to air.
const WATER_HAZE: f32 = 1.6;
const PAPER_HAZE: f32 = 0.5;

impl ViewUniform {
    pub(super) fn new<B>(drawn: &FrameInput<'_, B>, size: [u32; 2], grid: &Grid, srgb_target: bool) -> Self {
        let FrameInput { parameters, camera, look, .. } = drawn;
        let aspect = size[0] as f32 / size[1].max(1) as f32;
        let slope = camera.slope();
        let (min, max) = (parameters.world.min, parameters.world.max);
        let centre = std::array::from_fn(|k| (0.5 * (min[k] + max[k])) as f32);
        let scale = std::array::from_fn(|k| (2.0 / (max[k] - min[k]).max(1e-9)) as f32);
        let haze = match look.scenery {
            Scenery::Water => WATER_HAZE,
            Scenery::Paper => PAPER_HAZE,
            Scenery::Dusk | Scenery::Cones => 1.0,
        };
        let (slow, fast) = (parameters.motion.min_speed, parameters.motion.max_speed);
        // At one speed, rounding would spread the boids over all colours.
        let spread = if one_speed(parameters) { 0.0 } else { 1.0 / (fast - slow) };
        ViewUniform {
            view_projection: camera.view_projection(aspect).to_cols_array_2d(),
            right: (camera.right() * (slope * aspect)).extend(ripple_time(drawn.moment())).to_array(),
            up: (camera.up() * slope).extend(look.light_at(drawn.moment())).to_array(),
            forward: camera.forward().extend(camera.distance).to_array(),
            eye: camera.eye().extend(camera.pixel(grid.sides[1])).to_array(),
            light: light(camera).extend(look.fog * haze).to_array(),
            centre: Vec3::from(centre).extend(0.0).to_array(),
            scale: Vec3::from(scale).extend(0.0).to_array(),
            measure: [slow as f32, spread as f32, 1.0 / look.typical_neighbours.max(1e-3), drawn.shift],
            boid: [look.size, if camera.flat { 0.62 } else { 0.36 }, MIN_PIXELS, WING_SPAN],
            grid: [grid.sides[0] as f32, grid.sides[1] as f32, grid.units, grid.mesh_pixels],
            mode: [
                look.colour as u32,
                u32::from(camera.flat),
                u32::from(srgb_target),
                drawn_scenery(look.scenery, camera.flat) as u32,
            ],
            counts: [grid.block.ilog2(), grid.most_meshes, beats(drawn.moment()), grid.stride()],
            bank: [0.0; 4],
            before: [[0.0; 4]; 4],
        }
    }

    /// A buffer of this size for a uniform.
    pub(super) fn buffer(device: &wgpu::Device) -> wgpu::Buffer {
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        buffer(device, "view", size_of::<Self>() as u64, usage)
    }

    /// The grid of the coverage.
    pub(super) fn covering(&self) -> Grid {
        let ([width, height, units, mesh_pixels], [block, most_meshes, ..]) = (self.grid, self.counts);
        Grid {
            sides: [width as u32, height as u32],
            block: 1 << block,
            words: if self.dusk() { 2 } else { 4 },
            units,
            mesh_pixels,
            most_meshes,
        }
    }

    /// True if birds are drawn before a bright sky.
    pub fn dusk(&self) -> bool {
        self.mode[3] == Scenery::Dusk as u32
    }
}

/// Phase of the wing beats in 256ths of a step, modulo 64 steps, which is a whole number of beats.
fn beats(moment: f64) -> u32 {
    (256.0 * moment.rem_euclid(64.0)) as u32
}

/// Time of the ripples in turns: each wave has a whole number of periods in a turn of 4096 steps.
fn ripple_time(moment: f64) -> f32 {
    (moment / 4096.0).rem_euclid(1.0) as f32
}

/// Direction towards the light. In space the light is high behind the viewer's left shoulder for every camera
/// direction, so that shapes are always recognisable; on a plane it comes from the upper left, out of the picture.
fn light(camera: &Camera) -> Vec3 {
    if camera.flat {
        return Vec3::new(-0.45, -0.55, -0.70).normalize();
    }
    let back = -camera.forward();
    (Vec3::Z * 0.9 - camera.right() * 0.55 + Vec3::new(back.x, back.y, 0.0) * 0.5).normalize()
}
