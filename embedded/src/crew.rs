//! Who does the work: the cores of a chip, or one thread of a test.

/// How many share the work.
pub const WORKERS: usize = 2;

/// The workers.
pub trait Crew: Sync {
    /// Lets every worker do the work, each with its number, and waits for all of them.
    fn share(&self, work: &(dyn Fn(usize) + Sync));

    /// Does something while no other worker does anything in this way.
    fn alone<R>(&self, work: impl FnOnce() -> R) -> R;

    /// Cycles of the calling worker's core, modulo 2²⁴; at most as many may lie between two calls that are compared.
    fn clock(&self) -> u32;
}

/// Cycles from one reading of [`Crew::clock`] to a later one.
#[must_use]
#[inline]
pub fn elapsed(from: u32, to: u32) -> u32 {
    to.wrapping_sub(from) & 0x00ff_ffff
}

/// The workers one after the other, in one thread.
#[derive(Clone, Copy, Debug)]
pub struct InTurn;

impl Crew for InTurn {
    fn share(&self, work: &(dyn Fn(usize) + Sync)) {
        (0..WORKERS).for_each(work);
    }

    fn alone<R>(&self, work: impl FnOnce() -> R) -> R {
        work()
    }

    fn clock(&self) -> u32 {
        0
    }
}
