//! The buffers of a flock, by the names that the shaders give them.
//!
//! ```text
//! one entry per boid, sorted by cell and id      one entry per boid, as written by the step
//!   positions   x y z bias          16 bytes       new_positions               16 bytes
//!   velocities  x y z neighbours    16             new_velocities              16
//!   tags        id group|rest        8             arrivals  tag, cell, rank   16
//!                                                  members   id, arrival        8   in cells, unsorted
//! one entry per cell                             small
//!   counts  boids that arrived       4             blocks    sums of 64 counts
//!   starts  first boid, and the end  4             rule grid dispatch context load guard schedules homes partials totals scale
//!
//! for drawing: the same buffers in f32, else one entry per boid
//!   drawn_positions x y z bias      16             drawn_velocities x y z neighbours  16
//! ```
//!
//! In a dense flock two buffers serve twice: `arrivals` holds the clusters while the boids step; `positions` and
//! `velocities` hold the lists that are sorted before the boids move there.

use super::layout::{BLOCK_BOIDS, BLOCK_CELLS, DispatchParameters, Load, StepContext};
use super::number::OnGpu;
use super::{Gpu, layout, rule};
use crate::instances::Instances;
use cpu::engine::EngineError;

/// The most steps of a batch: each has its own home and schedules of the predators.
pub const TURNS: u32 = 64;
/// The most dispatches of a submit.
pub const DISPATCHES: u32 = 1024;
/// Rows of sums without those of predators.
pub const ROWS: u32 = 4;

/// The numbers that determine the lengths of all arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub boids: u32,
    pub cells: u32,
    /// Rows of sums over the flock.
    pub rows: u32,
    pub predators: u32,
}

/// All buffers of one flock.
#[derive(Debug)]
pub struct Buffers {
    named: Vec<(&'static str, wgpu::Buffer)>,
    /// For drawing.
    pub drawn: Instances,
    /// Bytes from the parameters of a dispatch to those of the next.
    pub stride: u32,
    pub boids: u32,
    pub cells: u32,
}

/// An array: its entries, the bytes of one, and its usage.
struct Array {
    name: &'static str,
    entries: u64,
    entry: u64,
    usage: wgpu::BufferUsages,
}

/// The number of partial sums in a row; each is the sum of one invocation.
#[must_use]
pub fn blocks(boids: u32) -> u32 {
    boids.div_ceil(BLOCK_BOIDS)
}

impl Buffers {
    /// Buffers of these sizes. Those of `old` that have the right size are kept with their contents.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn new<T: OnGpu>(gpu: &Gpu, sizes: &Sizes, old: Option<&Buffers>) -> Result<Self, EngineError> {
        let stride =
            gpu.limits.min_uniform_buffer_offset_alignment.max(size_of::<DispatchParameters>() as u32);
        let arrays = arrays::<T>(sizes, stride);
        let mut named: Vec<(&'static str, wgpu::Buffer)> = gpu.create(|device| {
            let buffer = |&Array { name, entries, entry, usage }: &Array| {
                let size = entries.max(1) * entry;
                let same = old.and_then(|old| old.find(name)).filter(|buffer| buffer.size() == size);
                let label = Some(name);
                let descriptor = wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false };
                (name, same.cloned().unwrap_or_else(|| device.create_buffer(&descriptor)))
            };
            arrays.iter().map(buffer).collect()
        })?;
        let [positions, velocities, tags] = [0, 1, 2].map(|k| named[k].1.clone());
        if T::DRAWN_AS_IT_LIES {
            named.extend([("drawn_positions", positions), ("drawn_velocities", velocities)]);
        }
        let [position, velocity] = [2, 1].map(|back| named[named.len() - back].1.clone());
        let Sizes { boids, cells, .. } = *sizes;
        let drawn = Instances { position, velocity, tag: tags, count: boids };
        Ok(Buffers { named, drawn, stride, boids, cells })
    }

    /// The buffer that shaders call by this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn get(&self, gpu: &Gpu, name: &str) -> Result<&wgpu::Buffer, EngineError> {
        self.find(name).ok_or_else(|| gpu.error(format!("no buffer {name}")))
    }

    fn find(&self, name: &str) -> Option<&wgpu::Buffer> {
        self.named.iter().find(|(known, _)| *known == name).map(|(_, buffer)| buffer)
    }
}

/// Every array of a flock: positions, velocities and tags first, those for drawing last.
fn arrays<T: OnGpu>(sizes: &Sizes, stride: u32) -> Vec<Array> {
    let state = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
    let drawn = state | wgpu::BufferUsages::VERTEX;
    let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
    let n = u64::from(sizes.boids);
    let c = u64::from(sizes.cells);
    let array = |name, entries, entry, usage| Array { name, entries, entry, usage };
    let one = |name, bytes: usize, usage| Array { name, entries: 1, entry: bytes as u64, usage };
    let mut all = vec![
        array("positions", n, 16, drawn),
        array("velocities", n, 16, drawn),
        array("tags", n, 8, drawn),
        array("new_positions", n, 16, state),
        array("new_velocities", n, 16, state),
        array("arrivals", n, 16, state),
        array("members", n, 8, state),
        array("counts", c, 4, state),
        array("starts", c + 1, 4, state),
        array("blocks", c.max(1).div_ceil(BLOCK_CELLS.into()), 4, state),
        array("partials", u64::from(sizes.rows) * u64::from(blocks(sizes.boids.max(1))), T::TOTAL, state),
        array("totals", sizes.rows.into(), T::TOTAL, state),
        array("schedules", u64::from(TURNS) * u64::from(sizes.predators.max(1)), 16, state),
        array("homes", TURNS.into(), 16, state),
        array("dispatch", DISPATCHES.into(), stride.into(), uniform),
        one("load", size_of::<Load>(), state),
        one("guard", size_of::<layout::Guard>(), state | uniform),
        one("context", size_of::<StepContext>(), state | uniform),
        one("rule", rule::size(), uniform),
        one("grid", size_of::<layout::Grid>(), uniform),
        one("scale", size_of::<layout::Scale>(), uniform),
    ];
    if !T::DRAWN_AS_IT_LIES {
        all.extend([array("drawn_positions", n, 16, drawn), array("drawn_velocities", n, 16, drawn)]);
    }
    all
}
