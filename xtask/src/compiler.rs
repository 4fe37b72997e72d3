//! Settings of the compilers for programs that run on other machines: the linker of the target, Zig for Linux, and flags
//! that remove the folders of this machine.

use crate::shell::{self, Error, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The target of another processor, and Cargo's variable for its linker with the linker.
pub const ARM: &str = "aarch64-unknown-linux-gnu";
pub const ARM_LINKER: (&str, &str) =
    ("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", "aarch64-linux-gnu-gcc");

/// The glibc from which wheels and programs run: that of RHEL 8. `package` checks what they need.
const GLIBC: &str = "2.28";

/// The Python packages: the compiler, and what lets cargo use it.
pub const ZIG_PACKAGES: [&str; 2] = ["ziglang==0.17.*", "cargo-zigbuild==0.24.*"];

/// The machine that compiles.
///
/// # Errors
/// When the compiler does not say.
pub fn host() -> Result<String> {
    shell::rustc(&["--print", "host-tuple"])
        .ok_or_else(|| Error::Failed("rustc does not print a host".to_owned()))
}

/// Environment variables of the compilers for a target: the linker, unless Zig links, and flags that remove this machine's
/// folders.
///
/// # Errors
/// When the compiler does not say where it lies.
pub fn environment(target: &str, host: &str) -> Result<Vec<(&'static str, OsString)>> {
    let linker = linker(target).filter(|_| target != host && !zig_links(target));
    let mut all: Vec<_> =
        linker.into_iter().map(|(variable, linker)| (variable, OsString::from(linker))).collect();
    if !target.contains("msvc") {
        let maps = folders()?.into_iter().map(|(from, to)| format!("-ffile-prefix-map={from}={to}"));
        let maps = maps.collect::<Vec<_>>().join(" ");
        all.extend(["CFLAGS", "CXXFLAGS"].map(|variable| (variable, OsString::from(&maps))));
    }
    Ok(all)
}

/// The flags that keep this machine's folders out of a program.
pub fn remap(target: &str) -> Result<Vec<String>> {
    let maps = folders()?.into_iter().map(|(from, to)| format!("--remap-path-prefix={from}={to}"));
    // Windows without Microsoft's redistributable libraries.
    let whole = target.ends_with("windows-msvc").then(|| "-Ctarget-feature=+crt-static".to_owned());
    Ok(maps.chain(whole).collect())
}

/// Folders of this machine, and what stands for them. Of two that fit, the compilers take the last.
fn folders() -> Result<Vec<(String, &'static str)>> {
    let sysroot = shell::rustc(&["--print", "sysroot"]);
    let sysroot = sysroot.ok_or_else(|| Error::Failed("rustc does not print a sysroot".to_owned()))?;
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).unwrap_or_default();
    let text = |folder: &Path| folder.display().to_string();
    Ok(vec![
        (text(&home), "cargo"),
        (sysroot, "rust"),
        (text(&shell::root()), "murmuration"),
        (text(&shell::target()), "murmuration/target"),
    ])
}

/// Cargo's variable for the linker of another machine, and the linker.
pub fn linker(triple: &str) -> Option<(&'static str, &'static str)> {
    (triple == ARM).then_some(ARM_LINKER)
}

/// True if programs for a target are compiled and linked by Zig: they then run from an old glibc on, whatever that of this
/// machine is.
pub fn zig_links(target: &str) -> bool {
    target.ends_with("-linux-gnu")
}

/// The target, with its glibc where Zig links.
pub fn zig_target(target: &str) -> String {
    if zig_links(target) { format!("{target}.{GLIBC}") } else { target.to_owned() }
}

/// The tag of a wheel that runs from that glibc on.
pub fn zig_tag() -> String {
    format!("manylinux_{}", GLIBC.replace('.', "_"))
}

/// A cargo that builds for a target, with the Python of an environment that has the packages.
pub fn zig_cargo(target: &str, python: &Path) -> Command {
    if !zig_links(target) {
        return shell::cargo_for_another(&["build"]);
    }
    let mut cargo = Command::new(python.with_file_name("cargo-zigbuild"));
    shell::for_another(cargo.arg("zigbuild").current_dir(shell::root()));
    cargo.env("CARGO_ZIGBUILD_PYTHON_PATH", python);
    cargo
}
