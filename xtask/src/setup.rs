//! Installs what is missing, or names it where that is not possible. Each command is printed before it runs.

use crate::needs::{Need, Purpose, Remedy, System, as_root, needs};
use crate::shell::{Error, Result};
use crate::{drivers, firmware, shell};
use std::io::IsTerminal as _;
use std::process::Command;

/// The developer's consent to installing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Given with the call, or by a call that nobody answers.
    Given,
    Ask,
    /// Nothing is installed: the commands are printed.
    DryRun,
}

impl Consent {
    /// Asks on a terminal, unless the call has `--yes`.
    pub fn asked(yes: bool) -> Self {
        let terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
        if terminal && !yes { Consent::Ask } else { Consent::Given }
    }
}

/// Installs the needs of a purpose, with consent. Returns true if all are met, as far as this system's are known; false
/// where the developer declined: what is missing was printed.
///
/// # Errors
/// When a need is still missing on a known system: one line that names it and the way to install it.
pub fn setup(purpose: Purpose, consent: Consent) -> Result<bool> {
    let system = System::here();
    if system == System::Complete {
        return Ok(true);
    }
    let missing: Vec<Need> = needs(purpose).into_iter().filter(|need| !need.is_met()).collect();
    if missing.is_empty() {
        eprintln!("setup: nothing is missing");
        return Ok(true);
    }
    for need in &missing {
        eprintln!("setup: missing {}, which {}", need.what, need.why);
    }
    let commands = remedies(system, &missing);
    for command in &commands {
        let dry_run = consent == Consent::DryRun;
        eprintln!("setup: {} {}", if dry_run { "would run" } else { "will run" }, command.join(" "));
    }
    match consent {
        Consent::DryRun => return Ok(true),
        Consent::Ask if !commands.is_empty() && !agreed(&packages(system, &missing))? => {
            eprintln!("setup: nothing was installed; what requires it is skipped");
            return Ok(false);
        }
        Consent::Ask | Consent::Given => {}
    }
    attempt(&commands);
    let mut left: Vec<Need> = missing.into_iter().filter(|need| !need.is_met()).collect();
    attempt(&fallbacks(system, &left));
    left.retain(|need| !need.is_met());
    if left.is_empty() {
        return Ok(true);
    }
    let named = by_hand(system, &left);
    if system == System::OtherUnix {
        // Libraries may be where only the linker of this system finds them.
        eprintln!("setup: {named}; continuing, because they may be installed elsewhere");
        return Ok(true);
    }
    Err(Error::Failed(named))
}

/// Asks whether to install, with the size of what would be loaded where the package manager knows it.
fn agreed(packages: &[&str]) -> Result<bool> {
    let size =
        download_size(packages).map_or(String::new(), |bytes| format!(" ({} MB)", bytes.div_ceil(1_000_000)));
    eprint!("setup: install this{size}? [Y/n] ");
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    read.map_err(|why| Error::Failed(format!("cannot read the answer: {why}")))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "" | "y" | "yes"))
}

/// Bytes that apt would load for these packages and what they need.
fn download_size(packages: &[&str]) -> Option<u64> {
    let mut apt = Command::new("apt-get");
    apt.args(["-q", "--print-uris", "--no-install-recommends", "install"]).args(packages);
    let list = shell::read(&mut apt).filter(|_| !packages.is_empty())?;
    // 'ADDRESS' FILE SIZE HASH
    let sizes = list.lines().filter(|line| line.starts_with('\''));
    sizes.map(|line| line.split_whitespace().nth(2)?.parse::<u64>().ok()).sum()
}

fn attempt(commands: &[Words]) {
    for command in commands {
        // Failure is decided by what is missing afterwards; a failed update, for example, may not matter.
        if let Err(Error::Failed(why)) =
            shell::run(Command::new(command[0]).args(&command[1..]).current_dir(shell::root()))
        {
            eprintln!("setup: {why}");
        }
    }
}

/// A command.
type Words = Vec<&'static str>;

/// Updates the list of packages, and installs some of them.
fn apt(root: &[&'static str], names: &[&'static str]) -> [Words; 2] {
    let apt = [root, &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y"]].concat();
    [[&apt[..], &["update"]].concat(), [&apt[..], &["install", "--no-install-recommends"], names].concat()]
}

/// The commands to try when the first ones did not install everything: where rustup cannot install the target, Debian
/// has a compiler, and the source of the core library.
fn fallbacks(system: System, left: &[Need]) -> Vec<Words> {
    let debian = system == System::Debian && shell::on_path("apt-get");
    match as_root() {
        Some(root) if debian && lacks(left, Remedy::FirmwareTarget) => {
            apt(&root, &["rustc-web", "rust-web-src"]).to_vec()
        }
        _ => vec![],
    }
}

/// The commands that install the missing needs on this system, by itself.
fn remedies(system: System, missing: &[Need]) -> Vec<Words> {
    let root = as_root();
    let mut commands = Vec::new();
    for way in ways(system, missing) {
        match (&way[..], &root) {
            (["apt-get", "install", names @ ..], Some(root)) if shell::on_path("apt-get") => {
                commands.extend(apt(root, names));
            }
            (["snap", ..], Some(root)) if shell::on_path("snap") => commands.push([root, &way[..]].concat()),
            (["rustup", ..], _) if shell::on_path("rustup") => commands.push(way),
            // One of the packages before may bring it.
            (["npm", ..], _) => commands.push(way),
            _ => {}
        }
    }
    commands
}

/// The command that installs a remedy on a system, and the name to install. Root runs package managers.
fn way(system: System, remedy: Remedy) -> Option<(&'static str, &'static str)> {
    let manager = match system {
        System::Fedora => "dnf install",
        System::Arch => "pacman -S",
        _ => "apt-get install",
    };
    Some(match (remedy, system) {
        (Remedy::Package([debian, ..]), System::Debian | System::Ubuntu) => (manager, debian),
        (Remedy::Package([_, fedora, _]), System::Fedora) => (manager, fedora),
        (Remedy::Package([.., arch]), System::Arch) => (manager, arch),
        // The driver without the browser around it.
        (Remedy::SwiftShader, System::Debian) => (manager, "chromium-common"),
        (Remedy::SwiftShader, System::Fedora | System::Arch) => (manager, "chromium"),
        (Remedy::SwiftShader, System::Ubuntu) => ("snap install", "chromium"),
        (Remedy::Component(name), _) => ("rustup component add", name),
        (Remedy::FirmwareTarget, _) => ("rustup target add", firmware::TARGET),
        // The folder where the tests expect it.
        (Remedy::Npm(name), _) => ("npm install --prefix target/firmware/second --no-audit --no-fund", name),
        _ => return None,
    })
}

/// The commands that install what is missing, each with all that it installs.
fn ways(system: System, missing: &[Need]) -> Vec<Words> {
    let mut ways: Vec<(&str, Words)> = Vec::new();
    for (way, name) in missing.iter().filter_map(|need| way(system, need.remedy)) {
        match ways.iter_mut().find(|(known, _)| *known == way) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => ways.push((way, vec![name])),
        }
    }
    ways.into_iter().map(|(way, names)| way.split(' ').chain(names).collect()).collect()
}

/// The packages that bring what is missing.
fn packages(system: System, missing: &[Need]) -> Words {
    let managed = |way: &Words| ["apt-get", "dnf", "pacman"].contains(&way[0]);
    ways(system, missing).into_iter().find(managed).map_or_else(Vec::new, |way| way[2..].to_vec())
}

fn lacks(missing: &[Need], remedy: Remedy) -> bool {
    missing.iter().any(|need| need.remedy == remedy)
}

/// One line: what is still missing, and how to install it.
fn by_hand(system: System, left: &[Need]) -> String {
    let run = |way: Words| {
        let root = if ["rustup", "npm"].contains(&way[0]) { "" } else { " as root" };
        format!("run `{}`{root}", way.join(" "))
    };
    let mut ways: Vec<String> = ways(system, left).into_iter().map(run).collect();
    if lacks(left, Remedy::SwiftShader) && system != System::Debian {
        ways.push(format!(
            "install Google Chrome or Chromium, which include SwiftShader, or set {} to its vk_swiftshader_icd.json",
            drivers::SWIFTSHADER_VARIABLE
        ));
    }
    if ways.is_empty() {
        ways.push("install the packages that provide them".to_owned());
    }
    let what: Vec<&str> = left.iter().map(|need| need.what).collect();
    format!("still missing: {}; {}", what.join(", "), ways.join("; "))
}

#[cfg(test)]
mod tests {
    use super::{by_hand, packages};
    use crate::needs::{Purpose, System, needs};

    #[test]
    fn every_need_of_the_tests_has_a_package_or_a_way() {
        let all = needs(Purpose::TestAll);
        for system in [System::Debian, System::Fedora, System::Arch] {
            let names = packages(system, &all);
            assert!(names.iter().all(|name| !name.is_empty()), "{system:?}: {names:?}");
            // One package may bring several things.
            let mesa = names.iter().filter(|name| **name == "mesa").count();
            assert!(mesa <= 1, "{system:?}: {names:?}");
        }
        let debian = packages(System::Debian, &all);
        for name in ["g++", "mesa-vulkan-drivers", "chromium-common", "xvfb", "libxi6"] {
            assert!(debian.contains(&name), "{name} is not in {debian:?}");
        }
    }

    #[test]
    fn what_cannot_be_installed_is_named_in_one_line() {
        let all = needs(Purpose::TestAll);
        let line = by_hand(System::Ubuntu, &all);
        for part in ["SwiftShader", "snap install chromium", "apt-get install", "rustup component"] {
            assert!(line.contains(part), "{part} is not in: {line}");
        }
        assert!(!line.contains("chromium-common"), "not a package of Ubuntu's: {line}");
        assert_eq!(line.lines().count(), 1);
    }
}
