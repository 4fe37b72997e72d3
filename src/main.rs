//! The program: understands the call, does it, and says in one line what failed.

use std::io::Write as _;
use std::process::ExitCode;

use murmuration::cli::{self, Call};
use murmuration::commands;
use murmuration::failure::Failure;

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Where even stderr is gone, the exit code has to do.
            let _ = writeln!(std::io::stderr(), "{failure}");
            failure.exit_code()
        }
    }
}

fn run() -> Result<(), Failure> {
    match cli::parse(std::env::args_os())? {
        Call::Do(request) => commands::dispatch(request),
        Call::Print(text) => commands::print(&text),
    }
}
