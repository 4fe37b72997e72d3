//! One flock on many ranks: the hashes, files and refusals of `run --ranks`.

use super::{Folder, NAMES};

/// Flocks of which sums over the flock, random numbers, predators and formulas are parts.
const FLOCKS: [&str; 5] = [
    "--preset murmuration -n 800",
    "--preset yabi -n 500 --set predators.chase_weight=0.1 --set predators.attack_weight=0.5",
    "--preset cornell -n 400 --set noise.weight=0.3 --set perching.height=150 --set perching.steps=9",
    "--preset think -n 300 --set flock.dimensions=2 --set alignment.scope=flock",
    "--preset vortex -n 400",
];

#[test]
fn every_number_of_ranks_has_the_hashes_of_one() {
    let folder = Folder::new();
    let presets = NAMES.iter().map(|name| format!("--preset {name} -n 300"));
    for flock in presets.chain(FLOCKS.map(str::to_owned)) {
        let run = |rest: &str| {
            folder.done(&format!("run {flock} --steps 10 --hash --numeric fixed --quiet {rest}")).stdout
        };
        let one = run("--engine cpu");
        assert_eq!(one.lines().count(), 11);
        for ranks in ["--ranks 1", "--ranks 3", "--ranks 8 --halo 3"] {
            assert_eq!(run(ranks), one, "{flock} {ranks}");
        }
    }
}

#[test]
fn files_and_results_are_those_of_one_rank() {
    let folder = Folder::new();
    let flock = "run --preset yabi -n 200 --numeric fixed --steps 6 --json --every 2 --quiet";
    let run = |options: &str, name: &str| {
        let files = format!("--out {name}.csv --trajectory {name}-all.csv --metrics {name}-measures.csv");
        let printed = folder.done(&format!("{flock} {options} {files}")).stdout;
        serde_json::from_str::<serde_json::Value>(&printed).expect("JSON")
    };
    let (one, four) = (run("--engine cpu", "one"), run("--ranks 4", "four"));
    for key in ["hash", "measures", "boids", "last_step", "parameters"] {
        assert_eq!(one[key], four[key], "{key}");
    }
    let engine = four["engine"].as_str().expect("text");
    assert!(engine.starts_with("cpu, 4 ranks of 1 thread, ") && engine.ends_with(", fixed"), "{engine}");
    for file in ["csv", "predators.csv"] {
        assert_eq!(folder.read(&format!("one.{file}")), folder.read(&format!("four.{file}")), "{file}");
    }
    for file in ["all.csv", "measures.csv"] {
        assert_eq!(folder.read(&format!("one-{file}")), folder.read(&format!("four-{file}")), "{file}");
    }
}

#[test]
fn another_number_of_ranks_goes_on_from_a_file() {
    let folder = Folder::new();
    for numeric in ["fixed", "f32"] {
        let run = |rest: &str| {
            let flock = "run --preset cornell -n 300 --seed 5 --set noise.angle=10 --hash --quiet";
            folder.done(&format!("{flock} --numeric {numeric} {rest}")).stdout
        };
        let whole = run("--steps 20 --engine cpu");
        let first = run("--steps 10 --ranks 3 --out half.csv --yes");
        let second = run("--steps 10 --ranks 2 --init half.csv --first-step 10");
        let hashes: Vec<&str> = first.lines().chain(second.lines().skip(1)).collect();
        assert_eq!(hashes, whole.lines().collect::<Vec<_>>(), "{numeric}");
    }
}

#[test]
fn what_ranks_cannot_do_is_refused_in_a_line() {
    let folder = Folder::new();
    for (options, why) in [
        ("--ranks 0", "--ranks 0: allowed is a whole number from 1 to 256"),
        ("--ranks 2 --halo 0", "--halo 0: allowed is a whole number from 1 to 64"),
        ("--halo 2", "--halo: allowed with --ranks R"),
        ("--ranks 2 --engine gpu", "--ranks with --engine gpu: allowed is cpu"),
        ("--ranks 2 --engine rp2040", "--ranks with --engine rp2040: allowed is cpu"),
        ("--ranks 2 --numeric f64", "--ranks with --numeric f64: allowed are f32 and fixed"),
        ("--ranks 2 --adapter 0", "--ranks with --adapter: allowed is one of them"),
        ("--ranks 2 --kernel plain", "--ranks with --kernel: allowed is one of them"),
        ("--ranks 2 --schedule a.toml", "--ranks with --schedule: allowed is one of them"),
    ] {
        let ended = folder.call(&format!("run {options}"));
        assert_eq!((ended.code, ended.stderr), (Some(2), format!("error: {why}\n")), "{options}");
    }
    let chase = "--preset cornell --set predators.count=1 --set predators.chase_weight=0.1";
    let ended = folder.call(&format!("run --ranks 2 --numeric f32 --quiet --steps 1 {chase}"));
    assert_eq!(ended.code, Some(2));
    let line = "error: predators.chase_weight = 0.1: allowed is 0 in f32 on ranks, where a sum over the flock depends \
                on its order\n";
    assert!(ended.stderr.starts_with(line), "{}", ended.stderr);
    assert_eq!(ended.stderr.lines().count(), 2, "{}", ended.stderr);
}
