//! Errors in calls and files: the exit code, and one line that names the error.

use super::scope::{self, Scope};
use super::{Ended, Folder};

/// The call printed one line `error: …` with these words, then at most a hint, and nothing on stdout.
fn refused(ended: &Ended, code: i32, words: &[&str], call: &str) {
    assert_eq!(ended.code, Some(code), "{call}: {ended:?}");
    let lines: Vec<&str> = ended.stderr.lines().collect();
    assert!(lines[0].starts_with("error: "), "{call}: {ended:?}");
    assert!(
        lines.len() <= 2 && lines[1..].iter().all(|line| line.starts_with("hint: ")),
        "{call}: {ended:?}"
    );
    for word in words {
        assert!(ended.stderr.contains(word), "{call}: no {word} in {ended:?}");
    }
    assert_eq!(ended.stdout, "", "{call}");
}

fn holds(calls: &[(&str, i32, &[&str])]) {
    let folder = Folder::new();
    for (call, code, words) in calls {
        refused(&folder.call(call), *code, words, call);
    }
    assert!(folder.files().is_empty(), "{:?}", folder.files());
}

#[test]
fn adapters_that_are_not_there() {
    holds(&[
        ("run --engine gpu --adapter geforce-0", 3, &["\"geforce-0\"", "hint: "]),
        ("run --engine gpu -n 2000000000", 3, &["2000000000", "at most", "hint: "]),
        ("render a.png --preset yabi --engine cpu --adapter geforce-0", 3, &["\"geforce-0\"", "hint: "]),
        ("sweep --jobs 2 --engine gpu --adapter geforce-0 --out out", 3, &["geforce-0"]),
    ]);
}

/// A file of parameters refuses it by TOML's grammar.
#[test]
fn white_space_that_toml_has_not_belongs_to_a_value() {
    let folder = Folder::new();
    for (option, value, why) in [
        ("--boids", "\u{a0}5", "--boids: flock.boids = \\u{a0}5: allowed is a whole number"),
        ("--steps", "5\u{a0}", "--steps 5\\u{a0}: allowed is a whole number"),
        ("--set", "noise.weight=\u{a0}0.5", "--set: noise.weight = \\u{a0}0.5: "),
        ("--set", "noise.weight=\u{feff}0.5", "--set: noise.weight = \\u{feff}0.5: must not begin with"),
    ] {
        let mut command = folder.command("run --engine cpu");
        let ended = super::ended(command.args([option, value]).output().expect("the program starts"));
        refused(&ended, 2, &[why], value);
    }
    folder.write("a.toml", "[noise]\nweight = \u{a0}0.5\n");
    refused(&folder.call("run --engine cpu --config a.toml"), 2, &["a.toml:2"], "a file");
    let call = "run --preset cornell --engine cpu --init a.csv";
    for (number, shown) in [("\u{a0}1", "\\u{a0}1"), ("\u{feff}1", "\\u{feff}1")] {
        folder.write("a.csv", &format!("id,x,y,z,vx,vy,vz\n0,{number},2,0,3,1,0\n"));
        refused(&folder.call(call), 2, &[&format!("line 2, column x: '{shown}'; it must be a number")], call);
    }
    folder.write("a.csv", "id,x,y,z,vx,vy,vz\n0, 1 ,2,0,3,1,0\n");
    folder.done(call);
}

/// A number of another base is a whole number wherever one is read.
#[test]
fn whole_numbers_in_other_bases_are_read_by_every_option() {
    let folder = Folder::new();
    let run = "run --preset cornell --engine cpu --quiet --hash";
    let hashes = |options: &str| folder.done(&format!("{run} {options}")).stdout;
    let plain = hashes("-n 16 --steps 3 --first-step 16");
    assert_eq!(hashes("-n 0x10 --steps 0b11 --first-step 0o20"), plain);
}

/// The corners differ in the file, but the number type rounds them to one coordinate.
#[test]
fn a_wrapping_world_without_a_size_in_the_number_type() {
    let flock = "run --preset cornell --engine cpu -n 10 --steps 1 --set world.edges=wrap --set";
    let far = format!("{flock} world.min=[999999.99,0,0] --set world.max=[1e6,480,0]");
    let thin = format!("{flock} world.min=[0,0,0] --set world.max=[640,1e-9,0] --numeric fixed");
    let open = "world.max = [640.0, 1e-9, 0.0]: allowed is more than world.min on every axis";
    holds(&[
        (&far, 2, &["world.max = [1000000.0, 480.0, 0.0]: allowed is more than world.min"]),
        (&thin, 2, &[open]),
    ]);
    // Doubles tell the corners apart, and a world that does not wrap needs no size.
    let folder = Folder::new();
    folder.done(&format!("{far} --numeric f64"));
    folder.done(&far.replace("edges=wrap", "edges=open"));
}

#[test]
fn a_folder_and_an_empty_file_as_parameters() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("folder.toml")).expect("a folder");
    let call = "run --config folder.toml";
    refused(&folder.call(call), 2, &["folder.toml", "folder"], call);
    let call = "run --engine cpu --init folder.toml";
    refused(&folder.call(call), 2, &["folder.toml", "folder"], call);
    // An empty file is valid: every parameter keeps its default.
    folder.write("empty.toml", "");
    folder.done("run --config empty.toml --steps 1 --engine cpu");
}

#[test]
fn a_state_of_another_size_than_asked_for() {
    let folder = Folder::new();
    folder.done("run --preset yabi --engine cpu -n 20 --steps 1 --out a.csv");
    for (call, words) in [
        ("run --preset yabi --engine cpu -n 30 --init a.csv", &["--boids must be 20", "not 30", "a.csv"][..]),
        (
            "run --preset yabi --engine cpu --set predators.count=2 --init a.csv",
            &["a.csv: 5 predators", "predators.count must be 5, not 2", "hint: --set predators.count=5"],
        ),
    ] {
        refused(&folder.call(call), 2, words, call);
    }
    let late = "step,id,x,y,z,vx,vy,vz\n18446744073709551615,0,0,0,0,0,0,0\n";
    folder.write("a.csv", late);
    let call = "run --preset yabi --engine cpu --init a.csv";
    refused(&folder.call(call), 2, &["a.csv", "line 2", "column step"], call);
    folder.write("a.csv", "id,x,y,z,vx,vy,vz\n0,1,2,3,0,0,0\n");
    folder.write("a.predators.csv", "step,id,x\n");
    refused(&folder.call(call), 2, &["a.predators.csv"], call);
}

#[test]
fn a_state_as_far_out_as_is_allowed() {
    let folder = Folder::new();
    folder.write("a.csv", "id,x,y,z,vx,vy,vz\n1,1,2,3,3e14,0,0\n0,-1e15,0,0,0,0,1e15\n");
    folder.done("run --preset cornell --set flock.dimensions=3 --engine cpu --init a.csv --steps 3");
}

/// Linux has devices and folders that even root cannot write to.
#[cfg(target_os = "linux")]
#[test]
fn places_that_take_no_file() {
    let folder = Folder::new();
    for option in ["--out", "--trajectory", "--metrics"] {
        let full = format!("run --preset cornell --engine cpu --steps 2 {option} /dev/full");
        refused(&folder.call(&full), 1, &["/dev/full"], &full);
        for place in ["/proc/murmuration.csv", "none/a.csv", "."] {
            let call = format!("run --preset cornell --engine cpu --steps 2 {option} {place}");
            refused(&folder.call(&call), 2, &[place], &call);
        }
    }
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a full disk");
    for call in [
        "presets",
        "run --preset cornell --engine cpu --hash --quiet --steps 2000",
        "run --preset cornell --engine cpu --out - --quiet --steps 2",
        "man",
    ] {
        let output = folder.command(call).stdout(full.try_clone().expect("again")).output().expect("starts");
        refused(&super::ended(output), 1, &["stdout"], call);
    }
    assert!(folder.files().is_empty(), "{:?}", folder.files());
}

/// Root may read a locked file, but neither root nor others a file below a file.
#[cfg(unix)]
#[test]
fn files_that_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    for (file, call) in [("a.toml", "run --config a.toml"), ("a.csv", "run --engine cpu --init a.csv")] {
        let path = folder.write(file, "");
        let below = format!("{call}/below");
        refused(&folder.call(&below), 2, &[&format!("{file}/below")], &below);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).expect("locked");
        if std::fs::read(&path).is_err() {
            refused(&folder.call(call), 2, &[file, "permission"], call);
        } else {
            folder.write(file, "no such table or column\n");
            refused(&folder.call(call), 2, &[file], call);
        }
    }
}

/// An endless file must not fill the memory.
#[cfg(unix)]
#[test]
fn files_without_an_end_are_refused() {
    let folder = Folder::new();
    for (call, words) in [
        ("run --config /dev/zero", &["/dev/zero", "longer than 64 MiB"][..]),
        ("run --engine cpu --init /dev/zero", &["/dev/zero", "a line is longer than 1048576 bytes"]),
    ] {
        refused(&folder.call(call), 2, words, call);
    }
}

/// A file of someone else must neither command the terminal nor fill it.
#[test]
fn text_from_files_is_escaped_and_cut() {
    let folder = Folder::new();
    let long = "a".repeat(100_000);
    let red = "\\u001b[31mred\\u0007";
    for (text, words) in [
        (format!("[cohesion]\n\"{red}\" = 3\n"), "a.toml:2: cohesion.\\u{1b}[31mred\\u{7}: no such"),
        (format!("[\"{red}\"]\nradius = 3\n"), "a.toml:1: \\u{1b}[31mred\\u{7}: no such table"),
        (format!("\"{red}\" = 3\n"), "a.toml:1: \\u{1b}[31mred\\u{7}: only preset"),
        (format!("preset = \"{red}\"\n"), "no preset is called \"\\u{1b}[31mred\\u{7}\""),
        ("[cohesion]\nradius = '\u{9b}31m'\n".to_owned(), "a.toml:2: "),
        ("[cohesion]\nradius = \u{1b}[31m\n".to_owned(), "a.toml:2: "),
        (format!("[cohesion]\n{long} = 3\n"), "aaa…: no such parameter"),
        (format!("[{long}]\nradius = 3\n"), "aaa…: no such table"),
        (format!("{long} = 3\n"), "aaa…: only preset"),
        (format!("preset = \"{long}\"\n"), "aaa…\": there are"),
        (format!("[cohesion]\nradius = \"{long}\"\n"), "aaa…: allowed is a number"),
    ] {
        folder.write("a.toml", &text);
        let ended = folder.call("run --config a.toml");
        let what = &text[..text.len().min(60)];
        refused(&ended, 2, &["error: ", words], what);
        shows_text_only(&ended);
    }
    for (text, words) in [
        ("id,\u{1b}[31m\n".to_owned(), "unknown column '\\u{1b}[31m'"),
        (format!("id,{long}\n"), "aaa…'"),
        (format!("id,x,y,z,vx,vy,vz\n0,{long},0,0,0,0,0\n"), "aaa…'; it must be a number"),
    ] {
        folder.write("a.csv", &text);
        let ended = folder.call("run --preset cornell --engine cpu --init a.csv");
        refused(&ended, 2, &[words], "run --init");
        shows_text_only(&ended);
    }
}

#[cfg(unix)]
#[test]
fn names_of_files_are_escaped() {
    let folder = Folder::new();
    let name = "\u{1b}[31mred.toml";
    folder.write(name, "boids = 3\n");
    for call in [format!("run --config {name}"), format!("run --engine cpu --out none/{name}")] {
        let ended = folder.call(&call);
        refused(&ended, 2, &["\\u{1b}[31mred.toml"], "a name");
        shows_text_only(&ended);
    }
}

fn shows_text_only(ended: &Ended) {
    assert!(!ended.stderr.chars().any(|c| c.is_control() && c != '\n'), "{ended:?}");
    assert!(ended.stderr.lines().all(|line| line.len() < 1000), "{ended:?}");
}

/// Mesa's reference rasteriser says that it has compute shaders, and cannot compile them.
#[cfg(target_os = "linux")]
#[test]
fn an_adapter_whose_driver_refuses_a_pass_ends_with_3() {
    let folder = Folder::new();
    let with = |call: &str| {
        let mut command = folder.command(call);
        super::ended(command.env("GALLIUM_DRIVER", "softpipe").output().expect("the program starts"))
    };
    let listed = with("adapters").stdout;
    let line = listed.lines().find(|line| line.contains("softpipe"));
    assert!(line.is_none_or(|line| line.contains("software")), "{listed}");
    if line.is_none() {
        return scope::missing(Scope::All, "there is no softpipe on this machine");
    }
    let call = "run --preset cornell --engine gpu --adapter softpipe --steps 2 --out a.csv";
    let ended = with(call);
    if ended.code == Some(0) {
        return scope::missing(Scope::All, "softpipe here has learnt to compile every pass");
    }
    refused(&ended, 3, &["error: ", "softpipe (gl)", "hint: ", "--engine cpu"], call);
    assert!(!ended.stderr.contains("Validation Error") && folder.files().is_empty(), "{ended:?}");
}
