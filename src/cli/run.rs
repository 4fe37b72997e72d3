//! `run`: its options, and what they mean.

use std::path::PathBuf;

use clap::Args;

use super::shared::{AdapterFor, Arguments, MOST_STEPS, Request, whole};
use cpu::Numeric;
use engines::Which;
use report::{Failure, is_stdout};

/// More ranks than one machine has cores for.
const MOST_RANKS: u64 = 256;

/// The name in --devices of the cores.
pub const CPU: &str = "cpu";

/// A deeper halo holds most of the flock.
const MOST_HALO: u64 = 64;

/// `run`.
#[derive(Args, Debug)]
pub struct RunOptions {
    /// Number of steps [default: 100, or those of --schedule].
    #[arg(long, value_name = "K", value_parser = whole::<u64>(0..=MOST_STEPS))]
    pub steps: Option<u64>,
    #[cfg(feature = "lab")]
    /// Change parameters on the way, as the [schedule] of this study's file says.
    #[arg(long, value_name = "STUDY.toml")]
    pub schedule: Option<PathBuf>,
    /// Step the flock on so many ranks, threads that share it in parts, with the bits of one.
    #[arg(long, value_name = "R", value_parser = whole::<usize>(1..=MOST_RANKS))]
    pub ranks: Option<usize>,
    /// The ranks are the processes that mpirun has started with this call; rank 0 writes and prints.
    #[cfg(feature = "mpi")]
    #[arg(long, conflicts_with = "ranks")]
    pub mpi: bool,
    /// What steps the ranks, in turn: cpu, or an adapter by its index or a part of its name [default: that of --engine].
    #[arg(long, value_name = "cpu|ADAPTER,...", value_delimiter = ',')]
    pub devices: Vec<String>,
    /// Steps between two exchanges of --ranks, which grow the parts' margins [default: 1].
    #[arg(long, value_name = "K", value_parser = whole::<u32>(1..=MOST_HALO))]
    pub halo: Option<u32>,
    /// Start from a state that a run wrote (and its predators beside it).
    #[arg(long, value_name = "FILE.csv")]
    pub init: Option<PathBuf>,
    /// The number of the first step, on which noise and predators depend [default: that of the predators' file, or 0].
    #[arg(long, value_name = "K", value_parser = whole::<u64>(0..=MOST_STEPS))]
    pub first_step: Option<u64>,
    /// Write the last state; - is stdout, in place of the summary.
    #[arg(short, long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    /// Keep the state of every so many steps as FILE.STEP.csv, for --out FILE.csv, until a later one is whole. A run that is
    /// stopped keeps its last one so, and --out is written at the last step only.
    #[arg(long, value_name = "K", value_parser = whole::<u64>(1..=MOST_STEPS))]
    pub checkpoint: Option<u64>,
    /// Write the state every so many steps: as .csv, .parquet, or .gsd, which OVITO opens; - is stdout, in place of the summary.
    #[arg(long, value_name = "FILE")]
    pub trajectory: Option<PathBuf>,
    /// Write the flock's measures every so many steps; - is stdout, in place of the summary.
    #[arg(long, value_name = "FILE.csv")]
    pub metrics: Option<PathBuf>,
    /// In --metrics, a row for each group of the flock, by the column `group`, in place of one for all.
    #[arg(long)]
    pub by_group: bool,
    /// Steps between two samples of --trajectory and --metrics; the first and the last step are always in.
    #[arg(long, value_name = "K", value_parser = whole::<u64>(1..=MOST_STEPS))]
    pub every: Option<u64>,
    /// Replace files that exist.
    #[arg(long)]
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
    /// The option that puts the flock on ranks, where one does.
    pub fn on_ranks(&self) -> Option<&'static str> {
        #[cfg(feature = "mpi")]
        if self.mpi {
            return Some("--mpi");
        }
        self.ranks.map(|_| "--ranks")
    }

    /// The option whose file is stdout.
    pub fn on_stdout(&self) -> Option<&'static str> {
        let files = [("--out", &self.out), ("--trajectory", &self.trajectory), ("--metrics", &self.metrics)];
        let named = files.into_iter().find(|(_, file)| file.as_deref().is_some_and(is_stdout));
        named.map(|(option, _)| option)
    }
}

/// A run to be done.
pub type RunRequest = Request<RunOptions>;

pub(crate) fn resolve(mut args: Arguments<RunOptions>) -> Result<RunRequest, Failure> {
    let options = &args.options;
    if options.every.is_some() && options.trajectory.is_none() && options.metrics.is_none() {
        return Err(Failure::usage("--every: allowed with --trajectory FILE or --metrics FILE.csv"));
    }
    if options.by_group && options.metrics.is_none() {
        return Err(Failure::usage("--by-group: allowed with --metrics FILE.csv"));
    }
    if options.checkpoint.is_some() && options.out.as_deref().is_none_or(is_stdout) {
        return Err(Failure::usage("--checkpoint: allowed with --out FILE.csv"));
    }
    let also = [("--hash", options.hash), ("--json", options.json)].into_iter().find(|(_, given)| *given);
    if let (Some(option), Some((other, _))) = (options.on_stdout(), also) {
        let why = format!("{option} - with {other}: both write to stdout, allowed is one of them");
        return Err(Failure::usage(why));
    }
    check_ranks(&args)?;
    if args.options.on_ranks().is_some() && args.engine.engine == Which::Auto {
        args.engine.engine = Which::Cpu;
    }
    args.resolve(AdapterFor::Steps)
}

/// Checks what goes with ranks.
fn check_ranks(args: &Arguments<RunOptions>) -> Result<(), Failure> {
    let (options, engine) = (&args.options, &args.engine);
    let refused = |what: String, allowed: &str| Err(Failure::usage(format!("{what}: allowed {allowed}")));
    let Some(by) = options.on_ranks() else {
        let alone = [("--halo", options.halo.is_some()), ("--devices", !options.devices.is_empty())];
        let alone = alone.into_iter().find(|(_, given)| *given);
        return alone.map_or(Ok(()), |(option, _)| refused(option.into(), "with --ranks R"));
    };
    if engine.engine == Which::Rp2040 {
        return refused(format!("{by} with --engine rp2040"), "are cpu and gpu");
    }
    if engine.numeric == Some(Numeric::F64) {
        return refused(format!("{by} with --numeric f64"), "are f32 and fixed");
    }
    if !options.devices.is_empty() && engine.engine != Which::Auto {
        return refused(format!("--devices with --engine {}", engine.engine.name()), "is one of them");
    }
    // In f32 a GPU adds in another order than the cores.
    let on_gpu = engine.engine == Which::Gpu;
    let named = options.devices.iter().any(|name| name != CPU);
    if (on_gpu || named) && engine.numeric != Some(Numeric::Fixed) {
        let what = if on_gpu { "--engine gpu" } else { "--devices" };
        let numeric = engine.numeric.unwrap_or_default().name();
        return refused(format!("{by} with {what} and --numeric {numeric}"), "is fixed");
    }
    let of_gpu = [
        ("--adapter", engine.adapter.is_some()),
        ("--backend", engine.backend.is_some()),
        ("--kernel", engine.kernel.is_some()),
    ];
    if let Some((option, _)) = of_gpu.into_iter().find(|(_, given)| *given && !on_gpu) {
        return refused(format!("{by} with {option}"), "with --engine gpu");
    }
    #[cfg(feature = "lab")]
    if options.schedule.is_some() {
        return refused(format!("{by} with --schedule"), "is one of them");
    }
    Ok(())
}
