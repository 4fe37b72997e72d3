//! An allocator that knows the most memory that a thread held at once.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counted.
pub struct Counted;

thread_local! {
    /// Bytes that this thread took and did not give back. What it gives back for others may make it negative.
    static HELD: Cell<isize> = const { Cell::new(0) };
    /// The most of them at once.
    static MAX: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that ends may have no counters any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + bytes);
        MAX.try_with(|most| most.set(most.get().max(held.get())))
    });
}

// SAFETY: it forwards to the system's allocator.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: guaranteed by the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: guaranteed by the caller.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// The result of the work, and the maximum number of bytes held on this thread.
pub fn most<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    MAX.set(before);
    let value = work();
    (value, (MAX.get() - before).max(0) as usize)
}
