//! Programs that are not ours read our files: the library of GSD, and NumPy, which recomputes measures and
//! standard errors from docs/measures.md and docs/studies.md.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::Folder;
use super::scope::{self, Scope};

/// Prints the frames of `run.gsd` as JSON.
const READ: &str = "
import json, gsd.hoomd
try:
    file = gsd.hoomd.open('run.gsd', 'r')
except ValueError:
    file = gsd.hoomd.open('run.gsd', 'rb')
frames = []
for frame in file:
    frame.validate()
    particles = frame.particles
    frames.append({
        'step': int(frame.configuration.step),
        'dimensions': int(frame.configuration.dimensions),
        'box': [float(side) for side in frame.configuration.box],
        'N': int(particles.N),
        'types': list(particles.types),
        'typeid': [int(kind) for kind in particles.typeid],
        'position': [[float(c) for c in place] for place in particles.position],
        'velocity': [[float(c) for c in motion] for motion in particles.velocity],
        'orientation': [[float(c) for c in turn] for turn in particles.orientation],
    })
print(json.dumps(frames))
";

/// Runs Python with the libraries of the system's packages, which need not be the first on the path; none where it lacks
/// a module.
fn python(folder: &Folder, words: &[&str], module: &str) -> Option<Output> {
    let system = Path::new("/usr/bin/python3");
    let mut command = Command::new(if system.exists() { system } else { "python3".as_ref() });
    let output = command.args(words).current_dir(folder.inside.path()).output();
    let lacks = |output: &Output| {
        String::from_utf8_lossy(&output.stderr).contains(&format!("No module named '{module}'"))
    };
    let found = output.ok().filter(|output| !lacks(output));
    if found.is_none() {
        scope::missing(Scope::All, &format!("what Python's {module} makes of our files: it is missing"));
    }
    found
}

/// The frames of `run.gsd`; none where the library is not installed.
fn frames(folder: &Folder) -> Option<Vec<Value>> {
    let output = python(folder, &["-c", READ], "gsd")?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).expect("JSON"))
}

/// Three columns of a state from `first` on, by id: numbers in f32, as GSD has them.
fn columns(state: &str, first: usize) -> Vec<Vec<f32>> {
    let number = |text: &str| text.parse().expect("a number");
    state.lines().skip(1).map(|row| row.split(',').skip(first).take(3).map(number).collect()).collect()
}

fn vectors(value: &Value) -> Vec<Vec<f32>> {
    serde_json::from_value(value.clone()).expect("vectors")
}

#[test]
fn the_formats_own_library_reads_what_was_run() {
    let folder = Folder::new();
    let flock = "--preset cornell -n 40 --set scouts.right=0.2 --set scouts.left=0 --set predators.count=2 --engine cpu";
    for (dimensions, middle) in [(2, [320.0, 240.0, 0.0]), (3, [320.0, 240.0, 160.0])] {
        let call =
            format!("run {flock} --set flock.dimensions={dimensions} --steps 7 --every 3 --quiet --yes");
        folder.done(&format!("{call} --trajectory run.gsd --out end.csv"));
        let Some(frames) = frames(&folder) else { return };
        let steps: Vec<_> = frames.iter().map(|frame| frame["step"].as_u64()).collect();
        assert_eq!(steps, [0, 3, 6, 7].map(Some));
        let (last, end) = (&frames[3], folder.read("end.csv"));
        assert_eq!((&last["dimensions"], &last["N"]), (&dimensions.into(), &42.into()));
        let sides: Vec<f32> = serde_json::from_value(last["box"].clone()).expect("six numbers");
        assert!(
            sides[0] > 0.0 && (sides[2] > 0.0) == (dimensions == 3) && sides[3..] == [0.0; 3],
            "{sides:?}"
        );
        assert_eq!(vectors(&last["velocity"]), columns(&end, 6));
        // GSD positions are relative to the middle of the world.
        for (ours, theirs) in columns(&end, 3).iter().zip(vectors(&last["position"])) {
            let apart = (0..3).map(|k| (ours[k] - middle[k] - theirs[k]).abs()).fold(0.0, f32::max);
            assert!(apart < 1e-3, "{ours:?}, {theirs:?}");
        }
        let types = last["types"].as_array().expect("names");
        assert_eq!((&types[..3], types.len()), (&[json!("boid"), json!("right"), json!("left")][..], 9));
        assert_eq!(types[8], "predator");
        let kinds: Vec<u64> = serde_json::from_value(last["typeid"].clone()).expect("numbers");
        // A predator has no group.
        let group = |row: &str| row.split(',').nth(9).map(|group| group.parse().unwrap_or(8));
        assert!(kinds.contains(&1) && end.lines().skip(1).map(group).eq(kinds.into_iter().map(Some)));
        let lengths = vectors(&last["orientation"]).into_iter().map(|turn| turn.iter().map(|c| c * c).sum());
        assert!(lengths.into_iter().all(|length: f32| (length - 1.0).abs() < 1e-5));
    }
}

/// Its own library opens what a kill left.
#[test]
fn a_killed_run_leaves_whole_frames() {
    let folder = Folder::new();
    let call = "run --preset cornell -n 50 --engine cpu --hash --steps 4000000000 --trajectory t.gsd";
    let mut child = folder.start(call);
    assert_eq!(super::lines(&mut child).take(50).count(), 50);
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    let left = folder.files();
    assert!(left.len() == 1 && left[0].ends_with(".murmuration-part.gsd"), "{left:?}");
    std::fs::rename(folder.path(&left[0]), folder.path("run.gsd")).expect("renamed");
    let Some(frames) = frames(&folder) else { return };
    assert!(frames.len() >= 49, "{} frames", frames.len());
    assert!((0..).zip(&frames).all(|(step, frame)| frame["step"] == step && frame["N"] == 50));
}

const MIN: [i32; 3] = [-10, 0, 5];
const MAX: [i32; 3] = [90, 80, 75];
const RIGHT: [f64; 3] = [0.3, 1.0, 0.2];
const LEFT: [f64; 3] = [-1.0, 0.5, 0.0];

/// The script's output for the cases; none if NumPy is not installed.
fn recompute(folder: &Folder, cases: &[Value]) -> Option<Output> {
    folder.write("recompute.py", include_str!("recompute.py"));
    folder.write("cases.json", &Value::from(cases).to_string());
    python(folder, &["recompute.py", "cases.json"], "numpy")
}

fn agree(output: &Output) {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

/// The control: a case that was altered is noticed.
fn differs(folder: &Folder, cases: &[Value], what: &str) {
    let output = recompute(folder, cases).expect("NumPy");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success() && text.contains(what), "{text}");
}

/// Flies a flock of yabi, whose boids start at rest, and says what the script has to know.
fn flown(folder: &Folder, name: &str, boids: usize, dimensions: u32, edges: &str, more: &str) -> Value {
    // The mean of coordinates is no centre on a torus.
    let scope = if edges == "wrap" { "neighbours" } else { "flock" };
    let mut call = format!("run --preset yabi -n {boids} --engine cpu --numeric f64 --quiet {more}");
    for setting in [
        format!("flock.dimensions={dimensions}"),
        "cohesion.radius=20".to_owned(),
        format!("cohesion.scope={scope}"),
        format!("world.edges={edges}"),
        format!("world.min={}", json!(MIN)),
        format!("world.max={}", json!(MAX)),
        format!("scouts.right_direction={}", json!(RIGHT)),
        format!("scouts.left_direction={}", json!(LEFT)),
    ] {
        call += &format!(" --set {setting}");
    }
    folder.done(&format!("{call} --steps 40 --every 10 --metrics {name}.csv --trajectory {name}-states.csv"));
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
    cases[0]["radius"] = json!(20.5);
    differs(&folder, &cases, "open-3, step 40: neighbours_mean");
}

#[test]
fn numpy_agrees_on_standard_errors_from_the_documents_alone() {
    let folder = Folder::new();
    let columns = ["polarization", "gyration", "mean_speed", "nearest_p10"];
    let flock = "--preset vicsek -n 10 --seeds 2 --engine cpu --numeric f64 --quiet --every 1";
    // The first has more samples than are correlated, an odd number of them; the last has too few.
    let case = |steps: u32| {
        let name = format!("study-{steps}");
        folder.write(&format!("{name}.toml"), &format!("[measure]\nseries = true\nafter = {}\n", steps / 4));
        let columns_given = columns.join(",");
        folder.done(&format!(
            "sweep {name}.toml {flock} --steps {steps} --columns {columns_given} --out {name}"
        ));
        let [series, runs] = ["series", "runs"].map(|table| format!("{name}/{table}.csv"));
        json!({ "name": name, "columns": columns, "series": series, "runs": runs })
    };
    let cases = [case(11_000), case(400), case(4)];
    let Some(output) = recompute(&folder, &cases) else { return };
    agree(&output);
    let series = folder.read("study-400/series.csv");
    folder.write("study-400/series.csv", &series.lines().take(200).collect::<Vec<_>>().join("\n"));
    differs(&folder, &cases, "study-400, run 0, polarization: sem");
}
