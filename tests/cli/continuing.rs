//! The same run twice gives the same bytes, and so does a run through a file.

use super::Folder;

const ENGINES: &[&str] = &["--engine cpu", "--engine cpu --numeric f64", "--engine gpu"];

/// Every preset, and the features that no preset uses: noise, dynamic scouts, perching, hunting predators, three
/// dimensions, the nearest neighbours.
const FLOCKS: &[&str] = &[
    "--preset cornell --set scouts.dynamic=true",
    "--preset yabi --set predators.chase_weight=0.1 --set predators.attack_weight=0.5",
    "--preset think --set line_of_sight.weight=0.5",
    "--preset swarm",
    "--preset holoviews",
    "--preset murmuration -n 3000 --seed 7",
    "--preset cornell --set flock.dimensions=3 --set noise.weight=0.3",
    "--preset cornell --set perching.height=150 --set perching.steps=9",
    "--preset murmuration -n 2000 --set neighbours.nearest=7",
];

#[test]
fn ten_and_ten_steps_are_twenty() {
    let folder = Folder::new();
    for engine in ENGINES {
        for flock in FLOCKS {
            let run = |rest: &str| folder.done(&format!("run {flock} {engine} --quiet --yes {rest}")).stdout;
            let whole = run("--steps 20 --out whole.csv --hash");
            assert_eq!(run("--steps 20 --out again.csv --hash"), whole, "{flock} {engine}");
            let first = run("--steps 10 --out half.csv --hash");
            let second = run("--steps 10 --init half.csv --out end.csv --hash");
            let hashes: Vec<&str> = first.lines().chain(second.lines().skip(1)).collect();
            assert_eq!(hashes, whole.lines().collect::<Vec<_>>(), "{flock} {engine}");
            assert_eq!(first.lines().last(), second.lines().next());
            let text = folder.read("whole.csv");
            assert!(text == folder.read("again.csv") && text == folder.read("end.csv"), "{flock} {engine}");
            let hunted = flock.contains("yabi") || flock.contains("murmuration");
            assert_eq!(text.contains(",predator,"), hunted, "{flock}");
        }
    }
}

/// The rows of a file say how many boids there are, as `-n` does: the world keeps its density, and in integers its unit.
#[test]
fn a_file_keeps_the_density_without_the_number_of_boids() {
    let folder = Folder::new();
    folder.write("flock.toml", "preset = \"murmuration\"\n[flock]\nboids = 1000\n");
    for engine in ["--engine cpu", "--engine cpu --numeric fixed"] {
        let run = |rest: &str| folder.done(&format!("run {engine} --quiet --hash {rest}")).stdout;
        let whole = run("-n 1000 --steps 40");
        assert_eq!(run("--config flock.toml --steps 40"), whole, "{engine}");
        let first = run("-n 1000 --steps 20 --yes --out half.csv");
        for second in ["", "-n 1000", "--config flock.toml"] {
            let second = run(&format!("{second} --init half.csv --steps 20"));
            let hashes: Vec<&str> = first.lines().chain(second.lines().skip(1)).collect();
            assert_eq!(hashes, whole.lines().collect::<Vec<_>>(), "{engine}");
        }
        // The control: in the world of a hundred thousand the flock goes on otherwise.
        let wide = run("--set flock.density=world --init half.csv --steps 20");
        assert_ne!(wide.lines().last(), whole.lines().last(), "{engine}");
    }
}

#[test]
fn rows_that_drive_the_world_out_of_its_range_are_refused() {
    let folder = Folder::new();
    folder.write("a.csv", "id,x,y,z,vx,vy,vz\n0,1,2,3,0,0,0\n1,1,2,3,0,0,0\n");
    folder.write("one.toml", "[flock]\nboids = 1\ndensity = \"keep\"\n[world]\nmax = [1e6, 1e6, 1e6]\n");
    let ended = folder.call("run --config one.toml --engine cpu --init a.csv --steps 1");
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(ended.stderr.starts_with("error: a.csv, 2 boids: world.m"), "{}", ended.stderr);
    assert!(ended.stderr.contains("allowed is"), "{}", ended.stderr);
}

/// A world that was set stands, whatever names the number of boids; one line says so, or that the world was scaled.
#[test]
fn a_world_that_was_set_is_not_scaled_with_the_number_of_boids() {
    let folder = Folder::new();
    let set = "--preset vicsek --set world.min=[0,0,0] --set world.max=[8.66,8.66,8.66]";
    let size = serde_json::json!([8.66, 8.66, 8.66]);
    folder.done("run --preset vicsek -n 300 --engine cpu --steps 0 --quiet --out a.csv");
    folder.write("own.toml", "preset = \"vicsek\"\n[world]\nmin = [0, 0, 0]\nmax = [8.66, 8.66, 8.66]\n");
    let run = |rest: &str| {
        let ended = folder.done(&format!("run {rest} --engine cpu --steps 0 --json"));
        let json: serde_json::Value = serde_json::from_str(&ended.stdout).expect("JSON");
        (json["parameters"]["world"]["max"].clone(), ended.stderr)
    };
    for rest in [
        format!("{set} -n 300"),
        format!("{set} --init a.csv"),
        "--config own.toml -n 300".to_owned(),
        "--config own.toml --init a.csv".to_owned(),
    ] {
        let (max, said) = run(&rest);
        assert_eq!(max, size, "{rest}");
        assert!(said.starts_with("world: ") && said.contains("not scaled"), "{rest}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    let (max, said) = run("--preset vicsek -n 300");
    assert!(max != size && said.contains("300: scaled") && said.lines().count() == 1, "{said}");
    assert_eq!(run("--preset vicsek").1, "");
    assert_eq!(run("--preset vicsek -n 300 --quiet").1, "");
    // A study's own world stands in all of its runs.
    let world = "\"world.min\" = [0, 0, 0]\n\"world.max\" = [8.66, 8.66, 8.66]\n";
    folder.write("a.toml", &format!("preset = \"vicsek\"\nsteps = 3\n[set]\n\"flock.boids\" = 300\n{world}"));
    let said = folder.done("sweep a.toml --engine cpu --out own").stderr;
    assert!(said.starts_with("world: 1296 boids became 300: not scaled, as the world was set"), "{said}");
    let hash = |call: &str| folder.done(&format!("run {call} --engine cpu --quiet --hash --steps 3")).stdout;
    let own = hash(&format!("{set} -n 300"));
    let hashes = folder.read("own/runs.csv");
    let last = own.lines().last().and_then(|line| line.strip_prefix("3,")).expect("a hash");
    assert_eq!(hashes.trim().rsplit(',').next(), Some(last));
    let study =
        "sweep --preset vicsek --steps 3 --columns milling --vary flock.boids=40,300,400 --engine cpu";
    let said = folder.done(&format!("{study} --out scaled")).stderr;
    assert!(said.starts_with("world: 1296 boids became 40: scaled"), "{said}");
}

/// Noise, predators and integers: the step and every bit of the flock are in the file, also in a trajectory.
#[test]
fn a_trajectory_is_continued_from_its_last_step() {
    let folder = Folder::new();
    let flock = "--preset yabi -n 60 --set noise.angle=10 --set predators.attack_weight=0.5";
    for engine in [&ENGINES[..2], &["--engine cpu --numeric fixed"]].concat() {
        let run = |rest: &str| folder.done(&format!("run {flock} {engine} --quiet --yes {rest}"));
        let whole = run("--steps 20 --hash --out whole.csv").stdout;
        run("--steps 10 --out half.csv --trajectory t.csv --every 4");
        let rest: Vec<&str> = whole.lines().skip(10).collect();
        for file in ["half.csv", "t.csv"] {
            let second = run(&format!("--init {file} --steps 10 --hash --out end.csv"));
            assert_eq!(second.stderr, "");
            assert_eq!(second.stdout.lines().collect::<Vec<_>>(), rest, "{engine} {file}");
            assert_eq!(folder.read("end.csv"), folder.read("whole.csv"), "{engine} {file}");
        }
        // The control: another step draws other noise.
        folder.write("old.csv", &earlier(&folder.read("half.csv"), &folder.path("old.predators.csv"), "9"));
        let other = run("--init old.csv --steps 10 --hash").stdout;
        assert_ne!(other.lines().nth(1).map(|line| &line[3..]), rest[1].get(3..), "{engine}");
    }
}

/// A state as earlier versions wrote it; its predators stand beside it.
fn earlier(state: &str, beside: &std::path::Path, step: &str) -> String {
    let (mut boids, mut predators) = (String::new(), String::from("step,id,x,y,z,vx,vy,vz\n"));
    for row in state.lines() {
        let cells: Vec<&str> = row.split(',').collect();
        if cells[2] == "predator" {
            predators += &format!("{step},{},{}\n", cells[1], cells[3..9].join(","));
        } else {
            boids += &format!("{},{}\n", cells[1], cells[3..].join(","));
        }
    }
    std::fs::write(beside, predators).expect("written");
    boids
}

/// Boids without step and kind, and the predators beside them with the step.
#[test]
fn the_two_files_of_an_earlier_version_are_continued() {
    let folder = Folder::new();
    let run = |rest: &str| folder.done(&format!("run --preset yabi -n 60 --engine cpu --quiet --yes {rest}"));
    let whole = run("--steps 20 --hash").stdout;
    run("--steps 10 --out new.csv");
    folder.write("old.csv", &earlier(&folder.read("new.csv"), &folder.path("old.predators.csv"), "10"));
    let rest = run("--init old.csv --steps 10 --hash --out end.csv").stdout;
    assert_eq!(rest.lines().collect::<Vec<_>>(), whole.lines().skip(10).collect::<Vec<_>>());
    run("--init new.csv --steps 10 --out whole.csv");
    assert_eq!(folder.read("end.csv"), folder.read("whole.csv"));
    // Without the second file the predators start anew, and so do the steps.
    std::fs::remove_file(folder.path("old.predators.csv")).expect("removed");
    let said = folder.done("run --preset yabi --engine cpu --init old.csv --steps 1").stderr;
    for line in
        ["old.csv holds no predators: they start from the seed", "old.csv holds no step: the run begins"]
    {
        assert!(said.contains(line), "{said}");
    }
}

#[test]
fn a_first_step_must_be_that_of_the_file() {
    let folder = Folder::new();
    let run = "run --preset cornell --engine cpu --quiet --steps 3";
    folder.done(&format!("{run} --out a.csv"));
    let asked = folder.call(&format!("{run} --init a.csv --first-step 7"));
    let why = "error: --first-step must be 3, the step of a.csv, not 7\nhint: leave it out\n";
    assert_eq!((asked.code, asked.stderr.as_str()), (Some(2), why));
    folder.done(&format!("{run} --init a.csv --first-step 3"));
}

#[test]
fn a_state_without_a_step_begins_at_0_and_a_line_says_so() {
    let folder = Folder::new();
    folder.write("a.csv", "id,x,y,z,vx,vy,vz\n0,1,2,0,0,0,0\n");
    let line = "a.csv holds no step: the run begins at step 0 (--first-step K sets it)\n";
    for command in ["run", "render a.png --size 64x48"] {
        let call = format!("{command} --preset cornell --engine cpu --steps 1 --init a.csv --yes");
        let said = folder.done(&call).stderr;
        assert_eq!(said.matches(line).count(), 1, "{said}");
        for rest in ["--quiet", "--first-step 0"] {
            let said = folder.done(&format!("{call} {rest}")).stderr;
            assert!(!said.contains("step 0"), "{said}");
        }
    }
    let call = "run --preset cornell --engine cpu --steps 1 --init a.csv --hash --quiet --first-step";
    let printed = |step: u32| folder.done(&format!("{call} {step}")).stdout;
    assert!(printed(0).starts_with("0,") && printed(7).starts_with("7,"));
}

#[test]
fn who_lies_outside_a_wrapping_world_begins_inside() {
    let folder = Folder::new();
    folder.write("a.csv", "id,x,y,z,vx,vy,vz\n0,130,-70,5,0,0,0\n1,1e9,5,5,0,0,0\n");
    let world = "world.min=[0,0,0] --set world.max=[100,100,100] --set world.edges=wrap";
    folder.done(&format!(
        "run --set {world} --set flock.density=world --engine cpu --init a.csv --steps 0 --out b.csv"
    ));
    let text = folder.read("b.csv");
    let rows: Vec<&str> = text.lines().collect();
    assert!(rows[1].starts_with("0,0,boid,30.0,30.0,5.0,"), "{text}");
    assert!(rows[2].starts_with("0,1,boid,0.0,5.0,5.0,"), "{text}");
}

#[test]
fn seed_parameters_and_number_type_change_the_hash() {
    let folder = Folder::new();
    let hash =
        |line: &str| folder.done(&format!("run --preset cornell --engine cpu --quiet --hash {line}")).stdout;
    let base = hash("--steps 3");
    assert_eq!(base.lines().count(), 4);
    for (k, line) in base.lines().enumerate() {
        let (step, hash) = line.split_once(',').expect("two columns");
        assert_eq!(step, k.to_string());
        assert!(hash.len() == 16 && hash.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c)));
    }
    for other in ["--seed 2", "-n 501", "--set cohesion.weight=0.0006", "--numeric f64"] {
        assert_ne!(hash(&format!("--steps 3 {other}")), base, "{other}");
    }
    assert_eq!(hash("--steps 3 --seed 1 -n 500"), base);
}
