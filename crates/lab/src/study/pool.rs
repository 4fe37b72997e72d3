//! The runs of a study, several at a time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::log::Log;
use super::work::{Watch, Worker};
use report::failure::Failure;

/// Does runs in order, each worker one at a time, until all are done or `leave` says so. What has ended is in the log.
///
/// # Errors
/// When the log cannot be written, or a device is lost.
pub fn execute(
    runs: &[usize],
    workers: Vec<Worker<'_>>,
    log: &mut Log,
    leave: &(dyn Fn() -> bool + Sync),
    advanced: &(dyn Fn(u64) + Sync),
) -> Result<(), Failure> {
    let next = AtomicUsize::new(0);
    let broken = AtomicBool::new(false);
    let log = Mutex::new(log);
    let watch = Watch { leave: &|| broken.load(Ordering::Relaxed) || leave(), advanced };
    let work = |worker: Worker<'_>| {
        while !(watch.leave)()
            && let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed))
            && let Some(outcome) = worker.run(*run, &watch)?
        {
            let mut log = log.lock().map_err(|_| Failure::work("a run ended by a panic"))?;
            log.add(&outcome)?;
        }
        Ok(())
    };
    let guarded = |worker| {
        let result = work(worker);
        if result.is_err() {
            broken.store(true, Ordering::Relaxed);
        }
        result
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = workers.into_iter().map(|worker| scope.spawn(|| guarded(worker))).collect();
        let ends = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        let ends: Vec<_> =
            ends.map(|end| end.unwrap_or_else(|_| Err(Failure::work("a run ended by a panic")))).collect();
        ends.into_iter().collect()
    })
}
