//! Studies: their tables, and that nothing shows in them of shards, of the order of runs, or of an end by force.

use std::process::Stdio;

use super::{Ended, Folder, ended};

/// 24 runs: 8 settings, 3 seeds.
const SPEC: &str = r#"preset = "yabi"
steps = 60
seeds = 3
[set]
predators.count = 1
[vary]
"noise.weight" = { from = 0, to = 1, points = 4 }
flock.boids = [20, 40]
[measure]
after = 20
every = 4
columns = ["polarization", "heading_error", "groups", "susceptibility"]
series = true
"#;

const TABLES: [&str; 4] = ["runs.csv", "summary.csv", "series.csv", "manifest.json"];

pub(super) fn with_spec() -> Folder {
    let folder = Folder::new();
    folder.write("a.toml", SPEC);
    folder
}

/// The tables of a study, and its manifest.
pub(super) fn tables(folder: &Folder, out: &str) -> [String; 4] {
    TABLES.map(|file| folder.read(&format!("{out}/{file}")))
}

pub(super) fn rows(text: &str) -> Vec<Vec<&str>> {
    text.lines().map(|line| line.split(',').collect()).collect()
}

pub(super) fn number(cell: &str) -> f64 {
    cell.parse().unwrap_or_else(|_| panic!("{cell:?} is no number"))
}

/// The program ended with one line of error, with these words.
pub(super) fn refused(ended: &Ended, code: i32, words: &[&str]) {
    let lines: Vec<&str> = ended.stderr.lines().filter(|line| !line.starts_with("engine: ")).collect();
    assert_eq!(ended.code, Some(code), "{words:?}: {ended:?}");
    assert!(lines[0].starts_with("error: ") && lines.len() <= 2, "{ended:?}");
    assert!(lines[1..].iter().all(|line| line.starts_with("hint: ")), "{ended:?}");
    for word in words {
        assert!(ended.stderr.contains(word), "no {word} in {ended:?}");
    }
}

/// Number of runs in the log of a folder.
fn logged(folder: &Folder, out: &str) -> usize {
    let log = std::fs::read(folder.path(&format!("{out}/runs.log"))).unwrap_or_default();
    log.iter().filter(|byte| **byte == b'\n').count()
}

#[test]
fn rows_are_those_of_single_runs() {
    let folder = with_spec();
    folder.done("sweep a.toml --out one --engine cpu --numeric fixed");
    let [runs, summary, series, manifest] = tables(&folder, "one");
    let (runs, summary, series) = (rows(&runs), rows(&summary), rows(&series));
    assert_eq!((runs.len(), summary.len(), series.len()), (25, 9, 1 + 24 * 11));
    let head =
        ["run", "noise.weight", "flock.boids", "seed", "steps", "polarization_mean", "polarization_sem"];
    assert_eq!((&runs[0][..7], runs[0].last()), (&head[..], Some(&"hash")));
    for row in [&runs[1], &runs[11], &runs[24]] {
        let [number_of, noise, boids, seed, steps] = row[..5] else { panic!("{row:?}") };
        assert_eq!(steps, "60");
        let set = format!("--set predators.count=1 --set noise.weight={noise} -n {boids} --seed {seed}");
        let run = format!("run --preset yabi {set} --engine cpu --numeric fixed --quiet --steps 60");
        let hashes = folder.done(&format!("{run} --hash --metrics m.csv --every 4 --yes")).stdout;
        assert_eq!(hashes.lines().last(), row.last().map(|hash| format!("60,{hash}")).as_deref());
        // The same samples: from step 20 on.
        let samples = folder.read("m.csv");
        let samples = rows(&samples);
        let column = |name| samples[0].iter().position(|known| *known == name).expect("a column");
        let values: Vec<&str> = samples[6..].iter().map(|row| row[column("polarization")]).collect();
        let own = series.iter().filter(|row| row[0] == number_of);
        assert!(own.map(|row| row[5]).eq(values.iter().copied()), "{values:?}");
        let mean = values.iter().map(|value| number(value)).sum::<f64>() / 11.0;
        assert!((number(row[5]) - mean).abs() < 1e-12 && row[9] == values[10], "{row:?}");
        let variance = values.iter().map(|value| (number(value) - mean).powi(2)).sum::<f64>() / 11.0;
        assert!((number(row[20]) - number(boids) * variance).abs() < 1e-9 && row.len() == 22, "{row:?}");
        // Yabi has no scouts, so one measure is not defined.
        assert_eq!(row[10..15], [""; 5]);
    }
    // Three seeds: t = 4.3027 for 2 degrees of freedom.
    let means: Vec<f64> = runs[4..7].iter().map(|row| number(row[5])).collect();
    let mean = means.iter().sum::<f64>() / 3.0;
    let half = 4.3027 * (means.iter().map(|m| (m - mean).powi(2)).sum::<f64>() / 2.0 / 3.0).sqrt();
    let [setting, noise, boids, seeds, stopped, middle, low, high, method] = summary[2][..9] else {
        panic!("{summary:?}")
    };
    assert_eq!((runs[0][20], summary[0][20]), ("susceptibility", "susceptibility_mean"));
    let mean_of = |column: usize| runs[4..7].iter().map(|row| number(row[column])).sum::<f64>() / 3.0;
    assert!((number(summary[2][20]) - mean_of(20)).abs() < 1e-12);
    assert_eq!([setting, noise, boids, seeds, stopped, method], ["1", "0.0", "40", "3", "0", "student"]);
    let width = (mean + half).min(1.0) - (mean - half).max(0.0);
    assert!((number(middle) - mean).abs() < 1e-12 && (number(high) - number(low) - width).abs() < 1e-4);
    let json: serde_json::Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!((&json["engine"], &json["numeric"]), (&"cpu".into(), &"fixed".into()));
    assert_eq!((&json["runs"]["done"], &json["spec"]), (&24.into(), &SPEC.into()));
}

#[test]
fn merged_shards_are_one_run_byte_for_byte() {
    let folder = with_spec();
    folder.done("sweep a.toml --out one --engine cpu --jobs 3");
    for shard in 0..3 {
        folder.done(&format!("sweep a.toml --out part{shard} --engine cpu --shard {shard}/3"));
        assert_eq!(logged(&folder, &format!("part{shard}")), 8);
    }
    refused(&folder.call("sweep --merge part0 part1 --out few"), 1, &["few: 8 of 24 runs are missing"]);
    folder.done("sweep --merge part2 part0 part1 --out all");
    folder.done("sweep --merge part0 one --out all");
    let one = tables(&folder, "one");
    assert!(tables(&folder, "all") == one);
    assert!(tables(&folder, "few") != one);
    // A part of the runs can be done where they are merged.
    folder.done("sweep a.toml --out few --engine cpu --resume --quiet");
    assert!(tables(&folder, "few") == one);
    // Incompatible studies are refused, and a study is not overwritten.
    folder.done("sweep a.toml --out other --engine cpu --steps 30 --quiet");
    folder.done("sweep a.toml --out precise --engine cpu --numeric f64 --quiet");
    for (call, words) in [
        ("--merge one other --out x", &["other: the study there has steps = 30, not 60"][..]),
        ("--merge one precise --out x", &["precise", "numeric = \"f64\", not \"f32\""]),
        ("--merge part0 none --out x", &["none/manifest.json", "no such file"]),
        ("--merge one --out part0", &["part0: it holds shard 0/3, not 0/1"]),
        ("a.toml --out one", &["--out one", "holds a study", "hint: --resume"]),
        ("a.toml --out one --resume --steps 70", &["one: the study there has steps = 60, not 70"]),
        ("a.toml --out one --resume --numeric f64", &["numeric = \"f32\", not \"f64\""]),
        ("a.toml --out one --resume --vary noise.weight=1", &["settings"]),
        ("a.toml --out part1 --resume --shard 2/3", &["part1: it holds shard 1/3, not 2/3"]),
        ("a.toml --merge one --out x", &["--merge"]),
    ] {
        refused(&folder.call(&format!("sweep {call} --engine cpu")), 2, words);
    }
    assert!(!folder.path("x").exists() && tables(&folder, "one") == one);
}

/// The variables of an array of jobs say which shard it is.
#[test]
fn arrays_of_jobs_are_shards() {
    let folder = with_spec();
    let runs = |options: &str, set: &[(&str, &str)]| {
        let mut command = folder.command(&format!("sweep a.toml --dry-run --quiet {options}"));
        let ended = ended(command.envs(set.iter().copied()).output().expect("the program starts"));
        let first = |line: &str| line.split(',').next().and_then(|run| run.parse::<usize>().ok());
        (ended.code, ended.stdout.lines().skip(1).filter_map(first).collect::<Vec<_>>())
    };
    let every = |first, step| (Some(0), (first..24).step_by(step).collect::<Vec<_>>());
    assert_eq!(runs("", &[]), every(0, 1));
    assert_eq!(runs("--shard 3/8", &[]), every(3, 8));
    let slurm =
        [("SLURM_ARRAY_TASK_ID", "4"), ("SLURM_ARRAY_TASK_COUNT", "8"), ("SLURM_ARRAY_TASK_MIN", "1")];
    assert_eq!(runs("", &slurm), every(3, 8));
    assert_eq!(runs("--shards 12", &slurm), every(4, 12));
    assert_eq!(runs("--shard 0/1", &slurm), every(0, 1));
    let kubernetes = [("JOB_COMPLETION_INDEX", "5")];
    assert_eq!(runs("--shards 6", &kubernetes), every(5, 6));
    assert_eq!(runs("", &kubernetes), (Some(2), Vec::new()));
    assert_eq!(runs("--shards 5", &kubernetes), (Some(2), Vec::new()));
    assert_eq!(runs("--shards 5", &[]), (Some(2), Vec::new()));
    assert_eq!(runs("", &[("SLURM_ARRAY_TASK_ID", "")]), every(0, 1));
}

/// A shard that nobody asked for looks like the whole study: a line says so also where the call is quiet, and so do the
/// summary of its folder and a plot.
#[test]
fn an_incomplete_study_says_so() {
    let folder = with_spec();
    let mut command = folder.command("sweep a.toml --engine cpu --quiet --out part");
    let slurm = [("SLURM_ARRAY_TASK_ID", "3"), ("SLURM_ARRAY_TASK_COUNT", "8")];
    let part = ended(command.envs(slurm).output().expect("the program starts"));
    let said = "shard 3/8, by SLURM_ARRAY_TASK_ID; --shard 0/1 does all runs\n";
    assert_eq!((part.code, part.stderr.as_str()), (Some(0), said));
    folder.done("sweep a.toml --engine cpu --quiet --out whole");
    let missing = |out: &str| -> Vec<String> {
        let summary = folder.read(&format!("{out}/summary.csv"));
        rows(&summary).iter().map(|row| row.last().copied().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(missing("whole"), ["missing", "0", "0", "0", "0", "0", "0", "0", "0"]);
    // Runs 3, 11 and 19 of settings 1, 3 and 6.
    assert_eq!(missing("part"), ["missing", "3", "2", "3", "2", "3", "3", "2", "3"]);
    let plot = |table: &str| {
        let plotted = folder.done(&format!(
            "plot {table} -x noise.weight -y polarization --mean-over flock.boids --yes -o a.svg"
        ));
        (plotted.stderr, folder.read("a.svg").contains("runs are missing"))
    };
    for table in ["runs.csv", "summary.csv"] {
        let line = format!("{table}: 21 of 24 runs are missing\n");
        assert_eq!(plot(&format!("part/{table}")), (line, true));
        assert_eq!(plot(&format!("whole/{table}")), (String::new(), false));
    }
    folder.write("summary.csv", &folder.read("part/summary.csv"));
    assert_eq!(plot("summary.csv"), ("summary.csv: runs are missing\n".to_owned(), true));
}

/// An interval is the list of its points, with both ends as they are written.
#[test]
fn an_interval_has_the_tables_of_the_written_list() {
    let folder = Folder::new();
    let sweep = "sweep --preset cornell -n 20 --engine cpu --steps 5 --columns polarization --quiet";
    let list = "0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7";
    folder.write("from.toml", "[vary]\n\"noise.weight\" = { from = 0.1, to = 0.7, points = 7 }\n");
    folder.write("list.toml", &format!("[vary]\n\"noise.weight\" = [{list}]\n"));
    folder.done(&format!("{sweep} from.toml --out a"));
    folder.done(&format!("{sweep} list.toml --out b"));
    folder.done(&format!("{sweep} --vary noise.weight=0.1:0.7:7 --out c"));
    let tables = |out: &str| ["runs", "summary"].map(|table| folder.read(&format!("{out}/{table}.csv")));
    assert!(tables("a") == tables("b") && tables("c") == tables("b"), "{:?}", tables("c"));
}

/// Waits until so many runs are in the log of a sweep, which goes on.
#[cfg(unix)]
fn wait_for_runs(folder: &Folder, out: &str, runs: usize, child: &mut std::process::Child) {
    let begun = std::time::Instant::now();
    while logged(folder, out) < runs {
        assert!(child.try_wait().expect("a child").is_none(), "it ended with {} runs", logged(folder, out));
        assert!(begun.elapsed().as_secs() < 120, "{} of {runs} runs after two minutes", logged(folder, out));
        std::thread::sleep(std::time::Duration::from_micros(200));
    }
}

/// Killed at twenty moments, while it steps, writes a line or begins.
#[cfg(unix)]
#[test]
fn a_killed_sweep_goes_on_where_it_was() {
    let folder = with_spec();
    let sweep = "sweep a.toml --engine cpu --seeds 15 --steps 600 --quiet --out";
    folder.done(&format!("{sweep} one"));
    let mut random = 1_u64;
    let mut draw = |below: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % below
    };
    for _ in 0..20 {
        let before = logged(&folder, "killed");
        let mut child = folder.start(&format!("{sweep} killed --resume"));
        let more = draw(4) as usize;
        wait_for_runs(&folder, "killed", before + more, &mut child);
        std::thread::sleep(std::time::Duration::from_micros(draw(20_000)));
        child.kill().expect("killed");
        child.wait().expect("it ends");
    }
    assert!((1..120).contains(&logged(&folder, "killed")), "{} runs", logged(&folder, "killed"));
    folder.done(&format!("{sweep} killed --resume"));
    assert_eq!(logged(&folder, "killed"), 120);
    assert!(tables(&folder, "killed") == tables(&folder, "one"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_done() {
    let folder = with_spec();
    // The number of steps makes the signal arrive long before the last run.
    let sweep = "sweep a.toml --engine cpu --jobs 1 --steps 2000 --out";
    folder.done(&format!("{sweep} one"));
    let mut command = folder.command(&format!("{sweep} two"));
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    wait_for_runs(&folder, "two", 2, &mut child);
    super::ending::signal("-INT", child.id());
    let ended = ended(child.wait_with_output().expect("it ends"));
    let done = logged(&folder, "two");
    assert!((2..24).contains(&done), "{done} runs");
    assert_eq!(ended.code, Some(130), "{ended:?}");
    assert!(ended.stderr.contains(&format!("two: stopped with {done} of 24 runs")), "{ended:?}");
    assert_eq!(folder.read("two/runs.csv").lines().count(), 1 + done);
    folder.done(&format!("{sweep} two --resume"));
    assert!(tables(&folder, "two") == tables(&folder, "one"));
}

/// A file may grow no further, as on a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_is_one_line_and_resumes() {
    let folder = with_spec();
    let sweep = "sweep a.toml --engine cpu --quiet --after 0 --every 1 --out";
    folder.done(&format!("{sweep} one"));
    // In blocks of 512 bytes or 1024; enough for the manifest.
    let script =
        format!("trap '' XFSZ; ulimit -f 30; exec {} {sweep} full", env!("CARGO_BIN_EXE_murmuration"));
    let mut shell = std::process::Command::new("sh");
    let full =
        ended(shell.args(["-c", &script]).current_dir(folder.inside.path()).output().expect("sh starts"));
    refused(&full, 1, &["cannot write full/runs.log", "hint: what was done is kept: --resume"]);
    let done = logged(&folder, "full");
    assert!((1..24).contains(&done), "{done} runs");
    assert!(folder.read("full/runs.log").ends_with('\n'));
    folder.done(&format!("{sweep} full --resume"));
    assert_eq!(logged(&folder, "full"), 24);
    assert!(tables(&folder, "full") == tables(&folder, "one"));
}

#[test]
fn runs_that_fail_are_named_and_the_others_go_on() {
    let folder = with_spec();
    let sweep = "sweep a.toml --engine cpu --set motion.min_speed=2 --vary motion.max_speed=1:4:4 --out out";
    let failed = "24 of 96 runs failed: out/manifest.json says why";
    refused(&folder.call(sweep), 1, &[failed, "hint: --retry-failed"]);
    assert_eq!((logged(&folder, "out"), folder.read("out/runs.csv").lines().count()), (96, 73));
    let before = tables(&folder, "out");
    let json: serde_json::Value = serde_json::from_str(&before[3]).expect("JSON");
    assert_eq!((&json["runs"]["done"], &json["runs"]["failed"][0]["run"]), (&72.into(), &0.into()));
    assert_eq!(
        json["runs"]["failed"][0]["error"],
        "a.toml: run 0 (noise.weight = 0.0, flock.boids = 20, motion.max_speed = 1.0, seed 1): \
         motion.min_speed = 2.0: must be at most motion.max_speed = 1.0"
    );
    refused(&folder.call(&format!("{sweep} --resume")), 1, &[failed]);
    assert_eq!(logged(&folder, "out"), 96);
    refused(&folder.call(&format!("{sweep} --retry-failed")), 1, &[failed]);
    assert_eq!(logged(&folder, "out"), 120);
    assert!(tables(&folder, "out") == before);
}

#[test]
fn a_bound_of_a_measure_ends_a_run() {
    let folder = Folder::new();
    let sweep = "sweep --engine cpu --preset yabi -n 50 --seeds 4,9 --steps 400 --columns polarization";
    folder.write("stop.toml", "[stop]\npolarization = { above = 0.3 }\n");
    folder.done(&format!("{} stop.toml --out stopped", sweep));
    folder.done(&format!("{} --out whole", sweep));
    let [stopped, whole] = ["stopped", "whole"].map(|out| folder.read(&format!("{out}/runs.csv")));
    let (stopped, whole) = (rows(&stopped), rows(&whole));
    assert_eq!((stopped[1][1], stopped[2][1]), ("4", "9"));
    for (short, long) in stopped[1..].iter().zip(&whole[1..]) {
        assert!(number(short[2]) < 400.0 && number(short[7]) > 0.3, "{short:?}");
        assert_eq!((long[2], long.len()), ("400", 9));
    }
}
