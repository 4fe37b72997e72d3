//! The buffers of a flock, by the names that the shaders give them.
//!
//! ```text
//! one entry per boid, sorted by cell and id      one entry per boid, as written by the step
//!   positions   x y z bias          16 bytes       new_positions               16 bytes
//!   velocities  x y z neighbours    16             new_velocities              16
//!   tags        id group|rest        8             arrivals  tag, cell, rank   16
//!                                                  members   id, arrival        8   in cells, unsorted
//! one entry per cell                             small
//!   counts  boids that arrived       4             blocks    sums of 64 counts, hash_sum totals scale
//!   starts  first boid, and the end  4             rule grid dispatch context load guard schedules homes partials
//!
//! where boids request something from outside, by id
//!   requests    x y z               16
//!
//! for drawing: the same buffers in f32, else one entry per boid
//!   drawn_positions x y z bias      16             drawn_velocities x y z neighbours  16
//! ```

use flock::{Boid, Parameters};

use super::layout::{
    BLOCK_BOIDS, BLOCK_CELLS, DispatchParameters, GROUP, Grid, Guard, HashSum, Load, Scale, StepContext,
};
use super::number::OnGpu;
use super::{Gpu, rule};
use engine::{EngineError, HostInstances, Result};

/// Maximum number of steps per batch; each step has its own home and predator schedules.
pub const MAX_BATCH_STEPS: u32 = 64;
/// Maximum number of dispatches per submit.
pub const DISPATCHES: u32 = 1024;
/// Buffer of requests from outside; bound only in flocks that take them.
pub const REQUESTS: &str = "requests";
/// Number of rows of sums, without those of the predators.
pub(crate) const ROWS: u32 = 3;

/// The numbers that determine the lengths of all arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub boids: u32,
    pub cells: u32,
    /// Rows of sums over the flock.
    pub rows: u32,
    pub predators: u32,
    /// Boids request something from outside.
    pub requests: bool,
}

/// All buffers of one flock.
#[derive(Debug)]
pub(crate) struct Buffers {
    named: Vec<(&'static str, wgpu::Buffer)>,
    /// Buffers for drawing; `drawn.count` is the capacity of the arrays, in boids.
    pub drawn: Instances,
    /// Distance in bytes between the parameters of consecutive dispatches.
    pub stride: u32,
    pub boids: u32,
    pub cells: u32,
}

/// Number of rows of sums over the flock: the measures, or two means and one sum per attacking predator.
pub(crate) fn rows(parameters: &Parameters) -> u32 {
    let attacks = if parameters.predators.attack_weight == 0.0 { 0 } else { parameters.predators.count };
    ROWS.max(2 + attacks)
}

/// Number of partial sums per row, one per workgroup.
pub(crate) fn blocks(boids: u32) -> u32 {
    boids.div_ceil(BLOCK_BOIDS)
}

/// Number of blocks of the prefix sum over the cells, including the end after the last cell.
pub(crate) fn cell_blocks(cells: u32) -> u32 {
    (cells + 1).div_ceil(BLOCK_CELLS)
}

impl Buffers {
    /// Allocates buffers of these sizes. Buffers of `old` with the right size are kept with their contents.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn new<T: OnGpu>(gpu: &Gpu, sizes: &Sizes, old: Option<&Buffers>) -> Result<Self> {
        let stride =
            gpu.limits.min_uniform_buffer_offset_alignment.max(size_of::<DispatchParameters>() as u32);
        let arrays = arrays::<T>(sizes, stride);
        let mut named: Vec<(&'static str, wgpu::Buffer)> = gpu.create(|device| {
            let buffer = |&(name, size, usage): &Array| {
                let same = old.and_then(|old| old.find(name)).filter(|buffer| buffer.size() == size);
                let label = Some(name);
                let descriptor = wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false };
                (name, same.cloned().unwrap_or_else(|| device.create_buffer(&descriptor)))
            };
            arrays.iter().map(buffer).collect()
        })?;
        let [positions, velocities, tag] = [0, 1, 2].map(|k| named[k].1.clone());
        if T::DIRECT_DRAW {
            named.extend([("drawn_positions", positions), ("drawn_velocities", velocities)]);
        }
        let [position, velocity] = [2, 1].map(|back| named[named.len() - back].1.clone());
        let Sizes { boids, cells, .. } = *sizes;
        let drawn = Instances { position, velocity, tag, count: boids };
        Ok(Buffers { named, drawn, stride, boids, cells })
    }

    /// Returns the buffer of this name in the shaders.
    ///
    /// # Errors
    /// When there is no such buffer.
    pub fn get(&self, gpu: &Gpu, name: &str) -> Result<&wgpu::Buffer> {
        self.find(name).ok_or_else(|| gpu.error(format!("no buffer {name}")))
    }

    pub fn find(&self, name: &str) -> Option<&wgpu::Buffer> {
        self.named.iter().find(|(known, _)| *known == name).map(|(_, buffer)| buffer)
    }
}

/// An array: its name, its bytes and its usage.
type Array = (&'static str, u64, wgpu::BufferUsages);

/// Every array of a flock: positions, velocities and tags first, those for drawing last.
fn arrays<T: OnGpu>(sizes: &Sizes, stride: u32) -> Vec<Array> {
    let state = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let drawn = state | wgpu::BufferUsages::VERTEX;
    let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
    let [n, c, rows] = [sizes.boids, sizes.cells, sizes.rows].map(|count| u64::from(count.max(1)));
    let predators = u64::from(sizes.predators.max(1));
    let mut all = vec![
        ("positions", n * 16, drawn),
        ("velocities", n * 16, drawn),
        ("tags", n * 8, drawn),
        ("new_positions", n * 16, state),
        ("new_velocities", n * 16, state),
        ("arrivals", n * 16, state),
        ("members", n * 8, state),
        // The shaders read these arrays four entries at a time.
        ("counts", c.next_multiple_of(4) * 4, state),
        ("starts", (c + 1).next_multiple_of(4) * 4, state),
        ("blocks", u64::from(cell_blocks(sizes.cells)) * 4, state),
        ("partials", rows * u64::from(blocks(sizes.boids.max(1))) * T::TOTAL, state),
        ("totals", rows * T::TOTAL, state),
        ("schedules", u64::from(MAX_BATCH_STEPS) * predators * 16, state),
        ("homes", u64::from(MAX_BATCH_STEPS) * 16, state),
        ("dispatch", u64::from(DISPATCHES) * u64::from(stride), uniform),
        ("load", size_of::<Load>() as u64, state),
        ("hash_sum", size_of::<HashSum>() as u64, state),
        ("guard", size_of::<Guard>() as u64, state | uniform),
        ("context", size_of::<StepContext>() as u64, state | uniform),
        ("rule", rule::size() as u64, uniform),
        ("grid", size_of::<Grid>() as u64, uniform),
        ("scale", size_of::<Scale>() as u64, uniform),
    ];
    if sizes.requests {
        all.push((REQUESTS, n * 16, state));
    }
    if !T::DIRECT_DRAW {
        all.extend([("drawn_positions", n * 16, drawn), ("drawn_velocities", n * 16, drawn)]);
    }
    all
}

/// The buffers of a flock, for vertices and storage. Clones share the buffers.
#[derive(Clone, Debug)]
pub struct Instances {
    /// `[f32; 4]` per boid: x, y, z, bias.
    pub position: wgpu::Buffer,
    /// `[f32; 4]` per boid: x, y, z, then −1 at rest, else the number of neighbours perceived in the last step.
    pub velocity: wgpu::Buffer,
    /// `[u32; 2]` per boid: id, [`Boid::tag`].
    pub tag: wgpu::Buffer,
    /// Number of boids.
    pub count: u32,
}

/// A boid's entries in the three buffers.
pub fn entry(id: u32, boid: &Boid<f64>) -> ([f32; 4], [f32; 4], [u32; 2]) {
    let [x, y, z] = boid.position.map(|c| c as f32);
    let [vx, vy, vz] = boid.velocity.map(|c| c as f32);
    let neighbours = if boid.resting() { -1.0 } else { 0.0 };
    ([x, y, z, boid.bias as f32], [vx, vy, vz, neighbours], [id, boid.tag()])
}

/// Buffers of the last flock that the drawing GPU did not step.
#[derive(Debug, Default)]
pub struct Uploaded {
    instances: Option<Instances>,
}

impl Uploaded {
    /// Uploads a flock, and returns its buffers for drawing, which are reused for the same number of boids.
    ///
    /// # Errors
    /// When the flock is too large for the device's buffers, or memory runs out.
    pub fn write(&mut self, gpu: &Gpu, flock: &HostInstances) -> Result<&Instances> {
        let count = flock.tag.len() as u32;
        let instances = match self.instances.take() {
            Some(same) if same.count == count => same,
            _ => allocated(gpu, flock.tag.len() as u64)?,
        };
        gpu.queue.write_buffer(&instances.position, 0, bytemuck::cast_slice(&flock.position));
        gpu.queue.write_buffer(&instances.velocity, 0, bytemuck::cast_slice(&flock.velocity));
        gpu.queue.write_buffer(&instances.tag, 0, bytemuck::cast_slice(&flock.tag));
        Ok(self.instances.insert(instances))
    }
}

/// Allocates buffers for `count` boids.
fn allocated(gpu: &Gpu, count: u64) -> Result<Instances> {
    let most = gpu.limits.max_buffer_size / size_of::<[f32; 4]>() as u64;
    if count > most {
        let (device, limit) = (gpu.name(), format!("max_buffer_size = {}", gpu.limits.max_buffer_size));
        return Err(EngineError::TooMany { asked: count, most, device, limit });
    }
    let usage = wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
    let buffer = |label, stride: usize| gpu.create_buffer(label, count.max(1) * stride as u64, usage);
    Ok(Instances {
        position: buffer("uploaded positions", size_of::<[f32; 4]>())?,
        velocity: buffer("uploaded velocities", size_of::<[f32; 4]>())?,
        tag: buffer("uploaded tags", size_of::<[u32; 2]>())?,
        count: count as u32,
    })
}

/// Bytes of the largest entry per boid. There are at most two cells of 4 bytes and 3 bytes of sums per boid, so the
/// arrays of cells and sums are smaller.
const ENTRY: u64 = 16;

/// The maximum number of boids that fit a device, and the limit that bounds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capacity {
    pub boids: u32,
    /// Name and value of the limit.
    pub limit: String,
}

/// The maximum number of boids that a device with these limits can hold.
pub fn capacity(limits: &wgpu::Limits) -> Capacity {
    let bindings = [
        ("max_storage_buffer_binding_size", limits.max_storage_buffer_binding_size),
        ("max_buffer_size", limits.max_buffer_size),
        ("32-bit offsets in a binding", u32::MAX.into()),
    ];
    let (name, bytes) = bindings.into_iter().min_by_key(|(_, bytes)| *bytes).unwrap_or(bindings[0]);
    let bound = bytes / ENTRY;
    let side = limits.max_compute_workgroups_per_dimension;
    let dispatched = u64::from(side) * u64::from(side) * u64::from(GROUP);
    let (boids, limit) = if bound <= dispatched {
        (bound, format!("{name} = {bytes}"))
    } else {
        (dispatched, format!("max_compute_workgroups_per_dimension = {side}"))
    };
    Capacity { boids: u32::try_from(boids).unwrap_or(u32::MAX), limit }
}

/// Returns `boids` if the device can hold that number.
///
/// # Errors
/// When it cannot; the message names the limit and the largest number that fits.
pub fn checked_boids(gpu: &Gpu, boids: usize) -> Result<u32> {
    let Capacity { boids: most, limit } = capacity(&gpu.limits);
    match u32::try_from(boids) {
        Ok(boids) if boids <= most => Ok(boids),
        _ => Err(EngineError::TooMany { asked: boids as u64, most: most.into(), device: gpu.name(), limit }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(binding: u64, buffer: u64) -> wgpu::Limits {
        wgpu::Limits {
            max_storage_buffer_binding_size: binding,
            max_buffer_size: buffer,
            ..wgpu::Limits::default()
        }
    }

    #[test]
    fn the_smallest_limit_bounds_the_flock() {
        let promised = capacity(&wgpu::Limits::default());
        assert_eq!(promised.boids, 8 << 20);
        assert_eq!(promised.limit, "max_storage_buffer_binding_size = 134217728");
        let large = capacity(&limits(1 << 40, 1 << 40));
        assert_eq!(large.boids, (1 << 28) - 1);
        assert_eq!(large.limit, "32-bit offsets in a binding = 4294967295");
        assert_eq!(capacity(&limits(1 << 40, 1 << 20)).limit, "max_buffer_size = 1048576");
        let narrow = wgpu::Limits { max_compute_workgroups_per_dimension: 16, ..wgpu::Limits::default() };
        assert_eq!(capacity(&narrow).boids, 16 * 16 * 64);
        assert_eq!(capacity(&narrow).limit, "max_compute_workgroups_per_dimension = 16");
    }
}
