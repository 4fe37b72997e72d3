//! The files that a run writes: what is in them, what a kill leaves, names that are one file, and runs that go on from
//! them. `calls/works.txt` and `calls/run.txt` have whole files, notes, and what is refused.

use std::process::Child;

use super::{Folder, NAMES, first_line, json, lines};

#[test]
fn a_preset_that_is_shown_is_a_file_of_the_same_flock() {
    let folder = Folder::new();
    let list = folder.done("presets").stdout;
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!((&names[..NAMES.len()], names.len()), (&NAMES[..], NAMES.len() + 14));
    assert_eq!(json(&folder.done("presets --json").stdout)[1]["name"], "cornell");
    for name in names {
        let all = if name == "cornell" { " --all" } else { "" };
        folder.write("shown.toml", &folder.done(&format!("presets show {name}{all}")).stdout);
        let run = |source: &str| {
            folder.done(&format!("run {source} -n 50 --engine cpu --quiet --hash --steps 1")).stdout
        };
        assert_eq!(run("--config shown.toml"), run(&format!("--preset {name}")), "{name}");
    }
}

#[test]
fn the_manual_and_completions_have_what_they_refer_to() {
    let folder = Folder::new();
    let manual = folder.done("man").stdout.replace("\\-", "-");
    // Plain groff reads ASCII alone.
    assert!(manual.is_ascii() && !manual.contains("EXTRA"));
    assert!(!manual.contains("\n\n.TP"), "an option has no text");
    let pages: Vec<&str> =
        manual.lines().filter_map(|line| line.strip_prefix(".TH ")?.split(' ').next()).collect();
    let words = manual.split(|c: char| c.is_whitespace() || c == ',');
    let referred: Vec<&str> = words.filter_map(|word| word.strip_suffix("(1)")).collect();
    assert!(referred.contains(&"murmuration-presets-show"), "{referred:?}");
    assert!(referred.iter().all(|page| pages.contains(page)), "{referred:?}, {pages:?}");
    for shell in ["bash", "zsh"] {
        assert!(folder.done(&format!("completions {shell}")).stdout.contains(&NAMES.join(" ")), "{shell}");
    }
    // fish completes values without an option, too.
    let script = folder.done("completions fish").stdout;
    let shown = "presets; and __fish_seen_subcommand_from show\" -f -a \"murmuration cornell";
    assert!(script.contains(&format!("_using_subcommand {shown}")), "{script}");
}

#[test]
fn adapters_are_listed_and_each_can_be_chosen() {
    let folder = Folder::new();
    let list = folder.done("adapters").stdout;
    let entries = json(&folder.done("adapters --json").stdout);
    let entries = entries.as_array().expect("a list");
    assert!(!entries.is_empty() && list.lines().count() == entries.len());
    for (k, (entry, line)) in entries.iter().zip(list.lines()).enumerate() {
        let name = entry["name"].as_str().expect("a name");
        assert!(entry["index"] == k && line.starts_with(&format!("{k}  {name}  ")), "{line}");
        assert!(entry["most_boids"].as_u64().is_some_and(|most| most >= 1 << 20), "{entry}");
        let run = json(&folder.done(&format!("run --preset think --steps 1 --json --adapter {k}")).stdout);
        assert!(run["engine"].as_str().is_some_and(|engine| engine.contains(name)), "{run}");
    }
    let auto = folder.done("run --preset think --steps 1");
    assert!(auto.stderr.starts_with("note: engine: ") && auto.stderr.lines().count() == 1, "{auto:?}");
}

#[test]
fn the_summary_in_json_says_what_ran() {
    let folder = Folder::new();
    let run = |line: &str| json(&folder.done(&format!("run {line} --engine cpu --json")).stdout);
    let set = "--preset yabi -n 20 --seed 7 --set cohesion.radius=3.5";
    let summary = run(&format!("{set} --steps 7 --metrics m.csv --every 3"));
    let version = format!("murmuration {}\n", summary["version"].as_str().expect("text"));
    assert_eq!(folder.done("--version").stdout, version);
    for (key, value) in
        [("preset", "\"yabi\""), ("seed", "7"), ("boids", "20"), ("last_step", "7"), ("complete", "true")]
    {
        assert_eq!(summary[key].to_string(), value, "{key}");
    }
    let parameters = &summary["parameters"];
    assert_eq!((&parameters["flock"]["seed"], &parameters["cohesion"]["radius"]), (&7.into(), &3.5.into()));
    assert!(summary["measures"]["polarization"].as_f64().is_some_and(|p| (0.0..=1.0).contains(&p)));
    assert!(summary["measures"]["heading_error"].is_null(), "yabi has no scouts");
    // Every third step, the first and the last; samples do not change the run.
    let text = folder.read("m.csv");
    assert!(text.starts_with("step,polarization,milling,mean_speed,"));
    let steps: Vec<&str> = text.lines().skip(1).filter_map(|line| Some(line.split_once(',')?.0)).collect();
    assert_eq!(steps, ["0", "3", "6", "7"]);
    assert_eq!(folder.done(&format!("run {set} --engine cpu --steps 7 --every 3 --metrics -")).stdout, text);
    let plain = run(&format!("{set} --steps 7"));
    assert_eq!((&plain["hash"], &plain["measures"]), (&summary["hash"], &summary["measures"]));
    let threads = run(&format!("{set} --steps 7 --threads 3"));
    assert!(threads["engine"].as_str().is_some_and(|engine| engine.starts_with("cpu, 3 threads, ")));
    assert_eq!(threads["hash"], summary["hash"]);
    // A file of parameters is no preset.
    folder.write("a.toml", "[flock]\nboids = 5\n");
    assert!(run("--config a.toml --steps 0")["preset"].is_null());
}

#[cfg(unix)]
#[test]
fn a_state_written_to_stdout_comes_after_the_hashes() {
    let folder = Folder::new();
    let call = "run --preset cornell -n 20 --engine cpu --quiet --hash --steps 3";
    folder.done(&format!("{call} --out a.csv"));
    let (hashes, state) = (folder.done(call).stdout, folder.read("a.csv"));
    for name in ["/dev/stdout", "/dev/fd/1", "all.txt"] {
        // Into a regular file, as the shell's `> all.txt` does.
        let file = std::fs::File::create(folder.path("all.txt")).expect("a file");
        let mut command = folder.command(&format!("{call} --out {name}"));
        assert!(command.stdout(file).status().expect("the program starts").success());
        assert_eq!(folder.read("all.txt"), format!("{hashes}{state}"), "{name}");
    }
    folder.done("run --preset yabi --engine cpu --steps 2 --out /dev/null");
    assert_eq!(folder.files(), ["a.csv", "all.txt"]);
}

fn kill(mut child: Child) {
    child.kill().expect("it runs");
    child.wait().expect("it ends");
}

#[test]
fn a_killed_run_without_samples_leaves_nothing_to_the_next() {
    let folder = Folder::new();
    let mut child = folder.start("run --preset cornell --engine cpu --hash --steps 4000000000 --out a.csv");
    // At the first line the file has been begun.
    first_line(&mut child);
    kill(child);
    let left = folder.files();
    assert!(left.len() == 1 && left[0].starts_with(".a."), "{left:?}");
    folder.done("run --preset cornell --engine cpu --steps 1 --out b.csv");
    assert_eq!(folder.files(), [left[0].as_str(), "b.csv"], "the part of another file stays");
    folder.done("run --preset cornell --engine cpu --steps 1 --out a.csv");
    assert_eq!(folder.files(), ["a.csv", "b.csv"]);
}

/// Samples are read by the name of the part, up to the last whole one, and no later run removes them.
#[test]
fn what_a_killed_run_leaves_is_read_and_stays() {
    let folder = Folder::new();
    let files = "--metrics m.csv --trajectory t.csv";
    let run = format!("run --preset cornell -n 400 --engine cpu --hash {files}");
    let mut child = folder.start(&format!("{run} --steps 4000000000"));
    assert_eq!(lines(&mut child).take(30).count(), 30);
    kill(child);
    let left = folder.files();
    assert!(left.len() == 2 && left.iter().all(|name| name.ends_with(".murmuration-part.csv")), "{left:?}");
    let [metrics, trajectory] = [&left[0], &left[1]];
    assert!(metrics.starts_with(".m.") && trajectory.starts_with(".t."), "{left:?}");
    let before: Vec<_> = left.iter().map(|name| folder.read(name)).collect();
    assert!(before[0].lines().count() >= 29 && before[1].lines().count() >= 28 * 400);
    folder.done(&format!("plot {metrics} -o m.png"));
    let render = "render t.png --preset cornell --engine cpu --size 64x48";
    folder.done(&format!("{render} --trajectory {trajectory}"));
    folder.done(&format!("run --preset cornell -n 400 --engine cpu --init {trajectory} --steps 1"));
    folder.done(&format!("{run} --steps 1"));
    let after: Vec<_> = left.iter().map(|name| folder.read(name)).collect();
    assert!(after == before, "a later run changed them");
    assert_eq!(folder.files().len(), 6);
}

/// Two runs into one file, or a run and any other program.
#[cfg(unix)]
#[test]
fn a_file_that_appears_while_a_run_goes_is_kept() {
    let folder = Folder::new();
    let flock = "run --preset yabi -n 20 --engine cpu";
    for (option, name, other) in [
        ("--out", "s.csv", "s-2.csv"),
        ("--metrics", "m.csv", "m-2.csv"),
        ("--trajectory", "g.gsd", "g-2.gsd"),
    ] {
        let call = format!("{flock} --hash --steps 4000000000 {option} {name}");
        for (yes, expected) in [("", Some(1)), (" --yes", Some(130))] {
            let mut child = folder.start(&(call.clone() + yes));
            let mut lines = lines(&mut child);
            lines.next().expect("a line").expect("text");
            folder.write(name, "of another program");
            super::ending::signal("-INT", child.id());
            lines.for_each(drop);
            let ended = super::ended(child.wait_with_output().expect("it ends"));
            assert_eq!(ended.code, expected, "{call}{yes}: {ended:?}");
            let error = format!(
                "error: cannot write {name}: it was created in the meantime; the result is in {other}\n"
            );
            assert_eq!(ended.stderr.ends_with(&error), yes.is_empty(), "{ended:?}");
            let kept = std::fs::read(folder.path(name)).expect("a file") == b"of another program";
            assert_eq!(kept, yes.is_empty(), "{call}{yes}");
            std::fs::remove_file(folder.path(name)).expect("a file");
        }
    }
    // A result with another name is whole.
    folder.done(&format!("{flock} --init s-2.csv --steps 1"));
    folder.done("plot m-2.csv -o m.png");
}

#[cfg(unix)]
#[test]
fn two_outputs_that_are_one_file_by_a_link_are_refused() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    std::fs::create_dir(folder.path("sub")).expect("a folder");
    symlink("sub", folder.path("other")).expect("a link");
    symlink("none.csv", folder.path("link.csv")).expect("a link");
    folder.write("one.csv", "");
    std::fs::hard_link(folder.path("one.csv"), folder.path("two.csv")).expect("a link");
    let before = folder.files();
    for (one, other) in [
        ("one.csv", "two.csv"),
        ("none.csv", "link.csv"),
        ("sub/a.csv", "other/a.csv"),
        ("sub/a.csv", "sub/../sub/a.csv"),
    ] {
        let call = format!("run --preset cornell --engine cpu --steps 1 --out {one} --metrics {other}");
        let ended = folder.call(&call);
        assert_eq!(ended.code, Some(2), "{call}: {ended:?}");
        for word in ["error: --out ", "--metrics ", other, "links to the same file"] {
            assert!(ended.stderr.contains(word), "{call}: no {word} in {ended:?}");
        }
    }
    assert_eq!(folder.files(), before);
    // A run may go on from a file and replace it, by a link too; what a link leads to is written.
    folder.done("run --preset cornell --engine cpu --steps 1 --out link.csv");
    folder.done("run --preset cornell --engine cpu --steps 1 --init none.csv --yes --out link.csv");
    assert!(folder.path("none.csv").exists() && folder.path("link.csv").is_symlink());
    folder.done("run --preset cornell --engine cpu --steps 1 --out /dev/null --metrics /dev/fd/2");
}

/// Each of these calls would run for hours if a file were opened only after the steps.
#[test]
fn every_output_is_checked_before_the_first_step() {
    let folder = Folder::new();
    std::fs::create_dir(folder.path("a.csv")).expect("a folder");
    for option in ["--out", "--trajectory", "--metrics"] {
        let ended = folder.call(&format!("run --preset yabi --engine cpu --steps 4000000000 {option} a.csv"));
        let why = "error: cannot write a.csv: it is a folder, not a file\n";
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(2), why), "{option}");
    }
    assert_eq!(folder.files(), ["a.csv"]);
    // Nothing is lost where nothing is there, a number and no ending are no other format, and `--yes` replaces.
    folder.write("empty.csv", "");
    let run = "run --preset cornell -n 9 --engine cpu --steps 1";
    folder.done(&format!("{run} --out empty.csv --metrics m.7 --trajectory t.txt"));
    folder.done(&format!("{run} --out empty.csv --trajectory none --yes"));
}

/// Features that few presets use: dynamic scouts, hunting predators, noise in space, perching, the nearest neighbours, a
/// plane with lines of sight.
const FLOCKS: [&str; 6] = [
    "--preset cornell --set scouts.dynamic=true",
    "--preset yabi -n 60 --set predators.chase_weight=0.1 --set predators.attack_weight=0.5 --set noise.angle=10",
    "--preset cornell --set flock.dimensions=3 --set noise.weight=0.3",
    "--preset cornell --set perching.height=150 --set perching.steps=9",
    "--preset murmuration -n 1000 --set neighbours.nearest=7",
    "--preset think --set line_of_sight.weight=0.5",
];

/// A run that was stopped after 10 of 20 steps goes on from its state and from its trajectory.
fn ten_and_ten_are_twenty(flock: &str) {
    let folder = Folder::new();
    let run = |rest: &str| folder.done(&format!("run {flock} --quiet --yes {rest}")).stdout;
    let whole = run("--steps 20 --out whole.csv --hash");
    run("--steps 10 --out half.csv --trajectory half-all.csv --every 4");
    for file in ["half.csv", "half-all.csv"] {
        let rest = run(&format!("--init {file} --steps 10 --out end.csv --hash"));
        assert_eq!(rest.lines().count(), 11);
        assert!(whole.ends_with(&rest), "{flock} {file}");
        assert!(folder.read("end.csv") == folder.read("whole.csv"), "{flock} {file}");
    }
}

#[test]
fn ten_and_ten_steps_are_twenty() {
    for flock in FLOCKS {
        ten_and_ten_are_twenty(&format!("{flock} --engine cpu"));
    }
    for engine in ["--engine cpu --numeric f64", "--engine cpu --numeric fixed", "--engine gpu"] {
        ten_and_ten_are_twenty(&format!("{} {engine}", FLOCKS[1]));
    }
}

/// The control: noise is a function of the step, which is in the file.
#[test]
fn another_step_draws_other_noise() {
    let folder = Folder::new();
    let run = |rest: &str| folder.done(&format!("run {} --engine cpu --quiet {rest}", FLOCKS[1])).stdout;
    run("--steps 10 --out half.csv");
    folder.write("nine.csv", &folder.read("half.csv").replace("\n10,", "\n9,"));
    let [ten, nine] = ["half.csv", "nine.csv"].map(|file| run(&format!("--init {file} --steps 1 --hash")));
    let hash =
        |printed: &str| printed.lines().nth(1).and_then(|line| line.split(',').nth(1)).map(str::to_owned);
    assert_eq!(ten.lines().next().map(|line| &line[2..]), nine.lines().next().map(|line| &line[1..]));
    assert_ne!(hash(&ten), hash(&nine));
}

/// The rows of a file say how many boids there are, as `-n` does: the world keeps its density, and in integers its unit.
#[test]
fn a_file_keeps_the_density_without_the_number_of_boids() {
    let folder = Folder::new();
    folder.write("flock.toml", "preset = \"murmuration\"\n[flock]\nboids = 1000\n");
    let run =
        |rest: &str| folder.done(&format!("run --engine cpu --numeric fixed --quiet --hash {rest}")).stdout;
    let whole = run("-n 1000 --steps 20");
    run("-n 1000 --steps 10 --out half.csv");
    for second in ["", "-n 1000", "--config flock.toml"] {
        let rest = run(&format!("{second} --init half.csv --steps 10"));
        assert!(whole.ends_with(&rest), "{second}");
    }
    // The control: in the world of a hundred thousand the flock goes on otherwise.
    let wide = run("--set flock.density=world --init half.csv --steps 10");
    assert_ne!(wide.lines().last(), whole.lines().last());
}

/// Boids without step and kind, and the predators beside them with the step.
#[test]
fn the_two_files_of_an_earlier_version_are_continued() {
    let folder = Folder::new();
    let run = |rest: &str| {
        folder.done(&format!("run --preset yabi -n 60 --engine cpu --quiet --yes {rest}")).stdout
    };
    let whole = run("--steps 20 --hash");
    run("--steps 10 --out new.csv");
    let (mut boids, mut predators) = (String::new(), String::from("step,id,x,y,z,vx,vy,vz\n"));
    for row in folder.read("new.csv").lines() {
        let cells: Vec<&str> = row.split(',').collect();
        if cells[2] == "predator" {
            predators += &format!("10,{},{}\n", cells[1], cells[3..9].join(","));
        } else {
            boids += &format!("{},{}\n", cells[1], cells[3..].join(","));
        }
    }
    folder.write("old.csv", &boids);
    folder.write("old.predators.csv", &predators);
    assert!(whole.ends_with(&run("--init old.csv --steps 10 --hash")));
}

/// On a plane a boid that turned round had a z of −0, which loading took for 0.
#[test]
fn a_state_from_a_file_has_the_hash_that_was_printed() {
    let folder = Folder::new();
    let flock = "run --preset vicsek --set noise.angle=140 -n 60 --engine cpu --hash";
    for numeric in ["f32", "f64"] {
        let printed = folder.done(&format!("{flock} --numeric {numeric} --steps 1 --yes --out v.csv")).stdout;
        let again = folder.done(&format!("{flock} --numeric {numeric} --steps 0 --init v.csv")).stdout;
        assert!(printed.ends_with(&again));
    }
}

#[test]
fn flocks_of_none_one_and_two_run_too() {
    let folder = Folder::new();
    for preset in NAMES {
        for boids in [0, 1, 2] {
            let call = format!(
                "run --preset {preset} -n {boids} --engine cpu --steps 5 --yes --out a.csv --metrics m.csv"
            );
            folder.done(&call);
            let text = folder.read("a.csv");
            assert!(text.matches(",boid,").count() == boids && !text.contains("NaN"), "{call}");
        }
    }
}
