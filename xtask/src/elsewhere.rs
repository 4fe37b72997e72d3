//! The program for other machines, which emulators run in the tests: Arm under QEMU, Windows under Wine.

use crate::{error::Result, shell};
use std::path::PathBuf;

/// A target, and what builds and runs its program here.
struct Target {
    triple: &'static str,
    /// Its tests in `tests/elsewhere/`.
    tests: &'static str,
    /// The compiler of the film encoder.
    compiler: &'static str,
    /// Cargo's variable for the linker, and the linker: by its name, or from the root of the repository.
    linker: [&'static str; 2],
    runner: &'static str,
}

const TARGETS: [Target; 2] = [
    Target {
        triple: "aarch64-unknown-linux-gnu",
        tests: "aarch64",
        compiler: "aarch64-linux-gnu-g++",
        linker: ["CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc"],
        runner: "qemu-aarch64",
    },
    Target {
        triple: "x86_64-pc-windows-gnu",
        tests: "windows",
        compiler: "x86_64-w64-mingw32-g++",
        linker: ["CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", "xtask/mingw-linker.sh"],
        runner: "wine",
    },
];

/// Builds the program for all targets at once and tests it. Names targets that cannot be built or run as not tested.
///
/// # Errors
/// When a build or a test fails.
pub fn test() -> Result {
    let mut build = shell::cargo_for_another(&["build", "--locked", "--package", "murmuration-boids"]);
    // Without the window, which its tests do not open.
    build.args(["--config", "xtask/fast-build.toml", "--no-default-features"]);
    let mut tests = shell::cargo(&["test", "--locked", "--test", "elsewhere", "--"]);
    let mut any = false;
    for target in &TARGETS {
        if let Some(why) = target.why_untested() {
            eprintln!("test: the program for {} was NOT tested: {why}", target.triple);
            continue;
        }
        build.args(["--target", target.triple]).envs(linker(target.triple));
        tests.arg(target.tests);
        any = true;
    }
    if !any {
        return Ok(());
    }
    shell::run(&mut build)?;
    shell::run(&mut tests)
}

/// Cargo's variable for the linker of another machine, and the linker.
pub fn linker(triple: &str) -> Option<(&'static str, PathBuf)> {
    let [variable, linker] = TARGETS.iter().find(|target| target.triple == triple)?.linker;
    Some((variable, if linker.contains('/') { shell::root().join(linker) } else { linker.into() }))
}

impl Target {
    fn why_untested(&self) -> Option<String> {
        for program in [self.compiler, self.runner] {
            if !shell::on_path(program) {
                return Some(format!("there is no {program}"));
            }
        }
        shell::add_rust(self.triple, "test");
        (!shell::has_rust(self.triple)).then(|| "there is no Rust for it".to_owned())
    }
}
