//! The bits of another processor: the CPU engine, built for Arm, has the recorded hashes. QEMU runs it.

use crate::{error::Result, shell};

/// The target, and Cargo's variable for its linker with the linker.
const TRIPLE: &str = "aarch64-unknown-linux-gnu";
const LINKER: (&str, &str) = ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc");

/// Cargo's variable for what runs a test, with Debian's path to the libraries of the other processor.
const RUNNER: (&str, &str) =
    ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", "qemu-aarch64 -L /usr/aarch64-linux-gnu");

/// Builds the CPU engine and tests it, or prints why it is not tested.
///
/// # Errors
/// When the build or a test fails.
pub fn test() -> Result {
    if let Some(why) = why_untested() {
        eprintln!("test: the CPU engine for {TRIPLE} was NOT tested: {why}");
        return Ok(());
    }
    let mut tests = shell::cargo_for_another(&["test", "--locked", "--package", "murmuration-cpu"]);
    tests.args(["--test", "recorded", "--config", "xtask/fast-build.toml", "--target", TRIPLE]);
    shell::run(tests.envs(linker(TRIPLE)).envs([RUNNER]))
}

/// Cargo's variable for the linker of another machine, and the linker.
pub fn linker(triple: &str) -> Option<(&'static str, &'static str)> {
    (triple == TRIPLE).then_some(LINKER)
}

fn why_untested() -> Option<String> {
    for program in [LINKER.1, "qemu-aarch64"] {
        if !shell::on_path(program) {
            return Some(format!("{program} is not installed"));
        }
    }
    shell::add_rust(TRIPLE, "test");
    if shell::has_rust(TRIPLE) { None } else { Some("the Rust target is not installed".to_owned()) }
}
