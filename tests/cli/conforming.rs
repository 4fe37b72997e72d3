//! `conform` from outside.

use serde_json::Value;

use super::{Folder, ended};

/// The report of a call, and its rows.
fn found(folder: &Folder) -> (Value, Vec<Value>) {
    let found = folder.json("found.json");
    let rows = found["rows"].as_array().expect("rows").clone();
    (found, rows)
}

fn row<'a>(rows: &'a [Value], backend: &str, numeric: &str) -> &'a Value {
    let is = |row: &&Value| row["backend"] == backend && row["numeric"] == numeric;
    rows.iter().find(is).unwrap_or_else(|| panic!("no row for {backend} {numeric}"))
}

#[test]
fn the_backends_agree_and_every_control_is_caught() {
    let folder = Folder::new();
    folder.done("conform --preset cornell --steps 10 --json found.json --quiet");
    let (report, rows) = found(&folder);
    assert_eq!(report["agrees"], true);
    let integers = row(&rows, "cpu", "fixed");
    assert_eq!(integers["exact"], serde_json::json!({ "flocks": 6, "steps": 10, "wrong": 0 }));
    for numeric in ["f32", "f64"] {
        let row = row(&rows, "cpu", numeric);
        let worst = row["one_step"]["natural"]["worst"].as_f64();
        assert!(worst.is_some_and(|worst| worst > 0.0 && worst < 1e-4), "{row}");
    }
    for row in &rows {
        // A backend that is missing has a row that says how to get it.
        let why = row["missing"].as_str().unwrap_or_default();
        assert!(row["result"] == "agrees" || row["result"] == "missing" && !why.is_empty(), "{row}");
    }
    assert!(rows.iter().any(|row| row["backend"] == "rp2040, emulated"));
    let controls = report["controls"].as_array().expect("controls");
    let caught_by = |tier: &str| controls.iter().filter(|control| control["caught_by"] == tier).count();
    assert_eq!((controls.len(), caught_by("bits"), caught_by("step")), (6, 5, 1), "{controls:?}");
}

/// Floating-point rows have no comparison of bits, integers none of one step; what no tier compares is not compared.
#[test]
fn formulas_are_compared_on_all_backends() {
    let folder = Folder::new();
    let presets = concat!(env!("CARGO_MANIFEST_DIR"), "/presets/formulas/sorting.toml");
    std::fs::copy(presets, folder.path("sorting.toml")).expect("a file");
    // A rule without neighbours has no crowds: its world stays as large as it is.
    let still =
        ["separation", "alignment", "cohesion"].map(|term| format!("[{term}]\nweight = 0\n")).concat();
    let alone =
        "[motion]\nmax_speed = 1\n[terms.a]\nrequest = \"0.1 * velocity * saturate(f32(step) * 1000)\"\n";
    folder.write("alone.toml", &format!("[world]\nmin = [-5, -5, -5]\nmax = [5, 5, 5]\n{still}{alone}"));
    folder.write(
        "lost.toml",
        "[terms.lost]\nrate = { default = 0.1, unit = '1/t^2' }\nrequest = 'rate * time * position'\n",
    );
    for (call, compares, fails) in [
        ("--config sorting.toml --tier bits --tier step", ["fixed", "f32"], None),
        ("--preset vortex --tier bits", ["fixed", "-"], None),
        ("--config alone.toml --tier step", ["-", "f32"], None),
        // Formulas that integers refuse fail there, in a line; the floating-point types are compared.
        ("--config lost.toml --tier bits --tier step", ["-", "f32"], Some("fixed")),
    ] {
        let ended = folder.call(&format!("conform {call} --steps 2 --json found.json --quiet --yes"));
        assert_eq!(ended.code, Some(i32::from(fails.is_some())), "{call}: {ended:?}");
        let (_, rows) = found(&folder);
        for row in rows.iter().filter(|row| row["backend"] == "cpu" && row["numeric"] != "f64") {
            let numeric = row["numeric"].as_str().expect("text");
            let expected = match (compares.contains(&numeric), fails == Some(numeric)) {
                (true, _) => "agrees",
                (false, true) => "failed",
                (false, false) => "not compared",
            };
            assert_eq!(row["result"], expected, "{call}: {row}");
        }
        assert!(fails.is_some() || !ended.stdout.contains("failed"), "{call}: {}", ended.stdout);
    }
    let ended = folder.call("conform --preset think --tier step --require rp2040 --quiet");
    let why = "error: --require rp2040: this backend was not compared\n";
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(1), why));
}

#[test]
fn the_constants_are_those_of_the_rule() {
    let folder = Folder::new();
    folder.write("constants.toml", "old\n");
    folder.done("conform --constants constants.toml --yes");
    assert_eq!(folder.read("constants.toml"), include_str!("../../crates/conform/src/constants.toml"));
}

#[test]
fn conform_without_firmware_says_which_command_builds_it() {
    let folder = Folder::new();
    let call = |program: &str, line: &str| {
        let program = folder.path(program);
        std::fs::copy(env!("CARGO_BIN_EXE_murmuration"), &program).expect("a program far from the clone");
        let mut command = std::process::Command::new(program);
        command.args(line.split(' ')).current_dir(folder.path(".")).env_remove("MURMURATION_FIRMWARE");
        ended(command.output().expect("the program starts"))
    };
    let line = "conform --preset cornell --tier bits --steps 2 --quiet --json found.json --require cpu";
    let alone = call("murmuration", line);
    assert_eq!((alone.code, alone.stderr.as_str()), (Some(0), ""), "{alone:?}");
    let why = "cornell-125.uf2 not found in firmware/ or ../share/murmuration/firmware/ beside the program, or in \
               target/firmware/: build it with `cargo xtask firmware`, or use --firmware FILE";
    assert!(alone.stdout.contains(&format!("missing: rp2040, emulated fixed: {why}\n")), "{}", alone.stdout);
    assert_eq!(row(&found(&folder).1, "rp2040, emulated", "fixed")["missing"], why);
    // An image in the folders of a release or a package is found; this one is no valid firmware.
    for below in ["firmware", "../share/murmuration/firmware"] {
        let image = folder.path("inner").join(below).join("cornell-125.uf2");
        std::fs::create_dir_all(image.parent().expect("a folder")).expect("made");
        std::fs::write(&image, "no image").expect("written");
        let ended = call("inner/murmuration", "run --engine rp2040 --steps 0");
        assert!(ended.stderr.contains("cornell-125.uf2: not a UF2 file"), "{below}: {}", ended.stderr);
        std::fs::remove_file(&image).expect("removed");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_no_file() {
    let folder = Folder::new();
    let mut child = folder.command("conform --json found.json --quiet").spawn().expect("the program starts");
    while folder.files().is_empty() {
        assert_eq!(child.try_wait().expect("a child"), None);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    super::ending::signal("-INT", child.id());
    assert_eq!((child.wait().expect("it ends").code(), folder.files().len()), (Some(130), 0));
}
