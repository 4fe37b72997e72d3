//! Ctrl-C, SIGTERM and SIGHUP: long work checks for them between two steps, and then finishes its files. A callback
//! wakes a sleeping window.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};
use std::time::{Duration, Instant};

static ASKED: AtomicBool = AtomicBool::new(false);
static LISTEN: Once = Once::new();
static THEN: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// The exit code of a program that Ctrl-C ends: 128 plus the number of the signal.
pub const INTERRUPTED: u8 = 130;

/// A second signal this soon after the first is ignored: `timeout` sends one to the program and one to its group.
const SAME: Duration = Duration::from_millis(500);

/// From now on Ctrl-C, SIGTERM and SIGHUP do not end the program but make [`asked`] true. A second signal ends it.
pub fn listen() {
    LISTEN.call_once(|| {
        #[cfg(unix)]
        let before = at_hang_up(libc::SIG_IGN);
        // Exceeding a limit of file sizes becomes an error of the write.
        // SAFETY: the action is the system's own.
        #[cfg(unix)]
        unsafe {
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN)
        };
        // Where no handler can be set, Ctrl-C ends the program as before.
        let set = ctrlc::set_handler(|| {
            static FIRST: OnceLock<Instant> = OnceLock::new();
            let since = FIRST.get_or_init(Instant::now).elapsed();
            if ASKED.swap(true, Ordering::Relaxed) && since > SAME {
                std::process::exit(INTERRUPTED.into());
            }
            if let Some(wake) = THEN.get() {
                wake();
            }
        });
        // A program that was started with SIGHUP ignored, as by `nohup`, still ignores it.
        #[cfg(unix)]
        if before == libc::SIG_IGN || set.is_err() {
            at_hang_up(before);
        }
        if let Err(error) = set {
            log::warn!("Ctrl-C: {error}");
        }
    });
}

/// Sets the callback for such a signal. It runs on its own thread, after [`asked`] is true. Only the first call counts.
pub fn then(wake: impl Fn() + Send + Sync + 'static) {
    let _ = THEN.set(Box::new(wake));
}

/// True if the program was asked to end.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// Sets the system's action at SIGHUP; returns the previous action.
#[cfg(unix)]
fn at_hang_up(action: libc::sighandler_t) -> libc::sighandler_t {
    // SAFETY: the action is the system's own, or was set before; it runs no code of this program.
    unsafe { libc::signal(libc::SIGHUP, action) }
}
