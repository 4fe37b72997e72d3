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
fn calls() {
    holds(&[
        ("run --preset cornel", 2, &["--preset", "\"cornel\"", "yabi", "hint: did you mean \"cornell\"?"]),
        ("presets show cornel", 2, &["\"cornel\"", "hint: did you mean \"cornell\"?"]),
        ("run --set cohesion.radios=3", 2, &["--set", "cohesion.radios", "\"cohesion.radius\"?"]),
        ("run --set cohesoin.radius=3", 2, &["cohesoin", "did you mean \"cohesion\"?"]),
        ("run --set cohesion.radius=-3", 2, &["--set: cohesion.radius = -3: allowed is a number from 0 to"]),
        ("run --set cohesion.radius=nan", 2, &["cohesion.radius = nan"]),
        ("run --set cohesion.radius", 2, &["table.key=value"]),
        ("run --set world.edges=wrp", 2, &["world.edges = wrp", "\"open\"", "did you mean \"wrap\"?"]),
        ("run --set motion.min_speed=1e5", 2, &["motion.min_speed", "motion.max_speed"]),
        ("run -n 3000000000", 2, &["--boids: flock.boids = 3000000000", "from 0 to 2000000000"]),
        ("run -n -1", 2, &["--boids: flock.boids = -1"]),
        ("run -n 3G", 2, &["--boids: flock.boids = 3G: allowed is a whole number from 0 to 2000000000"]),
        ("run -n 3e9", 2, &["--boids: flock.boids = 3e9: allowed is a whole number from 0 to 2000000000"]),
        ("run -n 0.0005k", 2, &["--boids: flock.boids = 0.0005k: allowed is a whole number from 0"]),
        ("run -n 1e-3", 2, &["--boids: flock.boids = 1e-3: allowed is a whole number from 0"]),
        ("run -n 1.000", 2, &["--boids: flock.boids = 1.000: ambiguous, write 1 or 1000"]),
        ("run --set flock.boids=12.000", 2, &["--set: flock.boids = 12.000: ambiguous, write 12 or 12000"]),
        ("run --steps 1.000", 2, &["--steps 1.000: ambiguous, write 1 or 1000"]),
        ("profile -n 1.000", 2, &["--boids 1.000: ambiguous, write 1 or 1000"]),
        ("run -n 1e-400", 2, &["--boids: flock.boids = 1e-400: allowed is a whole number"]),
        ("run -n 50 --set flock.boids=70", 2, &["error: --boids cannot be used with --set flock.boids"]),
        ("run --seed 5 --set flock.seed=7", 2, &["error: --seed cannot be used with --set flock.seed"]),
        ("profile -n 50 --set flock.boids=70", 2, &["error: --boids cannot be used with --set flock.boids"]),
        (
            "run --preset yabi --set world.edges=wrap",
            2,
            &[
                "cohesion.scope = \"flock\": must be neighbours in a world that wraps, whose coordinates have no mean",
            ],
        ),
        ("cornell", 2, &["'cornell'", "hint: did you mean `--preset cornell`?"]),
        ("run cornell", 2, &["'cornell'", "hint: did you mean `--preset cornell`?"]),
        ("presets cornell", 2, &["'cornell'", "hint: did you mean `presets show cornell`?"]),
        ("run --bogus", 2, &["'--bogus'", "hint: `murmuration help` lists"]),
        (
            "plot a.csv -o a.png -y",
            2,
            &["'-y <NAME>'", "hint: -y names measures; --yes replaces the picture"],
        ),
        ("render a.png --size -1x5", 2, &["--size -1x5: allowed is WxH, as in 1280x720"]),
        ("view --window-size -1x5", 2, &["--window-size -1x5: allowed is WxH"]),
        ("run --adapter -1x", 2, &["'-1'", "hint: a value that begins with - is written with =, as in"]),
        ("run -n many", 2, &["--boids: flock.boids = many"]),
        ("run --seed 1.5", 2, &["--seed: flock.seed = 1.5"]),
        ("run --steps many", 2, &["--steps many", "a whole number from 0 to"]),
        ("run --steps -1", 2, &["--steps -1"]),
        ("run --every 0 --metrics a.csv", 2, &["--every 0", "from 1 to"]),
        (
            "run --first-step 4000000000 --steps 400000000",
            2,
            &["--steps 400000000", "294967295 from step 4000000000"],
        ),
        ("run --every 3", 2, &["--every", "--metrics FILE.csv"]),
        ("run --by-group", 2, &["--by-group", "--metrics FILE.csv"]),
        ("run --out a.csv --metrics a.csv", 2, &["--out", "--metrics", "a.csv"]),
        ("run --out a.csv --metrics a.predators.csv", 2, &["--out", "--metrics", "a.predators.csv"]),
        ("run --init a.csv --trajectory a.predators.csv", 2, &["--init", "--trajectory", "a.predators.csv"]),
        ("run --out - --metrics -", 2, &["--out and --metrics both name -"]),
        (
            "run --metrics - --hash",
            2,
            &["--metrics - with --hash: both write to stdout, allowed is one of them"],
        ),
        ("run --out - --json", 2, &["--out - with --json: both write to stdout, allowed is one of them"]),
        ("run --preset yabi --engine cpu --out -", 2, &["--out -: allowed is a file's name: the predators"]),
        ("run --trajectory a.csv --metrics ./a.csv", 2, &["--trajectory", "--metrics", "a.csv"]),
        (
            "run --preset cornell --engine cpu --steps 4000000000 --out none/a.csv",
            2,
            &["none/a.csv", "no such file"],
        ),
        ("run --first-step x", 2, &["--first-step x"]),
        ("run --engine gpus", 2, &["'gpus'", "--engine", "auto", "cpu"]),
        ("run --numeric f16", 2, &["'f16'", "--numeric", "f32", "f64"]),
        ("run --numeric f64 --engine gpu", 2, &["--numeric f64", "--engine gpu", "f32", "hint: "]),
        ("run --numeric f64 --adapter 0", 2, &["--numeric f64", "--adapter"]),
        ("run --engine cpu --backend gl", 2, &["--backend", "--engine cpu"]),
        ("profile --engine cpu --checks off", 2, &["--checks: allowed where the gpu steps", "hint: "]),
        (
            if cfg!(target_arch = "aarch64") {
                "profile --engine gpu --registers neon"
            } else {
                "profile --engine gpu --registers sse2"
            },
            2,
            &["--registers: allowed where the cpu steps", "hint: "],
        ),
        ("render a.png --preset yabi --engine cpu --adapter geforce-0", 3, &["\"geforce-0\"", "hint: "]),
        ("render a.png --preset cornell --engine cpu --adapter 0", 2, &["--adapter", "--style cones"]),
        (
            "render a.png --preset yabi --engine cpu --steps 0 --set view.bird=400",
            2,
            &["view.bird = 400: allowed is less than 400, the number of boids"],
        ),
        (
            "render a.png --preset yabi --engine cpu --steps 0 --set view.distance=10",
            2,
            &["view.distance = 10.0: allowed is one beside view.target or view.bird"],
        ),
        ("view --preset yabi --set view.bird=400", 2, &["view.bird = 400: allowed is less than 400"]),
        ("run --backend directx", 2, &["'directx'", "vulkan", "metal", "dx12", "gl"]),
        ("run --engine gpu --adapter geforce-0", 3, &["\"geforce-0\"", "hint: "]),
        ("run --engine gpu -n 2000000000", 3, &["2000000000", "at most", "hint: "]),
        ("run --preset think --config a.toml", 2, &["--preset", "--config"]),
        ("run --stepps 3", 2, &["'--stepps'", "hint:", "'--steps'"]),
        ("--preset cornel", 2, &["--preset", "did you mean \"cornell\"?"]),
        ("view --window-size 9", 2, &["--window-size 9", "WxH"]),
        ("--preset cornell run", 2, &["--preset", "'run'"]),
        ("rum", 2, &["'rum'", "hint:", "'run'"]),
        ("completions", 2, &["<SHELL>"]),
        ("completions tcsh", 2, &["'tcsh'", "bash", "zsh"]),
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
fn files_of_parameters() {
    let folder = Folder::new();
    folder.write("bad.toml", "[flock]\nboids = 5\n\n[cohesion]\nradios = 3\n");
    folder.write("empty.toml", "");
    std::fs::create_dir(folder.path("folder.toml")).expect("a folder");
    let before = folder.files();
    for (call, words) in [
        ("run --config bad.toml", &["bad.toml:5: cohesion.radios", "\"cohesion.radius\"?"][..]),
        ("run --config none.toml", &["none.toml", "no such file"]),
        ("run --config folder.toml", &["folder.toml", "folder"]),
    ] {
        refused(&folder.call(call), 2, words, call);
    }
    assert_eq!(folder.files(), before);
    // An empty file is valid: every parameter keeps its default.
    folder.done("run --config empty.toml --steps 1 --engine cpu");
}

#[test]
fn states() {
    let folder = Folder::new();
    let header = "id,x,y,z,vx,vy,vz\n";
    let row = "0,1,2,0,3,1,0\n";
    for (name, text, words) in [
        ("nan", format!("{header}0,nan,2,0,3,1,0\n"), &["line 2", "column x", "nan"][..]),
        ("inf", format!("{header}0,1,2,0,inf,1,0\n"), &["line 2", "column vx", "inf"]),
        ("vast", format!("{header}0,1e39,2,0,3,1,0\n"), &["line 2", "column x", "1e39"]),
        ("text", format!("{header}{row}1,here,2,0,3,1,0\n"), &["line 3", "column x", "here"]),
        ("short", format!("{header}{row}1,1,2,0\n"), &["line 3", "4"]),
        ("long", format!("{header}{row}1,1,2,0,3,1,0,9\n"), &["line 3", "8"]),
        ("twice", format!("{header}{row}0,5,5,0,3,1,0\n"), &["line 3", "id", "twice"]),
        ("gap", format!("{header}{row}7,5,5,0,3,1,0\n"), &["line 3", "id", "7"]),
        ("negative", format!("{header}-1,5,5,0,3,1,0\n"), &["line 2", "id", "-1"]),
        ("empty", String::new(), &["empty.csv"]),
        ("header", "id,x,y,vx,vy,vz\n".to_owned(), &["header.csv", "z"]),
        ("group", "id,x,y,z,vx,vy,vz,group\n0,1,2,0,3,1,0,8\n".to_owned(), &["group", "8"]),
        ("space", format!("{header}0,1,2,5,3,1,0\n"), &["id 0", "z", "two dimensions"]),
    ] {
        let file = format!("{name}.csv");
        folder.write(&file, &text);
        let call = format!("run --preset cornell --engine cpu --init {file} --out after.csv");
        refused(&folder.call(&call), 2, words, &call);
        refused(&folder.call(&call), 2, &[&file], &call);
    }
    std::fs::create_dir(folder.path("folder.csv")).expect("a folder");
    for (call, words) in [
        ("run --engine cpu --init none.csv", &["none.csv", "no such file"][..]),
        ("run --engine cpu --init folder.csv", &["folder.csv", "folder"]),
    ] {
        refused(&folder.call(call), 2, words, call);
    }
    assert!(!folder.path("after.csv").exists());
}

#[test]
fn a_state_of_another_size_than_asked_for() {
    let folder = Folder::new();
    folder.done("run --preset yabi --engine cpu -n 20 --steps 1 --out a.csv");
    for (call, words) in [
        ("run --preset yabi --engine cpu -n 30 --init a.csv", &["--boids 30", "20", "a.csv"][..]),
        (
            "run --preset yabi --engine cpu --set predators.count=2 --init a.csv",
            &["a.predators.csv", "5", "2"],
        ),
    ] {
        refused(&folder.call(call), 2, words, call);
    }
    let late = "step,id,x,y,z,vx,vy,vz\n18446744073709551615,0,0,0,0,0,0,0\n";
    folder.write("a.predators.csv", late);
    let call = "run --preset yabi --engine cpu --init a.csv";
    refused(&folder.call(call), 2, &["a.predators.csv", "line 2", "column step"], call);
    std::fs::remove_file(folder.path("a.predators.csv")).expect("removed");
    let said = folder.done("run --preset yabi --engine cpu --init a.csv --steps 1").stderr;
    assert!(said.contains("a.predators.csv: there is no such file"), "{said}");
    folder.write("a.predators.csv", "step,id,x\n");
    refused(&folder.call("run --preset yabi --init a.csv"), 2, &["a.predators.csv"], "predators");
}

#[test]
fn a_state_too_far_out_to_go_on_from() {
    let folder = Folder::new();
    folder.write("a.csv", "id,x,y,z,vx,vy,vz\n1,1,2,3,3e38,0,0\n0,-1e15,0,0,0,0,0\n");
    let call = "run --preset cornell --set flock.dimensions=3 --engine cpu --init a.csv --steps 3";
    refused(&folder.call(call), 2, &["a.csv", "id 1", "column vx", "3e38", "-1e15 to 1e15"], call);
    folder.write("a.csv", "id,x,y,z,vx,vy,vz\n0,-1e15,0,0,0,0,1e15\n");
    folder.done(call);
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
