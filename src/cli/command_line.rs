//! All commands.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::conform::{CheckOptions, ConformOptions};
use super::shared::{Arguments, PresetName};
use super::{plot::PlotOptions, profile::ProfileOptions, sweep::SweepOptions};
use super::{render::RenderOptions, run::RunOptions, view::ViewOptions};
use files::Result;

/// Simulate flocks of boids on the GPU, or on all cores of the CPU.
#[derive(Debug, Parser)]
#[command(name = "murmuration", version, args_conflicts_with_subcommands = true)]
#[command(after_help = "Use --help for all options, and `murmuration COMMAND -h` for those of a command.")]
pub struct CommandLine {
    #[command(subcommand)]
    call: Option<Call>,
    /// Without a command the window opens.
    #[command(flatten)]
    view: Arguments<ViewOptions>,
}

/// A call as it is typed. One command a file in `commands/`.
#[derive(Debug, Subcommand)]
pub enum Call {
    /// Open the window (the default); also takes a link from the web page or a saved file.
    ///
    /// LINK is a link that was copied from the web page; the options in it apply. FILE is a file that the window saved: a
    /// .toml as for --config, a .flight as for --flight.
    // The link or file is replaced by options before parsing.
    #[command(override_usage = "murmuration view [LINK|FILE] [OPTIONS]")]
    View(Box<Arguments<ViewOptions>>),
    /// Run a flock without a window; write states and measures.
    Run(Box<Arguments<RunOptions>>),
    /// Render a picture or a film, without a window.
    Render(Box<Arguments<RenderOptions>>),
    /// Time every pass of a step, and compare it with the limits of the device.
    Profile(Box<Arguments<ProfileOptions>>),
    /// Plot measures as curves, heat maps or histograms.
    Plot(PlotOptions),
    /// Compare the engines of this machine, bit for bit or within derived bounds.
    Conform(ConformOptions),
    /// Check the numbers of your own program against a published model.
    ///
    /// docs/reference.md has the models, and where a program begins. Exits with 1 if a number is wrong, and names the
    /// mistakes that would give these numbers.
    Check(CheckOptions),
    /// Run a study: one flock over many parameters and seeds, with tables of the results.
    // Its seeds are --seeds; --seed is refused with a hint.
    #[command(mut_arg("seed", |seed| seed.hide(true)))]
    Sweep(Box<Arguments<SweepOptions>>),
    /// List the presets, or print one.
    #[command(args_conflicts_with_subcommands = true)]
    Presets {
        #[command(subcommand)]
        action: Option<PresetsAction>,
        #[command(flatten)]
        list: ListArgs,
    },
    /// List the terms (formulas) of the gallery, print those of a preset, or check a file.
    #[command(args_conflicts_with_subcommands = true)]
    Terms {
        #[command(subcommand)]
        action: Option<TermsAction>,
        #[command(flatten)]
        list: ListArgs,
    },
    /// List the GPU adapters and their capabilities.
    Adapters(ListArgs),
    /// Print the completion script of a shell.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page, in roff.
    Man,
    /// Help or version, to be printed.
    #[command(skip)]
    Print(String),
}

/// How a list is printed.
#[derive(Args, Debug)]
pub struct ListArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Accepted by every command; has no effect on this one.
    #[arg(long, global = true)]
    quiet: bool,
}

/// `presets show`.
#[derive(Debug, Subcommand)]
pub enum PresetsAction {
    /// Print a preset as TOML, for --config.
    Show {
        /// The preset; `murmuration presets` lists them.
        #[arg(value_parser = PresetName, hide_possible_values = true)]
        name: String,
        /// Print all parameters, each with its help, unit and range.
        #[arg(long)]
        all: bool,
    },
}

/// `terms show` and `terms check`.
#[derive(Debug, Subcommand)]
pub enum TermsAction {
    /// Print the terms of a preset, as in a file.
    Show {
        /// The preset; `murmuration terms` lists those with terms.
        #[arg(value_parser = PresetName, hide_possible_values = true)]
        name: String,
    },
    /// Compile the terms of a file; print their units, ranges and cost.
    ///
    /// Also prints whether the terms fit integers (--numeric fixed).
    Check {
        /// The parameter file.
        #[arg(value_name = "FILE.toml")]
        file: PathBuf,
    },
}

/// Parses a call; the first argument is the program's name. The command resolves the options.
///
/// # Errors
/// When it is wrong: the option, the value and what is allowed.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Call> {
    match CommandLine::try_parse_from(unfolded(arguments.into_iter().collect())) {
        Ok(line) => Ok(line.call.unwrap_or_else(|| Call::View(Box::new(line.view)))),
        Err(error) if error.use_stderr() => Err(super::usage::failure(&error)),
        Err(text) => Ok(Call::Print(text.render().to_string())),
    }
}

/// A call of the window with the options that a link to a page holds in place of the link, and a file of parameters as
/// the option that names it; any other call as it is.
fn unfolded(words: Vec<OsString>) -> Vec<OsString> {
    let is_link = |word: &OsString| {
        let text = word.to_string_lossy();
        ["http://", "https://", "?", "#flight="].iter().any(|start| text.starts_with(start))
    };
    let is_file = |word: &OsString| file_option(word).is_some();
    let Some(first) = words.get(1) else { return words };
    let at = 1 + usize::from(first == "view");
    if at == 1 && !is_link(first) && !is_file(first) {
        return words;
    }
    let unfold = |(index, word): (usize, OsString)| match (is_link(&word), index == at && is_file(&word)) {
        // The page's own options do not apply to a window.
        (true, _) => super::page::options(&word.to_string_lossy())
            .into_iter()
            .filter(|option| option != "--hash" && option != "--state")
            .map(Into::into)
            .collect(),
        (false, true) => file_option(&word).map(Into::into).into_iter().chain([word]).collect(),
        (false, false) => vec![word],
    };
    words.into_iter().enumerate().flat_map(unfold).collect()
}

/// The option that names a file like this one: a flight or a file of parameters.
fn file_option(word: &OsString) -> Option<&'static str> {
    let name = word.to_string_lossy();
    if name.ends_with(flight::ENDING) {
        return Some("--flight");
    }
    name.ends_with(".toml").then_some("--config")
}

/// The options of a command, without its name.
#[derive(Parser)]
struct Options<O: Args> {
    #[command(flatten)]
    arguments: Arguments<O>,
}

/// Parses and resolves options for a caller without a command line. Each option and its value are one word.
///
/// # Errors
/// See [`parse`].
pub fn request<O: Args, R>(
    options: impl IntoIterator<Item = OsString>,
    resolve: fn(Arguments<O>) -> Result<R>,
) -> Result<R> {
    let words = [OsString::from("murmuration")].into_iter().chain(options);
    let typed = Options::try_parse_from(words).map_err(|error| super::usage::failure(&error))?;
    resolve(typed.arguments)
}
