//! Trajectories in GSD, as the format's own library reads them.

use std::process::Command;

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

/// Python with the libraries of the system's packages, which need not be the first on the path.
pub(super) fn python() -> Command {
    let system = std::path::Path::new("/usr/bin/python3");
    Command::new(if system.exists() { system } else { "python3".as_ref() })
}

/// The frames of `run.gsd`; none where the library is not installed.
fn read(folder: &Folder) -> Option<Vec<serde_json::Value>> {
    let output = python().args(["-c", READ]).current_dir(folder.inside.path()).output();
    let output = output.map_err(|why| why.to_string()).and_then(|output| {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() { Ok(output.stdout) } else { Err(stderr) }
    });
    match output {
        Ok(json) => Some(serde_json::from_slice(&json).expect("JSON")),
        Err(why) if why.contains("No module named 'gsd'") || !why.contains("Traceback") => {
            scope::missing(Scope::All, &format!("trajectories in GSD: Python's gsd is missing ({why})"));
            None
        }
        Err(why) => panic!("{why}"),
    }
}

/// Three columns of a state from `first` on, by id: numbers in f32, as GSD has them.
fn columns(state: &str, first: usize) -> Vec<Vec<f32>> {
    let number = |text: &str| text.parse().expect("a number");
    state.lines().skip(1).map(|row| row.split(',').skip(first).take(3).map(number).collect()).collect()
}

fn vectors(value: &serde_json::Value) -> Vec<Vec<f32>> {
    serde_json::from_value(value.clone()).expect("vectors")
}

#[test]
fn the_formats_own_library_reads_what_was_run() {
    let folder = Folder::new();
    let flock =
        "--preset cornell -n 40 --set scouts.right=0.2 --set scouts.left=0 --engine cpu --quiet --yes";
    for (dimensions, height) in [(2, false), (3, true)] {
        let call = format!("run {flock} --set flock.dimensions={dimensions} --steps 7 --every 3");
        folder.done(&format!("{call} --trajectory run.gsd --out end.csv"));
        let Some(frames) = read(&folder) else { return };
        let steps: Vec<_> = frames.iter().map(|frame| frame["step"].as_u64()).collect();
        assert_eq!(steps, [0, 3, 6, 7].map(Some));
        let last = &frames[3];
        assert_eq!((&last["dimensions"], &last["N"]), (&dimensions.into(), &40.into()));
        let sides: Vec<f32> = serde_json::from_value(last["box"].clone()).expect("six numbers");
        assert!(sides[0] > 0.0 && (sides[2] > 0.0) == height && sides[3..] == [0.0; 3], "{sides:?}");
        let end = folder.read("end.csv");
        assert_eq!(vectors(&last["velocity"]), columns(&end, 6));
        // GSD positions are relative to the middle of the world.
        let summary = folder.done(&format!("run {flock} --steps 0 --json")).stdout;
        let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
        let corner =
            |name: &str, k: usize| summary["parameters"]["world"][name][k].as_f64().expect("a number");
        let middle_of = |k: usize| (0.5 * (corner("min", k) + corner("max", k))) as f32;
        let middle = [middle_of(0), middle_of(1), if height { middle_of(2) } else { 0.0 }];
        for (ours, theirs) in columns(&end, 3).iter().zip(vectors(&last["position"])) {
            let apart = (0..3).map(|k| (ours[k] - middle[k] - theirs[k]).abs()).fold(0.0, f32::max);
            assert!(apart < 1e-3, "{ours:?}, {theirs:?}, {middle:?}");
        }
        assert_eq!(last["types"], serde_json::json!(["boid", "right", "left"]));
        let groups: Vec<u64> = serde_json::from_value(last["typeid"].clone()).expect("numbers");
        let group = |row: &str| row.split(',').nth(9).and_then(|group| group.parse().ok());
        assert!(groups.contains(&1) && end.lines().skip(1).map(group).eq(groups.into_iter().map(Some)));
        let lengths = vectors(&last["orientation"]).into_iter().map(|turn| turn.iter().map(|c| c * c).sum());
        assert!(lengths.into_iter().all(|length: f32| (length - 1.0).abs() < 1e-5));
    }
}

#[test]
fn predators_are_a_type_of_their_own() {
    let folder = Folder::new();
    let files = "--trajectory run.gsd --out end.csv";
    folder.done(&format!("run --preset yabi -n 20 --steps 6 --every 3 --engine cpu --quiet {files}"));
    let Some(frames) = read(&folder) else { return };
    for frame in &frames {
        let (types, kinds) = (&frame["types"], frame["typeid"].as_array().expect("numbers"));
        let is_predator =
            |kind: &serde_json::Value| types[kind.as_u64().expect("a number") as usize] == "predator";
        let found: Vec<bool> = kinds.iter().map(is_predator).collect();
        assert_eq!(found, [[false; 20].as_slice(), &[true; 5]].concat());
    }
    assert_eq!(vectors(&frames[2]["velocity"]), columns(&folder.read("end.csv"), 6));
}

/// Programs that read GSD wrap what is outside the box.
#[test]
fn the_box_of_an_open_world_holds_its_boids() {
    let folder = Folder::new();
    let flock = "--preset couzin -n 300 --set world.edges=open --numeric f64 --engine cpu --quiet";
    folder.done(&format!("run {flock} --steps 200 --every 50 --trajectory run.gsd"));
    let Some(frames) = read(&folder) else { return };
    assert_eq!(frames.len(), 5);
    for frame in frames {
        let sides: Vec<f32> = serde_json::from_value(frame["box"].clone()).expect("six numbers");
        for place in vectors(&frame["position"]) {
            assert!(
                (0..3).all(|k| (-0.5 * sides[k]..0.5 * sides[k]).contains(&place[k])),
                "{place:?}, {sides:?}"
            );
        }
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
    let Some(frames) = read(&folder) else { return };
    assert!(frames.len() >= 49, "{} frames", frames.len());
    assert!((0..).zip(&frames).all(|(step, frame)| frame["step"] == step && frame["N"] == 50));
}

#[test]
fn a_stream_and_a_film_take_no_gsd() {
    let folder = Folder::new();
    folder.done("run --preset yabi -n 5 --engine cpu --quiet --steps 1 --trajectory run.gsd");
    let refused = folder.call("render a.png --preset yabi --engine cpu --quiet --trajectory run.gsd");
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("run.gsd: only trajectories in CSV are read"), "{}", refused.stderr);
}
