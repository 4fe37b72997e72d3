//! The reader of stdout, who may leave.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// Set once the reader of stdout has left.
static UNREAD: AtomicBool = AtomicBool::new(false);

/// True once the reader of stdout has left: what is written there from then on is dropped.
pub fn is_unread() -> bool {
    UNREAD.load(Ordering::Relaxed)
}

/// Returns `done` for a broken pipe: a reader of stdout that closes early (`| head`) is no failure.
///
/// # Errors
/// Any other error of the write.
pub fn unless_unread<T>(result: io::Result<T>, done: T) -> io::Result<T> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            UNREAD.store(true, Ordering::Relaxed);
            Ok(done)
        }
        result => result,
    }
}
