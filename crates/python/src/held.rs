//! The values that Python objects hold, behind a lock.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use engine::system::Threads;
use files::{Failure, Result};
use pyo3::prelude::*;

use crate::error::raised;

/// Interval of the checks for Ctrl-C and for the end of the work.
const PAUSE: Duration = Duration::from_millis(10);

/// The process that imported the module, or later the process that works, with its own thread pool if it was forked:
/// threads, including those of Rayon's global pool, do not survive a fork. The interpreter's lock is held whenever this
/// lock is taken, so no fork can find it locked.
static PROCESS: Mutex<Option<(u32, Option<Threads>)>> = Mutex::new(None);

/// Thread pool of this process; `None` for Rayon's global pool.
pub fn threads(py: Python<'_>) -> PyResult<Option<Threads>> {
    let process = std::process::id();
    let mut held = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    let (owner, threads) = held.get_or_insert((process, None));
    if *owner != process {
        let new = Threads::new(None).map_err(|error| raised(py, error.into()))?;
        // The parent's pool has no threads here that could be joined.
        std::mem::forget(threads.replace(new));
        *owner = process;
    }
    Ok(threads.clone())
}

/// A value that one thread uses at a time; empty after a panic left it half done.
#[derive(Debug)]
pub struct Guarded<T> {
    value: Mutex<Option<T>>,
    /// The process that owns the value's threads and device.
    process: u32,
}

impl<T> Drop for Guarded<T> {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            std::mem::forget(self.value.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

impl<T: Send> Guarded<T> {
    pub fn new(value: T) -> Self {
        Guarded { value: Mutex::new(Some(value)), process: std::process::id() }
    }

    /// Runs work on the value without holding the GIL. The work must not run Python, which could lock it again.
    ///
    /// # Errors
    /// The errors of the work; when called in another process; and after the work has panicked.
    pub fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut T) -> Result<R> + Send,
    ) -> PyResult<R> {
        if self.process != std::process::id() {
            let why = "the flock was opened in another process: create a new one in this process";
            return Err(raised(py, Failure::work(why)));
        }
        let threads = threads(py)?;
        let done = py.detach(|| {
            // Locked outside of the pool: a waiting pool thread may take up other work.
            let mut held = self.value.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(mut value) = held.take() else {
                return Err(Failure::work("the flock was lost in a crash: create a new one"));
            };
            // A panic drops the half-done value.
            let (value, result) = guarded(threads, move || {
                let result = work(&mut value);
                Ok((value, result))
            })?;
            *held = Some(value);
            result
        });
        done.map_err(|failure| raised(py, failure))
    }
}

/// Runs work that may open a device, without holding the GIL.
///
/// # Errors
/// The errors of the work.
pub fn beside<R: Send>(py: Python<'_>, work: impl FnOnce() -> Result<R> + Send) -> PyResult<R> {
    let threads = threads(py)?;
    silenced(py, || py.detach(|| guarded(threads, work)).map_err(|failure| raised(py, failure)))
}

/// Runs work that may open a device. If XDG_RUNTIME_DIR is not set, Mesa's Vulkan layer prints an error; setting it to
/// a folder that does not exist, and unsetting it afterwards, avoids that.
///
/// # Errors
/// The errors of the work.
pub fn silenced<R>(py: Python<'_>, work: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    const FOLDER: &str = "XDG_RUNTIME_DIR";
    let environment = py.import("os")?.getattr("environ")?;
    let missing = cfg!(target_os = "linux") && !environment.contains(FOLDER)?;
    if missing {
        environment.set_item(FOLDER, "/nonexistent")?;
    }
    let done = work();
    if missing {
        // Another thread may have unset it.
        environment.call_method1("pop", (FOLDER, py.None()))?;
    }
    done
}

/// Runs work on another thread while this one checks for Ctrl-C, which asks the work to stop. Returns the result of the
/// work, and the exception of the signal.
pub fn listening<R: Send>(
    py: Python<'_>,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> Result<R> + Send,
) -> (Result<R>, PyResult<()>) {
    let (asked, mut heard) = (AtomicBool::new(false), Ok(()));
    let leave = || asked.load(Relaxed);
    let done = py.detach(|| {
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| guarded(None, || work(&leave)));
            while !worker.is_finished() {
                std::thread::park_timeout(PAUSE);
                if heard.is_ok() {
                    heard = Python::attach(heard_now);
                    asked.store(heard.is_err(), Relaxed);
                }
            }
            worker.join().unwrap_or_else(|_| Err(Failure::work("the worker thread crashed")))
        })
    });
    (done, heard)
}

/// Raises the exception of a pending signal's handler: Ctrl-C is KeyboardInterrupt.
fn heard_now(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// Runs work on these threads, or on the current one without them; a panic, which is a bug, becomes a failure.
///
/// # Errors
/// The errors of the work.
fn guarded<R: Send>(threads: Option<Threads>, work: impl FnOnce() -> Result<R> + Send) -> Result<R> {
    let work = AssertUnwindSafe(|| match threads {
        Some(threads) => threads.install(work),
        None => work(),
    });
    catch_unwind(work).unwrap_or_else(|cause| {
        let said = cause.downcast_ref::<String>().cloned();
        let said = said.or_else(|| cause.downcast_ref::<&str>().map(|&said| said.to_owned()));
        Err(Failure::work(format!("internal error: {}", said.unwrap_or_default())))
    })
}
