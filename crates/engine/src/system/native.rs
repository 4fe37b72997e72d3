//! Threads, and futures that are waited for.

use std::error::Error as _;
use std::io;
pub use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread::{Builder, JoinHandle};

pub use pollster::block_on;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::NoThreads;
use crate::Result;

/// Work beside the caller's.
#[derive(Debug)]
pub struct Task<T>(JoinHandle<T>);

impl<T> Task<T> {
    /// Waits for its end; `None` where it ended by a panic.
    pub fn join(self) -> Option<T> {
        self.0.join().ok()
    }

    /// Waits for its end. A panic has already been printed on stderr.
    pub fn detach(self) {
        let _ = self.join();
    }
}

/// Starts work on a thread of its own.
///
/// # Errors
/// When the system has no thread to give.
pub fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<Task<T>> {
    Builder::new().name(name.to_owned()).spawn(work).map(Task)
}

/// Starts a thread that takes messages, until there are none or `work` ends it; it ends with the state. `work` may take
/// further messages.
///
/// # Errors
/// When the system has no thread to give.
pub fn serve<M: Send + 'static, S: Send + 'static>(
    name: &str,
    inbox: Receiver<M>,
    mut state: S,
    mut work: impl FnMut(&mut S, M, &Receiver<M>) -> bool + Send + 'static,
) -> io::Result<Task<S>> {
    spawn(name, move || {
        while inbox.recv().is_ok_and(|message| work(&mut state, message, &inbox)) {}
        state
    })
}

/// True if a task can wait.
pub fn waits() -> bool {
    true
}

/// Threads for work that can be divided; a clone shares them. Without a pool it is the caller's own.
#[derive(Clone, Debug)]
pub struct Threads(Option<Arc<ThreadPool>>);

impl Threads {
    /// A pool of `count` threads; by default one per core. If the system allows no second thread, one is that of the
    /// caller.
    ///
    /// # Errors
    /// When the system does not give more.
    pub fn new(count: Option<usize>) -> Result<Self> {
        match builder(count).build() {
            Ok(pool) => Ok(Threads(Some(Arc::new(pool)))),
            Err(_) if count == Some(1) => Ok(Threads(None)),
            Err(error) => Err(NoThreads::of_pool(count, &error).into()),
        }
    }

    /// Number of threads.
    pub fn count(&self) -> usize {
        self.0.as_ref().map_or(1, |pool| pool.current_num_threads())
    }

    /// Does work whose parallel parts run on these threads.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => {
                work_alone();
                work()
            }
        }
    }
}

/// The pool that shares work outside of any [`Threads`], or why there is none.
static SHARED: OnceLock<Result> = OnceLock::new();

/// Starts the threads that share work outside of any [`Threads`], one a core: Rayon would panic where it cannot start them
/// by itself. A caller that asks for a number of threads does that work alone where the system has none to give.
///
/// # Errors
/// When the system does not give them.
pub fn share_work(asked: Option<usize>) -> Result {
    let shared = SHARED.get_or_init(|| match builder(None).build_global() {
        // Without a source they have been started.
        Err(error) if error.source().is_some() => Err(NoThreads::of_pool(None, &error).into()),
        Ok(()) | Err(_) => Ok(()),
    });
    if shared.is_err() && asked.is_some() {
        work_alone();
        return Ok(());
    }
    shared.clone()
}

/// Has the calling thread do all parallel work itself, if it belongs to no pool yet.
fn work_alone() {
    if rayon::current_thread_index().is_none() {
        // It stays in its pool, which must not end before.
        std::mem::forget(builder(Some(1)).use_current_thread().build());
    }
}

/// With no number given the pool counts the cores.
fn builder(count: Option<usize>) -> ThreadPoolBuilder {
    ThreadPoolBuilder::new().num_threads(count.unwrap_or(0))
}
