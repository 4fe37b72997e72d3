//! Pictures without a window: drawn on a texture, and read back; and the coverage of a picture by one part of a flock, to
//! be added to that of the other parts.
//!
//! A part is uploaded and covered in pieces of fixed size, so that its size does not matter for memory.

use flock::Parameters;
use wgpu::TextureFormat;

use super::coverage::Coverage;
use super::pipelines::Shaders;
use super::{FrameInput, Near, Scene, ViewUniform};
use engine::{HostInstances, Result};
use gpu::buffers::Uploaded;
use gpu::{Gpu, readback};

/// The format of films and PNG: sRGB, 8 bits, red first.
pub const FORMAT: TextureFormat = TextureFormat::Rgba8UnormSrgb;

/// A picture of fixed size that is drawn repeatedly.
#[derive(Debug)]
pub struct Offscreen {
    pub scene: Scene,
    read_back: wgpu::Buffer,
    /// Bytes from row to row in the buffer: a copy requires a multiple of 256.
    row: u32,
}

impl Offscreen {
    /// A picture of this size in pixels, each side at least 1, with smooth edges.
    ///
    /// # Errors
    /// When the device cannot hold the picture.
    pub fn new(gpu: &Gpu, size: [u32; 2]) -> Result<Self> {
        let row = (size[0] * 4).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let read_back = readback::staging(gpu, u64::from(row) * u64::from(size[1]))?;
        Ok(Offscreen { scene: Scene::new(gpu, FORMAT, size, true)?, read_back, row })
    }

    /// Draws a flock and returns the picture: 4 bytes a pixel (red, green, blue, 255) in sRGB, row by row from the top.
    ///
    /// # Errors
    /// When the device fails.
    pub fn draw(&mut self, drawn: &FrameInput<'_>) -> Result<Vec<u8>> {
        self.begin(drawn);
        self.read()
    }

    /// Draws a flock whose parts are covered elsewhere: for a uniform and a number of integers, `cover` returns the
    /// coverage's sums over all parts and the boids that are meshes. Only the count of `drawn.instances` is read.
    ///
    /// # Errors
    /// When the device or `cover` fails, or `cover` returns another number of integers than the picture has.
    pub fn draw_parts(
        &mut self,
        drawn: &FrameInput<'_>,
        cover: impl FnOnce(&ViewUniform, usize) -> Result<(Vec<u32>, Vec<Near>)>,
    ) -> Result<Vec<u8>> {
        let context = self.scene.context(drawn);
        let (length, most) = (context.grid.length(), context.grid.most_meshes as usize);
        let (sums, near) = cover(&context.uniform, length)?;
        if sums.len() != length || near.len() > most {
            let found = format!("{} boids are near the camera", near.len());
            return Err(self.scene.gpu.error(format!("{found}; ranks can draw at most {most} of them")));
        }
        let encoder = self.scene.draw_covered(&context, (&sums, &near));
        self.copy(encoder);
        self.read()
    }

    /// Draws a flock; [`Offscreen::read`] returns the picture.
    pub fn begin(&mut self, drawn: &FrameInput<'_>) {
        let encoder = self.scene.draw(drawn);
        self.copy(encoder);
    }

    /// Submits the drawing of a picture and its copy to the read-back buffer.
    fn copy(&self, mut encoder: wgpu::CommandEncoder) {
        let (bytes_per_row, texture) = (Some(self.row), &self.scene.target);
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row, rows_per_image: None };
        let target = wgpu::TexelCopyBufferInfo { buffer: &self.read_back, layout };
        encoder.copy_texture_to_buffer(texture.as_image_copy(), target, texture.size());
        self.scene.gpu.queue.submit([encoder.finish()]);
    }

    /// Returns the pixels of the last picture begun, in the format of [`Offscreen::draw`].
    pub fn read(&self) -> Result<Vec<u8>> {
        let [width, height] = self.scene.size().map(|side| side as usize);
        let mut pixels = Vec::with_capacity(width * 4 * height);
        readback::mapped(&self.scene.gpu, &self.read_back, |bytes| {
            for row in bytes.chunks_exact(self.row as usize).take(height) {
                pixels.extend_from_slice(&row[..width * 4]);
            }
        })?;
        Ok(pixels)
    }
}

/// Boids per piece.
const PIECE: usize = 1 << 16;

/// A boid as [`entry`](gpu::buffers::entry) gives it.
type Entry = ([f32; 4], [f32; 4], [u32; 2]);

/// Covers parts of flocks with the same parameters.
#[derive(Debug)]
pub struct PartCoverage {
    parameters: Parameters,
    view: wgpu::Buffer,
    coverage: Coverage,
    uploaded: Uploaded,
}

impl PartCoverage {
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn new(gpu: &Gpu, parameters: &Parameters) -> Result<Self> {
        gpu.create(|device| PartCoverage {
            parameters: *parameters,
            view: ViewUniform::buffer(device),
            coverage: Coverage::new(gpu, &Shaders::new(device)),
            uploaded: Uploaded::default(),
        })
    }

    /// The coverage of a picture with this uniform: the integers per pixel, and the boids that are meshes. `banks`
    /// holds the roll state of each bird, which is updated for this picture; it is empty for boids that do not bank.
    ///
    /// # Errors
    /// When the device is lost or out of memory.
    pub fn cover(
        &mut self,
        uniform: &ViewUniform,
        mut boids: impl Iterator<Item = Entry>,
        banks: &mut [[u32; 2]],
    ) -> Result<(Vec<u32>, Vec<Near>)> {
        let PartCoverage { parameters, view, coverage, uploaded } = self;
        let (gpu, grid) = (coverage.gpu.clone(), uniform.covering());
        let gpu = &gpu;
        // Banks are indexed by boid here, not by id.
        let mut uniform = *uniform;
        uniform.bank[3] = 1.0;
        gpu.queue.write_buffer(view, 0, bytemuck::bytes_of(&uniform));
        coverage.banks.fit(&gpu.device, PIECE as u32);
        let mut encoder = gpu.encoder();
        coverage.begin(&mut encoder, parameters.obstacles.spheres.as_slice(), &grid, 0);
        gpu.queue.submit([encoder.finish()]);
        let mut banks = banks.chunks_mut(PIECE);
        loop {
            let (position, velocity, tag) = boids.by_ref().take(PIECE).collect();
            let piece = HostInstances { position, velocity, tag };
            if piece.tag.is_empty() {
                break;
            }
            let instances = uploaded.write(gpu, &piece)?;
            let banks = banks.next().unwrap_or_default();
            gpu.queue.write_buffer(&coverage.banks.buffer, 0, bytemuck::cast_slice(banks));
            let mut encoder = gpu.encoder();
            coverage.add(&mut encoder, view, uniform.dusk(), instances);
            gpu.queue.submit([encoder.finish()]);
            readback::read(gpu, &coverage.banks.buffer, bytemuck::cast_slice_mut(banks))?;
        }
        let (mut sums, mut draw) = (vec![0; grid.length()], [0_u32; 5]);
        readback::read(gpu, &coverage.sums, bytemuck::cast_slice_mut(&mut sums))?;
        readback::read(gpu, &coverage.draw, bytemuck::cast_slice_mut(&mut draw))?;
        let mut near = vec![Near::default(); draw[1] as usize];
        readback::read(gpu, &coverage.near, bytemuck::cast_slice_mut(&mut near))?;
        Ok((sums, near))
    }
}
