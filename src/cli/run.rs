//! `run`: its options, and what they mean.

use std::path::PathBuf;

use clap::Args;

use super::shared::{AdapterFor, Arguments, MAX_STEPS, RankOptions, Request, StartArgs, whole};
use files::{Failure, Result, is_stdout};

/// `run`.
#[derive(Args, Debug)]
pub struct RunOptions {
    /// Number of steps [default: 100, or those of --schedule or --flight]
    #[arg(long, value_name = "K", value_parser = whole::<u64>(0..=MAX_STEPS))]
    pub steps: Option<u64>,
    /// Change parameters during the run, by the [schedule] of a study.
    #[arg(long, value_name = "STUDY.toml", conflicts_with = "flight")]
    pub schedule: Option<PathBuf>,
    /// Replace existing files.
    #[arg(short, long)]
    pub yes: bool,
    /// Print only results and errors.
    #[arg(long)]
    pub quiet: bool,
    /// Write the last state.
    ///
    /// The file holds the boids, the predators and the step. - is stdout, instead of the summary.
    #[arg(short, long, value_name = "FILE.csv", help_heading = "Output")]
    pub out: Option<PathBuf>,
    /// Write the state of every step, or every K with --every, as .csv or .gsd.
    ///
    /// OVITO opens .gsd. - is stdout, instead of the summary.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trajectory: Option<PathBuf>,
    /// Write the measures of every step, or every K with --every.
    ///
    /// - is stdout, instead of the summary.
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    pub metrics: Option<PathBuf>,
    /// Steps between two samples of --trajectory and --metrics [default: 1]
    ///
    /// The first and the last step are always written.
    #[arg(long, value_name = "K", help_heading = "Output", value_parser = whole::<u64>(1..=MAX_STEPS))]
    pub every: Option<u64>,
    /// Write one row per group to --metrics, with the column `group`.
    #[arg(long, help_heading = "Output")]
    pub by_group: bool,
    /// Save the state every K steps, as FILE.STEP.csv for --out FILE.csv.
    ///
    /// Each checkpoint is removed once the next one is written. A run that is stopped leaves its last one; --out is
    /// written only at the last step.
    #[arg(long, value_name = "K", help_heading = "Output", value_parser = whole::<u64>(1..=MAX_STEPS))]
    pub checkpoint: Option<u64>,
    /// Print `step,hash` for every step; the hash is a fingerprint of the state.
    #[arg(long, help_heading = "Output")]
    pub hash: bool,
    /// Print a summary as JSON.
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    #[command(flatten)]
    pub start: StartArgs,
    #[command(flatten)]
    pub ranks: RankOptions,
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
    let RunOptions { schedule, start, ranks, .. } = &args.options;
    let changes = [("--schedule", schedule.is_some()), ("--flight", start.recorded.flight.is_some())];
    if let (Some(by), Some((option, _))) = (ranks.named(), changes.iter().find(|(_, given)| *given)) {
        return Err(Failure::usage(format!("{by} cannot be used with {option}")));
    }
    args.resolve(AdapterFor::Steps)
}
