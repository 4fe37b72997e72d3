//! Zig compiles C++ and links for Linux: a program then runs from an old glibc on, whatever that of this machine is.

use crate::shell;
use std::path::Path;
use std::process::Command;

/// The glibc from which wheels and programs run: that of RHEL 8. `package` checks what they need.
const GLIBC: &str = "2.28";

/// The Python packages: the compiler, and what lets cargo use it.
pub const PACKAGES: [&str; 2] = ["ziglang==0.17.*", "cargo-zigbuild==0.24.*"];

/// True if programs for a target are linked by it.
pub fn links(target: &str) -> bool {
    target.ends_with("-linux-gnu")
}

/// The target, with its glibc where Zig links.
pub fn target(target: &str) -> String {
    if links(target) { format!("{target}.{GLIBC}") } else { target.to_owned() }
}

/// The tag of a wheel that runs from that glibc on.
pub fn tag() -> String {
    format!("manylinux_{}", GLIBC.replace('.', "_"))
}

/// A cargo that builds for a target, with the Python of an environment that has the packages.
pub fn cargo(target: &str, python: &Path) -> Command {
    if !links(target) {
        return shell::cargo_for_another(&["build"]);
    }
    let mut cargo = Command::new(python.with_file_name("cargo-zigbuild"));
    shell::for_another(cargo.arg("zigbuild").current_dir(shell::root()));
    cargo.env("CARGO_ZIGBUILD_PYTHON_PATH", python);
    cargo
}
