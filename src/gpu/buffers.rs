//! The buffers of a flock, by the names that the shaders give them.
//!
//! ```text
//! one entry a boid, sorted by cell, then id      one entry a boid, as they arrived
//!   positions   x y z bias          16 bytes       new_positions               16 bytes
//!   velocities  x y z neighbours    16             new_velocities              16
//!   tags        id group|rest        8             arrivals  tag, cell, place  16
//!   sources     arrival              4 *           members   id, arrival        8   in cells, unsorted
//! one entry a cell                               few
//!   counts  boids that arrived       4             blocks    sums of 64 counts
//!   starts  first boid, and the end  4             rule grid moment around load guard knots partials totals scale
//!
//! * where arrays are in several parts
//! In a crowded flock crowds lie in the room of arrivals while boids step, and what is sorted in that of positions and
//! velocities before the boids move there.
//! as drawn: the same buffers in f32, else one entry a boid
//!   drawn_positions x y z bias      16             drawn_velocities x y z neighbours  16
//! ```

use super::layout::{Load, Moment, STRETCH, Surroundings};
use super::number::OnGpu;
use super::split::{Sizes, Split, Splits};
use super::{Gpu, layout};
use crate::engine::EngineError;
use crate::instances::Part;

/// Steps whose knots fit at once.
pub const TURNS: u32 = 64;
/// Dispatches of one submit.
pub const MOMENTS: u32 = 1024;
/// Rows of sums besides those of the predators.
pub const ROWS: u32 = 4;

/// All buffers of one flock.
#[derive(Debug)]
pub struct Buffers {
    /// Each array in as many parts as it takes.
    named: Vec<(&'static str, Vec<wgpu::Buffer>)>,
    /// What drawing needs.
    pub drawn: Vec<Part>,
    /// Distance of two moments.
    pub stride: u32,
    pub boids: u32,
    pub cells: u32,
    /// How the arrays of boids are cut.
    pub split: Split,
}

/// An array: its entries, the bytes of one, and what it is for.
struct Array {
    name: &'static str,
    entries: u64,
    entry: u64,
    usage: wgpu::BufferUsages,
}

/// Stretches of a flock that are summed up by one invocation each.
#[must_use]
pub fn stretches(boids: u32) -> u32 {
    boids.div_ceil(STRETCH)
}

impl Buffers {
    /// Buffers of these sizes, the arrays cut as they are to be. Those of `old` that have the right size serve on, with
    /// what is in them.
    ///
    /// # Errors
    /// When memory runs out.
    pub fn new<T: OnGpu>(
        gpu: &Gpu,
        sizes: &Sizes,
        splits: &Splits,
        old: Option<&Buffers>,
    ) -> Result<Self, EngineError> {
        let stride = gpu.limits.min_uniform_buffer_offset_alignment.max(size_of::<Moment>() as u32);
        let arrays = arrays::<T>(sizes, splits.boids(), stride);
        let mut named: Vec<(&'static str, Vec<wgpu::Buffer>)> = gpu.create(|device| {
            let parts = |array: &Array| {
                let Array { name, entries, entry, usage } = *array;
                let split = splits.get(name);
                let size = |part| split.entries(part, entries).max(1) * entry;
                let fits = |old: &&[wgpu::Buffer]| {
                    old.len() == split.parts as usize
                        && (0..).zip(*old).all(|(part, b)| b.size() == size(part))
                };
                if let Some(same) = old.and_then(|old| old.find(name)).filter(fits) {
                    return (name, same.to_vec());
                }
                let buffer = |part| {
                    let size = size(part);
                    let label = Some(name);
                    device.create_buffer(&wgpu::BufferDescriptor {
                        label,
                        size,
                        usage,
                        mapped_at_creation: false,
                    })
                };
                (name, (0..split.parts).map(buffer).collect())
            };
            arrays.iter().map(parts).collect()
        })?;
        if T::DRAWN_AS_IT_LIES {
            let [positions, velocities] = [0, 1].map(|k| named[k].1.clone());
            named.extend([("drawn_positions", positions), ("drawn_velocities", velocities)]);
        }
        let split = splits.boids();
        let Sizes { boids, cells, .. } = *sizes;
        let mut buffers = Buffers { named, drawn: Vec::new(), stride, boids, cells, split };
        for part in 0..split.parts as usize {
            let [position, velocity, tag] = ["drawn_positions", "drawn_velocities", "tags"]
                .map(|name| buffers.parts(gpu, name).map(|all| all[part].clone()));
            let count = split.entries(part as u32, boids.into()) as u32;
            buffers.drawn.push(Part { position: position?, velocity: velocity?, tag: tag?, count });
        }
        Ok(buffers)
    }

    /// The buffer that shaders call by this name; of an array in parts the first.
    ///
    /// # Errors
    /// When there is none.
    pub fn get(&self, gpu: &Gpu, name: &str) -> Result<&wgpu::Buffer, EngineError> {
        self.parts(gpu, name)?.first().ok_or_else(|| gpu.error(format!("no buffer {name}")))
    }

    /// All parts of an array.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn parts(&self, gpu: &Gpu, name: &str) -> Result<&[wgpu::Buffer], EngineError> {
        self.find(name).ok_or_else(|| gpu.error(format!("no buffer {name}")))
    }

    fn find(&self, name: &str) -> Option<&[wgpu::Buffer]> {
        self.named.iter().find(|(known, _)| *known == name).map(|(_, parts)| &**parts)
    }
}

/// Every array of a flock; positions and velocities come first.
fn arrays<T: OnGpu>(sizes: &Sizes, split: Split, stride: u32) -> Vec<Array> {
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
        // Only arrays in parts are moved by it.
        array("sources", if split.parts > 1 { n } else { 1 }, 4, state),
        array("counts", c, 4, state),
        array("starts", c + 1, 4, state),
        array("blocks", sizes.blocks(), 4, state),
        array("partials", sizes.partials(), T::TOTAL, state),
        array("totals", sizes.rows.into(), T::TOTAL, state),
        array("knots", u64::from(TURNS) * u64::from(sizes.predators.max(1)), 16, state),
        array("moment", MOMENTS.into(), stride.into(), uniform),
        one("load", size_of::<Load>(), state),
        one("guard", size_of::<layout::Guard>(), state | uniform),
        one("around", size_of::<Surroundings>(), state | uniform),
        one("rule", size_of::<layout::Rule>(), uniform),
        one("grid", size_of::<layout::Grid>(), uniform),
        one("scale", size_of::<layout::Scale>(), uniform),
    ];
    if !T::DRAWN_AS_IT_LIES {
        all.extend([array("drawn_positions", n, 16, drawn), array("drawn_velocities", n, 16, drawn)]);
    }
    all
}
