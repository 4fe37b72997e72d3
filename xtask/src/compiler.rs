//! Settings of the compilers for programs that run on other machines: the linker of the target, and flags that remove
//! the folders of this machine.

use crate::error::{Error, Result};
use crate::{elsewhere, shell, zig};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

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
    let linker = elsewhere::linker(target).filter(|_| target != host && !zig::links(target));
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
