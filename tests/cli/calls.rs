//! Recorded calls, with what they print and write: errors, notes, lists, helps and small files, in `calls/*.txt`. A line
//! `--- NAME` begins a file for the calls after it. A line `$ murmuration …` is followed by stdout and stderr of the call,
//! and by its exit code if that is not 0; a line `$ cat NAME` by a file that a call wrote. `SNAPSHOTS=overwrite` records
//! them anew. Below them stand the errors that no recorded call can show: control characters, endless files, what this
//! machine lacks.

use std::path::{Path, PathBuf};

use snapbox::{Assert, Data};

use super::scope::{self, Scope};
use super::{Ended, Folder, ended, one_line};

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

/// The call ended with a code and one line with these words.
fn refused(ended: &Ended, code: i32, words: &[&str]) {
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(code), ""), "{words:?}: {ended:?}");
    one_line(ended, words);
}

#[test]
fn adapters_that_are_not_there() {
    let folder = Folder::new();
    for (call, words) in [
        ("run --engine gpu --adapter geforce-0", &["\"geforce-0\"", "hint: "][..]),
        ("run --engine gpu -n 2000000000", &["2000000000", "at most", "hint: "]),
        ("render a.png --preset yabi --engine cpu --adapter geforce-0", &["\"geforce-0\"", "hint: "]),
        ("sweep --jobs 2 --engine gpu --adapter geforce-0 --out out", &["geforce-0"]),
    ] {
        refused(&folder.call(call), 3, words);
    }
    assert!(folder.files().is_empty());
}

/// A file of parameters refuses it by TOML's grammar.
#[test]
fn white_space_that_toml_has_not_belongs_to_a_value() {
    let folder = Folder::new();
    for (option, value, why) in [
        ("--boids", "\u{a0}5", "--boids must be a whole number from 0 to 2000000000, not \\u{a0}5"),
        ("--steps", "5\u{a0}", "--steps must be a whole number from 0 to 4294967295, not 5\\u{a0}"),
        ("--set", "noise.weight=\u{a0}0.5", "--set: noise.weight must be -1000 to 1000, not \\u{a0}0.5 "),
        ("--set", "noise.weight=\u{feff}0.5", "--set: noise.weight = \\u{feff}0.5: must not begin with"),
    ] {
        let mut command = folder.command("run --engine cpu");
        refused(&ended(command.args([option, value]).output().expect("the program starts")), 2, &[why]);
    }
    folder.write("a.toml", "[noise]\nweight = \u{a0}0.5\n");
    refused(&folder.call("run --engine cpu --config a.toml"), 2, &["a.toml:2"]);
    for (number, shown) in [("\u{a0}1", "\\u{a0}1"), ("\u{feff}1", "\\u{feff}1")] {
        folder.write("a.csv", &format!("id,x,y,z,vx,vy,vz\n0,{number},2,0,3,1,0\n"));
        let why = format!("line 2: column x must be a number, not '{shown}'");
        refused(&folder.call("run --preset cornell --engine cpu --init a.csv"), 2, &[&why]);
    }
}

/// Root may read a locked file, but neither root nor others a file below a file or a folder as one.
#[cfg(unix)]
#[test]
fn files_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    std::fs::create_dir(folder.path("folder")).expect("a folder");
    for (file, call) in [("a.toml", "run --config"), ("a.csv", "run --engine cpu --init")] {
        let path = folder.write(file, "no such table or column\n");
        refused(&folder.call(&format!("{call} {file}/below")), 2, &[&format!("{file}/below")]);
        refused(&folder.call(&format!("{call} folder")), 2, &["folder"]);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).expect("locked");
        let why = if std::fs::read(&path).is_err() { "permission" } else { file };
        refused(&folder.call(&format!("{call} {file}")), 2, &[file, why]);
    }
}

/// An endless file must not fill the memory.
#[cfg(unix)]
#[test]
fn files_without_an_end_are_refused() {
    let folder = Folder::new();
    for (call, why) in [
        ("run --config /dev/zero", "larger than 64 MiB"),
        ("run --engine cpu --init /dev/zero", "a line is longer than 1048576 bytes"),
        ("run --engine rp2040 --firmware /dev/zero --steps 0", "larger than 64 MiB"),
    ] {
        refused(&folder.call(call), 2, &["/dev/zero", why]);
    }
}

/// A file of someone else must neither command the terminal nor fill it; nor may its name.
#[test]
fn text_from_files_is_escaped_and_cut() {
    let folder = Folder::new();
    let long = "a".repeat(100_000);
    for (text, words) in [
        ("[cohesion]\nradius = '\u{9b}31m'\n".to_owned(), "a.toml:2: "),
        ("[cohesion]\nradius = \u{1b}[31m\n".to_owned(), "a.toml:2: "),
        (format!("[cohesion]\n{long} = 3\n"), "aaa…', expected one of radius"),
        (format!("[{long}]\nradius = 3\n"), "aaa…', expected one of flock"),
        (format!("{long} = 3\n"), "aaa… must be in a table; only preset"),
        (format!("preset = \"{long}\"\n"), "aaa…', expected one of murmuration"),
        (format!("[cohesion]\nradius = \"{long}\"\n"), "cohesion.radius must be 0 to 1000000, not \"aaa"),
    ] {
        folder.write("a.toml", &text);
        refused(&folder.call("run --config a.toml"), 2, &[words]);
    }
    for (text, words) in [
        ("id,\u{1b}[31m\n".to_owned(), "unknown column '\\u{1b}[31m'"),
        (format!("id,{long}\n"), "aaa…'"),
        (format!("id,x,y,z,vx,vy,vz\n0,{long},0,0,0,0,0\n"), "line 2: column x must be a number, not 'aaa"),
    ] {
        folder.write("a.csv", &text);
        refused(&folder.call("run --preset cornell --engine cpu --init a.csv"), 2, &[words]);
    }
    if cfg!(unix) {
        folder.write("\u{1b}[31mred.toml", "boids = 3\n");
        for call in ["run --config \u{1b}[31mred.toml", "run --engine cpu --out none/\u{1b}[31mred.toml"] {
            refused(&folder.call(call), 2, &["\\u{1b}[31mred.toml"]);
        }
    }
}
