//! One flock on many ranks: the hashes, files and refusals of `run --ranks`, and of `--mpi`.

use gpu::Gpu;

use super::{Folder, lines, scope};

/// Flocks of which sums over the flock, random numbers, predators and formulas are parts; the presets' hashes are
/// recorded in `calls/hashes.txt`.
const FLOCKS: [&str; 3] = [
    "--preset yabi -n 300 --set predators.chase_weight=0.1 --set predators.attack_weight=0.5",
    "--preset cornell -n 300 --set noise.weight=0.3 --set perching.height=150 --set perching.steps=9",
    "--preset think -n 300 --set flock.dimensions=2 --set alignment.scope=flock",
];

#[test]
fn every_number_of_ranks_has_the_hashes_and_files_of_one() {
    for flock in FLOCKS {
        let run = |rest: &str| {
            let folder = Folder::new();
            let files = "--out a.csv --trajectory all.csv --metrics m.csv --every 4";
            let call = format!("run {flock} --steps 10 --hash --numeric fixed --quiet {files} {rest}");
            let hashes = folder.done(&call).stdout;
            let read = |name: &str| folder.read(name);
            [hashes, read("a.csv"), read("all.csv"), read("m.csv")]
        };
        let one = run("--engine cpu");
        for ranks in ["--ranks 1", "--ranks 3", "--ranks 8"] {
            assert!(run(ranks) == one, "{flock} {ranks}");
        }
    }
    let summary = Folder::new().done("run --preset cornell --ranks 4 --steps 1 --numeric fixed").stdout;
    assert!(summary.contains("cpu, 4 ranks of 1 thread, "), "{summary}");
}

/// A flock in f32 that collapses is stepped to its end; a line says once that this is slower.
#[test]
fn a_dense_flock_in_f32_is_stepped_to_its_end() {
    let folder = Folder::new();
    let run = |rest: &str| folder.done(&format!("run --preset swarm -n 400 --steps 6 --hash {rest}"));
    let two = run("--set flock.start=point --ranks 2");
    let line = "warning: 128 or more boids share a cell; on ranks in f32 they are stepped one at a time, which is slower than a \
                single engine and gives other bits";
    let found = two.stderr.lines().filter(|found| *found == line).count();
    assert_eq!((two.stdout.lines().count(), found), (7, 1), "{}", two.stderr);
    let three = run("--set flock.start=point --ranks 3 --quiet");
    assert_eq!((three.stderr, three.stdout), (String::new(), two.stdout));
    for other in ["--ranks 2", "--set flock.start=point --numeric fixed --ranks 2"] {
        assert!(!run(other).stderr.contains("128"), "{other}");
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
    let step = |name: &String| name.strip_prefix("a.")?.strip_suffix(".csv")?.parse::<u64>().ok();
    let mut kept: Vec<(u64, String)> =
        folder.files().into_iter().filter_map(|name| Some((step(&name)?, name))).collect();
    kept.sort();
    let (step, last) = kept.last().expect("one is kept").clone();
    if signal == "-TERM" {
        assert_eq!((code, kept.len()), (Some(130), 1), "{:?}", folder.files());
    } else {
        // The one before is removed after the next has its name.
        assert!(code.is_none() && kept.len() <= 2 && step.is_multiple_of(20), "{:?}", folder.files());
    }
    assert!(step >= 40, "{last}");
    (last, step)
}

#[cfg(unix)]
#[test]
fn a_run_that_was_ended_goes_on_from_its_checkpoint_with_another_number_of_ranks() {
    for (flock, signal, ranks) in [
        (
            "yabi -n 300 --set predators.attack_weight=0.5 --numeric fixed",
            "-KILL",
            ["--ranks 2", "--engine cpu"],
        ),
        ("cornell -n 300 --set noise.angle=10 --numeric fixed", "-TERM", ["--ranks 5", "--engine cpu"]),
        ("cornell -n 300 --set noise.angle=10 --numeric f32", "-TERM", ["--ranks 2", "--engine cpu"]),
    ] {
        let folder = Folder::new();
        let flock = format!("run --preset {flock} --hash --quiet");
        let call = |steps: u64| format!("{flock} --steps {steps} --checkpoint 20 --out a.csv --ranks 3");
        let (name, step) = ended_by(signal, &folder, &call(4_000_000_000));
        let whole = folder.done(&format!("{flock} --steps {} --engine cpu", step + 10)).stdout;
        for ranks in ranks {
            let rest = folder.done(&format!("{flock} {ranks} --init {name} --steps 10")).stdout;
            assert!(whole.ends_with(&rest) && rest.lines().count() == 11, "{flock} {ranks}");
        }
        // A later run asks before it replaces what is kept, and keeps nothing but the state of its end.
        let again = step / 20 * 20;
        std::fs::rename(folder.path(&name), folder.path(&format!("a.{again}.csv"))).expect("renamed");
        let ended = folder.call(&call(again + 10));
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.stderr.starts_with("error: --checkpoint a."), "{}", ended.stderr);
        folder.done(&format!("{} --yes", call(again + 10)));
        let left = folder.files().iter().any(|name| name.starts_with(&format!("a.{again}.")));
        assert!(folder.path("a.csv").exists() && !left, "{:?}", folder.files());
    }
}

/// Stills and films, birds that bank, points and meshes, in integers and in f32. In the last case a rank has more boids
/// than are drawn at once.
const PICTURES: [(&str, &[&str]); 4] = [
    (
        "a.png --preset murmuration -n 400 --skip 0 --steps 20 --look dusk --zoom 0.7 --numeric fixed",
        &["--ranks 2", "--ranks 3"],
    ),
    (
        "f%d.png --preset holoviews -n 300 --style cones --trails 0.5 --steps 8 --every 4 --numeric f32",
        &["--ranks 3"],
    ),
    (
        "f%d.png --preset yabi -n 300 --look water --skip 0 --steps 10 --every 5 --blur 2 --orbit 90 --mark-centre \
         --numeric fixed",
        &["--ranks 4"],
    ),
    ("a.png --preset murmuration -n 150k --skip 0 --steps 1 --look dusk --numeric fixed", &["--ranks 2"]),
];

#[test]
fn pictures_are_those_of_one_engine() {
    let Some(first) = Gpu::list().iter().find(|adapter| adapter.compute).map(|adapter| adapter.index) else {
        return scope::missing(scope::Scope::Most, "there is no adapter to draw on");
    };
    let pictures = |call: &str, rest: &str| {
        let folder = Folder::new();
        folder.done(&format!("render {call} --size 200x120 --quiet --adapter {first} {rest}"));
        let read = |name: String| (std::fs::read(folder.path(&name)).expect("a picture"), name);
        folder.files().into_iter().map(read).collect::<Vec<_>>()
    };
    for (call, ranks) in PICTURES {
        let one = pictures(call, "--engine cpu");
        assert!(!one.is_empty(), "{call}");
        for ranks in ranks {
            assert!(pictures(call, ranks) == one, "{call} {ranks}");
        }
    }
    let (call, _) = PICTURES[0];
    assert!(
        pictures(call, "--ranks 2") != pictures(call, "--ranks 2 --seed 99"),
        "another flock has another picture"
    );
    // Ranks may start from a state in a file.
    let folder = Folder::new();
    let state = folder.path("s.csv").display().to_string();
    folder.done("run --preset yabi -n 300 --numeric fixed --quiet --engine cpu --steps 20 --out s.csv");
    let call = format!("a.png --preset yabi -n 300 --numeric fixed --init {state} --steps 4");
    assert!(pictures(&call, "--ranks 2") == pictures(&call, "--engine gpu"));
}

/// Ranks that are processes: `cargo xtask test --all` builds the program with that feature.
#[cfg(all(target_os = "linux", feature = "mpi"))]
mod processes {
    use std::process::{Command, Stdio};

    use crate::{Ended, Folder, ended};

    /// Calls the program in so many processes.
    fn call(folder: &Folder, ranks: u32, line: &str) -> Ended {
        let program = folder.command("");
        let mut mpirun = Command::new("mpirun");
        mpirun.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        // Open MPI requires consent to run as root, and to run more processes than there are cores.
        mpirun.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
        mpirun.envs([("OMPI_MCA_rmaps_base_oversubscribe", "1"), ("OMPI_MCA_mpi_yield_when_idle", "1")]);
        mpirun.args(["-n", &ranks.to_string()]).arg(program.get_program()).args(line.split_whitespace());
        ended(mpirun.current_dir(folder.path("")).stdin(Stdio::null()).output().expect("mpirun starts"))
    }

    #[test]
    fn hashes_and_pictures_are_those_of_one_engine() {
        let folder = Folder::new();
        let run = "run --preset yabi -n 300 --numeric fixed --steps 8 --hash --quiet";
        let one = folder.done(&format!("{run} --engine cpu")).stdout;
        for ranks in [2, 3] {
            let found = call(&folder, ranks, &format!("{run} --mpi"));
            assert_eq!((found.code, found.stdout.as_str()), (Some(0), one.as_str()), "{ranks}: {found:?}");
        }
        let render = "--preset swarm -n 500 --steps 9 --look paper --zoom 4 --size 200x120 --quiet";
        folder.done(&format!("render one.png {render} --engine cpu"));
        let found = call(&folder, 3, &format!("render many.png {render} --mpi"));
        let read = |name: &str| std::fs::read(folder.path(name)).expect("a picture");
        assert!(found.code == Some(0) && read("many.png") == read("one.png"), "{found:?}");
    }

    /// All ranks find it at once, and one says so; a launcher says in its own words that it ends the others.
    #[test]
    fn what_all_ranks_find_is_said_once() {
        let folder = Folder::new();
        for (flock, code, line) in [
            ("--preset yabi", 2, "error: alignment.scope must be neighbours, not flock, with --ranks in f32"),
            ("--preset swarm --set flock.start=point", 0, "warning: 128 or more boids share a cell"),
        ] {
            let found = call(&folder, 3, &format!("run --mpi -n 400 --hash --steps 3 {flock}"));
            let said = found.stderr.lines().filter(|found| found.starts_with(line)).count();
            assert_eq!((found.code, said), (Some(code), 1), "{found:?}");
        }
    }
}
