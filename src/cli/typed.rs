//! What was typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// A flock of boids on the GPU, or on all cores of the CPU.
#[derive(Debug, Parser)]
#[command(name = "murmuration", version, args_conflicts_with_subcommands = true)]
pub struct Typed {
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Without a command the window opens.
    #[command(flatten)]
    pub view: ViewArgs,
}

/// One command a file in `commands/`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Open the window (the same as no command).
    View(Box<ViewArgs>),
    /// Step a flock without a window; write states and measures.
    Run(Box<RunArgs>),
    /// Draw a run to a picture or a film, off screen.
    Render(Box<super::render::RenderArgs>),
    /// Time every pass of a step, and tell how near it comes to what the device can do.
    Profile(Box<super::profile::ProfileArgs>),
    /// Compare the backends of this machine, bit for bit or within derived bounds.
    Conform(super::conform::ConformArgs),
    /// List the presets, or print one of them.
    Presets(PresetsArgs),
    /// List the GPU adapters: what there is, and what each can do.
    Adapters(AdaptersArgs),
    /// Print the completions of a shell.
    Completions(CompletionsArgs),
    /// Print the manual page, in roff.
    Man,
}

/// Which flock.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Flock")]
pub struct FlockArgs {
    /// Start from a preset; `murmuration presets` lists them.
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    pub preset: Option<String>,
    /// Start from a file of parameters.
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    /// Set a parameter, as in a file of parameters; may be repeated.
    #[arg(long, value_name = "TABLE.KEY=VALUE")]
    pub set: Vec<String>,
    /// How many boids.
    #[arg(short = 'n', long, value_name = "N", allow_hyphen_values = true)]
    pub boids: Option<String>,
    /// Where starts and noise come from.
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    pub seed: Option<String>,
}

/// What steps it.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// What steps the flock; auto takes the GPU where there is one in hardware, rp2040 is an emulated board.
    #[arg(long, value_enum, default_value_t)]
    pub engine: EngineArg,
    /// The number type [default: f32; with rp2040: fixed]; f64 is for the cpu engine.
    #[arg(long, value_enum)]
    pub numeric: Option<NumericArg>,
    /// Which adapter: its index, or a part of its name.
    #[arg(long, value_name = "INDEX|NAME")]
    pub adapter: Option<String>,
    /// Which way to the GPU.
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
}

/// What steps a flock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    #[default]
    Auto,
    Gpu,
    Cpu,
    // The firmware on an emulated board. A line in the help would spread every option over two.
    Rp2040,
}

/// The number type of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NumericArg {
    F32,
    F64,
    // Integers: the same bits on every engine. A line in the help would spread every option over two.
    Fixed,
}

/// The interface to the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BackendArg {
    Vulkan,
    Metal,
    Dx12,
    Gl,
}

/// `view`.
#[derive(Args, Debug)]
pub struct ViewArgs {
    /// Pause after so many steps.
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub steps: Option<String>,
    /// Size of the window.
    #[arg(long, value_name = "WxH", default_value = "1280x800")]
    pub window_size: String,
    /// Say nothing but errors.
    #[arg(long)]
    pub quiet: bool,
    // Last: what follows a group in the help counts to it.
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// `run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// How many steps.
    #[arg(long, value_name = "K", default_value = "100", allow_hyphen_values = true)]
    pub steps: String,
    /// Start from a state that a run wrote (and its predators beside it).
    #[arg(long, value_name = "FILE.csv")]
    pub init: Option<PathBuf>,
    /// The number of the first step, which noise and predators see; else what the predators' file says, or 0.
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub first_step: Option<String>,
    /// Write the last state.
    #[arg(long, value_name = "FILE.csv")]
    pub out: Option<PathBuf>,
    /// Write the state every so many steps.
    #[arg(long, value_name = "FILE.csv")]
    pub trajectory: Option<PathBuf>,
    /// Write the flock's measures every so many steps.
    #[arg(long, value_name = "FILE.csv")]
    pub metrics: Option<PathBuf>,
    /// Steps between two samples of --trajectory and --metrics; the first and the last step are always in.
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub every: Option<String>,
    /// Print `step,hash` for every step: a fingerprint of the state.
    #[arg(long)]
    pub hash: bool,
    /// Print a summary as JSON.
    #[arg(long)]
    pub json: bool,
    /// Say nothing but results and errors.
    #[arg(long)]
    pub quiet: bool,
    // Last: what follows a group in the help counts to it.
    #[command(flatten)]
    pub flock: FlockArgs,
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// `presets`.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct PresetsArgs {
    #[command(subcommand)]
    pub action: Option<PresetsAction>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Say nothing but results and errors, which holds anyway.
    #[arg(long)]
    pub quiet: bool,
}

/// `presets show`.
#[derive(Debug, Subcommand)]
pub enum PresetsAction {
    /// Print a preset's TOML, for `--config`.
    Show {
        /// Which one.
        name: String,
        /// Say nothing but results and errors, which holds anyway.
        #[arg(long)]
        quiet: bool,
    },
}

/// `adapters`.
#[derive(Args, Debug)]
pub struct AdaptersArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Say nothing but results and errors, which holds anyway.
    #[arg(long)]
    pub quiet: bool,
}

/// `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// For which shell.
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}
