//! Recorded calls, with what they print and write: errors, notes, lists, helps and small files, in `calls/*.txt`. A line
//! `--- NAME` begins a file for the calls after it. A line `$ murmuration …` is followed by stdout and stderr of the call,
//! and by its exit code if that is not 0; a line `$ cat NAME` by a file that a call wrote. `SNAPSHOTS=overwrite` records
//! them anew.

use std::path::{Path, PathBuf};

use snapbox::{Assert, Data};

use super::Folder;
use super::scope::{self, Scope};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/calls").join(name)
}

/// The recording, as its calls print it now. A wrong call leaves no file.
fn printed(recorded: &str) -> String {
    let folder = Folder::new();
    let mut lines = recorded.lines().peekable();
    let mut printed = format!("{}\n", lines.next().unwrap_or_default());
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("--- ") {
            let mut text = String::new();
            while let Some(line) = lines.next_if(|line| !line.starts_with("$ ") && !line.starts_with("--- "))
            {
                text.push_str(line);
                text.push('\n');
            }
            // A blank line stands before the next call.
            text.pop();
            folder.write(name, &text);
            printed.push_str(&format!("\n{line}\n{text}"));
        } else if line.starts_with("$ murmuration") {
            let call = line.trim_start_matches("$ murmuration");
            let before = folder.files();
            let ended = folder.call(call);
            assert!(ended.code != Some(2) || folder.files() == before, "{line}");
            printed.push_str(&format!("\n{line}\n{}{}", ended.stdout, ended.stderr));
            if ended.code != Some(0) {
                printed.push_str(&format!("exit {}\n", ended.code.expect("an exit code")));
            }
        } else if let Some(name) = line.strip_prefix("$ cat ") {
            printed.push_str(&format!("\n{line}\n{}", folder.read(name)));
        }
    }
    printed
}

fn is_as_recorded(name: &str) {
    let recorded = std::fs::read_to_string(file(name)).expect("a file of calls");
    Assert::new().action_env("SNAPSHOTS").eq(printed(&recorded), Data::read_from(&file(name), None).raw());
}

/// Every call in the file is wrong: one line says why, and at most one what to do.
fn says_one_line(name: &str) {
    let recorded = std::fs::read_to_string(file(name)).expect("a file of calls");
    for call in recorded.split("\n$ ").skip(1) {
        let printed = call.split("\n--- ").next().unwrap_or_default();
        let lines: Vec<&str> = printed.trim_end().lines().skip(1).collect();
        let (first, hints) = lines.split_first().expect("a line");
        assert!(first.starts_with("error: ") && lines.last() == Some(&"exit 2"), "{name}: {call}");
        let hints = &hints[..hints.len() - 1];
        assert!(hints.len() <= 1 && hints.iter().all(|line| line.starts_with("hint: ")), "{name}: {call}");
    }
}

#[test]
fn calls_that_are_right() {
    is_as_recorded("help.txt");
    is_as_recorded("works.txt");
}

#[test]
fn calls_that_are_wrong() {
    for name in [
        "conform.txt",
        "files.txt",
        "parameters.txt",
        "plot.txt",
        "profile.txt",
        "render.txt",
        "run.txt",
        "states.txt",
        "sweep.txt",
        "terms.txt",
        "words.txt",
    ] {
        is_as_recorded(name);
        says_one_line(name);
    }
}

#[test]
fn every_engine_has_the_recorded_hashes() {
    is_as_recorded("hashes.txt");
    let recorded = std::fs::read_to_string(file("hashes.txt")).expect("a file of calls");
    let before = |preset: &str| {
        let place = recorded.find(preset).and_then(|at| recorded[..at].rfind("\n$ "));
        &recorded[..place.expect("its call")]
    };
    // The emulated board takes seconds for a flock with formulas: `tests/firmware/terms.rs` runs some.
    let without_formulas = before("--preset vortex");
    for (engine, calls) in
        [("--ranks 3", &recorded[..]), ("--engine gpu", &recorded), ("--engine rp2040", without_formulas)]
    {
        let calls = calls.replace("--engine cpu", engine);
        let printed = printed(&calls);
        if printed.contains("exit 3\n") || printed.contains("build it with `cargo xtask firmware`") {
            scope::missing(Scope::Most, &format!("{engine} has nothing to run on"));
        } else {
            assert!(printed == calls, "{printed}");
        }
    }
    // The control: another flock has other hashes.
    let other = before("--preset yabi").replace("--preset cornell", "--preset cornell --seed 7");
    assert!(printed(&other) != other);
}

#[test]
fn the_short_help_of_each_command_fits_a_screen() {
    let folder = Folder::new();
    let commands = [
        "",
        "view",
        "run",
        "render",
        "profile",
        "plot",
        "conform",
        "check",
        "sweep",
        "presets",
        "presets show",
    ];
    let lists = ["terms", "terms show", "terms check", "adapters", "completions", "man"];
    for command in commands.into_iter().chain(lists) {
        let short = folder.done(&format!("{command} -h")).stdout;
        let long = folder.done(&format!("{command} --help")).stdout;
        assert!(short.lines().count() < 50, "{short}");
        // A text that is too long for its line continues below its beginning.
        let wrapped = |line: &str| line.chars().count() > 100 || line.starts_with(&" ".repeat(8));
        assert!(!short.lines().any(wrapped), "{short}");
        // The long help has what the short one leaves out, but not the list of presets, which is a command.
        assert!(!long.contains("holoviews"), "{long}");
        if short.contains("--engine ") {
            assert!(short.contains("Use --help") && !short.contains("--kernel") && long.contains("--kernel"));
        }
    }
}
