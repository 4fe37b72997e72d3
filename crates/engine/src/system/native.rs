//! Threads, the error where the system refuses them, and futures that are waited for.

use std::error::Error as _;
use std::io;
use std::sync::{Arc, OnceLock};
use std::thread::{Builder, JoinHandle};

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::{EngineError, Result};

pub use std::sync::mpsc::{Receiver, Sender, channel};

pub use pollster::block_on;

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

/// The system refuses to start so many threads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot start {threads} thread{}: {why}", if *threads == 1 { "" } else { "s" })]
pub struct NoThreads {
    threads: usize,
    why: String,
}

impl From<NoThreads> for EngineError {
    fn from(why: NoThreads) -> Self {
        EngineError::NoThreads(why.to_string())
    }
}

impl NoThreads {
    /// The error for `threads` threads; `source` is the system's.
    pub fn new(threads: usize, source: &io::Error) -> Self {
        let allowed = |(most, by): (u64, &str)| {
            let what = if most == 1 { "process or thread" } else { "processes and threads" };
            format!("the system allows {most} {what} ({by})")
        };
        let limit = limits().into_iter().min().map(allowed);
        let text = source.to_string();
        let unnamed = text.split(" (os error").next().unwrap_or_default().to_lowercase();
        NoThreads { threads, why: limit.unwrap_or(unnamed) }
    }

    /// The error of a pool, by default of one thread per core.
    fn of_pool(count: Option<usize>, error: &ThreadPoolBuildError) -> Self {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = count.unwrap_or_else(cores);
        match error.source().and_then(|source| source.downcast_ref::<io::Error>()) {
            Some(source) => Self::new(threads, source),
            None => NoThreads { threads, why: error.to_string() },
        }
    }
}

/// The limits of the number of processes and threads, each with its name.
#[cfg(target_os = "linux")]
fn limits() -> Vec<(u64, &'static str)> {
    let mut limits = Vec::new();
    let mut user = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the pointer is valid for the call.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_NPROC, &raw mut user) } == 0;
    if known && user.rlim_cur != libc::RLIM_INFINITY {
        limits.push((user.rlim_cur, "ulimit -u"));
    }
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    for group in groups.lines() {
        let mut parts = group.splitn(3, ':').skip(1);
        let root = match parts.next() {
            Some("") => "/sys/fs/cgroup",
            Some("pids") => "/sys/fs/cgroup/pids",
            _ => continue,
        };
        let path = parts.next().unwrap_or_default().trim_start_matches('/');
        for folder in std::path::Path::new(path).ancestors() {
            let file = std::path::Path::new(root).join(folder).join("pids.max");
            let most = std::fs::read_to_string(file).ok().and_then(|text| text.trim().parse().ok());
            limits.extend(most.map(|most| (most, "pids.max of a control group")));
        }
    }
    limits
}

#[cfg(not(target_os = "linux"))]
fn limits() -> Vec<(u64, &'static str)> {
    Vec::new()
}
