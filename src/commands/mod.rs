//! One file per command: each executes its request, writes its results and returns its failure.

pub mod adapters;
mod conform;
mod launch;
mod man;
mod outputs;
mod plot;
mod profile;
pub mod render;
mod run;
pub mod start;
pub mod sweep;
mod terms;
#[cfg(feature = "window")]
mod view;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;

use clap::{CommandFactory as _, ValueEnum as _};
use clap_complete::Shell;
use serde_json::Value;

use crate::cli::conform::ConformRequest;
use crate::cli::profile::ProfileRequest;
use crate::cli::{self, Call, CommandLine, PresetsAction, TermsAction};
use engines::{Device, EngineRequest};
use files::{Failure, Result, interrupt};

use config::{Document, escaped};

/// The program: parses the call, the first word of which is its name, does what it asks for, and reports a failure in
/// one line. Returns the exit code.
pub fn program(words: impl IntoIterator<Item = OsString>) -> u8 {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    match cli::parse(words).and_then(dispatch) {
        // Finished results are kept; the exit code tells that they are incomplete.
        Ok(()) if interrupt::asked() => interrupt::INTERRUPTED,
        Ok(()) => 0,
        Err(failure) => {
            // If stderr is closed, the exit code remains.
            let _ = writeln!(io::stderr(), "{failure}");
            #[cfg(feature = "mpi")]
            ranks::end_launch(failure.exit_code());
            failure.exit_code()
        }
    }
}

/// Executes a call.
///
/// # Errors
/// The failure of the command, with its exit code.
pub fn dispatch(call: Call) -> Result {
    match call {
        #[cfg(feature = "window")]
        Call::View(args) => view::view(args.resolve(cli::shared::AdapterFor::Drawing)?),
        #[cfg(not(feature = "window"))]
        Call::View(_) => Err(Failure::usage(
            "this program was built without its window; rebuild it with `--features window`",
        )),
        Call::Run(args) => run::run(&cli::run::resolve(*args)?),
        Call::Render(args) => render::render(&cli::render::resolve(*args)?),
        Call::Profile(args) => profile::profile(&ProfileRequest::new(*args)?),
        Call::Conform(options) => conform::conform(&ConformRequest::new(options)?),
        Call::Check(options) => conform::check_program(&options),
        Call::Sweep(args) => sweep::sweep(&cli::sweep::resolve(*args)?),
        Call::Plot(options) => plot::plot(&options),
        Call::Presets { action: Some(PresetsAction::Show { name, all }), .. } => {
            let preset = config::presets::find(&name)?;
            if !all {
                return print(preset.text);
            }
            print(&config::save(&Document { preset: None, ..preset.document()? }))
        }
        Call::Presets { action: None, list } => {
            let all: Vec<_> = config::presets::all().map(|preset| [preset.name, preset.about()]).collect();
            print_list(["name", "about"], &all, list.json)
        }
        Call::Terms { action: None, list } => terms::list(list.json),
        Call::Terms { action: Some(TermsAction::Show { name }), .. } => terms::show(&name),
        Call::Terms { action: Some(TermsAction::Check { file }), .. } => terms::check(&file),
        Call::Adapters(list) => adapters::list(list.json),
        Call::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut CommandLine::command(), "murmuration", &mut text);
            let fish = if shell == Shell::Fish { fish_arguments() } else { String::new() };
            print(&(String::from_utf8_lossy(&text) + &*fish))
        }
        Call::Man => man::print(),
        Call::Print(text) => print(&text),
    }
}

/// The lines by which fish completes values without an option, which the generated script leaves out.
fn fish_arguments() -> String {
    let command = CommandLine::command();
    let presets: Vec<&str> = config::presets::all().map(|preset| preset.name).collect();
    let shells: Vec<String> = Shell::value_variants().iter().map(ToString::to_string).collect();
    let commands: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    let line = |after: &str, words: String| {
        format!(
            "complete -c murmuration -n \"__fish_murmuration_using_subcommand {after}\" -f -a \"{words}\"\n"
        )
    };
    let show = |of: &str| line(&format!("{of}; and __fish_seen_subcommand_from show"), presets.join(" "));
    [show("presets"), show("terms"), line("completions", shells.join(" ")), line("help", commands.join(" "))]
        .concat()
}

/// Writes a result to stdout. A reader that closes the pipe early (`| head`) is no failure.
fn print(text: &str) -> Result {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    files::unless_unread(written, ()).map_err(|error| Failure::write(Path::new("stdout"), error))
}

/// Writes a line to stderr; a write error is ignored.
fn write_line(line: &str) {
    let _ = writeln!(io::stderr(), "{}", escaped(line));
}

/// Prints a warning, also if the call is quiet.
fn warn(line: &str) {
    write_line(&format!("warning: {line}"));
}

/// Prints a note, if there is one and the call is not quiet.
fn note(line: Option<String>, quiet: bool) {
    report(line.map(|line| format!("note: {line}")), quiet);
}

/// Prints what a command has done, if there is such a line and the call is not quiet.
fn report(line: Option<String>, quiet: bool) {
    if let Some(line) = line.filter(|_| !quiet) {
        write_line(&line);
    }
}

/// Opens the engine's device; prints which one, if the call left the choice open.
fn open(engine: &EngineRequest, quiet: bool) -> Result<Device> {
    let (device, line) = engine.choose()?;
    note(line, quiet);
    Ok(device)
}

/// A list: one line per row with aligned cells; as JSON one object per row with these keys.
fn print_list<const N: usize>(keys: [&str; N], rows: &[[&str; N]], json: bool) -> Result {
    if json {
        let object = |row: &[&str; N]| -> Value { keys.into_iter().zip(*row).collect() };
        return print_json(&rows.iter().map(object).collect());
    }
    // The last cell of a line is not padded.
    let width = |k: usize| rows.iter().map(|row| row[k].len()).max().filter(|_| k + 1 < N).unwrap_or(0);
    let cell = |(k, cell): (usize, &&str)| format!("{cell:0$}", width(k));
    let line = |row: &[&str; N]| row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ") + "\n";
    print(&rows.iter().map(line).collect::<String>())
}

/// A result as JSON on stdout.
fn print_json(value: &Value) -> Result {
    print(&format!("{value:#}\n"))
}
