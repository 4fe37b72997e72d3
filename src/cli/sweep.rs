//! `sweep`: its options, and what they mean.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::shared::{AdapterFor, Arguments, FlockRequest, MAX_STEPS, MAX_THREADS, whole};
use engines::EngineRequest;
use files::{Failure, Result};
use study::{Axis, Column, MAX_RUNS, NO_VIEW, Shard, Spec, seeds};

/// `sweep`.
#[derive(Args, Debug)]
// The options that define the runs; with --merge the folders define them.
#[command(group = ArgGroup::new("runs").multiple(true))]
pub struct SweepOptions {
    /// Study file; options override it.
    ///
    /// It names the preset, the steps and seeds, and what is set, varied and measured.
    #[arg(group = "runs", value_name = "STUDY.toml")]
    pub spec: Option<PathBuf>,
    /// Folder for the results.
    ///
    /// It receives manifest.json, runs.csv, summary.csv and the log of finished runs.
    #[arg(short, long, value_name = "DIR", required_unless_present = "dry_run")]
    pub out: Option<PathBuf>,
    /// Vary a parameter: N values from A to B, or a list; may be repeated.
    #[arg(long, group = "runs", value_name = "KEY=A:B:N|LIST")]
    pub vary: Vec<String>,
    /// Seeds 1 to N, or a list of seeds [default: the seed of the flock]
    #[arg(long, group = "runs", value_name = "N|LIST", allow_hyphen_values = true)]
    pub seeds: Option<String>,
    /// Number of steps [default: 1000]
    #[arg(long, group = "runs", value_name = "K", value_parser = whole::<u64>(0..=MAX_STEPS))]
    pub steps: Option<u64>,
    /// Number of runs at a time [default: one per core, or 1 on the GPU]
    ///
    /// Each run uses one thread, or as many as --threads says.
    #[arg(long, value_name = "N", value_parser = whole::<usize>(1..=MAX_THREADS))]
    pub jobs: Option<usize>,
    /// Resume the study in the folder, or start a new one.
    #[arg(long, group = "runs")]
    pub resume: bool,
    /// Resume, and repeat the runs that failed.
    #[arg(long, group = "runs")]
    pub retry_failed: bool,
    /// List the runs without running them.
    #[arg(long, group = "runs")]
    pub dry_run: bool,
    /// Print only results and errors.
    #[arg(long)]
    pub quiet: bool,
    /// First step that is measured [default: 0]
    ///
    /// With a schedule it counts from the start of each stage, and the default is the middle of the stage.
    #[arg(long, group = "runs", value_name = "K", help_heading = "Measures")]
    #[arg(value_parser = whole::<u64>(0..=MAX_STEPS))]
    pub after: Option<u64>,
    /// Steps between two samples [default: 10]
    #[arg(long, group = "runs", value_name = "K", help_heading = "Measures")]
    #[arg(value_parser = whole::<u64>(1..=MAX_STEPS))]
    pub every: Option<u64>,
    /// Measures to compute, separated by commas [default: all]
    #[arg(long, group = "runs", value_name = "NAME,…", value_delimiter = ',', help_heading = "Measures")]
    pub columns: Vec<String>,
    /// Also write every sample, to series.csv.
    #[arg(long, group = "runs", help_heading = "Measures")]
    pub series: bool,
    /// Run only the runs whose number is I modulo N.
    ///
    /// 0/1 does all runs. [default: the shard of the array job of Slurm or Kubernetes, else 0/1]
    #[arg(long, group = "runs", value_name = "I/N", conflicts_with = "shards", help_heading = "Shards")]
    #[arg(allow_hyphen_values = true)]
    pub shard: Option<Shard>,
    /// Number of shards; Slurm or Kubernetes gives the index of this one.
    #[arg(long, group = "runs", value_name = "N", value_parser = whole::<usize>(1..=MAX_RUNS as u64))]
    #[arg(help_heading = "Shards", hide_short_help = true)]
    pub shards: Option<usize>,
    /// Merge the folders of all shards into one.
    #[arg(long, value_name = "DIR", num_args = 1.., conflicts_with = "runs", help_heading = "Shards")]
    pub merge: Vec<PathBuf>,
}

/// A sweep to be done.
#[derive(Debug)]
pub struct SweepRequest {
    pub options: SweepOptions,
    /// The part of the study that the options specify.
    pub spec: Spec,
    pub engine: EngineRequest,
}

/// Resolves the arguments.
///
/// # Errors
/// For a value that is not allowed, and options that contradict each other.
pub fn resolve(args: Arguments<SweepOptions>) -> Result<SweepRequest> {
    let named = args.flock.preset.is_some() || args.flock.config.is_some();
    let request = args.resolve(AdapterFor::Steps)?;
    let (options, FlockRequest { source, settings }) = (request.options, request.flock);
    if settings.iter().any(|setting| setting.name() == "flock.seed") {
        return Err(Failure::usage("sweep has no --seed; use --seeds with a number or a list of seeds"));
    }
    if let Some(setting) = settings.iter().find(|setting| setting.name().starts_with("view.")) {
        return Err(Failure::usage(format!("--set: {}: {NO_VIEW}", setting.name())));
    }
    let spec = Spec {
        source: named.then_some(source),
        steps: options.steps,
        seeds: options
            .seeds
            .as_deref()
            .map(seeds)
            .transpose()
            .map_err(|error| error.of_option("--seeds", "seeds"))?,
        set: settings,
        vary: options.vary.iter().map(|text| Axis::parse(text)).collect::<Result<_, _>>()?,
        after: options.after,
        every: options.every,
        columns: match &options.columns[..] {
            [] => None,
            names => {
                let names = names.iter().map(|name| Column::find(name)).collect::<Result<_, _>>();
                Some(names.map_err(|error| error.at("--columns"))?)
            }
        },
        series: options.series,
        ..Spec::default()
    };
    Ok(SweepRequest { options, spec, engine: request.engine })
}
