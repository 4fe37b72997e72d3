//! The test programs of the copy, and runs of them that end at the first test that fails.

use crate::shell::{Error, Result};
use crate::{drivers, shell};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// A test program.
#[derive(Clone, Debug)]
pub struct Suite {
    /// `cli`, or `unit:flock` for the tests inside a crate.
    pub name: String,
    pub program: PathBuf,
    pub package: PathBuf,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    Passed,
    Failed(String),
    /// The run did not end in time.
    Hung,
}

/// A run of a suite without a fault.
#[derive(Clone, Debug, Default)]
pub struct Control {
    pub took: Duration,
    /// Tests that fail on this machine without any fault: no fault is seen by them.
    pub failing: Vec<String>,
}

/// For the build of few suites, which run for less time than the optimiser.
const QUICK_BUILD: [&str; 2] = [
    "--config=profile.dev.package.murmuration-flock.opt-level=1",
    "--config=profile.dev.package.murmuration-flock.codegen-units=16",
];

/// Builds the tests of a folder, and finds their programs: those of these suites alone, if any are named.
pub fn build(tree: &Path, only: &BTreeSet<String>) -> Result<Vec<Suite>> {
    let mut suites = Vec::new();
    for targets in targets(only) {
        let cargo = || {
            let mut cargo = shell::cargo(&["test", "--locked", "--no-run"]);
            cargo
                .args(&targets)
                .args(if only.is_empty() { &[][..] } else { &QUICK_BUILD })
                .current_dir(tree)
                .env("CARGO_TARGET_DIR", tree.join("target"));
            cargo
        };
        shell::run(&mut cargo())?;
        let output = cargo().output().map_err(|why| Error::Failed(format!("cargo: {why}")))?;
        suites.extend(String::from_utf8_lossy(&output.stderr).lines().filter_map(|line| suite(tree, line)));
    }
    Ok(suites)
}

/// The targets of cargo, a list a call.
fn targets(only: &BTreeSet<String>) -> Vec<Vec<String>> {
    let whole = ["--workspace", "--exclude", "murmuration-python"];
    let of = |name: &String| match name.strip_prefix("unit:") {
        Some(unit) => vec!["--package".to_owned(), format!("murmuration-{unit}"), "--lib".to_owned()],
        None => [&whole[..], &["--test", name]].concat().into_iter().map(str::to_owned).collect(),
    };
    if only.is_empty() {
        let all = [&whole[..], &["--lib", "--bins", "--tests"]].concat();
        return vec![all.into_iter().map(str::to_owned).collect()];
    }
    only.iter().map(of).collect()
}

/// The suite that a line of cargo names: `Executable tests/cli/main.rs (target/debug/deps/cli-…)`.
fn suite(tree: &Path, line: &str) -> Option<Suite> {
    let (what, program) = line.trim().strip_prefix("Executable ")?.split_once(" (")?;
    let program = tree.join(program.trim_end_matches(')'));
    let (name, _) = program.file_name()?.to_str()?.rsplit_once('-')?;
    let inside = what.starts_with("unittests");
    let package = match name {
        "flock" | "shaders" | "presets" | "xtask" if inside => name.to_owned(),
        "murmuration" => String::new(),
        "flocks" | "recorded" | "allocation" => "crates/cpu".into(),
        "brute" => "crates/config".into(),
        "processes" => "crates/ranks".into(),
        _ if inside => format!("crates/{name}"),
        _ => String::new(),
    };
    let name = if inside { format!("unit:{name}") } else { name.to_owned() };
    Some(Suite { name, package: tree.join(package), program })
}

impl Suite {
    fn command(&self, fault: &str, filter: Option<&str>, display: &str, skipped: &[String]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(filter).current_dir(&self.package).envs(drivers::test_environment(false));
        for name in skipped {
            command.args(["--skip", name]);
        }
        command.env("DISPLAY", display).env_remove("WAYLAND_DISPLAY");
        command.env("CARGO_MANIFEST_DIR", &self.package).env(super::plant::VARIABLE, fault);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        command
    }

    /// All tests without a fault.
    pub fn control(&self, filter: Option<&str>, display: &str) -> Result<Control> {
        let begun = Instant::now();
        let output = self
            .command("0", filter, display, &[])
            .output()
            .map_err(|why| Error::Failed(format!("{}: {why}", self.name)))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let failing = text.lines().filter_map(failed).map(str::to_owned).collect();
        Ok(Control { took: begun.elapsed(), failing })
    }

    /// The first test that sees a fault.
    pub fn run(&self, fault: &str, filter: Option<&str>, display: &str, control: &Control) -> Result<Ended> {
        let started = self.command(fault, filter, display, &control.failing).spawn();
        let mut child = started.map_err(|why| Error::Failed(format!("{}: {why}", self.name)))?;
        let (send, lines) = mpsc::channel();
        let stdout = child.stdout.take();
        std::thread::spawn(move || {
            let output = stdout.into_iter().flat_map(|pipe| BufReader::new(pipe).lines());
            output.map_while(std::result::Result::ok).for_each(|line| _ = send.send(line));
        });
        let deadline = Instant::now() + control.took * 6 + Duration::from_secs(5);
        let mut ended = loop {
            match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    if let Some(name) = failed(&line) {
                        break Ended::Failed(name.to_owned());
                    }
                }
                Err(mpsc::RecvTimeoutError::Timeout) => break Ended::Hung,
                Err(mpsc::RecvTimeoutError::Disconnected) => break Ended::Passed,
            }
        };
        if ended == Ended::Passed {
            let status = child.wait();
            if !status.is_ok_and(|status| status.success()) {
                ended = Ended::Failed("(it ended early)".into());
            }
        }
        // With all programs that the tests have started.
        let group = format!("-{}", child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
        let _ = child.wait();
        Ok(ended)
    }
}

/// The test that a line says has failed.
fn failed(line: &str) -> Option<&str> {
    let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
    Some(name.trim_end_matches(" - should panic"))
}

#[cfg(test)]
mod tests {
    use super::{failed, suite};
    use std::path::Path;

    #[test]
    fn lines_of_cargo_and_of_tests_are_understood() {
        let found = |line| suite(Path::new("/t"), line).map(|suite| (suite.name, suite.package));
        let line = "  Executable unittests src/lib.rs (target/debug/deps/files-93)";
        assert_eq!(found(line), Some(("unit:files".into(), "/t/crates/files".into())));
        let line = "  Executable tests/cli/main.rs (/t/target/debug/deps/cli-9f)";
        assert_eq!(found(line), Some(("cli".into(), "/t/".into())));
        assert_eq!(found("   Compiling files v0.1.0"), None);
        assert_eq!(failed("test a::b - should panic ... FAILED"), Some("a::b"));
        assert_eq!(failed("test a::b ... ok"), None);
    }
}
