//! The number of boids that fit a device, apart from its memory: each array is one storage binding.

use super::Gpu;
use super::layout::GROUP;
use engine::{EngineError, Result};

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
pub fn check(gpu: &Gpu, boids: usize) -> Result<u32> {
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
