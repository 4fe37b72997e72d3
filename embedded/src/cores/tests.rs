//! The cores of the chip in one thread.

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
