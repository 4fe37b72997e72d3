//! `run`: its options, and what they mean.

use std::path::PathBuf;

use clap::Args;

use super::ranks::RankOptions;
use super::shared::{AdapterFor, Arguments, MAX_STEPS, Request, StartArgs, whole};
use files::{Failure, Result, is_stdout};

/// `run`.
#[derive(Args, Debug)]
pub struct RunOptions {
    /// Number of steps [default: 100, or those of --schedule].
    #[arg(long, value_name = "K", value_parser = whole::<u64>(0..=MAX_STEPS))]
    pub steps: Option<u64>,
    /// Change parameters on the way, as the [schedule] of this study's file says.
    #[arg(long, value_name = "STUDY.toml")]
    pub schedule: Option<PathBuf>,
    #[command(flatten)]
    pub ranks: RankOptions,
    #[command(flatten)]
    pub start: StartArgs,
    /// Write the last state, with its step and predators; - is stdout, in place of the summary.
    #[arg(short, long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    /// Every so many steps, write the state as FILE.STEP.csv, for --out FILE.csv, and then remove the one before. A run
    /// that is stopped leaves its last one; --out is written at the last step only.
    #[arg(long, value_name = "K", value_parser = whole::<u64>(1..=MAX_STEPS))]
    pub checkpoint: Option<u64>,
    /// Write the state every so many steps: as .csv, or as .gsd, which OVITO opens; - is stdout, in place of the summary.
    #[arg(long, value_name = "FILE")]
    pub trajectory: Option<PathBuf>,
    /// Write the flock's measures every so many steps; - is stdout, in place of the summary.
    #[arg(long, value_name = "FILE.csv")]
    pub metrics: Option<PathBuf>,
    /// In --metrics, a row for each group of the flock, by the column `group`, in place of one for all.
    #[arg(long)]
    pub by_group: bool,
    /// Steps between two samples of --trajectory and --metrics; the first and the last step are always in.
    #[arg(long, value_name = "K", value_parser = whole::<u64>(1..=MAX_STEPS))]
    pub every: Option<u64>,
    /// Replace files that exist.
    #[arg(short, long)]
    pub yes: bool,
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

impl RunOptions {
    /// The option whose file is stdout.
    pub fn on_stdout(&self) -> Option<&'static str> {
        let files = [("--out", &self.out), ("--trajectory", &self.trajectory), ("--metrics", &self.metrics)];
        let named = files.into_iter().find(|(_, file)| file.as_deref().is_some_and(is_stdout));
        named.map(|(option, _)| option)
    }
}

/// A run to be done.
pub type RunRequest = Request<RunOptions>;

/// Resolves the arguments.
///
/// # Errors
/// For a value that is not allowed, and options that contradict each other.
pub fn resolve(mut args: Arguments<RunOptions>) -> Result<RunRequest> {
    let options = &args.options;
    if options.every.is_some() && options.trajectory.is_none() && options.metrics.is_none() {
        return Err(Failure::usage("--every requires --trajectory or --metrics"));
    }
    if options.by_group && options.metrics.is_none() {
        return Err(Failure::usage("--by-group requires --metrics"));
    }
    if options.checkpoint.is_some() && options.out.as_deref().is_none_or(is_stdout) {
        return Err(Failure::usage("--checkpoint requires --out FILE.csv"));
    }
    let also = [("--hash", options.hash), ("--json", options.json)].into_iter().find(|(_, given)| *given);
    if let (Some(option), Some((other, _))) = (options.on_stdout(), also) {
        let why = format!("{option} - cannot be used with {other}: both write to stdout");
        return Err(Failure::usage(why));
    }
    args.options.ranks.resolve(&mut args.engine, AdapterFor::Steps)?;
    if let (Some(by), Some(_)) = (args.options.ranks.named(), &args.options.schedule) {
        return Err(Failure::usage(format!("{by} cannot be used with --schedule")));
    }
    args.resolve(AdapterFor::Steps)
}
