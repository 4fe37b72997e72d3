//! The buffers of a flock, by the names that the shaders give them.
//!
//! ```text
//! one entry a boid, sorted by cell, then id      one entry a boid, as they arrived
//!   positions   x y z bias          16 bytes       new_positions               16 bytes
//!   velocities  x y z neighbours    16             new_velocities              16
//!   tags        id group|rest        8             arrivals  tag, cell, place  16
//!                                                  members   id, arrival        8   in cells, unsorted
//! one entry a cell                               few
//!   counts  boids that arrived       4             blocks    sums of 64 counts
//!   starts  first boid, and the end  4             rule grid moment around load knots partials totals scale
//!
//! as drawn: the same buffers in f32, else one entry a boid
//!   drawn_positions x y z bias      16             drawn_velocities x y z neighbours  16
//! ```

use super::layout::{BLOCK, GROUP, Load, MAX_PREDATORS, Moment, STRETCH, Surroundings};
use super::number::OnGpu;
use super::{Gpu, layout};
use crate::engine::EngineError;

/// Steps whose knots fit at once.
pub const TURNS: u32 = 64;
/// Dispatches of one submit.
pub const MOMENTS: u32 = 1024;
/// Rows of sums besides those of the predators.
pub const ROWS: u32 = 4;
/// Bytes of the largest entry of a boid.
const ENTRY: u64 = 16;

/// All buffers of one flock.
#[derive(Debug)]
pub struct Buffers {
    named: Vec<(&'static str, wgpu::Buffer)>,
    /// What drawing needs: positions, velocities and tags.
    pub drawn: [wgpu::Buffer; 3],
    /// Distance of two moments.
    pub stride: u32,
    pub boids: u32,
    pub cells: u32,
    pub rows: u32,
}

/// The most boids that one device can hold: the largest entry is 16 bytes, and must lie in one binding.
#[must_use]
pub fn most_boids(limits: &wgpu::Limits) -> u32 {
    most_with(limits, ROWS, ENTRY)
}

/// As many, where each stretch of them has so many rows of sums of so many bytes, which must lie in one binding too.
fn most_with(limits: &wgpu::Limits, rows: u32, total: u64) -> u32 {
    let bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    let entries = bytes / ENTRY;
    let side = u64::from(limits.max_compute_workgroups_per_dimension);
    let summed = bytes / total / u64::from(rows.max(1)) * u64::from(STRETCH);
    let most = entries.min(summed).min(side * side * u64::from(GROUP));
    u32::try_from(most).unwrap_or(u32::MAX - 1)
}

/// The number of boids, if the device can hold so many with so many rows of sums.
///
/// # Errors
/// When it cannot; the message names the most.
pub fn fitting<T: OnGpu>(gpu: &Gpu, boids: usize, rows: u32) -> Result<u32, EngineError> {
    let most = most_with(&gpu.limits, rows, T::TOTAL);
    match u32::try_from(boids) {
        Ok(boids) if boids <= most => Ok(boids),
        _ => Err(EngineError::TooMany { asked: boids as u64, most: u64::from(most), device: gpu.name() }),
    }
}

/// Stretches of a flock that are summed up by one invocation each.
#[must_use]
pub fn stretches(boids: u32) -> u32 {
    boids.div_ceil(STRETCH)
}

impl Buffers {
    /// Buffers for so many boids in so many cells, with so many rows of sums. Those of `old` that have the right size
    /// serve on, with what is in them.
    ///
    /// # Errors
    /// When there are more boids than the device can hold, or its memory runs out.
    pub fn new<T: OnGpu>(
        gpu: &Gpu,
        boids: u32,
        cells: u32,
        rows: u32,
        old: Option<&Buffers>,
    ) -> Result<Self, EngineError> {
        let boids = fitting::<T>(gpu, boids as usize, rows)?;
        let stride = gpu.limits.min_uniform_buffer_offset_alignment.max(size_of::<Moment>() as u32);
        let n = u64::from(boids.max(1));
        let cells = cells.max(1);
        let c = u64::from(cells);
        let sums = u64::from(rows * stretches(boids.max(1))) * T::TOTAL;
        let state = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let drawn = state | wgpu::BufferUsages::VERTEX;
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let sizes = [
            ("positions", n * 16, drawn),
            ("velocities", n * 16, drawn),
            ("tags", n * 8, drawn),
            ("new_positions", n * 16, state),
            ("new_velocities", n * 16, state),
            ("arrivals", n * 16, state),
            ("members", n * 8, state),
            ("counts", c * 4, state),
            ("starts", c * 4 + 4, state),
            ("blocks", u64::from(cells.div_ceil(BLOCK)) * 4, state),
            ("load", size_of::<Load>() as u64, state),
            ("knots", u64::from(TURNS) * MAX_PREDATORS as u64 * 16, state),
            ("partials", sums, state),
            ("totals", u64::from(rows) * T::TOTAL, state),
            ("around", size_of::<Surroundings>() as u64, state | uniform),
            ("rule", size_of::<layout::Rule>() as u64, uniform),
            ("grid", size_of::<layout::Grid>() as u64, uniform),
            ("moment", u64::from(MOMENTS * stride), uniform),
            ("scale", size_of::<layout::Scale>() as u64, uniform),
        ];
        let published = [("drawn_positions", n * 16, drawn), ("drawn_velocities", n * 16, drawn)];
        let published = if T::DRAWN_AS_IT_LIES { &[][..] } else { &published };
        let mut named: Vec<(&'static str, wgpu::Buffer)> = gpu.create(|device| {
            let buffer = |&(name, size, usage)| {
                if let Some(same) = old.and_then(|old| old.find(name)).filter(|same| same.size() == size) {
                    return (name, same.clone());
                }
                let descriptor =
                    wgpu::BufferDescriptor { label: Some(name), size, usage, mapped_at_creation: false };
                (name, device.create_buffer(&descriptor))
            };
            sizes.iter().chain(published).map(buffer).collect()
        })?;
        let [positions, velocities, tags] = [0, 1, 2].map(|k| named[k].1.clone());
        if T::DRAWN_AS_IT_LIES {
            named.extend([("drawn_positions", positions), ("drawn_velocities", velocities)]);
        }
        let [drawn_velocities, drawn_positions] = [1, 2].map(|k| named[named.len() - k].1.clone());
        let drawn = [drawn_positions, drawn_velocities, tags];
        Ok(Buffers { named, drawn, stride, boids, cells, rows })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_for_many_predators_leave_room_for_fewer_boids() {
        let limits = wgpu::Limits::default();
        let bytes = limits.max_storage_buffer_binding_size;
        let most = |rows| most_with(&limits, rows, 16);
        assert_eq!((u64::from(most(ROWS)) * 16, most(ROWS)), (bytes, most_boids(&limits)));
        let rows = 2 + MAX_PREDATORS as u32;
        assert!(most(rows) < most(ROWS));
        let sums = |boids| u64::from(rows * stretches(boids)) * 16;
        assert!(sums(most(rows)) <= bytes && bytes < sums(most(rows) + 1));
    }
}
