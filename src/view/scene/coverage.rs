//! The compute pass that adds what boids cover of each pixel, and collects the boids that are drawn as meshes.
//!
//! ```text
//! positions, velocities, tags ─▶ coverage ─┬─▶ ink: integers a pixel ─▶ a texture that sky and obstacles show
//!                       banks, by id ◀─▶ ──┴─▶ near: the boids that are large in the picture ─▶ meshes
//! ```
//!
//! Integers are added by atomics. Their sums do not depend on the order, so a picture has the same bits every time.

use flock::parameters::MAX_SPHERES;

use super::Drawn;
use super::banks::Banks;
use super::shaders::{Near, entry, module};
use crate::view::texture::plain;
use gpu::Gpu;
use gpu::instances::Instances;

/// Most boids that are drawn as meshes; the others are added to the coverage, whatever their size.
const MOST_MESHES: u32 = 1 << 18;
/// The most that one boid adds to a pixel at dusk, where layers add up, and otherwise.
const MOST_INK: [f64; 2] = [3.5, 1.0];
/// Length in pixels of the boids that are meshes where trails are drawn: only what is covered leaves one.
const MESH_WITH_TRAILS: f32 = 160.0;
/// Units of a full coverage, at most: integers below 2²⁴ are exact in f32.
const MOST_UNITS: f64 = 4_194_304.0;
/// Invocations of a workgroup.
const GROUP: u64 = 64;

/// How the picture is divided for the coverage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    /// Pixels of the grid across and down.
    pub sides: [u32; 2],
    /// Pixels of the picture along a side of one of the grid: 1, unless the picture is too large for the device.
    pub block: u32,
    /// True if birds are drawn, else cones.
    pub dusk: bool,
    /// Integers a pixel.
    pub words: u32,
    /// Units of a full coverage.
    pub units: f32,
    /// Boids at least so many pixels long are drawn as meshes.
    pub mesh_pixels: f32,
    /// The most boids drawn as meshes.
    pub most_meshes: u32,
}

impl Grid {
    /// The grid of a picture of so many pixels.
    pub fn new(gpu: &Gpu, size: [u32; 2], dusk: bool, boids: u32) -> Self {
        let words = if dusk { 2 } else { 4 };
        let most = gpu.limits.max_storage_buffer_binding_size;
        let mut block = 1;
        let sides = |block: u32| size.map(|side| side.div_ceil(block));
        let bytes = |[width, height]: [u32; 2]| u64::from(stride(width)) * u64::from(height) * words * 4;
        while bytes(sides(block)) > most && block < 64 {
            block *= 2;
        }
        // A software adapter fills no pixel twice, so meshes pay later there.
        let mesh_pixels = match (gpu.hardware(), dusk) {
            (true, true) => 24.0,
            (true, false) => 9.0,
            (false, true) => 28.0,
            (false, false) => 14.0,
        };
        Grid {
            sides: sides(block),
            block,
            dusk,
            words: words as u32,
            units: units(boids, dusk),
            mesh_pixels,
            most_meshes: boids.min(MOST_MESHES),
        }
    }

    /// The same with nearly all boids covered, so that they leave trails.
    pub fn for_trails(self) -> Self {
        Grid { mesh_pixels: MESH_WITH_TRAILS, ..self }
    }

    /// Pixels from row to row.
    pub fn stride(&self) -> u32 {
        stride(self.sides[0])
    }

    fn bytes(&self) -> u64 {
        u64::from(self.stride()) * u64::from(self.sides[1]) * u64::from(self.words) * 4
    }
}

/// Pixels from row to row of a grid so many pixels wide: copies to textures require rows of a multiple of 256 bytes.
fn stride(width: u32) -> u32 {
    width.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT / 8)
}

/// Units of a full coverage: so many that all boids on one pixel do not exceed 32 bits.
fn units(boids: u32, dusk: bool) -> f32 {
    let each = (f64::from(u32::MAX) / f64::from(boids.max(1)) - 1.0) / MOST_INK[usize::from(!dusk)];
    // A little less, for the rounding of products.
    (0.999 * each).clamp(1.0, MOST_UNITS) as f32
}

/// The pass and its buffers.
#[derive(Debug)]
pub(super) struct Coverage {
    /// For birds at dusk, and for cones.
    pipelines: [wgpu::ComputePipeline; 2],
    view_group: wgpu::BindGroup,
    layout: wgpu::BindGroupLayout,
    ink: wgpu::Buffer,
    /// The copy of the ink that is drawn.
    shown: wgpu::Texture,
    near: wgpu::Buffer,
    /// The arguments of the indirect draw of `near`.
    pub draw: wgpu::Buffer,
    obstacles: wgpu::Buffer,
    pub banks: Banks,
    most_binding: u64,
    most_groups: u64,
}

impl Coverage {
    /// True if a device can do it.
    pub fn possible(gpu: &Gpu) -> bool {
        let needed = wgpu::DownlevelFlags::COMPUTE_SHADERS | wgpu::DownlevelFlags::INDIRECT_EXECUTION;
        gpu.adapter.get_downlevel_capabilities().flags.contains(needed)
            && gpu.limits.max_storage_buffers_per_shader_stage >= 7
            && gpu.limits.max_compute_invocations_per_workgroup >= GROUP as u32
    }

    pub fn new(gpu: &Gpu, view: &wgpu::Buffer) -> Self {
        use wgpu::{BufferBindingType as Type, BufferUsages as Usages, ShaderStages as Stages};
        let device = &gpu.device;
        let layout = |label, entries: &[wgpu::BindGroupLayoutEntry]| {
            device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: Some(label), entries })
        };
        let view_layout = layout("view", &[entry(0, Stages::COMPUTE, Type::Uniform)]);
        let storage = |binding, read_only| entry(binding, Stages::COMPUTE, Type::Storage { read_only });
        let layout = layout(
            "coverage",
            &[
                storage(0, true),
                storage(1, true),
                storage(2, true),
                storage(3, false),
                storage(4, false),
                storage(5, false),
                entry(6, Stages::COMPUTE, Type::Uniform),
                storage(7, false),
            ],
        );
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("coverage"),
            bind_group_layouts: &[Some(&view_layout), Some(&layout)],
            immediate_size: 0,
        });
        let shader = module(device, "coverage");
        let pipelines = [1.0, 0.0].map(|birds| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("coverage"),
                layout: Some(&pipeline_layout),
                module: &shader,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &[("BIRDS", birds)],
                    ..wgpu::PipelineCompilationOptions::default()
                },
                cache: None,
            })
        });
        let view_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("view"),
            layout: &view_layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: view.as_entire_binding() }],
        });
        let draw = Usages::STORAGE | Usages::INDIRECT | Usages::COPY_DST;
        Coverage {
            pipelines,
            view_group,
            layout,
            ink: ink(device, 16),
            shown: shown(device, [1, 1], 2),
            near: near(device, 1),
            draw: buffer(device, "near boids to draw", 20, draw),
            obstacles: buffer(
                device,
                "hiding obstacles",
                16 * MAX_SPHERES as u64,
                Usages::UNIFORM | Usages::COPY_DST,
            ),
            banks: Banks::new(gpu),
            most_binding: gpu.limits.max_storage_buffer_binding_size,
            most_groups: u64::from(gpu.limits.max_compute_workgroups_per_dimension),
        }
    }

    /// The integers of each pixel.
    pub fn shown(&self) -> wgpu::TextureView {
        self.shown.create_view(&wgpu::TextureViewDescriptor::default())
    }

    /// The boids to draw as meshes.
    pub fn near(&self) -> &wgpu::Buffer {
        &self.near
    }

    /// Makes room for a picture; true when the texture of the ink is a new one.
    pub fn make_room(&mut self, device: &wgpu::Device, grid: &Grid) -> bool {
        if self.near.size() < u64::from(grid.most_meshes) * size_of::<Near>() as u64 {
            self.near = near(device, u64::from(grid.most_meshes));
        }
        if self.ink.size() < grid.bytes() {
            self.ink = ink(device, grid.bytes());
        }
        let sides = [self.shown.width(), self.shown.height()];
        let fits = sides == grid.sides && self.shown.format() == shown_format(grid.words);
        if !fits {
            self.shown = shown(device, grid.sides, grid.words);
        }
        !fits
    }

    /// Records the pass; `indices` is the length of the mesh for near boids.
    pub fn record(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        drawn: &Drawn<'_>,
        grid: &Grid,
        indices: u32,
    ) {
        let boids = drawn.instances;
        let draw: [u32; 5] = [indices, 0, 0, 0, 0];
        gpu.queue.write_buffer(&self.draw, 0, bytemuck::cast_slice(&draw));
        let mut spheres = [[0.0_f32; 4]; MAX_SPHERES];
        for (slot, sphere) in spheres.iter_mut().zip(drawn.parameters.obstacles.spheres.as_slice()) {
            let [x, y, z] = sphere.position;
            *slot = [x, y, z, sphere.radius].map(|c| c as f32);
        }
        gpu.queue.write_buffer(&self.obstacles, 0, bytemuck::cast_slice(&spheres));
        encoder.clear_buffer(&self.ink, 0, Some(grid.bytes()));
        let mut first = 0;
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("coverage"),
            timestamp_writes: None,
        });
        pass.set_pipeline(&self.pipelines[usize::from(!grid.dusk)]);
        pass.set_bind_group(0, &self.view_group, &[]);
        // A binding holds so many boids; the start of each is a multiple of 256 bytes.
        let most = (self.most_binding / 16).min(self.most_groups * self.most_groups * GROUP) / GROUP * GROUP;
        while first < u64::from(boids.count) {
            let count = most.min(u64::from(boids.count) - first);
            pass.set_bind_group(1, &self.bind(&gpu.device, boids, first, count), &[]);
            let groups = count.div_ceil(GROUP);
            let across = groups.min(self.most_groups);
            pass.dispatch_workgroups(across as u32, groups.div_ceil(across) as u32, 1);
            first += count;
        }
        drop(pass);
        let texture = &self.shown;
        encoder.copy_buffer_to_texture(
            wgpu::TexelCopyBufferInfo {
                buffer: &self.ink,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(grid.stride() * grid.words * 4),
                    rows_per_image: None,
                },
            },
            texture.as_image_copy(),
            texture.size(),
        );
    }

    /// The bindings for `count` boids from `first` on.
    fn bind(&self, device: &wgpu::Device, boids: &Instances, first: u64, count: u64) -> wgpu::BindGroup {
        let part = |buffer, stride: u64| {
            wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset: first * stride,
                size: wgpu::BufferSize::new(count * stride),
            })
        };
        let resources = [
            part(&boids.position, 16),
            part(&boids.velocity, 16),
            part(&boids.tag, 8),
            self.ink.as_entire_binding(),
            self.near.as_entire_binding(),
            self.draw.as_entire_binding(),
            self.obstacles.as_entire_binding(),
            self.banks.buffer().as_entire_binding(),
        ];
        let entries: Vec<_> = (0..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("coverage"),
            layout: &self.layout,
            entries: &entries,
        })
    }
}

fn buffer(device: &wgpu::Device, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size,
        usage,
        mapped_at_creation: false,
    })
}

fn ink(device: &wgpu::Device, bytes: u64) -> wgpu::Buffer {
    use wgpu::BufferUsages as Usages;
    buffer(device, "ink", bytes, Usages::STORAGE | Usages::COPY_DST | Usages::COPY_SRC)
}

/// The texture for a grid of so many words a pixel.
fn shown(device: &wgpu::Device, sides: [u32; 2], words: u32) -> wgpu::Texture {
    use wgpu::TextureUsages as Usages;
    plain(device, "ink", sides, shown_format(words), Usages::TEXTURE_BINDING | Usages::COPY_DST)
}

fn shown_format(words: u32) -> wgpu::TextureFormat {
    if words == 2 { wgpu::TextureFormat::Rg32Uint } else { wgpu::TextureFormat::Rgba32Uint }
}

fn near(device: &wgpu::Device, boids: u64) -> wgpu::Buffer {
    let bytes = boids.max(1) * size_of::<Near>() as u64;
    buffer(device, "near boids", bytes, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::VERTEX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_boids_wraps_a_pixel() {
        for boids in [0, 1, 1000, 100_000, 16_000_000, 268_000_000, u32::MAX / 8] {
            for (dusk, most) in [(true, MOST_INK[0]), (false, MOST_INK[1])] {
                let units = f64::from(units(boids, dusk));
                // Each boid's share is rounded up at most by one.
                let all = (units * most + 1.0).floor() * f64::from(boids);
                assert!(all <= f64::from(u32::MAX), "{boids} boids, dusk {dusk}: {all}");
                assert!(units >= 1.0);
            }
        }
    }
}
