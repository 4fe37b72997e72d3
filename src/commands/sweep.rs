//! `sweep`: many runs of a flock, over settings and seeds.

use std::env;
use std::path::PathBuf;

use super::{note, open, report, warn};
use crate::cli::sweep::{SweepOptions, SweepRequest};
use engines::{Cpu, Device};
use files::{Failure, Result, interrupt, progress};
use study::{self, Folder, Identity, Log, Shard, Spec, Study, Worker};

pub(super) fn sweep(request: &SweepRequest) -> Result {
    report(conduct(request, interrupt::listen, &interrupt::asked)?, false);
    Ok(())
}

/// Does a sweep, until `leave` returns true; finished runs are kept. `begin` is called before the first run, once all
/// files are read, which may be pipes; not where runs are listed or logs merged. Returns a line to print at the end.
///
/// # Errors
/// For a study that is not valid, runs that fail, and files that cannot be written.
pub fn conduct(
    request: &SweepRequest,
    begin: fn(),
    leave: &(dyn Fn() -> bool + Sync),
) -> Result<Option<String>> {
    let SweepRequest { options, .. } = request;
    if !options.merge.is_empty() {
        return merge(options);
    }
    let (file, text, origin) = match &options.spec {
        None => (Spec::default(), None, "sweep".to_owned()),
        Some(path) => {
            let (spec, text) = Spec::load(path)?;
            (spec, Some(text), path.display().to_string())
        }
    };
    let (study, flock) = Study::new(request.spec.clone().over(file), &origin)?;
    let shard = shard(options)?;
    if options.dry_run {
        return study::list(&study, shard).map(|()| None);
    }
    begin();
    note(study.world(flock), options.quiet);
    let mut device = open(&request.engine, options.quiet)?;
    let jobs = jobs(&mut device, options.jobs)?;
    let folder = Folder::new(&out(options)?, Identity::new(&device, study), shard, text);
    let (mut folder, mut log) = folder.begin(options.resume || options.retry_failed)?;
    log.damage().iter().for_each(|line| warn(line));
    let study = &folder.identity.study;
    let runs: Vec<usize> = folder.runs().filter(|run| !log.has(*run, options.retry_failed)).collect();
    let threads = if let Device::Cpu(_, Cpu { threads, .. }) = &device { *threads } else { None };
    let worker = |_| {
        let threads = engine::system::Threads::new(threads)?;
        Ok(Worker { device: &device, study, flock, origin: &origin, threads })
    };
    let workers = (0..jobs.min(runs.len())).map(worker).collect::<Result<_>>()?;
    let progress = progress(study.steps * runs.len() as u64, "steps", options.quiet);
    let advanced = |steps| progress.inc(steps);
    if let Err(failure) = study::execute(&runs, workers, &mut log, leave, &advanced) {
        // Errors are ignored: the log is authoritative.
        let _ = folder.write(Some(&log));
        return Err(failure);
    }
    drop(progress);
    finish(folder, log, options, leave())
}

/// Writes tables and manifest, and returns a line to print. Fails if runs failed or are missing, unless `left`.
fn finish(mut folder: Folder, mut log: Log, options: &SweepOptions, left: bool) -> Result<Option<String>> {
    let written = study::write_tables(&folder, &mut log);
    folder.write(Some(&log))?;
    written?;
    let all = folder.runs().count();
    let (ended, failed) = log
        .ended()
        .fold((0, 0), |(ended, failed), (_, error)| (ended + 1, failed + usize::from(error.is_some())));
    let path = folder.path.display();
    if left {
        return Ok(Some(format!("{path}: stopped after {ended} of {all} runs; use --resume to continue")));
    }
    if failed > 0 {
        let why = format!("{failed} of {all} runs failed; see {path}/manifest.json for the reasons");
        return Err(Failure::work(why).hint("use --retry-failed to repeat them"));
    }
    if ended < all {
        let why = format!("{path}: {} of {all} runs are missing", all - ended);
        return Err(Failure::work(why).hint("use --resume with the folder of their shard"));
    }
    Ok((!options.quiet).then(|| format!("{path}: {ended} of {all} runs finished")))
}

fn merge(options: &SweepOptions) -> Result<Option<String>> {
    let out = out(options)?;
    let (folder, log) = study::merge(&options.merge, &out, &warn)?;
    finish(folder, log, options, interrupt::asked())
}

/// The folder of the study.
fn out(options: &SweepOptions) -> Result<PathBuf> {
    options.out.clone().ok_or_else(|| Failure::usage("--out DIR is required, except with --dry-run"))
}

/// The shard that the options name, or the array of jobs that this process is of.
fn shard(options: &SweepOptions) -> Result<Shard> {
    if let Some(shard) = options.shard {
        return Ok(shard);
    }
    let found = Shard::of_array(options.shards, |name| env::var(name).ok()).map_err(Failure::usage)?;
    let Some((shard, name)) = found else { return Ok(Shard::WHOLE) };
    // Also where the call is quiet: a part of the tables looks like the whole study.
    let line = format!("running shard {shard}, from {name}; use --shard 0/1 for all runs");
    note(Some(line), false);
    Ok(shard)
}

/// The number of concurrent runs. On the CPU each has one thread, unless the call asks for more.
fn jobs(device: &mut Device, asked: Option<usize>) -> Result<usize> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    match (device, asked) {
        (Device::Gpu(..), Some(jobs)) if jobs > 1 => {
            Err(Failure::usage(format!("--jobs must be 1 on the GPU, not {jobs}")))
        }
        (Device::Gpu(..), _) => Ok(1),
        (Device::Cpu(_, cpu), asked) => {
            let threads = *cpu.threads.get_or_insert(1);
            Ok(asked.unwrap_or((cores / threads).max(1)))
        }
        (Device::Rp2040(_), asked) => Ok(asked.unwrap_or(cores)),
    }
}
