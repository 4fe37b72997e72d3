//! The compute pass that adds what boids cover of each pixel, and collects the boids that are drawn as meshes.
//!
//! ```text
//! positions, velocities, tags ─▶ coverage ─┬─▶ ink: integers a pixel ─▶ a texture that sky and obstacles show
//!                       banks, by id ◀─▶ ──┴─▶ near: the boids that are large in the picture ─▶ meshes
//! ```
//!
//! Integers are added by atomics. Their sums do not depend on the order, so a picture has the same bits every time,
//! also if its parts are covered elsewhere ([`PartCoverage`](super::PartCoverage)).

use flock::parameters::{MAX_SPHERES, Sphere};

use wgpu::{BindingResource, Buffer, BufferUsages as Usages, CommandEncoder, Device};

use super::mesh::Near;
use super::pipelines::{Shaders, bind};
use super::resources::{buffer, texture};
use gpu::Gpu;
use gpu::buffers::Instances;

/// Maximum number of boids drawn as meshes; the others are added to the coverage, whatever their size.
const MAX_MESHES: u32 = 1 << 18;
/// Maximum coverage of a pixel by one boid: at dusk, where layers add up, and otherwise.
const MAX_INK: [f64; 2] = [3.5, 1.0];
/// Minimum length, in pixels, of boids drawn as meshes if there are trails: only coverage leaves a trail.
const MESH_WITH_TRAILS: f32 = 160.0;
/// Maximum number of units per full coverage: integers below 2²⁴ are exact in f32.
const MAX_UNITS: f64 = 4_194_304.0;
/// Invocations per workgroup.
const GROUP: u64 = 64;

/// The grid of the coverage over a picture, and the limits of its boids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    /// Pixels of the grid across and down.
    pub sides: [u32; 2],
    /// Side of a grid pixel in pixels of the picture: 1, unless the picture is too large for the device.
    pub block: u32,
    /// Integers per pixel.
    pub words: u32,
    /// Units per full coverage.
    pub units: f32,
    /// Minimum length, in pixels, of boids drawn as meshes.
    pub mesh_pixels: f32,
    /// Maximum number of boids drawn as meshes.
    pub most_meshes: u32,
}

impl Grid {
    /// The grid for a picture of `size` pixels.
    pub fn new(gpu: &Gpu, size: [u32; 2], dusk: bool, trails: bool, boids: u32) -> Self {
        // A software adapter fills no pixel twice, so there only larger boids are faster as meshes.
        let mesh_pixels = match (gpu.hardware(), dusk) {
            _ if trails => MESH_WITH_TRAILS,
            (true, true) => 24.0,
            (true, false) => 9.0,
            (false, true) => 28.0,
            (false, false) => 14.0,
        };
        let (words, most_meshes) = (if dusk { 2 } else { 4 }, boids.min(MAX_MESHES));
        let mut grid =
            Grid { sides: size, block: 1, words, units: units(boids, dusk), mesh_pixels, most_meshes };
        while grid.bytes() > gpu.limits.max_storage_buffer_binding_size && grid.block < 64 {
            grid.block *= 2;
            grid.sides = size.map(|side| side.div_ceil(grid.block));
        }
        grid
    }

    /// Creates the texture that receives the sums.
    pub fn ink(&self, device: &Device) -> wgpu::Texture {
        use wgpu::TextureUsages as Usages;
        texture(device, "ink", self.sides, 1, self.format(), Usages::TEXTURE_BINDING | Usages::COPY_DST)
    }

    /// The format of [`Grid::ink`].
    pub fn format(&self) -> wgpu::TextureFormat {
        if self.words == 2 { wgpu::TextureFormat::Rg32Uint } else { wgpu::TextureFormat::Rgba32Uint }
    }

    /// Pixels from row to row: copies to textures require rows of a multiple of 256 bytes.
    pub fn stride(&self) -> u32 {
        self.sides[0].next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT / 8)
    }

    /// Number of integers in all pixels.
    pub fn length(&self) -> usize {
        self.stride() as usize * self.sides[1] as usize * self.words as usize
    }

    fn bytes(&self) -> u64 {
        4 * self.length() as u64
    }
}

/// Units per full coverage, such that the sum over all boids on one pixel fits 32 bits.
fn units(boids: u32, dusk: bool) -> f32 {
    let each = (f64::from(u32::MAX) / f64::from(boids.max(1)) - 1.0) / MAX_INK[usize::from(!dusk)];
    // The margin covers the rounding of products.
    (0.999 * each).clamp(1.0, MAX_UNITS) as f32
}

/// The pass and its buffers.
#[derive(Debug)]
pub(super) struct Coverage {
    pub gpu: Gpu,
    /// The pipelines for cones and for birds.
    pixels: [wgpu::ComputePipeline; 2],
    /// The integers of each pixel.
    pub sums: Buffer,
    /// The boids to draw as meshes.
    pub near: Buffer,
    /// The arguments of the indirect draw of `near`.
    pub draw: Buffer,
    /// The spheres that boids may hide behind.
    obstacles: Buffer,
    pub banks: Banks,
}

impl Coverage {
    pub fn new(gpu: &Gpu, shaders: &Shaders) -> Self {
        let device = &gpu.device;
        let pixels = |birds| shaders.compute("cover_pixels", &[("BIRDS", birds)]);
        let usage = Usages::STORAGE | Usages::INDIRECT | Usages::COPY_DST | Usages::COPY_SRC;
        let draw = buffer(device, "near boids to draw", 20, usage);
        let spheres = 16 * MAX_SPHERES as u64;
        let obstacles = buffer(device, "hiding obstacles", spheres, Usages::UNIFORM | Usages::COPY_DST);
        Coverage {
            gpu: gpu.clone(),
            pixels: [0.0, 1.0].map(pixels),
            sums: sums(device, 16),
            near: near(device, 1),
            draw,
            obstacles,
            banks: Banks::new(gpu),
        }
    }

    /// Clears the coverage for a picture; `indices` is the number of indices of the near boids' mesh.
    pub fn begin(&mut self, encoder: &mut CommandEncoder, spheres: &[Sphere], grid: &Grid, indices: u32) {
        self.fit(grid);
        self.write_draw(indices, 0);
        let mut hiding = [[0.0_f32; 4]; MAX_SPHERES];
        for (slot, sphere) in hiding.iter_mut().zip(spheres) {
            let [x, y, z] = sphere.position;
            *slot = [x, y, z, sphere.radius].map(|c| c as f32);
        }
        self.gpu.queue.write_buffer(&self.obstacles, 0, bytemuck::cast_slice(&hiding));
        encoder.clear_buffer(&self.sums, 0, Some(grid.bytes()));
    }

    /// Resizes the buffers for a picture.
    fn fit(&mut self, grid: &Grid) {
        let device = &self.gpu.device;
        if self.near.size() < u64::from(grid.most_meshes) * size_of::<Near>() as u64 {
            self.near = near(device, grid.most_meshes);
        }
        if self.sums.size() < grid.bytes() {
            self.sums = sums(device, grid.bytes());
        }
    }

    fn write_draw(&self, indices: u32, near: u32) {
        self.gpu.queue.write_buffer(&self.draw, 0, bytemuck::cast_slice(&[indices, near, 0, 0, 0]));
    }

    /// Records the pass over these boids.
    pub fn add(&self, encoder: &mut CommandEncoder, view: &Buffer, birds: bool, boids: &Instances) {
        let (Gpu { device, limits, .. }, pipeline) = (&self.gpu, &self.pixels[usize::from(birds)]);
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(pipeline);
        let first = bind(device, &pipeline.get_bind_group_layout(0), [&view.as_entire_binding()]);
        pass.set_bind_group(0, &first, &[]);
        // Maximum number of boids per binding; each binding starts at a multiple of 256 bytes.
        let groups = u64::from(limits.max_compute_workgroups_per_dimension);
        let most = (limits.max_storage_buffer_binding_size / 16).min(groups * groups * GROUP) / GROUP * GROUP;
        for first in (0..u64::from(boids.count)).step_by(most as usize) {
            let count = most.min(u64::from(boids.count) - first);
            let part = |buffer, stride: u64| {
                let (offset, size) = (first * stride, wgpu::BufferSize::new(count * stride));
                BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size })
            };
            let resources = [
                part(&boids.position, 16),
                part(&boids.velocity, 16),
                part(&boids.tag, 8),
                self.sums.as_entire_binding(),
                self.near.as_entire_binding(),
                self.draw.as_entire_binding(),
                self.obstacles.as_entire_binding(),
                self.banks.buffer.as_entire_binding(),
            ];
            let group = bind(device, &pipeline.get_bind_group_layout(1), &resources);
            pass.set_bind_group(1, &group, &[]);
            let across = count.div_ceil(GROUP).min(groups);
            pass.dispatch_workgroups(across as u32, count.div_ceil(GROUP).div_ceil(across) as u32, 1);
        }
    }

    /// Writes a coverage that was computed elsewhere; `indices` is the number of indices of the near boids' mesh.
    pub fn write(&mut self, grid: &Grid, (sums, near): (&[u32], &[Near]), indices: u32) {
        self.fit(grid);
        self.gpu.queue.write_buffer(&self.sums, 0, bytemuck::cast_slice(sums));
        self.gpu.queue.write_buffer(&self.near, 0, bytemuck::cast_slice(near));
        self.write_draw(indices, near.len() as u32);
    }

    /// Records the copy of the integers to the ink.
    pub fn show(&self, encoder: &mut CommandEncoder, grid: &Grid, ink: &wgpu::Texture) {
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(grid.stride() * grid.words * 4),
            rows_per_image: None,
        };
        let sums = wgpu::TexelCopyBufferInfo { buffer: &self.sums, layout };
        encoder.copy_buffer_to_texture(sums, ink.as_image_copy(), ink.size());
    }
}

/// Decay of the roll angle per step: a bird rolls within two wing beats.
const ROLL_LEFT: f64 = 0.95;

/// Turn per step, in radians, at which a bird banks by 45 degrees; it replaces gravity.
const DIAGONAL: f64 = 0.03;

/// Number of steps after which the level start hardly affects the roll angles: a seventh of its effect remains.
pub const SETTLING: u64 = 40;

/// Bytes per bird.
const BANK_BYTES: u64 = 8;

/// Roll angles of the birds in their turns, kept by id from frame to frame, and the step of the last frame.
///
/// An engine keeps only the current headings, so a turn is the change of heading since the last frame. It is counted in
/// steps, not in time, so that films have the same bits on machines of any speed.
#[derive(Debug)]
pub(super) struct Banks {
    /// `array<vec2<u32>>` by id; birds with ids beyond its end stay level.
    pub buffer: Buffer,
    last: Option<u64>,
    most: u64,
}

impl Banks {
    pub fn new(gpu: &Gpu) -> Self {
        Banks {
            buffer: banks(&gpu.device, 1),
            last: None,
            most: gpu.limits.max_storage_buffer_binding_size / BANK_BYTES,
        }
    }

    /// Resizes the buffer for this number of boids. After a change of size all birds start level.
    pub fn fit(&mut self, device: &Device, boids: u32) {
        let boids = u64::from(boids).clamp(1, self.most);
        if self.buffer.size() != BANK_BYTES * boids {
            (self.buffer, self.last) = (banks(device, boids), None);
        }
    }

    /// `View.bank` of the shader for a frame at `step`: decay of the roll angle since the last frame, and the roll
    /// tangent per radian of turn. After a jump back all birds start level.
    pub fn of(&mut self, step: u64) -> [f32; 4] {
        let [left, added] = roll_since(self.last.replace(step), step);
        [left, added, 0.0, 0.0]
    }
}

/// Decay of the roll angle from the frame at step `last` to that at `step`, and the roll tangent per radian of turn.
pub(super) fn roll_since(last: Option<u64>, step: u64) -> [f32; 2] {
    match last {
        Some(last) if last == step => [1.0, 0.0],
        Some(last) if last < step => {
            let steps = (step - last) as f64;
            let left = ROLL_LEFT.powf(steps);
            [left as f32, ((1.0 - left) / (DIAGONAL * steps)) as f32]
        }
        _ => [0.0, 0.0],
    }
}

fn sums(device: &Device, bytes: u64) -> Buffer {
    buffer(device, "sums", bytes, Usages::STORAGE | Usages::COPY_DST | Usages::COPY_SRC)
}

fn near(device: &Device, boids: u32) -> Buffer {
    let bytes = u64::from(boids.max(1)) * size_of::<Near>() as u64;
    let usage = Usages::STORAGE | Usages::VERTEX | Usages::COPY_SRC | Usages::COPY_DST;
    buffer(device, "near boids", bytes, usage)
}

fn banks(device: &Device, boids: u64) -> Buffer {
    buffer(device, "banks", BANK_BYTES * boids, Usages::STORAGE | Usages::COPY_SRC | Usages::COPY_DST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_boids_wraps_a_pixel() {
        for boids in [0, 1, 1000, 100_000, 16_000_000, 268_000_000, u32::MAX / 8] {
            for (dusk, most) in [(true, MAX_INK[0]), (false, MAX_INK[1])] {
                let units = f64::from(units(boids, dusk));
                // Each boid's share is rounded up at most by one.
                let all = (units * most + 1.0).floor() * f64::from(boids);
                assert!(all <= f64::from(u32::MAX), "{boids} boids, dusk {dusk}: {all}");
                assert!(units >= 1.0);
            }
        }
    }
    #[test]
    fn a_steady_turn_banks_by_its_rate_however_often_it_is_drawn() {
        for every in [1, 4] {
            let (mut bank, turn) = (0.0, 0.03 * every as f32);
            for step in (0..400).step_by(every) {
                let [left, added] = roll_since(Some(step), step + every as u64);
                bank = left * bank + added * turn;
            }
            assert!((bank - 1.0).abs() < 1e-4, "every {every}: {bank}");
        }
    }

    #[test]
    fn a_second_picture_of_a_step_changes_nothing_and_a_jump_back_begins_level() {
        assert_eq!(roll_since(Some(7), 7), [1.0, 0.0]);
        assert_eq!(roll_since(Some(8), 7), [0.0, 0.0]);
        assert_eq!(roll_since(None, 7), [0.0, 0.0]);
    }
}
