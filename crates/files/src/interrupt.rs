//! Ctrl-C, SIGTERM, SIGHUP, and the warnings of a cluster (SIGUSR1, SIGXCPU): long work checks for them between two
//! steps, and then finishes its files. A callback wakes a sleeping window.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Once, OnceLock};
use std::time::Instant;

static LISTEN: Once = Once::new();
static BEGUN: OnceLock<Instant> = OnceLock::new();
/// The time of the first signal in milliseconds, from 1; 0 before it.
static FIRST: AtomicU64 = AtomicU64::new(0);
static THEN: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// The exit code of a program that Ctrl-C ends: 128 plus the number of the signal.
pub const INTERRUPTED: u8 = 130;

/// A second signal this soon after the first, in milliseconds, is ignored: `timeout` sends one to the program and one to
/// its group.
const SAME: u64 = 500;

/// From now on Ctrl-C, SIGTERM, SIGHUP, SIGUSR1 and SIGXCPU do not end the program but make [`asked`] true. A second
/// signal ends it.
pub fn listen() {
    LISTEN.call_once(|| {
        BEGUN.get_or_init(Instant::now);
        #[cfg(unix)]
        let at_hang_up = signals::set(libc::SIGHUP, libc::SIG_IGN);
        // Exceeding a limit of file sizes becomes an error of the write.
        #[cfg(unix)]
        signals::set(libc::SIGXFSZ, libc::SIG_IGN);
        let set = ctrlc::set_handler(|| {
            if is_second() {
                std::process::exit(INTERRUPTED.into());
            }
            if let Some(wake) = THEN.get() {
                wake();
            }
        });
        #[cfg(unix)]
        {
            if set.is_err() {
                signals::hear_without_a_thread();
            }
            // A program that was started with SIGHUP ignored, as by `nohup`, still ignores it.
            if at_hang_up == libc::SIG_IGN {
                signals::set(libc::SIGHUP, at_hang_up);
            }
            [libc::SIGUSR1, libc::SIGXCPU].into_iter().for_each(signals::hear_as_sigterm);
        }
        if let Err(error) = set {
            log::warn!("cannot handle Ctrl-C: {error}");
        }
    });
}

/// Sets the callback for such a signal. It runs on its own thread, after [`asked`] is true. Only the first call counts.
pub fn then(wake: impl Fn() + Send + Sync + 'static) {
    let _ = THEN.set(Box::new(wake));
}

/// True if the program was asked to end.
pub fn asked() -> bool {
    FIRST.load(Ordering::Relaxed) > 0
}

/// Notes a signal; true if the program had been asked to end before. A handler of signals may call it.
fn is_second() -> bool {
    let now = BEGUN.get().map_or(0, |begun| begun.elapsed().as_millis() as u64) + 1;
    let first = FIRST.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
    first.is_err_and(|first| now > first + SAME)
}

#[cfg(unix)]
mod signals {
    use libc::{c_int, sighandler_t};

    /// Sets the action at a signal; returns the previous one.
    pub(super) fn set(signal: c_int, action: sighandler_t) -> sighandler_t {
        // SAFETY: the action is the system's own, was set before, or calls only what a handler of signals may call.
        unsafe { libc::signal(signal, action) }
    }

    /// Handles Ctrl-C, SIGTERM and SIGHUP where the system has no thread to give that would wait for them. No callback is
    /// called then.
    pub(super) fn hear_without_a_thread() {
        extern "C" fn hear(_: c_int) {
            if super::is_second() {
                // SAFETY: a handler of signals may call `_exit`.
                unsafe { libc::_exit(super::INTERRUPTED.into()) };
            }
        }
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
            set(signal, hear as *const () as sighandler_t);
        }
    }

    /// Has a signal do what SIGTERM does, if it would end the program; one that is ignored or handled stays so.
    pub(super) fn hear_as_sigterm(signal: c_int) {
        extern "C" fn terminate(_: c_int) {
            // SAFETY: a handler of signals may call `raise`.
            unsafe { libc::raise(libc::SIGTERM) };
        }
        let before = set(signal, terminate as *const () as sighandler_t);
        if before != libc::SIG_DFL {
            set(signal, before);
        }
    }
}
