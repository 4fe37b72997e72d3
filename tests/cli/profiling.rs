//! `profile` on few boids and steps: its output and its files.

use serde_json::Value;

use super::Folder;
use super::scope::{self, Scope};

const QUICK: &str = "profile --no-drawing --quiet --steps 2 --repeats 2 --warm-up 1";

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().expect(key)
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().expect(key)
}

/// Each pass of each step lies in the step's place of the trace; `crates/profile/src/trace.rs` tests the rest.
fn has_every_pass_in_its_place(trace: &Value, process: u64) {
    let track = |track: u64| {
        let here = |event: &&Value| event["ph"] == "X" && event["tid"] == 1000 * process + track;
        list(trace, "traceEvents").iter().filter(here).collect::<Vec<_>>()
    };
    let (steps, passes) = (track(1), track(2));
    assert_eq!((steps.len(), passes.len()), (2, 6));
    for step in steps {
        let of = passes.iter().filter(|pass| pass["args"]["step"] == step["args"]["step"]);
        let sum: f64 = of.map(|pass| number(pass, "dur")).sum();
        assert!(sum > 0.0 && (sum - number(step, "dur")).abs() < 1e-3 * sum, "{sum} of {step}");
    }
}

#[test]
fn the_cpu_is_profiled() {
    let folder = Folder::new();
    let call =
        format!("{QUICK} --engine cpu --preset cornell --set predators.count=2 -n 300,500 --settle 200");
    let text = folder.done(&format!("{call} --json p.json --trace t.json --plot a.svg")).stdout;
    for word in ["limits measured here", "ps/candidate", "settled", "60 per second", "wall clock"] {
        assert!(text.contains(word), "no {word}: {text}");
    }
    let profile = folder.json("p.json");
    let points = list(&profile, "points");
    let flocks: Vec<_> = points.iter().map(|p| (p["boids"].as_u64(), p["state"].as_str())).collect();
    let [start, settled] = [Some("start"), Some("settled")];
    assert_eq!(flocks, [(Some(300), start), (Some(300), settled), (Some(500), start), (Some(500), settled)]);
    for point in points {
        let names: Vec<_> = list(point, "passes").iter().filter_map(|pass| pass["name"].as_str()).collect();
        assert_eq!(names, ["sort", "move_predators", "step"]);
        let candidates = number(point, "candidates");
        assert!(number(point, "neighbours") <= candidates && candidates < 500.0);
        for pass in list(point, "passes") {
            let time = |which: &str| number(&pass["ns"], which);
            assert!(0.0 < time("least") && time("least") <= time("median") && time("median") <= time("most"));
            assert!(
                number(pass, "share_of_copy") >= 0.0 && number(pass, "share_of_arithmetic") >= 0.0,
                "{pass}"
            );
        }
    }
    let trace = folder.json("t.json");
    assert!(trace["otherData"]["device"].as_str().is_some_and(|device| device.starts_with("cpu")));
    (1..=4).for_each(|process| has_every_pass_in_its_place(&trace, process));
    let svg = folder.read("a.svg");
    for part in ["A step of cornell", ">whole step<", ">60 per second: ", ">cpu, ", "preset cornell, 2-D"] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
}

#[test]
fn two_configurations_are_timed_in_turns() {
    let folder = Folder::new();
    let call = format!("{QUICK} --engine cpu --set predators.count=2 -n 300 --settle 100 --json v.json");
    let text = folder.done(&format!("{call} --versus numeric=fixed")).stdout;
    assert!(text.contains("B/A") && text.contains("with numeric=fixed; cpu, fixed"), "{text}");
    let found = folder.json("v.json");
    // Whole steps and three passes, at the start and settled.
    assert_eq!(list(&found, "rows").len(), 8);
    assert!(list(&found, "rows").iter().all(|row| number(&row["ratio"], "median") > 0.0));
}

#[test]
fn the_passes_of_a_gpu_are_those_it_runs() {
    let folder = Folder::new();
    let call = "profile --engine gpu --preset cornell --quiet --steps 2 --repeats 1 --warm-up 1";
    let ended = folder.call(&format!("{call} -n 300 --settle 0 --json p.json"));
    if ended.code == Some(3) {
        assert!(
            ended.stderr.contains("hint: `murmuration adapters`") && folder.files().is_empty(),
            "{ended:?}"
        );
        let usable = gpu::Gpu::list().into_iter().any(|entry| entry.compute);
        assert!(!usable, "but there is an adapter: {ended:?}");
        return scope::missing(Scope::Most, "there is no adapter on this machine");
    }
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let profile = folder.json("p.json");
    let point = &list(&profile, "points")[0];
    assert!(number(&point["frame_ns"], "median") > 0.0, "{}", ended.stdout);
    if profile["timed_by"] != "GPU timestamps" {
        assert!(ended.stdout.contains("whole steps only"), "{}", ended.stdout);
        return;
    }
    let names: Vec<_> = list(point, "passes").iter().filter_map(|pass| pass["name"].as_str()).collect();
    // No predators and no means: neither gather nor hunt.
    assert_eq!(names, ["step", "scan_reduce", "scan_blocks", "scan_starts", "scatter", "order"]);
    assert!(list(point, "passes").iter().all(|pass| number(pass, "bytes") > 0.0));
}
