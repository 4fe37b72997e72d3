//! How many boids fit a device, apart from its memory: each array is one storage binding.

use flock::Parameters;

use super::Gpu;
use super::buffers::ROWS;
use super::layout::{BLOCK_BOIDS, GROUP};
use super::number::OnGpu;
use cpu::engine::EngineError;

/// Bytes of the largest entry of a boid. A boid has at most two cells of 4 bytes each, so arrays of cells are smaller.
const ENTRY: u64 = 16;

/// The most boids that fit a device, and the limit that bounds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capacity {
    pub boids: u32,
    /// The limit's name and its value.
    pub limit: String,
}

/// The most boids that a device with these limits can hold in f32.
pub fn most_boids(limits: &wgpu::Limits) -> u32 {
    capacity::<f32>(limits, ROWS).boids
}

/// Rows of sums over the flock: the measures, or two means and a sum for each attacking predator.
pub fn rows(parameters: &Parameters) -> u32 {
    let attacks = if parameters.predators.attack_weight == 0.0 { 0 } else { parameters.predators.count };
    ROWS.max(2 + attacks)
}

/// The most boids with so many rows of sums.
pub fn capacity<T: OnGpu>(limits: &wgpu::Limits, rows: u32) -> Capacity {
    let bindings = [
        ("max_storage_buffer_binding_size", limits.max_storage_buffer_binding_size),
        ("max_buffer_size", limits.max_buffer_size),
        ("offsets of 32 bits in a binding", u32::MAX.into()),
    ];
    let (name, bytes) = bindings.into_iter().min_by_key(|(_, bytes)| *bytes).unwrap_or(bindings[0]);
    let sums = bytes / (u64::from(rows) * T::TOTAL) * u64::from(BLOCK_BOIDS);
    let bound = (bytes / ENTRY).min(sums);
    let side = limits.max_compute_workgroups_per_dimension;
    let dispatched = u64::from(side) * u64::from(side) * u64::from(GROUP);
    let (boids, limit) = if bound <= dispatched {
        (bound, format!("{name} = {bytes}"))
    } else {
        (dispatched, format!("max_compute_workgroups_per_dimension = {side}"))
    };
    Capacity { boids: u32::try_from(boids).unwrap_or(u32::MAX), limit }
}

/// The number of boids, if the device holds so many with so many rows of sums.
///
/// # Errors
/// When it does not; the message names the limit and the largest number that fits.
pub fn check<T: OnGpu>(gpu: &Gpu, boids: usize, rows: u32) -> Result<u32, EngineError> {
    let Capacity { boids: most, limit } = capacity::<T>(&gpu.limits, rows);
    match u32::try_from(boids) {
        Ok(boids) if boids <= most => Ok(boids),
        _ => Err(EngineError::TooMany { asked: boids as u64, most: most.into(), device: gpu.name(), limit }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flock::Fixed;

    fn limits(binding: u64, buffer: u64) -> wgpu::Limits {
        wgpu::Limits {
            max_storage_buffer_binding_size: binding,
            max_buffer_size: buffer,
            ..wgpu::Limits::default()
        }
    }

    #[test]
    fn the_smallest_limit_bounds_the_flock() {
        let found = |limits: &wgpu::Limits| capacity::<f32>(limits, ROWS);
        let promised = found(&wgpu::Limits::default());
        assert_eq!(promised.boids, 8 << 20);
        assert_eq!(promised.limit, "max_storage_buffer_binding_size = 134217728");
        // Most cards: 4 GiB less a byte.
        let card = found(&limits(u32::MAX.into(), 1 << 40));
        assert_eq!(
            (card.boids, card.limit),
            ((1 << 28) - 1, "max_storage_buffer_binding_size = 4294967295".into())
        );
        assert_eq!(found(&limits(1 << 40, 1 << 20)).limit, "max_buffer_size = 1048576");
        let large = found(&limits(1 << 40, 1 << 40));
        assert_eq!(
            (large.boids, large.limit),
            ((1 << 28) - 1, "offsets of 32 bits in a binding = 4294967295".into())
        );
        let narrow = wgpu::Limits { max_compute_workgroups_per_dimension: 16, ..wgpu::Limits::default() };
        assert_eq!(found(&narrow).boids, 16 * 16 * 64);
        assert_eq!(found(&narrow).limit, "max_compute_workgroups_per_dimension = 16");
    }

    #[test]
    fn predators_that_attack_leave_room_for_fewer() {
        let mut parameters = Parameters::default();
        parameters.predators.count = 64;
        assert_eq!(rows(&parameters), ROWS);
        parameters.predators.attack_weight = 0.5;
        let most = capacity::<Fixed>(&wgpu::Limits::default(), rows(&parameters)).boids;
        assert_eq!(most, (128 << 20) / (66 * 32) * 64);
    }
}
