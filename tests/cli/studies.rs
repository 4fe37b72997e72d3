//! Content of a study's files: log lines with checksums, the build in the manifest, intervals in the summary.

use super::Folder;
use super::sweeping::{number, refused, rows, tables, with_spec};

/// The line of a log that was changed becomes no result: its run is done again, and a line says so.
#[test]
fn a_line_of_the_log_that_was_damaged_is_done_again() {
    let folder = with_spec();
    let sweep = "sweep a.toml --engine cpu --quiet --out";
    folder.done(&format!("{sweep} one"));
    let (before, log) = (tables(&folder, "one"), folder.read("one/runs.log"));
    let digit = log.find("\"60\"").expect("the steps");
    for (at, with, lines) in [
        (digit + 1, "5", "line 1 is damaged: its run counts as not done"),
        (log.find("cells").expect("a key"), "c3", "line 1 is damaged"),
        (log.find('\n').expect("a line feed"), " ", "line 1 is damaged"),
        (log.len() - 1, "x", "line 24 is damaged"),
        (0, "bad", "line 1 is damaged"),
    ] {
        let mut changed = log.clone();
        changed.replace_range(at..at + with.len(), with);
        folder.write("one/runs.log", &changed);
        let merged = folder.call("sweep --merge one --out all --quiet");
        assert_eq!(merged.code, Some(1), "{merged:?}");
        assert!(merged.stderr.starts_with(&format!("one/runs.log: {lines}")), "{merged:?}");
        assert!(merged.stderr.contains("of 24 runs are missing"), "{merged:?}");
        std::fs::remove_dir_all(folder.path("all")).expect("removed");
        let resumed = folder.done(&format!("{sweep} one --resume"));
        assert_eq!(resumed.stderr.lines().count(), 1, "{resumed:?}");
        assert!(resumed.stderr.contains(&format!("one/runs.log: {lines}")), "{resumed:?}");
        assert!(tables(&folder, "one") == before, "{at}");
        // It was said once.
        assert_eq!(folder.done(&format!("{sweep} one --resume")).stderr, "");
        assert!(tables(&folder, "one") == before, "{at}");
    }
}

/// Two builds of one version are two programs, and so is one that named no build or knew other studies.
#[test]
fn a_study_of_another_build_is_not_resumed() {
    let folder = Folder::new();
    let sweep = "sweep --preset yabi -n 20 --engine cpu --steps 20 --columns milling --out out";
    folder.done(&format!("{sweep} --quiet"));
    let text = folder.read("out/manifest.json");
    let manifest: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let build = manifest["build"].as_str().expect("a build").to_owned();
    assert!(build.len() == 16 && u64::from_str_radix(&build, 16).is_ok(), "{build}");
    let without = text.lines().filter(|line| !line.contains("\"build\""));
    for (changed, theirs) in [
        (text.replace(&build, "0123456789abcdef"), "(0123456789abcdef)"),
        (without.map(|line| format!("{line}\n")).collect(), "(no build)"),
        (text.replace(&build, "0123456789abcdef").replace("\"steps\"", "\"stages\""), "(0123456789abcdef)"),
    ] {
        assert_ne!(changed, text);
        folder.write("out/manifest.json", &changed);
        let ended = folder.call(&format!("{sweep} --resume"));
        refused(&ended, 2, &["another version of the program wrote", theirs, &format!("({build})")]);
    }
    folder.write("out/manifest.json", &text.replace("\"steps\"", "\"stages\""));
    refused(&folder.call(&format!("{sweep} --resume")), 2, &["it is no manifest of a study"]);
}

/// A flock that was edited in its file is another study: each key that differs is named with both values.
#[test]
fn a_study_of_another_flock_names_the_keys_that_differ() {
    let folder = Folder::new();
    let flock = |radius: f64, weight: f64| {
        format!(
            "preset = \"cornell\"\n[flock]\nboids = 20\n[cohesion]\nradius = {radius}\n[noise]\nweight = {weight}\n"
        )
    };
    folder.write("flock.toml", &flock(3.0, 0.25));
    let sweep = "sweep --config flock.toml --engine cpu --columns polarization --out out --quiet";
    folder.done(&format!("{sweep} --steps 5"));
    folder.write("flock.toml", &flock(3.5, 0.5));
    let ended = folder.call(&format!("{sweep} --resume --steps 6"));
    let all = "out: the study there has cohesion.radius = 3.0, not 3.5; noise.weight = 0.25, not 0.5; steps = 5, not 6";
    assert_eq!((ended.code, ended.stderr), (Some(2), format!("error: {all}\n")));
}

/// A file may have comments in a list and underscores in a number; one boid has a polarization of 1, and no more.
#[test]
fn a_study_reads_what_toml_allows_and_sets_a_parameter_once() {
    let folder = Folder::new();
    let text = "preset = \"think\"\nsteps = 400\nseeds = [1, # one\n 2]\n[set]\n\"flock.boids\" = 1\n\
                [vary]\n\"noise.weight\" = { from = 0.5, to = 1_0.5, points = 2 }\n[stop]\npolarization = { above = 1_0 }\n\
                [measure]\nevery = 1\ncolumns = [\"polarization\", \"binder\"]\n";
    folder.write("a.toml", text);
    folder.done("sweep a.toml --engine cpu --quiet --out out");
    let [runs, summary] = ["runs", "summary"].map(|table| folder.read(&format!("out/{table}.csv")));
    let (runs, summary) = (rows(&runs), rows(&summary));
    let at = |name: &str| runs[0].iter().position(|column| *column == name).expect(name);
    let (most, binder) = (at("polarization_max"), at("binder"));
    assert_eq!(runs[1..].iter().map(|row| row[1]).collect::<Vec<_>>(), ["0.5", "0.5", "10.5", "10.5"]);
    assert!(
        runs[1..].iter().all(|row| number(row[most]) == 1.0 && number(row[binder]) <= 2.0 / 3.0),
        "{runs:?}"
    );
    let of = |name: &str| summary[0].iter().position(|column| *column == name).expect(name);
    let [low, high] = ["binder_ci_low", "binder_ci_high"].map(of);
    assert!(summary[1..].iter().all(|row| number(row[low]) <= number(row[high])), "{summary:?}");
}

/// Intervals lie in the range of what they are of, and name their method; a fraction is that of the runs.
#[test]
fn a_summary_has_intervals_within_ranges_fractions_and_stopped_runs() {
    let folder = Folder::new();
    folder.write(
        "a.toml",
        "preset = \"yabi\"\nsteps = 100\nseeds = 9\n[vary]\n\"flock.boids\" = [20, 30]\n[measure]\nafter = 20\n\
         columns = [\"polarization\", \"fraction(polarization > 0.3)\", \"heading_error\"]\n[stop]\npolarization = { above = 0.4 }\n",
    );
    folder.done("sweep a.toml --engine cpu --quiet --out out");
    let [runs, summary] = ["runs", "summary"].map(|table| folder.read(&format!("out/{table}.csv")));
    let (runs, summary) = (rows(&runs), rows(&summary));
    let name = "fraction(polarization>0.3)";
    assert_eq!(runs[0][9], name);
    let head = ["setting", "flock.boids", "seeds", "stopped", "polarization_mean", "polarization_ci_low"];
    assert_eq!(summary[0][..6], head);
    assert_eq!(summary[0][6..9], ["polarization_ci_high", "polarization_ci_method", "polarization_seeds"]);
    let parts = ["mean", "ci_low", "ci_high", "ci_method", "seeds"];
    assert_eq!(summary[0][9..14], parts.map(|part| format!("{name}_{part}")));
    for (setting, row) in summary[1..].iter().enumerate() {
        let of = &runs[1 + 9 * setting..][..9];
        let column = |at: usize| of.iter().map(move |row| number(row[at]));
        let early = column(3).filter(|steps| *steps < 100.0).count();
        assert_eq!(row[3], early.to_string());
        assert!(of.iter().all(|row| (number(row[4]) > 0.3) == (row[9] == "1.0")), "{of:?}");
        let share = column(9).sum::<f64>() / 9.0;
        let z2 = 1.959_964_f64.powi(2) / 9.0;
        let half = (share * (1.0 - share) * z2 + z2 * z2 / 4.0).sqrt() / (1.0 + z2);
        let high = (share + z2 / 2.0) / (1.0 + z2) + half;
        assert!((number(row[9]) - share).abs() < 1e-12 && (number(row[11]) - high).abs() < 1e-6, "{row:?}");
        assert_eq!((row[7], row[12]), ("bootstrap", "wilson"));
        // No run has scouts, whose error that would be.
        assert_eq!([row[8], row[13], row[14], row[18]], ["9", "9", "", "0"]);
        let (least, most) = column(4).fold((1.0, 0.0), |(a, b): (f64, f64), mean| (a.min(mean), b.max(mean)));
        let [mean, low, high] = [row[4], row[5], row[6]].map(number);
        assert!(least <= low && low < mean && mean < high && high <= most, "{row:?}");
    }
    assert!(summary[1..].iter().any(|row| number(row[3]) > 0.0), "{summary:?}");
    folder.done("plot out/runs.csv -y fraction(polarization>0.3) -o a.svg");
    assert!(folder.read("a.svg").contains("means of 9 rows; bars: 95 % confidence by Wilson"));
    folder.done("plot out/runs.csv -y polarization -o b.svg");
    assert!(folder.read("b.svg").contains("95 % confidence by bootstrap"));
}

/// A schedule continues with the flock of the previous stair, like runs started from each other's states, also if the
/// study is stopped and resumed. Without the change the result differs.
#[test]
fn a_stair_of_a_schedule_begins_where_the_one_before_ended() {
    let folder = Folder::new();
    let text = "preset = \"vicsek\"\nseeds = [3, 4]\n[set]\n\"flock.boids\" = 40\n[schedule]\ndwell = 20\n        \"noise.angle\" = [10, 60, 10]\n[measure]\nevery = 5\nseries = true\ncolumns = [\"polarization\"]\n";
    folder.write("loop.toml", text);
    let sweep = "sweep loop.toml --engine cpu --numeric fixed --quiet --out";
    folder.done(&format!("{sweep} out"));
    let [runs, series] = ["runs", "series"].map(|table| folder.read(&format!("out/{table}.csv")));
    let (runs, series) = (rows(&runs), rows(&series));
    let head = runs[0].join(",");
    assert!(head.starts_with("run,noise.angle,direction,stair,seed,steps,polarization_mean"), "{head}");
    let firsts: Vec<String> = runs[1..4].iter().map(|row| row[..6].join(" ")).collect();
    assert_eq!(firsts, ["0 10.0 rising 0 3 20", "0 60.0 rising 1 3 40", "0 10.0 falling 2 3 60"]);
    assert_eq!((runs.len(), rows(&folder.read("out/summary.csv")).len()), (7, 4));
    let steps: Vec<String> = series[1..10].iter().map(|row| row[3..6].join(" ")).collect();
    assert_eq!(
        steps,
        ["0 3 10", "0 3 15", "0 3 20", "1 3 30", "1 3 35", "1 3 40", "2 3 50", "2 3 55", "2 3 60"]
    );
    let hash = |angle: u32, first: u32| {
        let from = if first == 0 { String::new() } else { format!("--init {first}.csv") };
        let to = first + 20;
        let call = format!(
            "run --preset vicsek -n 40 --seed 3 --engine cpu --numeric fixed --set noise.angle={angle} --steps 20 {from}"
        );
        folder.done(&format!("{call} --out {to}.csv --quiet --yes"));
        let printed = folder.done(&format!("{call} --hash"));
        printed.stdout.lines().last().and_then(|line| line.split(',').nth(1)).map(str::to_owned)
    };
    for (stair, angle) in [10, 60, 10].into_iter().enumerate() {
        assert_eq!(
            hash(angle, 20 * stair as u32),
            runs[1 + stair].last().map(|cell| (*cell).to_owned()),
            "stair {stair}"
        );
    }
    assert_ne!(hash(10, 20), runs[2].last().map(|cell| (*cell).to_owned()), "without the change");
    // `run` has the same flock on the way and at the end, in batches of steps and step by step.
    let run = "run --preset vicsek -n 40 --seed 3 --engine cpu --numeric fixed --schedule loop.toml";
    let printed = folder.done(&format!("{run} --hash")).stdout;
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 61);
    for stair in 1..=3 {
        assert_eq!(lines[20 * stair].split(',').nth(1), runs[stair].last().copied(), "after stair {stair}");
    }
    let summary = folder.done(&format!("{run} --json --metrics m.csv --every 7")).stdout;
    assert!(summary.contains(&format!("\"{}\"", lines[60].split_at(3).1)), "{summary}");
    let stays = folder.done(&format!("{run} --steps 70 --hash")).stdout;
    assert!(stays.starts_with(&printed) && stays.lines().count() == 71, "the last values stay");
    folder.done(&format!("{run} --steps 25 --out half.csv --quiet"));
    let rest = folder.done(&format!("{run} --init half.csv --steps 35 --hash")).stdout;
    assert!(
        printed.ends_with(&rest) && rest.lines().count() == 36,
        "a run from a file goes on with its stair"
    );
    // The flock is that of the call, and a parameter is set in one place.
    let said = "loop.toml: of it only [schedule] is taken";
    assert!(folder.call(&run.replace("vicsek", "couzin")).stderr.contains(said));
    folder.done(&format!("{sweep} part"));
    let log = folder.read("part/runs.log");
    folder.write("part/runs.log", &log[..log.find('\n').expect("a line") + 1]);
    folder.done(&format!("{sweep} part --resume"));
    assert!(tables(&folder, "part") == tables(&folder, "out"));
}
