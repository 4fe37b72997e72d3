//! The coverage of a picture by one part of a flock, to be added to that of the other parts.
//!
//! A part is uploaded and covered in pieces of fixed size, so that its size does not matter for memory.

use flock::Parameters;

use super::ViewUniform;
use super::coverage::Coverage;
use super::mesh::Near;
use super::pipelines::Shaders;
use engine::{HostInstances, Result};
use gpu::instances::Uploaded;
use gpu::{Gpu, readback};

/// Boids per piece.
const PIECE: usize = 1 << 16;

/// A boid as [`entry`](gpu::instances::entry) gives it.
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
