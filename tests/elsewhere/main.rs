//! The program for Arm under QEMU: its command line, its CPU engine and its files give what the program of this machine
//! gives.
//!
//! `cargo xtask test --all` builds the program and runs it: `cargo test --test elsewhere` needs both.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by them")]
#![cfg(target_os = "linux")]

mod machine;

use machine::Machine;

#[test]
fn aarch64_computes_in_its_registers() {
    let table = Machine::aarch64().done("run --preset cornell --engine cpu --steps 1").stdout;
    assert!(table.contains("NEON"), "{table}");
}

/// All presets, as the program lists them.
const PRESETS: [&str; 9] =
    ["murmuration", "cornell", "yabi", "think", "swarm", "holoviews", "vicsek", "couzin", "starlings"];

#[test]
fn the_program_names_itself_and_its_presets() {
    let there = Machine::aarch64();
    for line in ["--version", "presets", "presets show think", "help render", "completions bash", "man"] {
        let (ours, theirs) = (there.here().done(line), there.done(line));
        assert!(!ours.stdout.is_empty(), "{line}");
        assert_eq!(theirs.stdout, ours.stdout, "{line}");
    }
    for preset in PRESETS {
        assert!(there.done("presets").stdout.contains(preset), "{preset}");
    }
}

#[test]
fn hashes_of_all_presets_in_every_number_type_are_those_of_this_machine() {
    let there = Machine::aarch64();
    for preset in PRESETS {
        for numeric in ["fixed", "f32", "f64"] {
            let flock = format!("--preset {preset} --numeric {numeric} -n 173 --seed 90210");
            let line = format!("run {flock} --engine cpu --steps 60 --hash --quiet");
            let (ours, theirs) = (there.here().done(&line), there.done(&line));
            assert_eq!(ours.stdout.lines().count(), 61, "{}", ours.stdout);
            assert_eq!(theirs.stdout, ours.stdout, "{line}");
        }
    }
}

#[test]
fn files_are_written_continued_and_not_replaced_unasked() {
    let there = Machine::aarch64();
    let flock = "--preset yabi -n 100 --engine cpu --quiet";
    let whole = there.done(&format!("run {flock} --steps 20 --hash --metrics m.csv --every 5"));
    there.done(&format!("run {flock} --steps 10 --out half.csv"));
    let rest = there.done(&format!("run {flock} --init half.csv --steps 10 --hash"));
    let last = |text: &str| text.lines().last().map(str::to_owned);
    assert_eq!(last(&rest.stdout), last(&whole.stdout));
    assert_eq!(there.read("m.csv").lines().count(), 1 + 5);

    let before = there.read("half.csv");
    let again = format!("run {flock} --steps 11 --out half.csv");
    let refused = there.call(&again);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.starts_with("error: ") && refused.stderr.contains("--yes"), "{refused:?}");
    assert_eq!(there.read("half.csv"), before);
    there.done(&format!("{again} --yes"));
    assert_ne!(there.read("half.csv"), before);
    // A preset with carriage returns, as an editor on Windows writes it.
    let preset = there.done("presets show cornell").stdout.replace('\n', "\r\n");
    there.write("own flock.toml", &preset);
    let own = ["run", "--config", "own flock.toml", "-n", "50", "--engine", "cpu", "--steps", "2", "--hash"];
    let own = there.call_words(&own);
    assert_eq!((own.code, own.stdout.lines().count()), (Some(0), 3), "{own:?}");
    // Nothing is left beside them.
    let names = there.files();
    assert!(names.iter().all(|name| name.ends_with(".csv") || name.ends_with(".toml")), "{names:?}");
}

#[test]
fn measures_are_those_of_this_machine() {
    let there = Machine::aarch64();
    let flock = "--preset think -n 60 --engine cpu --steps 20";
    let line = format!("run {flock} --metrics - --every 10 --quiet");
    assert_eq!(there.done(&line).stdout, there.here().done(&line).stdout);
}

#[test]
fn a_window_that_was_left_out_is_named() {
    let there = Machine::aarch64();
    let refused = there.call("view --preset cornell");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("without its window: build it with `--features window`"), "{refused:?}");
}

#[test]
fn errors_are_one_line_and_a_code() {
    let there = Machine::aarch64();
    there.write("bad.toml", "[flock]\nboids = 5\n\n[separation]\nradios = 3\n");
    for line in [
        "run --preset yaby",
        "run -n -3",
        "run --set separation.radios=3",
        "run --config bad.toml",
        "run --config absent.toml",
        "run --init absent.csv --preset cornell",
        "run --preset cornell --engine cpu --steps 1 --out absent/a.csv",
    ] {
        let (ours, theirs) = (there.here().call(line), there.call(line));
        assert_eq!((theirs.code, theirs.stdout.as_str()), (Some(2), ""), "{line}: {theirs:?}");
        assert!(theirs.stderr.starts_with("error: "), "{line}: {theirs:?}");
        assert_eq!(theirs.stderr, ours.stderr, "{line}");
    }
}

#[test]
fn an_interrupted_run_keeps_what_was_done() {
    let there = Machine::aarch64();
    let flock = "--preset cornell -n 60 --engine cpu --hash";
    let line = format!("run {flock} --steps 4000000000 --out a.csv --metrics m.csv --every 50");
    let ended = there.interrupted(&line);
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.stderr.contains("stopped at step"), "{ended:?}");
    assert_eq!(there.files(), ["a.csv", "m.csv"]);
    // The state that was written is the last one that was hashed, on this machine too.
    let (step, hash) = ended.stdout.lines().last().and_then(|line| line.split_once(',')).expect("a hash");
    let call = format!("run {flock} --steps 0 --init a.csv");
    assert_eq!(there.here().done(&call).stdout, format!("{step},{hash}\n"));
}
