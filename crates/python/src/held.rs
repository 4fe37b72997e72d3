//! What an object of Python holds, behind a lock.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use cpu::system::Threads;
use pyo3::prelude::*;
use report::{Failure, Result};

use crate::error::raised;

/// How long work goes on before Ctrl-C is looked for, and its end.
const PAUSE: Duration = Duration::from_millis(10);

/// The process that imports the module, and later the one that works, with its threads where it was forked: threads do not
/// survive a fork, those of Rayon's global pool among them. The interpreter's lock is held wherever this one is taken, so that no
/// fork finds it locked.
static PROCESS: Mutex<Option<(u32, Option<Threads>)>> = Mutex::new(None);

/// The threads for work in this process; none where Rayon's global pool serves.
pub fn threads(py: Python<'_>) -> PyResult<Option<Threads>> {
    let process = std::process::id();
    let mut held = PROCESS.lock().unwrap_or_else(PoisonError::into_inner);
    let (owner, threads) = held.get_or_insert((process, None));
    if *owner != process {
        let new = Threads::new(None).map_err(|error| raised(py, Failure::work(error)))?;
        // A pool of the parent has no threads here that could end.
        std::mem::forget(threads.replace(new));
        *owner = process;
    }
    Ok(threads.clone())
}

/// A value that one thread uses at a time; none after an error of the program left it half done.
#[derive(Debug)]
pub struct Held<T> {
    value: Mutex<Option<T>>,
    /// The process that has its threads and its device.
    process: u32,
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            std::mem::forget(self.value.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

impl<T: Send> Held<T> {
    pub fn new(value: T) -> Self {
        Held { value: Mutex::new(Some(value)), process: std::process::id() }
    }

    /// Works on it without the interpreter's lock. The work runs no Python, which could ask for the same value.
    ///
    /// # Errors
    /// Those of the work; in another process; and from then on, when the work has panicked.
    pub fn with<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut T) -> Result<R> + Send,
    ) -> PyResult<R> {
        if self.process != std::process::id() {
            let why = "the flock was opened in another process: make a new one in this one";
            return Err(raised(py, Failure::work(why)));
        }
        let threads = threads(py)?;
        let done = py.detach(|| {
            // Taken outside of the pool: a thread of it may take up other work while it waits.
            let mut held = self.value.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(mut value) = held.take() else {
                return Err(Failure::work("the flock was lost by an error of the program: make a new one"));
            };
            // A panic drops what it left half done.
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

/// Does work without the interpreter's lock that may open a device.
///
/// # Errors
/// Those of the work.
pub fn beside<R: Send>(py: Python<'_>, work: impl FnOnce() -> Result<R> + Send) -> PyResult<R> {
    let threads = threads(py)?;
    silenced(py, || py.detach(|| guarded(threads, work)).map_err(|failure| raised(py, failure)))
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
            worker.join().unwrap_or_else(|_| Err(Failure::work("the work was lost")))
        })
    });
    (done, heard)
}

/// What a handler raises for a signal that has come: Ctrl-C is KeyboardInterrupt.
fn heard_now(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// Does work on these threads, or on this one where there are none; a panic, which is an error of the program, becomes a failure.
///
/// # Errors
/// Those of the work.
fn guarded<R: Send>(threads: Option<Threads>, work: impl FnOnce() -> Result<R> + Send) -> Result<R> {
    let work = AssertUnwindSafe(|| match threads {
        Some(threads) => threads.install(work),
        None => work(),
    });
    catch_unwind(work).unwrap_or_else(|cause| {
        let said = cause.downcast_ref::<String>().cloned();
        let said = said.or_else(|| cause.downcast_ref::<&str>().map(|&said| said.to_owned()));
        Err(Failure::work(format!("an error of the program: {}", said.unwrap_or_default())))
    })
}
