//! The program.

use std::process::ExitCode;

use engine::memory;
use murmuration::commands;

#[global_allocator]
static ALLOCATOR: memory::Allocator = memory::Allocator;

fn main() -> ExitCode {
    // SAFETY: no other thread has been started yet.
    unsafe { keep_the_wayland_library_quiet() };
    ExitCode::from(commands::program(std::env::args_os()))
}

/// Mesa's Vulkan layer asks the Wayland library for a server even where there is none; without this variable the
/// library writes an `error:` line of its own to stderr. A folder that does not exist answers it in silence.
///
/// # Safety
/// No other thread may run, which could read the environment meanwhile.
unsafe fn keep_the_wayland_library_quiet() {
    const FOLDER: &str = "XDG_RUNTIME_DIR";
    if cfg!(target_os = "linux") && std::env::var_os(FOLDER).is_none() {
        #[expect(clippy::disallowed_methods, reason = "no other thread runs yet")]
        // SAFETY: guaranteed by the caller.
        unsafe {
            std::env::set_var(FOLDER, "/nonexistent");
        }
    }
}
