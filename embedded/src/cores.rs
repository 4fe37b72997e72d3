//! The cores of the chip; in tests, one thread.

use core::ops::Range;

/// Number of cores.
pub const CORES: usize = 2;

/// A core's share of `count` items.
pub fn part(core: usize, count: usize) -> Range<usize> {
    count * core / CORES..count * (core + 1) / CORES
}

/// Runs work on every core.
pub trait Cores: Sync {
    /// Calls `work` on every core with the number of the core, and waits for all of them.
    fn run(&self, work: &(dyn Fn(usize) + Sync));

    /// Mutual exclusion: only one core at a time is in a critical section.
    fn exclusive<R>(&self, section: impl FnOnce() -> R) -> R;

    /// The cycle counter of the calling core, modulo 2²⁴. Intervals must be shorter.
    fn clock(&self) -> u32;
}

/// Cycles between two readings of [`Cores::clock`].
#[inline]
pub fn elapsed(from: u32, to: u32) -> u32 {
    to.wrapping_sub(from) & 0x00ff_ffff
}

#[cfg(test)]
pub mod tests {
    use super::{CORES, Cores};

    /// Runs the work of all cores in one thread, one after the other.
    pub struct Sequential;

    impl Cores for Sequential {
        fn run(&self, work: &(dyn Fn(usize) + Sync)) {
            (0..CORES).for_each(work);
        }

        fn exclusive<R>(&self, section: impl FnOnce() -> R) -> R {
            section()
        }

        fn clock(&self) -> u32 {
            0
        }
    }
}
