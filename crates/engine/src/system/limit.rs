//! The error when the system refuses to start threads, with the limit that it sets.

use std::error::Error as _;
use std::io;

use rayon::ThreadPoolBuildError;

use crate::EngineError;

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
    pub(super) fn of_pool(count: Option<usize>, error: &ThreadPoolBuildError) -> Self {
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
