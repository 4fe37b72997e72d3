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
    let panicked = || Failure::work("a run ended by a panic");
    let work = |worker: Worker<'_>| {
        while !(watch.leave)()
            && let Some(run) = runs.get(next.fetch_add(1, Ordering::Relaxed))
            && let Some(outcome) = worker.run(*run, &watch)?
        {
            log.lock().map_err(|_| panicked())?.add(&outcome)?;
        }
        Ok(())
    };
    let guarded = |worker| work(worker).inspect_err(|_| broken.store(true, Ordering::Relaxed));
    std::thread::scope(|scope| {
        let threads: Vec<_> = workers.into_iter().map(|worker| scope.spawn(|| guarded(worker))).collect();
        let ends: Vec<_> =
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(panicked()))).collect();
        ends.into_iter().collect()
    })
}
