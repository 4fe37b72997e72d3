//! One command a file: each takes its request, writes its results and returns what failed.

mod adapters;
mod completions;
mod conform;
mod man;
mod pace;
mod presets;
mod profile;
mod render;
mod run;
mod view;

use std::io::{self, Write};

use crate::cli::Request;
use crate::failure::Failure;

/// Does what was asked.
///
/// # Errors
/// What failed, with its exit code.
pub fn dispatch(request: Request) -> Result<(), Failure> {
    match request {
        Request::View(request) => view::view(&request),
        Request::Run(request) => run::run(&request),
        Request::Render(request) => render::render(&request),
        Request::Profile(request) => profile::profile(&request),
        Request::Conform(request) => conform::conform(&request),
        Request::ListPresets { json } => presets::list(json),
        Request::ShowPreset(preset) => print(preset.text),
        Request::ListAdapters { json } => adapters::list(json),
        Request::Completions(shell) => completions::print(shell),
        Request::Manual => man::print(),
    }
}

/// Writes a result to stdout. A reader that has gone away (`| head`) has what it wants: that is no failure.
///
/// # Errors
/// When stdout takes no more, as on a full disk.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    written(out.write_all(text.as_bytes()).and_then(|()| out.flush())).map(|_| ())
}

/// Whether somebody still reads what was written to stdout.
fn written(result: io::Result<()>) -> Result<bool, Failure> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::work(format!("stdout: {error}"))),
    }
}

/// Says something on stderr that is no result. Where nobody can hear it, nobody has to.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// A result as JSON on stdout.
fn print_json(value: &serde_json::Value) -> Result<(), Failure> {
    print(&format!("{value:#}\n"))
}
