//! Threads, and futures that are waited for.

use std::io;
use std::sync::Arc;
pub use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

pub use pollster::block_on;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Work beside the caller's.
#[derive(Debug)]
pub struct Task<T>(JoinHandle<T>);

impl<T> Task<T> {
    /// Waits for its end; `None` where it ended by a panic.
    pub fn join(self) -> Option<T> {
        self.0.join().ok()
    }

    /// Waits for its end. A panic has already been printed on stderr.
    pub fn leave(self) {
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

/// Threads for work that can be divided; a clone shares them.
#[derive(Clone, Debug)]
pub struct Threads(Arc<ThreadPool>);

impl Threads {
    /// A pool of `count` threads; by default one a core.
    ///
    /// # Errors
    /// When the system does not give them.
    pub fn new(count: Option<usize>) -> Result<Self, ThreadPoolBuildError> {
        // With none given the pool counts the cores.
        ThreadPoolBuilder::new().num_threads(count.unwrap_or(0)).build().map(|pool| Threads(Arc::new(pool)))
    }

    /// Number of threads.
    pub fn count(&self) -> usize {
        self.0.current_num_threads()
    }

    /// Does work whose parallel parts run on these threads.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.0.install(work)
    }
}
