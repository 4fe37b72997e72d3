//! Measures and standard errors, recomputed by NumPy from what docs/measures.md and docs/studies.md define.

use std::process::Output;

use serde_json::{Value, json};

use super::Folder;
use super::gsd::python;
use super::scope::{self, Scope};

const MIN: [i32; 3] = [-10, 0, 5];
const MAX: [i32; 3] = [90, 80, 75];
const RIGHT: [f64; 3] = [0.3, 1.0, 0.2];
const LEFT: [f64; 3] = [-1.0, 0.5, 0.0];
const COLUMNS: [&str; 4] = ["polarization", "gyration", "mean_speed", "nearest_p10"];

/// The script's output for the cases; `None` if NumPy is not installed.
fn recompute(folder: &Folder, cases: &[Value]) -> Option<Output> {
    folder.write("recompute.py", include_str!("recompute.py"));
    folder.write("cases.json", &Value::from(cases).to_string());
    let output = python().args(["recompute.py", "cases.json"]).current_dir(folder.inside.path()).output();
    let lacks = match &output {
        Ok(output) => String::from_utf8_lossy(&output.stderr).contains("No module named 'numpy'"),
        Err(_) => true,
    };
    if lacks {
        scope::missing(Scope::All, "measures by NumPy: it is missing");
        return None;
    }
    output.ok()
}

fn agree(output: &Output) {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

/// Flies a flock of yabi, whose boids start at rest, and says what the script has to know.
fn flown(folder: &Folder, name: &str, boids: usize, dimensions: u32, edges: &str, more: &str) -> Value {
    let list = |numbers: &[i32]| json!(numbers).to_string();
    let world =
        format!("--set world.edges={edges} --set world.min={} --set world.max={}", list(&MIN), list(&MAX));
    // The mean of coordinates is no centre on a torus.
    let scope = if edges == "wrap" { "neighbours" } else { "flock" };
    let flock = format!("--preset yabi -n {boids} --set flock.dimensions={dimensions}");
    let flock = format!("{flock} --set cohesion.radius=20 --set cohesion.scope={scope}");
    let scouts =
        format!("--set scouts.right_direction={} --set scouts.left_direction={}", json!(RIGHT), json!(LEFT));
    let out = format!("--steps 40 --every 10 --metrics {name}.csv --trajectory {name}-states.csv");
    folder.done(&format!("run {flock} {world} {scouts} {more} --engine cpu --numeric f64 --quiet {out}"));
    let pull = if more.contains("scouts.pull") { 0.5 } else { 0.0 };
    json!({
        "name": name, "dimensions": dimensions, "edges": edges, "min": MIN, "max": MAX, "radius": 20, "pull": pull,
        "right_direction": RIGHT, "left_direction": LEFT,
        "metrics": format!("{name}.csv"), "trajectory": format!("{name}-states.csv"),
    })
}

#[test]
fn numpy_agrees_on_every_measure_from_the_documents_alone() {
    let folder = Folder::new();
    let scouts = "--set scouts.right=0.2 --set scouts.left=0.1";
    let pulled = format!("{scouts} --set scouts.pull=0.5");
    let mut cases = [
        flown(&folder, "open-3", 200, 3, "open", ""),
        flown(&folder, "open-2", 150, 2, "open", ""),
        flown(&folder, "torus-3", 200, 3, "wrap", ""),
        flown(&folder, "torus-2", 150, 2, "wrap", ""),
        flown(&folder, "scouts", 120, 3, "wrap", scouts),
        flown(&folder, "pulled", 120, 2, "open", &pulled),
        flown(&folder, "pulled-3", 120, 3, "open", &pulled),
        flown(&folder, "perched", 60, 3, "open", "--set perching.height=40 --set perching.steps=500"),
        flown(&folder, "one", 1, 3, "open", ""),
        flown(&folder, "two", 2, 3, "open", ""),
        flown(&folder, "two-2", 2, 2, "wrap", ""),
    ];
    let rests = |row: &str| row.starts_with("40,") && !row.ends_with(",0");
    assert!(folder.read("perched-states.csv").lines().any(rests), "nobody perches");
    let Some(output) = recompute(&folder, &cases) else { return };
    agree(&output);
    // The control: another radius than the flock's is noticed.
    cases[0]["radius"] = json!(20.5);
    let output = recompute(&folder, &cases).expect("NumPy");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && text.contains("open-3, step 40: neighbours_mean"), "{text}");
}

#[test]
fn numpy_agrees_on_standard_errors_from_the_documents_alone() {
    let folder = Folder::new();
    let flock = "--preset vicsek -n 10 --seeds 2 --engine cpu --numeric f64 --quiet --every 1";
    let columns = COLUMNS.join(",");
    // The first has more samples than are correlated, an odd number of them; the last has too few.
    let case = |steps: u32| {
        let name = format!("study-{steps}");
        let measure = format!("[measure]\nseries = true\nafter = {}\n", steps / 4);
        folder.write(&format!("{name}.toml"), &measure);
        let study = format!("sweep {name}.toml {flock} --steps {steps} --columns {columns} --out {name}");
        folder.done(&study);
        let table = |table: &str| format!("{name}/{table}.csv");
        json!({ "name": name, "columns": COLUMNS, "series": table("series"), "runs": table("runs") })
    };
    let cases = [case(11_000), case(400), case(4)];
    let Some(output) = recompute(&folder, &cases) else { return };
    agree(&output);
    let series = folder.read("study-400/series.csv");
    let shorter = series.lines().take(200).collect::<Vec<_>>().join("\n");
    folder.write("study-400/series.csv", &shorter);
    let output = recompute(&folder, &cases).expect("NumPy");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && text.contains("study-400, run 0, polarization: sem"), "{text}");
}
