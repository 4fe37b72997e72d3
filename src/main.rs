//! The program: parses the call, runs it, and reports a failure in one line.

use std::io::Write as _;
use std::process::ExitCode;

use cpu::memory;
use murmuration::{cli, commands};
use report::{Failure, interrupt};

#[global_allocator]
static ALLOCATOR: memory::Allocator = memory::Allocator;

fn main() -> ExitCode {
    keep_the_wayland_library_quiet();
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    match run() {
        // What was finished is kept, and a script learns that it is not all.
        Ok(()) if interrupt::asked() => ExitCode::from(interrupt::INTERRUPTED),
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Where stderr is closed, the exit code remains.
            let _ = writeln!(std::io::stderr(), "{failure}");
            failure.exit_code()
        }
    }
}

fn run() -> Result<(), Failure> {
    commands::dispatch(cli::parse(std::env::args_os())?)
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
