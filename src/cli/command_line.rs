//! All commands.

use std::ffi::OsString;

use clap::{Args, Parser, Subcommand};

use super::conform::{ConformOptions, ConformRequest};
use super::plot::PlotOptions;
use super::profile::{ProfileOptions, ProfileRequest};
use super::render::{RenderOptions, RenderRequest};
use super::run::{RunOptions, RunRequest};
use super::shared::{AdapterFor, Arguments, PresetName};
use super::sweep::{SweepOptions, SweepRequest};
use super::view::{ViewOptions, ViewRequest};
use config::presets::{self, Preset};
use report::failure::Failure;

/// A flock of boids on the GPU, or on all cores of the CPU.
#[derive(Debug, Parser)]
#[command(name = "murmuration", version, args_conflicts_with_subcommands = true)]
pub struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    /// Without a command the window opens.
    #[command(flatten)]
    view: Arguments<ViewOptions>,
}

/// One command a file in `commands/`.
#[derive(Debug, Subcommand)]
enum Command {
    /// Open the window (the same as no command).
    View(Box<Arguments<ViewOptions>>),
    /// Step a flock without a window; write states and measures.
    Run(Box<Arguments<RunOptions>>),
    /// Draw a run to a picture or a film, off screen.
    Render(Box<Arguments<RenderOptions>>),
    /// Time every pass of a step, and compare it with the limits of the device.
    Profile(Box<Arguments<ProfileOptions>>),
    /// Draw curves, heat maps or histograms of measures.
    Plot(PlotOptions),
    /// Compare the backends of this machine, bit for bit or within derived bounds.
    Conform(ConformOptions),
    /// Do many runs of a flock, over settings and seeds: a study, with its tables.
    Sweep(Box<Arguments<SweepOptions>>),
    /// List the presets, or print one of them.
    #[command(args_conflicts_with_subcommands = true)]
    Presets {
        #[command(subcommand)]
        action: Option<PresetsAction>,
        #[command(flatten)]
        list: ListArgs,
    },
    /// List the GPU adapters and their abilities.
    Adapters(ListArgs),
    /// Print the completions of a shell.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, in roff.
    Man,
}

/// How a list is printed.
#[derive(Args, Debug)]
struct ListArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Print nothing but results and errors, as this command always does.
    #[arg(long)]
    quiet: bool,
}

/// `presets show`.
#[derive(Debug, Subcommand)]
enum PresetsAction {
    /// Print a preset's TOML, for `--config`.
    Show {
        /// Its name.
        #[arg(value_parser = PresetName)]
        name: String,
        /// Print nothing but results and errors, as this command always does.
        #[arg(long)]
        quiet: bool,
    },
}

/// What a call asks for, complete and without contradictions.
#[derive(Debug)]
pub enum Call {
    View(Box<ViewRequest>),
    Run(Box<RunRequest>),
    Render(Box<RenderRequest>),
    Profile(Box<ProfileRequest>),
    Conform(Box<ConformRequest>),
    Sweep(Box<SweepRequest>),
    Plot(Box<PlotOptions>),
    ListPresets {
        json: bool,
    },
    ShowPreset(&'static Preset),
    ListAdapters {
        json: bool,
    },
    Completions(clap_complete::Shell),
    Manual,
    /// Help or version, to be printed.
    Print(String),
}

/// Understands a call; the first argument is the program's name.
///
/// # Errors
/// When it is wrong: the option, the value and what is allowed.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Call, Failure> {
    match CommandLine::try_parse_from(arguments) {
        Ok(line) => line.resolve(),
        Err(error) if error.use_stderr() => Err(super::usage::failure(&error)),
        Err(text) => Ok(Call::Print(text.render().to_string())),
    }
}

impl CommandLine {
    fn resolve(self) -> Result<Call, Failure> {
        let command = self.command.unwrap_or_else(|| Command::View(Box::new(self.view)));
        Ok(match command {
            Command::View(args) => Call::View(Box::new(args.resolve(AdapterFor::Drawing)?)),
            Command::Run(args) => Call::Run(Box::new(super::run::resolve(*args)?)),
            Command::Render(args) => Call::Render(Box::new(super::render::resolve(*args)?)),
            Command::Profile(args) => Call::Profile(Box::new(ProfileRequest::new(*args)?)),
            Command::Conform(options) => Call::Conform(Box::new(ConformRequest::new(options)?)),
            Command::Sweep(args) => Call::Sweep(Box::new(super::sweep::resolve(*args)?)),
            Command::Plot(options) => Call::Plot(Box::new(options)),
            Command::Presets { action: Some(PresetsAction::Show { name, .. }), .. } => {
                Call::ShowPreset(presets::find(&name)?)
            }
            Command::Presets { action: None, list } => Call::ListPresets { json: list.json },
            Command::Adapters(list) => Call::ListAdapters { json: list.json },
            Command::Completions { shell } => Call::Completions(shell),
            Command::Man => Call::Manual,
        })
    }
}
