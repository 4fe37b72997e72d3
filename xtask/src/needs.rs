//! The operating system, as far as packages are concerned, and what the project needs from it: `needs.txt` lists that.

use std::path::PathBuf;
use std::process::Command;

use crate::{drivers, firmware, shell};

/// The purpose of a set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The window, or a film without a display.
    Run,
    /// The tests of the simulator.
    Test,
    /// Those of other machines, browsers and clusters, too: everything that CI runs.
    TestAll,
}

/// The way to meet a need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// A package: its names in Debian and Ubuntu, Fedora, and Arch.
    Package([&'static str; 3]),
    /// A component of the Rust toolchain.
    Component(&'static str),
    /// An npm package: name and version.
    Npm(&'static str),
    /// The core library for the RP2040: from rustup, or from Debian packages.
    FirmwareTarget,
    /// Chromium: a package in Debian, a snap in Ubuntu.
    SwiftShader,
}

/// A need.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    pub what: &'static str,
    pub why: &'static str,
    pub remedy: Remedy,
    /// The kind and the name of the thing that exists if the need is met.
    probe: (&'static str, &'static str),
}

const NEEDS: &str = include_str!("needs.txt");

/// The lines of the table, each with the words that say when it applies.
fn table() -> impl Iterator<Item = (&'static str, Need)> {
    let lines = NEEDS.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.filter_map(|line| {
        let [when, what, probe, why, remedy] =
            line.split('|').map(str::trim).collect::<Vec<_>>().try_into().ok()?;
        let probe = probe.split_once(' ').unwrap_or((probe, ""));
        Some((when, Need { what, why, remedy: read_remedy(remedy)?, probe }))
    })
}

fn read_remedy(text: &'static str) -> Option<Remedy> {
    Some(match text.split(' ').collect::<Vec<_>>()[..] {
        ["firmware"] => Remedy::FirmwareTarget,
        ["swiftshader"] => Remedy::SwiftShader,
        ["component", name] => Remedy::Component(name),
        ["npm", name] => Remedy::Npm(name),
        [everywhere] => Remedy::Package([everywhere; 3]),
        [debian, fedora, arch] => Remedy::Package([debian, fedora, arch]),
        _ => return None,
    })
}

/// The needs of a purpose, in the order of installation.
pub fn needs(purpose: Purpose) -> Vec<Need> {
    let system = System::here();
    let holds = |word: &str| match word {
        "show" => purpose == Purpose::Run,
        "test" => purpose != Purpose::Run,
        "all" => purpose == Purpose::TestAll,
        "wayland" => std::env::var_os("WAYLAND_DISPLAY").is_some(),
        "debian" => system == System::Debian,
        "apt" => matches!(system, System::Debian | System::Ubuntu),
        "x86-64" => cfg!(target_arch = "x86_64"),
        _ => word == "run",
    };
    table().filter(|(when, _)| when.split(' ').all(holds)).map(|(_, need)| need).collect()
}

impl Need {
    /// True if the need is met.
    pub fn is_met(&self) -> bool {
        self.found().unwrap_or(false)
    }

    /// True if the need is met; none for a probe that does not exist.
    fn found(&self) -> Option<bool> {
        Some(match self.probe {
            ("library", file) => library_folders().iter().any(|at| at.join(file).exists()),
            ("program", name) => shell::on_path(name),
            ("file", name) => shell::root().join(name).is_file(),
            ("cargo", name) => shell::read(&mut shell::cargo(&[name, "--version"])).is_some(),
            ("python", module) => {
                shell::read(shell::python().args(["-c", &format!("import {module}")])).is_some()
            }
            ("c++", _) => {
                std::env::var_os("CXX").is_some_and(|name| !name.is_empty())
                    || shell::on_path("c++")
                    || cfg!(windows)
            }
            ("vulkan", _) => drivers::any_vulkan(),
            ("llvmpipe", _) => drivers::llvmpipe().is_some(),
            ("mesa-egl", _) => drivers::mesa_egl().is_some(),
            ("mesa-gl", _) => library_folders().iter().any(|at| drivers::has_mesa_gl(at)),
            ("swiftshader", _) => drivers::swiftshader().is_some(),
            ("firmware", _) => firmware::can_build(),
            ("libclang", _) => (10..50)
                .any(|number| PathBuf::from(format!("/usr/lib/llvm-{number}/lib/libclang.so.1")).exists()),
            _ => return None,
        })
    }
}

/// The folders in which the dynamic linker finds libraries of this architecture.
fn library_folders() -> Vec<PathBuf> {
    let named = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let triple = match std::env::consts::ARCH {
        "x86" => "i386-linux-gnu".to_owned(),
        "arm" => "arm-linux-gnueabihf".to_owned(),
        arch => format!("{arch}-linux-gnu"),
    };
    let usual = ["/usr/lib", "/lib", "/usr/local/lib"].map(|at| PathBuf::from(at).join(&triple));
    let plain = ["/usr/lib64", "/lib64", "/usr/lib", "/lib", "/usr/local/lib"].map(PathBuf::from);
    std::env::split_paths(&named).chain(usual).chain(plain).collect()
}

/// A family of systems with the same package names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    Debian,
    /// Debian's packages, but Chromium is a snap there.
    Ubuntu,
    Fedora,
    Arch,
    /// Another Linux or a BSD.
    OtherUnix,
    /// macOS and Windows: the system provides drivers and windows.
    Complete,
}

impl System {
    /// The system this program runs on.
    pub fn here() -> Self {
        if cfg!(any(target_os = "macos", target_os = "windows")) {
            return Self::Complete;
        }
        let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        Self::from_os_release(&release)
    }

    fn from_os_release(text: &str) -> Self {
        let field = |key: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(key)).unwrap_or("");
            value.trim_matches('"').to_owned()
        };
        let names = format!("{} {}", field("ID="), field("ID_LIKE="));
        // Ubuntu first: it and its derivatives name Debian, too.
        for name in names.split_whitespace() {
            match name {
                "ubuntu" => return Self::Ubuntu,
                "debian" if !names.contains("ubuntu") => return Self::Debian,
                "fedora" | "rhel" | "centos" => return Self::Fedora,
                "arch" => return Self::Arch,
                _ => {}
            }
        }
        Self::OtherUnix
    }
}

/// The words before a command that runs as root: none for root, `sudo` for others, `None` where neither is possible.
pub fn as_root() -> Option<Vec<&'static str>> {
    if shell::read(Command::new("id").arg("-u")).as_deref() == Some("0") {
        return Some(vec![]);
    }
    if !shell::on_path("sudo") {
        return None;
    }
    // Without a terminal sudo must not wait for a password.
    let asks = std::io::IsTerminal::is_terminal(&std::io::stdin());
    Some(if asks { vec!["sudo"] } else { vec!["sudo", "-n"] })
}

#[cfg(test)]
mod tests {
    use super::{NEEDS, System, table};

    #[test]
    fn every_line_of_the_table_is_understood() {
        let lines = NEEDS.lines().filter(|line| line.contains('|') && !line.starts_with('#'));
        assert_eq!(table().count(), lines.count());
        for (when, need) in table() {
            assert!(need.found().is_some(), "{need:?}");
            let words = ["run", "show", "test", "all", "wayland", "debian", "apt", "x86-64"];
            assert!(when.split(' ').all(|word| words.contains(&word)), "{when}");
        }
    }

    #[test]
    fn systems_are_told_apart_by_their_release_file() {
        for (text, system) in [
            ("PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n", System::Debian),
            ("ID=ubuntu\nID_LIKE=debian\n", System::Ubuntu),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", System::Ubuntu),
            ("ID=raspbian\nID_LIKE=debian\n", System::Debian),
            ("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", System::Fedora),
            ("ID=manjaro\nID_LIKE=arch\n", System::Arch),
            ("ID=alpine\n", System::OtherUnix),
            ("", System::OtherUnix),
        ] {
            assert_eq!(System::from_os_release(text), system, "{text}");
        }
    }
}
