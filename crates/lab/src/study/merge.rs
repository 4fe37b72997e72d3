//! The shards of a study as one folder, as if one process had done it.

use std::path::{Path, PathBuf};

use super::folder::Folder;
use super::log::Log;
use super::shard::Shard;
use report::failure::Failure;

/// Adds the logs of folders to one, which may hold a part of them from an earlier merge. A run that failed in one and was
/// done in another counts as done. `say` is told which lines of a log are damaged.
///
/// # Errors
/// When the folders do not hold the same study, a run has two results, or a file cannot be read or written.
pub fn merge(
    folders: &[PathBuf],
    out: &Path,
    tables: &[String],
    say: &dyn Fn(&str),
) -> Result<(Folder, Log), Failure> {
    let parts: Vec<Folder> = folders.iter().map(|path| Folder::read(path)).collect::<Result<_, _>>()?;
    let Some(first) = parts.first() else {
        return Err(Failure::usage("--merge: allowed is one folder or more"));
    };
    parts.iter().try_for_each(|part| part.same(first))?;
    let hosts = parts.iter().flat_map(|part| part.hosts.clone()).collect();
    let whole = Folder::new(out, first.identity.clone(), Shard::WHOLE, hosts, first.spec.clone());
    let (whole, mut log) = whole.begin(true, tables)?;
    log.damage().iter().for_each(|line| say(line));
    for part in &parts {
        let mut from = part.log()?;
        from.damage().iter().for_each(|line| say(line));
        let runs: Vec<usize> = from.ended().map(|(run, _)| run).collect();
        for run in runs {
            let Some(outcome) = from.outcome(run)? else { continue };
            match log.outcome(run)? {
                Some(known) if known == outcome || outcome.error.is_some() => {}
                Some(known) if known.error.is_none() => {
                    let why = format!("{}: run {run} has another result than before", part.path.display());
                    return Err(Failure::work(why));
                }
                _ => log.add(&outcome)?,
            }
        }
    }
    Ok((whole, log))
}
