//! How many boids a device has room for, but for its memory.
//!
//! An array may lie in any number of bindings; how many of them one pass may have is up to the device.

use super::kernel::Kernel;
use super::layout::GROUP;
use super::number::OnGpu;
use super::parts::Declaration;
use super::passes::Stage;
use super::shaders::{ShaderError, Shaders};
use super::split::{Sizes, Splits};
use super::{Gpu, buffers::ROWS, grid};
use crate::engine::EngineError;

/// Shaders count boids, and twice the boids of a cell, in words of 32 bits.
const MOST: u32 = (1 << 31) - 1;
/// A grid has no more cells than there are boids, or than this; the GPU's divides each along x.
const CELLS: u32 = 4096;

/// The most boids that a device has room for, and the limit that says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    pub boids: u32,
    /// The limit's name, and its value.
    pub limit: String,
}

/// The most boids that a device with these limits can hold in f32, if its memory does.
#[must_use]
pub fn most_boids(limits: &wgpu::Limits) -> u32 {
    room::<f32>(limits, ROWS).map_or(0, |room| room.boids)
}

/// The most boids with so many rows of sums.
///
/// # Errors
/// When a shader is missing, or meets an array in a way that cannot be split.
pub fn room<T: OnGpu>(limits: &wgpu::Limits, rows: u32) -> Result<Room, ShaderError> {
    let bound = [declared::<T>(false)?, declared::<T>(true)?];
    let refusal = |boids| refusal::<T>(limits, &bound, boids, rows);
    // The most that is not refused lies between the two.
    let (mut fits, mut most) = (0, MOST);
    while fits < most {
        let middle = most - (most - fits) / 2;
        if refusal(middle).is_some() { most = middle - 1 } else { fits = middle }
    }
    Ok(Room { boids: fits, limit: refusal(fits + 1).unwrap_or_default() })
}

/// What each pass binds, where boids lie in one part and where they lie in several.
fn declared<T: OnGpu>(in_parts: bool) -> Result<Vec<Vec<Declaration>>, ShaderError> {
    let shaders = Shaders::default();
    let all =
        Kernel::ALL.into_iter().flat_map(|kernel| Stage::of::<T>().iter().map(move |stage| (stage, kernel)));
    all.map(|(stage, kernel)| shaders.load(stage.file(kernel, in_parts), stage.folder::<T>())?.declarations())
        .collect()
}

/// The limit that so many boids go beyond.
fn refusal<T: OnGpu>(
    limits: &wgpu::Limits,
    bound: &[Vec<Vec<Declaration>>; 2],
    boids: u32,
    rows: u32,
) -> Option<String> {
    if boids > MOST {
        return Some("numbers of 31 bits".to_owned());
    }
    let side = limits.max_compute_workgroups_per_dimension;
    if u64::from(boids) > u64::from(side) * u64::from(side) * u64::from(GROUP) {
        return Some(format!("max_compute_workgroups_per_dimension = {side}"));
    }
    let cells = grid::AROUND * boids.max(CELLS);
    let splits = Splits::new::<T>(limits, &Sizes { boids, cells, rows, predators: 0 });
    let parts = |one: &Declaration| if one.own { 1 } else { u64::from(splits.get(&one.name).parts) };
    let bound = &bound[usize::from(splits.boids().parts > 1)];
    let most = bound.iter().map(|pass| pass.iter().map(parts).sum::<u64>()).max().unwrap_or(0);
    let stage = limits.max_storage_buffers_per_shader_stage;
    if most > u64::from(stage) {
        return Some(format!("max_storage_buffers_per_shader_stage = {stage}"));
    }
    // A pass has a few uniforms besides.
    let all = limits.max_bindings_per_bind_group;
    (most + 8 > u64::from(all)).then(|| format!("max_bindings_per_bind_group = {all}"))
}

/// The number of boids, if the device has room for so many with so many rows of sums.
///
/// # Errors
/// When it has not; the message names the most.
pub fn fitting<T: OnGpu>(gpu: &Gpu, boids: usize, rows: u32) -> Result<u32, EngineError> {
    let room = room::<T>(&gpu.limits, rows).map_err(|error| gpu.error(error.to_string()))?;
    match u32::try_from(boids) {
        Ok(boids) if boids <= room.boids => Ok(boids),
        _ => Err(EngineError::TooMany {
            asked: boids as u64,
            most: room.boids.into(),
            device: gpu.name(),
            limit: room.limit,
        }),
    }
}
