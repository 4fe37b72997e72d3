//! The command line from outside: what it prints, what it writes, and how it ends.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]

#[cfg(target_os = "linux")]
#[path = "../support/adapters.rs"]
mod adapters;
mod calls;
mod conforming;
mod ending;
#[cfg(target_os = "linux")]
mod failing;
#[cfg(target_os = "linux")]
#[path = "../support/faults/mod.rs"]
mod faults;
mod flights;
mod fuzz;
#[path = "../support/fuzz.rs"]
mod fuzzer;
mod independent;
mod outputs;
mod plotting;
mod profiling;
#[path = "../support/random_flock.rs"]
mod random_flock;
mod ranks;
mod rendering;
#[cfg(target_os = "linux")]
#[path = "../support/resident.rs"]
mod resident;
#[path = "../support/scope.rs"]
mod scope;
#[cfg(target_os = "linux")]
#[path = "../support/slurm.rs"]
mod slurm;
mod sweeping;

use std::io::{BufRead as _, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};

use serde_json::Value;

/// The presets, in their order.
const NAMES: [&str; 9] =
    ["murmuration", "cornell", "yabi", "think", "swarm", "holoviews", "vicsek", "couzin", "starlings"];

/// A folder of its own for each test.
struct Folder {
    inside: tempfile::TempDir,
}

/// The outcome of a call.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Folder {
    fn new() -> Self {
        Folder { inside: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.inside.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, text).expect("written");
        path
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect(name)
    }

    fn json(&self, name: &str) -> Value {
        json(&self.read(name))
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_murmuration"));
        command.args(line.split_whitespace()).current_dir(self.inside.path()).stdin(Stdio::null());
        // The program must set this variable itself, else a library of the Vulkan driver prints errors.
        command.env_remove("XDG_RUNTIME_DIR");
        // Tests do not use the user's cache.
        command.env("MURMURATION_CACHE", "");
        command
    }

    /// Calls the program with words separated by blanks.
    fn call(&self, line: &str) -> Ended {
        ended(self.command(line).output().expect("the program starts"))
    }

    /// Starts the program with pipes from stdout and stderr.
    fn start(&self, line: &str) -> Child {
        let mut command = self.command(line);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts")
    }

    /// Calls it; it must succeed.
    fn done(&self, line: &str) -> Ended {
        let ended = self.call(line);
        assert_eq!(ended.code, Some(0), "{line}: {}", ended.stderr);
        ended
    }

    /// The files in the folder.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.inside.path()).expect("a folder");
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut names: Vec<String> = entries.map(|entry| name(&entry.expect("an entry").path())).collect();
        names.sort();
        names
    }
}

/// The lines of stdout. The reader leaves when they are dropped.
fn lines(child: &mut Child) -> Lines<BufReader<ChildStdout>> {
    BufReader::new(child.stdout.take().expect("a pipe")).lines()
}

/// The first line of stdout, after which the reader leaves.
fn first_line(child: &mut Child) -> String {
    lines(child).next().expect("a line").expect("text")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

/// The program printed nothing on stderr but a short line `error: …` with these words, and at most a hint.
fn one_line(ended: &Ended, words: &[&str]) {
    let lines: Vec<&str> = ended.stderr.lines().collect();
    assert!(!lines.is_empty() && lines[0].starts_with("error: "), "{ended:?}");
    assert!(lines.len() <= 2 && lines[1..].iter().all(|line| line.starts_with("hint: ")), "{ended:?}");
    for word in words {
        assert!(ended.stderr.contains(word), "no {word} in {ended:?}");
    }
    assert!(!ended.stderr.chars().any(|c| c.is_control() && c != '\n'), "{ended:?}");
    assert!(lines.iter().all(|line| line.len() < 1000), "{ended:?}");
}

fn ended(output: Output) -> Ended {
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("text"),
        stderr: String::from_utf8(output.stderr).expect("text"),
    }
}
