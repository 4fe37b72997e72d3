//! Ctrl-C, and a system that asks the program to end: long work looks here between two steps, and ends as if it were
//! done.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);
static LISTEN: Once = Once::new();

/// How a shell names the end by Ctrl-C: 128 and the signal's number.
const INTERRUPTED: i32 = 130;

/// From now on Ctrl-C does not end the program but makes [`asked`] true, and so do SIGTERM and SIGHUP; the second time
/// it ends at once.
pub fn listen() {
    LISTEN.call_once(|| {
        let deaf = hang_up_is_ignored();
        // Where no handler can be set, Ctrl-C ends the program as before.
        let set = ctrlc::set_handler(|| {
            if ASKED.swap(true, Ordering::Relaxed) {
                std::process::exit(INTERRUPTED);
            }
        });
        if let Err(error) = set {
            log::warn!("Ctrl-C: {error}");
        }
        if deaf {
            ignore_hang_up();
        }
    });
}

/// Whether Ctrl-C was pressed.
#[must_use]
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Whether the program was started to outlive its terminal, as by `nohup`.
#[cfg(unix)]
fn hang_up_is_ignored() -> bool {
    // SAFETY: sets and reads what the system does at a signal; no code of this program runs at it.
    let before = unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
    if before != libc::SIG_IGN && before != libc::SIG_ERR {
        // SAFETY: as above; this is what was there before.
        unsafe { libc::signal(libc::SIGHUP, before) };
    }
    before == libc::SIG_IGN
}

#[cfg(unix)]
fn ignore_hang_up() {
    // SAFETY: as in `hang_up_is_ignored`.
    unsafe { libc::signal(libc::SIGHUP, libc::SIG_IGN) };
}

#[cfg(not(unix))]
fn hang_up_is_ignored() -> bool {
    false
}

#[cfg(not(unix))]
fn ignore_hang_up() {}
