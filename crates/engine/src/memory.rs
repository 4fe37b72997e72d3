//! Memory that runs short: one line and an exit code, not an abort.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::TryReserveError;
use std::io::Write as _;

/// The exit code of work that failed.
const FAILED: i32 = 1;

/// The system's memory. If there is no more, the program exits with an error line, and its part files stay as
/// after a kill. Set it as the global allocator of a program.
#[derive(Debug)]
pub struct Allocator;

thread_local! {
    /// True while the thread tries an allocation that may fail.
    static ASKS: Cell<bool> = const { Cell::new(false) };
}

/// Reserves room for more items.
///
/// # Errors
/// When memory has no room.
pub fn try_reserve<T>(items: &mut Vec<T>, more: usize) -> Result<(), TryReserveError> {
    ASKS.set(true);
    let reserved = items.try_reserve(more);
    ASKS.set(false);
    reserved
}

// SAFETY: the system's allocator does the work; its result is only checked.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's layout is passed on.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's block, layout and size are passed on.
        given(unsafe { System.realloc(block, layout, size) }, size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}

#[inline]
fn given(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() && !ASKS.get() {
        end(size);
    }
    block
}

/// Reports the failure without allocating, and exits at once: other threads may still need memory.
#[cold]
fn end(size: usize) -> ! {
    let mut line = [0_u8; 96];
    let mut rest = &mut line[..];
    let _ = writeln!(rest, "error: out of memory: cannot allocate {size} bytes; try a smaller flock");
    let left = rest.len();
    let _ = std::io::stderr().write_all(&line[..line.len() - left]);
    #[cfg(unix)]
    // SAFETY: ends the process, with none of the functions that `exit` calls: they could need memory.
    unsafe {
        libc::_exit(FAILED)
    }
    #[cfg(not(unix))]
    std::process::exit(FAILED)
}
