//! `profile` on few boids and steps: its output, its files and its exit code.

use super::Folder;
use super::scope::{self, Scope};
use serde_json::Value;

const QUICK: &str = "profile --engine cpu --no-drawing --quiet --steps 2 --repeats 2 --warm-up 1";

/// Gives the flock a pass of its predators.
const HUNTED: &str = "--set predators.count=2";

fn json(folder: &Folder, name: &str) -> Value {
    serde_json::from_str(&folder.read(name)).expect("JSON")
}

#[test]
fn the_cpu_is_profiled_and_compared_with_itself() {
    let folder = Folder::new();
    let text = folder.done(&format!("{QUICK} {HUNTED} -n 300,500 --settle 200 --json p.json")).stdout;
    for word in ["limits measured here", "ps/candidate", "settled", "60 a second", "wall clock"] {
        assert!(text.contains(word), "no {word}: {text}");
    }
    let profile = json(&folder, "p.json");
    let points = profile["points"].as_array().expect("points");
    let flocks: Vec<_> = points.iter().map(|p| (p["boids"].as_u64(), p["state"].as_str())).collect();
    let [start, settled] = [Some("start"), Some("settled")];
    assert_eq!(flocks, [(Some(300), start), (Some(300), settled), (Some(500), start), (Some(500), settled)]);
    for point in points {
        let passes = point["passes"].as_array().expect("passes");
        let names: Vec<_> = passes.iter().filter_map(|pass| pass["name"].as_str()).collect();
        assert_eq!(names, ["sort", "move_predators", "step"]);
        let candidates = point["candidates"].as_f64().expect("a number");
        assert!(point["neighbours"].as_f64().expect("a number") <= candidates && candidates < 500.0);
        for pass in passes {
            let time = |which: &str| pass["ns"][which].as_f64().expect("a time");
            assert!(0.0 < time("least") && time("least") <= time("median") && time("median") <= time("most"));
            assert!(pass["share_of_copy"].as_f64().expect("a share") >= 0.0);
            let share = pass["share_of_arithmetic"].as_f64().expect("a share");
            assert!((0.0..1.0).contains(&share), "{pass}");
        }
        // Two steps of three passes.
        assert_eq!(point["events"].as_array().expect("events").len(), 6);
    }
}

#[test]
fn two_configurations_are_timed_in_turns() {
    let folder = Folder::new();
    let call = "profile --engine cpu --quiet --steps 2 --repeats 2 --warm-up 1";
    let versus = "-n 300 --settle 100 --versus numeric=fixed --json v.json";
    let text = folder.done(&format!("{call} {HUNTED} {versus}")).stdout;
    assert!(text.contains("B/A") && text.contains("with numeric=fixed; cpu, fixed"), "{text}");
    let rows = json(&folder, "v.json")["rows"].as_array().expect("rows").clone();
    // Whole steps and three passes, at the start and settled.
    assert_eq!(rows.len(), 8);
    assert!(rows.iter().all(|row| row["ratio"]["median"].as_f64().is_some_and(|ratio| ratio > 0.0)));
}

#[test]
fn the_passes_of_a_gpu_are_those_it_runs() {
    let folder = Folder::new();
    let call = "profile --engine gpu --preset cornell --quiet --steps 2 --repeats 1 --warm-up 1";
    let ended = folder.call(&format!("{call} -n 300 --settle 0 --json p.json"));
    if ended.code == Some(3) {
        without_adapter(&folder, &ended.stderr);
        return;
    }
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let profile = json(&folder, "p.json");
    let drawn = profile["points"][0]["frame_ns"]["median"].as_f64();
    assert!(drawn.is_some_and(|time| time > 0.0), "{}", ended.stdout);
    if profile["timed_by"] != "GPU timestamps" {
        assert!(ended.stdout.contains("whole steps only"), "{}", ended.stdout);
        return;
    }
    let passes = profile["points"][0]["passes"].as_array().expect("passes");
    let names: Vec<_> = passes.iter().filter_map(|pass| pass["name"].as_str()).collect();
    // No predators and no means: neither gather nor hunt.
    assert_eq!(names, ["step", "scan_reduce", "scan_blocks", "scan_starts", "scatter", "order"]);
    assert!(passes.iter().all(|pass| pass["bytes"].as_u64().is_some_and(|bytes| bytes > 0)));
}

/// Holds the refusal to the list of adapters, which must be empty, and prints that the test was not run.
fn without_adapter(folder: &Folder, refusal: &str) {
    assert!(refusal.starts_with("error: ") && refusal.contains("hint: `murmuration adapters`"), "{refusal}");
    let usable = gpu::Gpu::list().into_iter().filter(|entry| entry.compute);
    let usable: Vec<String> = usable.map(|entry| entry.to_string()).collect();
    assert!(usable.is_empty(), "{refusal}: but there is {usable:?}");
    assert!(!folder.path("p.json").exists());
    scope::missing(Scope::Most, &format!("there is no adapter on this machine: {refusal}"));
}
