//! One flock on many ranks: the hashes, files and refusals of `run --ranks`.

use gpu::Gpu;

use super::{Folder, lines, scope};

/// Flocks of which sums over the flock, random numbers, predators and formulas are parts; the presets' hashes are
/// recorded in `calls/hashes.txt`.
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
    for flock in FLOCKS {
        let run = |rest: &str| {
            folder.done(&format!("run {flock} --steps 10 --hash --numeric fixed --quiet {rest}")).stdout
        };
        let one = run("--engine cpu");
        assert_eq!(one.lines().count(), 11);
        for ranks in ["--ranks 1", "--ranks 3", "--ranks 8"] {
            assert_eq!(run(ranks), one, "{flock} {ranks}");
        }
    }
}

/// A flock in f32 that collapses is stepped to its end; a line says once that this is slower.
#[test]
fn a_dense_flock_in_f32_is_stepped_to_its_end() {
    let folder = Folder::new();
    let run = |rest: &str| folder.done(&format!("run -n 400 --steps 6 --hash {rest}"));
    let dense = "--preset swarm --set flock.start=point";
    let two = run(&format!("{dense} --ranks 2"));
    let line = "ranks: 128 or more boids share a cell; in f32 they are stepped one by one, slower than by one engine and \
                with other bits";
    let found = two.stderr.lines().filter(|found| *found == line).count();
    assert_eq!((two.stdout.lines().count(), found), (7, 1), "{}", two.stderr);
    assert_eq!(run(&format!("{dense} --ranks 3 --quiet")).stderr, "");
    assert_eq!(run(&format!("{dense} --ranks 3")).stdout, two.stdout);
    for other in
        ["--preset swarm --ranks 2", "--preset swarm --set flock.start=point --numeric fixed --ranks 2"]
    {
        assert!(!run(other).stderr.contains("128"), "{other}");
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
    assert_eq!(folder.read("one.csv"), folder.read("four.csv"));
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
        let second = run("--steps 10 --ranks 2 --init half.csv");
        let hashes: Vec<&str> = first.lines().chain(second.lines().skip(1)).collect();
        assert_eq!(hashes, whole.lines().collect::<Vec<_>>(), "{numeric}");
    }
}

/// Starts a run of many steps, ends it by a signal, and returns the name of the last state on the way and its step.
#[cfg(unix)]
fn ended_by(signal: &str, folder: &Folder, call: &str) -> (String, u64) {
    let mut child = folder.start(call);
    let mut lines = lines(&mut child);
    // Some steps after the second checkpoint, which may be half written then.
    lines.by_ref().find(|line| line.as_ref().is_ok_and(|line| line.starts_with("41,"))).expect("a line").ok();
    super::ending::signal(signal, child.id());
    lines.for_each(drop);
    let code = child.wait().expect("it ends").code();
    let state = |name: &String| name.starts_with("a.") && name.ends_with(".csv");
    let kept: Vec<String> = folder.files().into_iter().filter(state).collect();
    let step =
        |name: &String| name.split('.').nth(1).and_then(|step| step.parse::<u64>().ok()).expect("a step");
    let last = kept.iter().max_by_key(|name| step(name)).expect("one is kept");
    if signal == "-TERM" {
        assert_eq!((code, kept.len()), (Some(130), 1), "{:?}", folder.files());
    } else {
        // The one before is removed after the next has its name.
        assert!(code.is_none() && kept.len() <= 2 && step(last) % 20 == 0, "{code:?}, {:?}", folder.files());
    }
    assert!(step(last) >= 40, "{last}");
    (last.clone(), step(last))
}

#[cfg(unix)]
#[test]
fn a_run_that_was_ended_goes_on_from_its_checkpoint_with_another_number_of_ranks() {
    let flocks = [
        "--preset yabi -n 300 --set predators.attack_weight=0.5 --numeric fixed --hash --quiet",
        "--preset cornell -n 300 --set noise.angle=10 --numeric fixed --hash --quiet",
    ];
    for (flock, signal) in flocks.into_iter().flat_map(|flock| [(flock, "-KILL"), (flock, "-TERM")]) {
        let folder = Folder::new();
        let call = |steps: u64| format!("run {flock} --steps {steps} --checkpoint 20 --out a.csv --ranks 3");
        let (name, step) = ended_by(signal, &folder, &call(4_000_000_000));
        let whole = folder.done(&format!("run {flock} --steps {} --engine cpu", step + 10)).stdout;
        let rest: Vec<&str> = whole.lines().skip(step as usize).collect();
        for ranks in ["--ranks 2", "--ranks 5", "--engine cpu"] {
            let call = format!("run {flock} {ranks} --init {name} --steps 10");
            assert_eq!(folder.done(&call).stdout.lines().collect::<Vec<_>>(), rest, "{flock} {ranks}");
        }
        // A later run asks before it replaces what is kept, and keeps nothing but the state of its end.
        let again = step / 20 * 20;
        std::fs::rename(folder.path(&name), folder.path(&format!("a.{again}.csv"))).expect("renamed");
        let ended = folder.call(&call(again + 10));
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.starts_with("error: --checkpoint a."), "{}", ended.stderr);
        folder.done(&format!("{} --yes", call(again + 10)));
        let left = |name: &String| name.starts_with(&format!("a.{again}."));
        assert!(folder.path("a.csv").exists() && !folder.files().iter().any(left), "{:?}", folder.files());
    }
}

#[test]
fn a_checkpoint_that_is_cut_short_is_refused_in_a_line() {
    let folder = Folder::new();
    let flock = "--preset yabi -n 100 --numeric fixed --quiet";
    folder.done(&format!("run {flock} --ranks 2 --steps 5 --out a.csv"));
    let whole = folder.read("a.csv");
    let mut seed = 1_u64;
    for _ in 0..50 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let length = (seed >> 33) as usize % whole.len();
        folder.write("a.csv", &whole[..length]);
        let ended = folder.call(&format!("run {flock} --ranks 3 --steps 1 --init a.csv --out b.csv"));
        assert_eq!(ended.code, Some(2), "{length} bytes: {ended:?}");
        assert!(ended.stderr.starts_with("error: ") && !ended.stderr.contains("panicked"), "{ended:?}");
        assert!(ended.stderr.lines().count() <= 2 && !folder.path("b.csv").exists(), "{ended:?}");
    }
    folder.write("a.csv", &whole);
    folder.done(&format!("run {flock} --ranks 3 --steps 1 --init a.csv --out b.csv"));
}

/// Stills, films, looks, trails, blur and marks: birds that bank, points and meshes, in integers and in f32. In the
/// last case a rank has more boids than are drawn at once.
const PICTURES: [(&str, &[&str]); 6] = [
    (
        "a.png --preset murmuration -n 400 --skip 0 --steps 60 --look dusk --zoom 0.7 --numeric fixed",
        &["--ranks 1", "--ranks 2", "--ranks 3", "--ranks 4"],
    ),
    (
        "a.png --preset swarm -n 500 --steps 9 --look paper --zoom 4 --colour speed",
        &["--ranks 1", "--ranks 2", "--ranks 3", "--ranks 4"],
    ),
    (
        "f%d.png --preset holoviews -n 300 --style cones --trails 0.5 --steps 8 --every 4 --numeric f32",
        &["--ranks 3"],
    ),
    (
        "f%d.png --preset yabi -n 300 --look water --skip 0 --steps 10 --every 5 --blur 2 --orbit 90 --numeric fixed",
        &["--ranks 2"],
    ),
    (
        "a.png --preset cornell -n 200 --set flock.dimensions=3 --set perching.height=200 --steps 30 --zoom 9 \
         --mark-centre --numeric fixed",
        &["--ranks 4"],
    ),
    ("a.png --preset murmuration -n 150k --skip 0 --steps 2 --look dusk --numeric fixed", &["--ranks 2"]),
];

#[test]
fn pictures_are_those_of_one_engine() {
    if !Gpu::list().iter().any(|adapter| adapter.compute) {
        scope::missing(scope::Scope::Most, "there is no adapter to draw on");
        return;
    }
    for (call, ranks) in PICTURES {
        let pictures = |rest: &str| {
            let folder = Folder::new();
            folder.done(&format!("render {call} --size 200x120 --quiet {rest}"));
            let read = |name: String| (std::fs::read(folder.path(&name)).expect("a picture"), name);
            folder.files().into_iter().map(read).collect::<Vec<_>>()
        };
        let one = pictures("--engine cpu");
        assert!(!one.is_empty(), "{call}");
        for ranks in ranks {
            assert!(pictures(ranks) == one, "{call} {ranks}");
        }
        // Another flock has another picture.
        assert!(pictures("--ranks 2 --seed 99") != one, "{call}");
    }
}

/// Ranks that start from a state in a file, and draw on the adapter that the call names.
#[test]
fn a_picture_of_ranks_from_a_file_is_that_of_one_engine() {
    let Some(first) = Gpu::list().iter().find(|adapter| adapter.compute).map(|adapter| adapter.index) else {
        scope::missing(scope::Scope::Most, "there is no adapter to draw on");
        return;
    };
    let folder = Folder::new();
    let flock = "--preset yabi -n 300 --numeric fixed --quiet";
    folder.done(&format!("run {flock} --engine cpu --steps 20 --out s.csv"));
    let picture = |rest: &str| {
        let options = format!("--init s.csv --steps 4 --size 160x90 --adapter {first}");
        folder.done(&format!("render a.png --yes {flock} {options} {rest}"));
        std::fs::read(folder.path("a.png")).expect("a picture")
    };
    assert!(picture("--ranks 2") == picture("--engine gpu"));
}
