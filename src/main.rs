//! The program: understands the call, does it, and says in one line what failed.

use std::io::Write as _;
use std::process::ExitCode;

use murmuration::cli::{self, Call};
use murmuration::commands;
use murmuration::failure::Failure;

fn main() -> ExitCode {
    keep_the_wayland_library_quiet();
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

/// Mesa's Vulkan layer asks the Wayland library for a server even where there is none; without this variable the
/// library writes an `error:` line of its own to stderr. A folder that does not exist answers it in silence.
fn keep_the_wayland_library_quiet() {
    const FOLDER: &str = "XDG_RUNTIME_DIR";
    if cfg!(target_os = "linux") && std::env::var_os(FOLDER).is_none() {
        // SAFETY: no other thread has been started that could read the environment meanwhile.
        unsafe { std::env::set_var(FOLDER, "/nonexistent") };
    }
}
