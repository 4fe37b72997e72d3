//! The operating system, as far as packages are concerned.

use crate::shell;
use std::process::Command;

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
    use super::System;

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
