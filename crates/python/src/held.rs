//! What an object of Python holds, behind a lock.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use report::Failure;

use crate::error::raised;

/// How long work goes on before Ctrl-C is looked for, and its end.
const PAUSE: Duration = Duration::from_millis(10);

/// A value that one thread uses at a time; none after an error of the program left it half done.
#[derive(Debug)]
pub struct Held<T>(Mutex<Option<T>>);

impl<T: Send> Held<T> {
    pub fn new(value: T) -> Self {
        Held(Mutex::new(Some(value)))
    }

    /// Works on it without the interpreter's lock. The work runs no Python, which could ask for the same value.
    ///
    /// # Errors
    /// Those of the work; and from then on, when the work has panicked.
    pub fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut T) -> Result<R, Failure> + Send,
    ) -> PyResult<R> {
        let done = py.detach(|| {
            let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(mut value) = held.take() else {
                return Err(Failure::work("the flock was lost by an error of the program: make a new one"));
            };
            // A panic drops what it left half done.
            let (value, result) = guarded(move || {
                let result = work(&mut value);
                Ok((value, result))
            })?;
            *held = Some(value);
            result
        });
        done.map_err(|failure| raised(py, failure))
    }
}

/// Does work without the interpreter's lock that may open a device.
///
/// # Errors
/// Those of the work.
pub fn beside<R: Send>(py: Python<'_>, work: impl FnOnce() -> Result<R, Failure> + Send) -> PyResult<R> {
    silenced(py, || py.detach(|| guarded(work)).map_err(|failure| raised(py, failure)))
}

/// Does work that may open a device. Where XDG_RUNTIME_DIR is not set, Mesa's Vulkan layer prints an error of its own; a folder
/// that does not exist answers it in silence, and is taken back.
///
/// # Errors
/// Those of the work.
pub fn silenced<R>(py: Python<'_>, work: impl FnOnce() -> PyResult<R>) -> PyResult<R> {
    const FOLDER: &str = "XDG_RUNTIME_DIR";
    let environment = py.import("os")?.getattr("environ")?;
    let missing = cfg!(target_os = "linux") && !environment.contains(FOLDER)?;
    if missing {
        environment.set_item(FOLDER, "/nonexistent")?;
    }
    let done = work();
    if missing {
        // Another thread may have done so.
        environment.call_method1("pop", (FOLDER, py.None()))?;
    }
    done
}

/// Does work on another thread while this one hears Ctrl-C, at which the work is asked to leave: what became of the work, and
/// what was heard.
pub fn listening<R: Send>(
    py: Python<'_>,
    work: impl FnOnce(&(dyn Fn() -> bool + Sync)) -> Result<R, Failure> + Send,
) -> (Result<R, Failure>, PyResult<()>) {
    let (asked, mut heard) = (AtomicBool::new(false), Ok(()));
    let leave = || asked.load(Relaxed);
    let done = py.detach(|| {
        std::thread::scope(|scope| {
            let worker = scope.spawn(|| guarded(|| work(&leave)));
            while !worker.is_finished() {
                std::thread::park_timeout(PAUSE);
                if heard.is_ok() {
                    heard = Python::attach(heard_now);
                    asked.store(heard.is_err(), Relaxed);
                }
            }
            worker.join().unwrap_or_else(|_| Err(Failure::work("the work was lost")))
        })
    });
    (done, heard)
}

/// What a handler raises for a signal that has come: Ctrl-C is KeyboardInterrupt.
fn heard_now(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// Does work; a panic, which is an error of the program, becomes a failure.
///
/// # Errors
/// Those of the work.
pub fn guarded<R>(work: impl FnOnce() -> Result<R, Failure>) -> Result<R, Failure> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|cause| {
        let said = cause.downcast_ref::<String>().cloned();
        let said = said.or_else(|| cause.downcast_ref::<&str>().map(|&said| said.to_owned()));
        Err(Failure::work(format!("an error of the program: {}", said.unwrap_or_default())))
    })
}
