//! Ctrl-C: long work looks here between two steps, and ends as if it were done.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);
static LISTEN: Once = Once::new();

/// From now on Ctrl-C does not end the program but makes [`asked`] true.
pub fn listen() {
    LISTEN.call_once(|| {
        // Where no handler can be set, Ctrl-C ends the program as before.
        let set = ctrlc::set_handler(|| ASKED.store(true, Ordering::Relaxed));
        if let Err(error) = set {
            log::warn!("Ctrl-C: {error}");
        }
    });
}

/// Whether Ctrl-C was pressed.
#[must_use]
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
