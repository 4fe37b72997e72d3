//! Benchmarks: `murmuration profile` over sizes, presets and devices.
//!
//! Every run writes its JSON to `target/bench`, and the table is rewritten after each run, so that an interruption loses
//! nothing.

mod device;
mod options;
mod plan;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub use self::options::Options;
use self::plan::Run;
use self::table::{Finished, Outcome};
use crate::error::{Error, Result};
use crate::needs::Purpose;
use crate::{setup, shell};

/// Runs the plan that the options select.
pub fn bench(options: &Options) -> Result {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => build()?,
    };
    let folder = shell::root().join("target").join("bench");
    let failed = |why: std::io::Error| Error::Failed(format!("{}: {why}", folder.display()));
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    // The running program receives the signal too, and writes its results so far.
    let listening = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    listening.map_err(|why| Error::Failed(format!("Ctrl-C cannot be heard: {why}")))?;
    let devices = device::all(&program, options)?;
    let runs = plan::plan(&devices, options);
    eprintln!("bench: {} runs on {} devices", runs.len(), devices.len());
    let table = folder.join("results.md");
    let mut finished = Vec::new();
    for (count, run) in (1..).zip(&runs) {
        eprintln!("bench: {count} of {}: {}", runs.len(), run.title);
        finished.push(profile(&program, &folder, run));
        write(&table, &table::markdown(&table::machine(), &finished))?;
        if stop.load(Ordering::Relaxed) {
            break;
        }
    }
    println!("{}", table.display());
    conclude(&finished, runs.len())
}

/// Builds the program in release mode.
fn build() -> Result<PathBuf> {
    setup::setup(Purpose::Run, setup::Consent::asked(false))?;
    shell::run(&mut shell::cargo(&["build", "--locked", "--package", "murmuration-boids"]))?;
    let name = format!("murmuration{}", std::env::consts::EXE_SUFFIX);
    let target =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| shell::root().join("target"), PathBuf::from);
    Ok(target.join("debug").join(name))
}

/// Makes one run.
fn profile(program: &Path, folder: &Path, run: &Run) -> Finished {
    let json = folder.join(format!("{}.json", run.name));
    // A result of an earlier call must not be mistaken for this one's.
    let _ = std::fs::remove_file(&json);
    let mut command = Command::new(program);
    command.arg("profile").args(&run.words).arg("--quiet").arg("--json").arg(&json);
    if run.plot {
        command.arg("--plot").arg(folder.join(format!("{}.svg", run.name)));
    }
    let ended = shell::run(command.current_dir(shell::root()));
    let read = std::fs::read(&json).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let outcome = match (read, ended) {
        (Some(json), _) => Outcome::Measured(json),
        (None, Err(Error::Failed(why) | Error::Usage(why))) => Outcome::Failed(why),
        (None, Ok(())) => Outcome::Failed(format!("{} is not there", json.display())),
    };
    Finished { run: run.clone(), outcome }
}

/// Writes a file atomically.
fn write(file: &Path, text: &str) -> Result {
    let part = file.with_extension("part");
    let written = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, file));
    written.map_err(|why| Error::Failed(format!("{}: {why}", file.display())))
}

/// Fails with the names of the missing runs.
fn conclude(finished: &[Finished], planned: usize) -> Result {
    let failed = |done: &Finished| match &done.outcome {
        Outcome::Measured(_) => None,
        Outcome::Failed(why) => Some(format!("{}: {why}", done.run.name)),
    };
    let failures: Vec<String> = finished.iter().filter_map(failed).collect();
    if !failures.is_empty() {
        return Err(Error::Failed(format!("{} of {planned} runs: {}", failures.len(), failures.join("; "))));
    }
    if finished.len() < planned {
        return Err(Error::Failed(format!("interrupted after {} of {planned} runs", finished.len())));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(outcomes: &[bool]) -> Vec<Finished> {
        let run = Run { name: "a".into(), title: "A".into(), words: Vec::new(), plot: false };
        let outcome = |good: &bool| match good {
            true => Outcome::Measured(serde_json::json!({})),
            false => Outcome::Failed("it broke".into()),
        };
        outcomes.iter().map(|good| Finished { run: run.clone(), outcome: outcome(good) }).collect()
    }

    #[test]
    fn what_is_missing_is_an_error_that_names_it() {
        assert!(conclude(&finished(&[true, true]), 2).is_ok());
        let text = |result: Result| match result {
            Err(Error::Failed(why)) => why,
            other => panic!("{other:?}"),
        };
        assert_eq!(text(conclude(&finished(&[true, false]), 2)), "1 of 2 runs: a: it broke");
        assert_eq!(text(conclude(&finished(&[true]), 3)), "interrupted after 1 of 3 runs");
    }

    #[test]
    fn a_program_that_is_not_there_is_a_failed_run_that_leaves_the_others() {
        let run = Run { name: "no-such-run".into(), title: "A".into(), words: Vec::new(), plot: false };
        let done = profile(Path::new("no/such/program"), &std::env::temp_dir(), &run);
        assert!(matches!(done.outcome, Outcome::Failed(why) if why.contains("did not start")));
    }
}
