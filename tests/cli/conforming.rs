//! `conform` from outside.

use crate::Folder;

#[test]
fn the_backends_agree_and_every_control_is_caught() {
    let folder = Folder::new();
    let ended = folder.done("conform --preset cornell --steps 20 --json found.json --quiet");
    assert!(ended.stdout.contains("negative control"), "{}", ended.stdout);
    let found: serde_json::Value = serde_json::from_str(&folder.read("found.json")).expect("JSON");
    assert_eq!(found["agrees"], true);
    let rows = found["rows"].as_array().expect("rows");
    // Floating-point rows have no comparison of bits, and no result of it.
    folder.done("conform --preset cornell --tier bits --steps 5 --json bits.json --quiet");
    let bits: serde_json::Value = serde_json::from_str(&folder.read("bits.json")).expect("JSON");
    let f32 = |row: &&serde_json::Value| row["numeric"] == "f32" && row["backend"] == "cpu";
    let result = bits["rows"].as_array().and_then(|rows| rows.iter().find(f32)).map(|row| &row["result"]);
    assert_eq!(result, Some(&"not compared".into()));
    assert_eq!(folder.call("conform --tier bits --firmware none.uf2").code, Some(2));
    let cpu = |numeric: &str| {
        let row = |row: &&serde_json::Value| row["backend"] == "cpu" && row["numeric"] == numeric;
        rows.iter().find(row).unwrap_or_else(|| panic!("no row for cpu {numeric}"))
    };
    assert_eq!(cpu("fixed")["exact"], serde_json::json!({ "flocks": 6, "steps": 20, "wrong": 0 }));
    assert_eq!(cpu("fixed")["result"], "agrees");
    for numeric in ["f32", "f64"] {
        let row = cpu(numeric);
        let worst = row["one_step"]["natural"]["worst"].as_f64();
        assert!(worst.is_some_and(|worst| worst > 0.0 && worst < 1e-4), "{row}");
        assert_eq!(row["result"], "agrees");
    }
    // A backend that is missing has a row that says how to get it.
    for row in rows.iter().filter(|row| row["result"] == "missing") {
        assert!(row["missing"].as_str().is_some_and(|why| !why.is_empty()), "{row}");
    }
    assert!(rows.iter().any(|row| row["backend"] == "rp2040, emulated"));
    let controls = found["controls"].as_array().expect("controls");
    assert_eq!(controls.len(), 6);
    for control in controls {
        assert!(control["caught_by"].as_str().is_some_and(|tiers| !tiers.is_empty()), "{control}");
    }
    let caught_by = |tier: &str| controls.iter().filter(|control| control["caught_by"] == tier).count();
    assert_eq!((caught_by("bits"), caught_by("step")), (5, 1), "{controls:?}");
}

#[test]
fn formulas_of_a_file_and_of_the_gallery_are_compared_on_all_backends() {
    let folder = Folder::new();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/presets/formulas/sorting.toml");
    std::fs::copy(file, folder.path("sorting.toml")).expect("a file");
    folder.done(
        "conform --config sorting.toml --preset vortex --tier bits --tier step --steps 3 --json found.json --quiet",
    );
    let found: serde_json::Value = serde_json::from_str(&folder.read("found.json")).expect("JSON");
    let rows = found["rows"].as_array().expect("rows");
    for preset in ["sorting.toml", "vortex"] {
        let here = rows.iter().filter(|row| row["preset"] == preset && row["result"] != "missing");
        assert!(here.clone().count() >= 3 && here.clone().all(|row| row["result"] == "agrees"), "{rows:?}");
    }
}

/// Formulas that integers refuse fail there, in a line; the floating-point types are compared.
#[test]
fn what_integers_refuse_never_agrees() {
    let folder = Folder::new();
    let lost = "[terms.lost]\nrate = { default = 0.1, unit = '1/t^2' }\nrequest = 'rate * time * position'\n";
    folder.write("lost.toml", lost);
    let ended =
        folder.call("conform --config lost.toml --tier bits --tier step --steps 2 --json found.json --quiet");
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("terms.lost: its numbers may be so large"), "{}", ended.stderr);
    let found: serde_json::Value = serde_json::from_str(&folder.read("found.json")).expect("JSON");
    for row in found["rows"].as_array().expect("rows").iter().filter(|row| row["backend"] == "cpu") {
        let expected = if row["numeric"] == "fixed" { "failed" } else { "agrees" };
        assert_eq!(row["result"], expected, "{row}");
    }
}

/// A rule without neighbours has no crowds: its world stays as large as it is.
#[test]
fn a_file_without_neighbours_is_compared() {
    let folder = Folder::new();
    let still =
        ["separation", "alignment", "cohesion"].map(|term| format!("[{term}]\nweight = 0\n")).concat();
    let term =
        "[motion]\nmax_speed = 1\n[terms.a]\nrequest = \"0.1 * velocity * saturate(f32(step) * 1000)\"\n";
    folder.write("a.toml", &format!("[world]\nmin = [-5, -5, -5]\nmax = [5, 5, 5]\n{still}{term}"));
    let found = folder.done("conform --config a.toml --tier step --quiet").stdout;
    assert!(found.contains("agrees") && !found.contains("failed"), "{found}");
}

/// Integers have no result of the tier of one step, and a kind of backend that has no other is not compared.
#[test]
fn what_no_tier_compares_is_not_compared() {
    let folder = Folder::new();
    let ended = folder.call("conform --preset think --tier step --require rp2040 --json found.json --quiet");
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(ended.stderr, "error: --require rp2040: no such backend could be compared\n");
    let found: serde_json::Value = serde_json::from_str(&folder.read("found.json")).expect("JSON");
    let integers = found["rows"].as_array().expect("rows").iter().filter(|row| row["numeric"] == "fixed");
    for row in integers {
        assert!(row["result"] == "not compared" || row["result"] == "missing", "{row}");
    }
}

#[test]
#[cfg(unix)]
fn firmware_without_an_end_is_refused() {
    let ended = Folder::new().call("run --engine rp2040 --firmware /dev/zero --steps 0");
    assert!(ended.code == Some(2) && ended.stderr.contains("/dev/zero: longer than 64 MiB"), "{ended:?}");
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
    let alone = folder.path("murmuration");
    std::fs::copy(env!("CARGO_BIN_EXE_murmuration"), &alone).expect("a program far from the clone");
    let call = |line: &str| {
        let mut command = std::process::Command::new(&alone);
        command.args(line.split(' ')).current_dir(folder.path(".")).env_remove("MURMURATION_FIRMWARE");
        crate::ended(command.output().expect("the program starts"))
    };
    let line = "conform --preset cornell --tier bits --steps 2 --quiet";
    let ended = call(&format!("{line} --json found.json --require cpu"));
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    let why = "cornell-125.uf2: it is not in firmware/ or ../share/murmuration/firmware/ beside the program, nor in \
               target/firmware/: `cargo xtask firmware` builds it, --firmware FILE takes another";
    assert!(ended.stdout.contains(&format!("missing: rp2040, emulated fixed: {why}\n")), "{}", ended.stdout);
    let last = ended.stdout.lines().last().expect("a line");
    assert!(last.starts_with("compared: cpu") && last.ends_with("rp2040"), "{last}");
    let required = call(&format!("{line} --require cpu,rp2040"));
    let refused = "error: --require rp2040: no such backend could be compared\n";
    assert_eq!((required.code, required.stderr.as_str()), (Some(1), refused));
    // An image in the folders of a release or a package is found; this one is no valid firmware.
    for below in ["firmware", "../share/murmuration/firmware"] {
        let image = folder.path("inner").join(below).join("cornell-125.uf2");
        std::fs::create_dir_all(image.parent().expect("a folder")).expect("made");
        std::fs::write(&image, "no image").expect("written");
        let program = folder.path("inner/murmuration");
        std::fs::copy(&alone, &program).expect("copied");
        let mut command = std::process::Command::new(&program);
        command.args(["run", "--engine", "rp2040", "--steps", "0"]).current_dir(folder.path("."));
        let ended = crate::ended(command.env_remove("MURMURATION_FIRMWARE").output().expect("it starts"));
        let named = ended.stderr.contains("cornell-125.uf2: not a UF2 file");
        assert!(named, "{below}: {}", ended.stderr);
        std::fs::remove_file(&image).expect("removed");
    }
    let found: serde_json::Value = serde_json::from_str(&folder.read("found.json")).expect("JSON");
    let rows = found["rows"].as_array().expect("rows");
    let board = rows.iter().find(|row| row["backend"] == "rp2040, emulated").expect("a row");
    assert_eq!(board["missing"], why);
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_no_file() {
    let folder = Folder::new();
    let mut child = folder.command("conform --json found.json --quiet").spawn().expect("the program starts");
    let files = || std::fs::read_dir(folder.path(".")).expect("the folder").count();
    while files() == 0 {
        assert_eq!(child.try_wait().expect("a child"), None);
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    crate::ending::signal("-INT", child.id());
    assert_eq!((child.wait().expect("it ends").code(), files()), (Some(130), 0));
}
