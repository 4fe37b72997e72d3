//! `run`: its options, and what they mean.

use std::path::{Component, Path, PathBuf};

use clap::Args;

use super::shared::{AdapterFor, Arguments, MOST_STEPS, Request, whole};
use crate::failure::Failure;
use crate::report::predators_path;

/// `run`.
#[derive(Args, Debug)]
pub struct RunOptions {
    /// Number of steps.
    #[arg(long, value_name = "K", default_value = "100", allow_hyphen_values = true)]
    #[arg(value_parser = whole::<u64>(0..=MOST_STEPS))]
    pub steps: u64,
    /// Start from a state that a run wrote (and its predators beside it).
    #[arg(long, value_name = "FILE.csv")]
    pub init: Option<PathBuf>,
    /// The number of the first step, on which noise and predators depend [default: that of the predators' file, or 0].
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    #[arg(value_parser = whole::<u64>(0..=MOST_STEPS))]
    pub first_step: Option<u64>,
    /// Write the last state.
    #[arg(short, long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    /// Write the state every so many steps.
    #[arg(long, value_name = "FILE.csv")]
    pub trajectory: Option<PathBuf>,
    /// Write the flock's measures every so many steps.
    #[arg(long, value_name = "FILE.csv")]
    pub metrics: Option<PathBuf>,
    /// Steps between two samples of --trajectory and --metrics; the first and the last step are always in.
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    #[arg(value_parser = whole::<u64>(1..=MOST_STEPS))]
    pub every: Option<u64>,
    /// Print `step,hash` for every step: a fingerprint of the state.
    #[arg(long)]
    pub hash: bool,
    /// Print a summary as JSON.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but results and errors.
    #[arg(long)]
    pub quiet: bool,
}

/// A run to be done.
pub type RunRequest = Request<RunOptions>;

pub(super) fn resolve(args: Arguments<RunOptions>) -> Result<RunRequest, Failure> {
    let options = &args.options;
    if options.every.is_some() && options.trajectory.is_none() && options.metrics.is_none() {
        return Err(Failure::usage("--every: allowed with --trajectory FILE.csv or --metrics FILE.csv"));
    }
    check_files(options)?;
    args.resolve(AdapterFor::Steps)
}

/// Whether no file is named twice, those of the predators beside a state among them.
fn check_files(options: &RunOptions) -> Result<(), Failure> {
    let beside = |state: &Option<PathBuf>| state.as_deref().map(predators_path);
    let files = [
        ("--init", options.init.clone()),
        ("--init", beside(&options.init)),
        ("--out", options.out.clone()),
        ("--out", beside(&options.out)),
        ("--trajectory", options.trajectory.clone()),
        ("--metrics", options.metrics.clone()),
    ];
    let named: Vec<(&str, PathBuf)> =
        files.into_iter().filter_map(|(option, file)| Some((option, plain(&file?)))).collect();
    for (k, (option, file)) in named.iter().enumerate() {
        for (other, same) in &named[..k] {
            // A run may replace the file it started from: that is read before it is written.
            if file == same && (*other, *option) != ("--init", "--out") {
                let name = file.display();
                return Err(Failure::usage(format!("{other} and {option} both name {name}")));
            }
        }
    }
    Ok(())
}

/// A path without its `.` components: `./a.csv` is `a.csv`.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}
