//! The program for Arm, which QEMU runs in the tests: the bits of another processor.

use crate::{error::Result, shell};

/// The target, and Cargo's variable for its linker with the linker.
const TRIPLE: &str = "aarch64-unknown-linux-gnu";
const LINKER: (&str, &str) = ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc");

/// The compiler of the film encoder, and what runs the program.
const NEEDED: [&str; 2] = ["aarch64-linux-gnu-g++", "qemu-aarch64"];

/// Builds the program and tests it, or says why it is not tested.
///
/// # Errors
/// When the build or a test fails.
pub fn test() -> Result {
    if let Some(why) = why_untested() {
        eprintln!("test: the program for {TRIPLE} was NOT tested: {why}");
        return Ok(());
    }
    let mut build = shell::cargo_for_another(&["build", "--locked", "--package", "murmuration-boids"]);
    // Without the window, which its tests do not open.
    build.args(["--config", "xtask/fast-build.toml", "--no-default-features", "--target", TRIPLE]);
    shell::run(build.envs(linker(TRIPLE)))?;
    shell::run(&mut shell::cargo(&["test", "--locked", "--test", "elsewhere"]))
}

/// Cargo's variable for the linker of another machine, and the linker.
pub fn linker(triple: &str) -> Option<(&'static str, &'static str)> {
    (triple == TRIPLE).then_some(LINKER)
}

fn why_untested() -> Option<String> {
    if let Some(missing) = NEEDED.into_iter().find(|program| !shell::on_path(program)) {
        return Some(format!("there is no {missing}"));
    }
    shell::add_rust(TRIPLE, "test");
    if shell::has_rust(TRIPLE) { None } else { Some("there is no Rust for it".to_owned()) }
}
