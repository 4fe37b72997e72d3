//! Studies: their tables, and that nothing shows in them of shards, of the order of runs, or of an end by force.
//! `calls/works.txt` and `calls/sweep.txt` have what they print and refuse.

use super::{Folder, ended, json};

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

pub fn with_spec() -> Folder {
    let folder = Folder::new();
    folder.write("a.toml", SPEC);
    folder
}

/// The tables of a study, and its manifest.
pub fn tables(folder: &Folder, out: &str) -> [String; 4] {
    TABLES.map(|file| folder.read(&format!("{out}/{file}")))
}

/// A table whose cells are found by the names of their columns.
struct Table(Vec<Vec<String>>);

impl Table {
    fn read(folder: &Folder, path: &str) -> Self {
        let row = |line: &str| line.split(',').map(str::to_owned).collect();
        Table(folder.read(path).lines().map(row).collect())
    }

    fn rows(&self) -> usize {
        self.0.len() - 1
    }

    fn cell(&self, row: usize, column: &str) -> &str {
        let at = self.0[0].iter().position(|name| name == column).expect(column);
        &self.0[1 + row][at]
    }

    fn number(&self, row: usize, column: &str) -> f64 {
        let cell = self.cell(row, column);
        cell.parse().unwrap_or_else(|_| panic!("{cell:?} is no number"))
    }

    fn numbers(&self, rows: std::ops::Range<usize>, column: &str) -> Vec<f64> {
        rows.map(|row| self.number(row, column)).collect()
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sum of the squares of the deviations from the mean.
fn squares(values: &[f64]) -> f64 {
    values.iter().map(|value| (value - mean(values)).powi(2)).sum()
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
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
    let [runs, summary, series] =
        ["runs", "summary", "series"].map(|table| Table::read(&folder, &format!("one/{table}.csv")));
    assert_eq!((runs.rows(), summary.rows(), series.rows()), (24, 8, 24 * 11));
    for row in [0, 10, 23] {
        let cell = |column| runs.cell(row, column);
        let set = format!("--set predators.count=1 --set noise.weight={}", cell("noise.weight"));
        let flock = format!("run --preset yabi {set} -n {} --seed {}", cell("flock.boids"), cell("seed"));
        let run = format!("{flock} --engine cpu --numeric fixed --quiet --steps 60 --hash");
        let hashes = folder.done(&format!("{run} --metrics m.csv --every 4 --yes")).stdout;
        assert!(hashes.ends_with(&format!("\n60,{}\n", cell("hash"))), "{hashes}");
        // The same samples: from step 20 on.
        let samples = Table::read(&folder, "m.csv").numbers(5..16, "polarization");
        assert_eq!(series.numbers(11 * row..11 * row + 11, "polarization"), samples);
        assert!(near(runs.number(row, "polarization_mean"), mean(&samples)));
        assert_eq!(runs.number(row, "polarization_last"), samples[10]);
        let susceptibility = runs.number(row, "flock.boids") * squares(&samples) / 11.0;
        assert!(near(runs.number(row, "susceptibility"), susceptibility));
        // Yabi has no scouts, so one measure is not defined.
        assert_eq!((cell("steps"), cell("heading_error_mean")), ("60", ""));
    }
    // Three seeds: t = 4.3027 for 2 degrees of freedom.
    let means = runs.numbers(3..6, "polarization_mean");
    let half = 4.3027 * (squares(&means) / 2.0 / 3.0).sqrt();
    assert!(near(summary.number(1, "polarization_mean"), mean(&means)));
    assert!(near(summary.number(1, "susceptibility_mean"), mean(&runs.numbers(3..6, "susceptibility"))));
    let width = summary.number(1, "polarization_ci_high") - summary.number(1, "polarization_ci_low");
    let expected = (mean(&means) + half).min(1.0) - (mean(&means) - half).max(0.0);
    assert!((width - expected).abs() < 1e-4, "{width}, {expected}");
    for (column, value) in [("setting", "1"), ("flock.boids", "40"), ("seeds", "3"), ("stopped", "0")] {
        assert_eq!(summary.cell(1, column), value, "{column}");
    }
    let manifest = folder.json("one/manifest.json");
    assert_eq!((&manifest["engine"], &manifest["numeric"]), (&"cpu".into(), &"fixed".into()));
    assert_eq!((&manifest["runs"]["done"], &manifest["spec"]), (&24.into(), &SPEC.into()));
}

#[test]
fn merged_shards_are_one_run_byte_for_byte() {
    let folder = with_spec();
    folder.done("sweep a.toml --out one --engine cpu --jobs 3");
    for shard in 0..3 {
        folder.done(&format!("sweep a.toml --out part{shard} --engine cpu --shard {shard}/3"));
        assert_eq!(logged(&folder, &format!("part{shard}")), 8);
    }
    folder.done("sweep --merge part2 part0 part1 --out all");
    folder.done("sweep --merge part0 one --out all");
    let one = tables(&folder, "one");
    assert!(tables(&folder, "all") == one);
    assert_eq!(folder.call("sweep --merge part0 part1 --out few").code, Some(1));
    assert!(tables(&folder, "few") != one);
    // A part of the runs can be done where they are merged.
    folder.done("sweep a.toml --out few --engine cpu --resume --quiet");
    assert!(tables(&folder, "few") == one);
}

/// The variables of an array of jobs say which shard it is: a line says so also where the call is quiet, and its tables
/// say how many runs are missing.
#[test]
fn arrays_of_jobs_are_shards() {
    let folder = with_spec();
    let mut command = folder.command("sweep a.toml --engine cpu --quiet --out part");
    let slurm =
        [("SLURM_ARRAY_TASK_ID", "4"), ("SLURM_ARRAY_TASK_COUNT", "8"), ("SLURM_ARRAY_TASK_MIN", "1")];
    let part = ended(command.envs(slurm).output().expect("the program starts"));
    let said = "note: running shard 3/8, from SLURM_ARRAY_TASK_ID; use --shard 0/1 for all runs\n";
    assert_eq!((part.code, part.stderr.as_str()), (Some(0), said));
    let [runs, summary] = ["runs", "summary"].map(|table| Table::read(&folder, &format!("part/{table}.csv")));
    assert_eq!(runs.numbers(0..3, "run"), [3.0, 11.0, 19.0]);
    assert_eq!(summary.numbers(0..8, "missing"), [3.0, 2.0, 3.0, 2.0, 3.0, 3.0, 2.0, 3.0]);
    folder.write("summary.csv", &folder.read("part/summary.csv"));
    let plot = "plot summary.csv -x noise.weight -y polarization --mean-over flock.boids -o a.svg";
    assert_eq!(folder.done(plot).stderr, "note: summary.csv: runs are missing\n");
    assert!(folder.read("a.svg").contains("runs are missing"));
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

/// Killed at ten moments, while it steps, writes a line or begins.
#[cfg(unix)]
#[test]
fn a_killed_sweep_goes_on_where_it_was() {
    let folder = with_spec();
    let sweep = "sweep a.toml --engine cpu --seeds 8 --steps 300 --quiet --out";
    folder.done(&format!("{sweep} one"));
    for k in 0..10 {
        let before = logged(&folder, "killed");
        let mut child = folder.start(&format!("{sweep} killed --resume"));
        wait_for_runs(&folder, "killed", before + k % 4, &mut child);
        std::thread::sleep(std::time::Duration::from_micros(k as u64 * 7919 % 10_000));
        child.kill().expect("killed");
        child.wait().expect("it ends");
    }
    assert!((1..64).contains(&logged(&folder, "killed")), "{} runs", logged(&folder, "killed"));
    folder.done(&format!("{sweep} killed --resume"));
    assert_eq!(logged(&folder, "killed"), 64);
    assert!(tables(&folder, "killed") == tables(&folder, "one"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_is_done() {
    let folder = with_spec();
    // The number of steps makes the signal arrive long before the last run.
    let sweep = "sweep a.toml --engine cpu --jobs 1 --steps 1000 --out";
    folder.done(&format!("{sweep} one"));
    let mut child = folder.start(&format!("{sweep} two"));
    wait_for_runs(&folder, "two", 2, &mut child);
    super::ending::signal("-INT", child.id());
    let ended = ended(child.wait_with_output().expect("it ends"));
    let done = logged(&folder, "two");
    assert!(ended.code == Some(130) && (2..24).contains(&done), "{done} runs: {ended:?}");
    assert!(ended.stderr.contains(&format!("two: stopped after {done} of 24 runs")), "{ended:?}");
    assert_eq!(folder.read("two/runs.csv").lines().count(), 1 + done);
    folder.done(&format!("{sweep} two --resume"));
    assert!(tables(&folder, "two") == tables(&folder, "one"));
}

/// Failed runs are done again when the call says so, and the others are not.
#[test]
fn runs_that_fail_are_named_and_the_others_go_on() {
    let folder = with_spec();
    let sweep = "sweep a.toml --engine cpu --steps 9 --after 0 --set motion.min_speed=2 --vary motion.max_speed=1,4 --out out";
    for (more, logged_then) in [("", 48), (" --resume", 48), (" --retry-failed", 72)] {
        let ended = folder.call(&format!("{sweep}{more}"));
        assert_eq!((ended.code, logged(&folder, "out")), (Some(1), logged_then), "{more}: {ended:?}");
    }
    let manifest = folder.json("out/manifest.json");
    assert_eq!((&manifest["runs"]["done"], &manifest["runs"]["failed"][0]["run"]), (&24.into(), &0.into()));
    assert_eq!(
        manifest["runs"]["failed"][0]["error"],
        "a.toml: run 0 (noise.weight = 0.0, flock.boids = 20, motion.max_speed = 1.0, seed 1): \
         motion.min_speed = 2.0 must be at most motion.max_speed = 1.0"
    );
}

/// Two builds of one version are two programs, and so is one that named no build or knew other studies.
#[test]
fn a_study_of_another_build_is_not_resumed() {
    let folder = Folder::new();
    let sweep = "sweep --preset yabi -n 20 --engine cpu --steps 20 --columns milling --out out";
    folder.done(&format!("{sweep} --quiet"));
    let text = folder.read("out/manifest.json");
    let manifest = json(&text);
    let build = manifest["build"].as_str().expect("a build").to_owned();
    assert!(build.len() == 16 && u64::from_str_radix(&build, 16).is_ok(), "{build}");
    let other = text.replace(&build, "0123456789abcdef");
    let without = text.lines().filter(|line| !line.contains("\"build\""));
    for (changed, why) in [
        (other.clone(), "written by another version of the program"),
        (other.replace("\"steps\"", "\"stages\""), "(0123456789abcdef)"),
        (without.map(|line| format!("{line}\n")).collect(), "(no build)"),
        (text.replace("\"steps\"", "\"stages\""), "not the manifest of a study"),
    ] {
        folder.write("out/manifest.json", &changed);
        let ended = folder.call(&format!("{sweep} --resume"));
        assert!(ended.code == Some(2) && ended.stderr.contains(why), "{why}: {ended:?}");
    }
}

/// Intervals lie in the range of what they are of, and name their method; a fraction is that of the runs; a bound ends a
/// run.
#[test]
fn a_summary_has_intervals_within_ranges_fractions_and_stopped_runs() {
    let folder = Folder::new();
    let spec = "preset = \"yabi\"\nsteps = 100\nseeds = 9\n[vary]\n\"flock.boids\" = [20, 30]\n[measure]\nafter = 20\n\
         columns = [\"polarization\", \"fraction(polarization > 0.3)\", \"binder\"]\n[stop]\npolarization = { above = 0.4 }\n";
    folder.write("a.toml", spec);
    folder.done("sweep a.toml --engine cpu --quiet --out out");
    let [runs, summary] = ["runs", "summary"].map(|table| Table::read(&folder, &format!("out/{table}.csv")));
    let fraction = "fraction(polarization>0.3)";
    for setting in 0..2 {
        let of = 9 * setting..9 * setting + 9;
        let [steps, means, shares] =
            ["steps", "polarization_mean", fraction].map(|column| runs.numbers(of.clone(), column));
        let early = steps.iter().filter(|steps| **steps < 100.0).count();
        assert!(early > 0 && summary.cell(setting, "stopped") == early.to_string(), "{early}");
        let last = runs.numbers(of, "polarization_last");
        assert!(
            steps.iter().zip(last).all(|(steps, last)| (*steps < 100.0) == (last > 0.4) || *steps == 100.0)
        );
        assert!(means.iter().zip(&shares).all(|(mean, share)| (*mean > 0.3) == (*share == 1.0)), "{means:?}");
        let (share, z2) = (mean(&shares), 1.959_964_f64.powi(2) / 9.0);
        let half = (share * (1.0 - share) * z2 + z2 * z2 / 4.0).sqrt() / (1.0 + z2);
        let high = (share + z2 / 2.0) / (1.0 + z2) + half;
        let number = |part: &str| summary.number(setting, part);
        assert!(near(number(&format!("{fraction}_mean")), share));
        assert!((number(&format!("{fraction}_ci_high")) - high).abs() < 1e-6);
        let method = |column: &str| summary.cell(setting, &format!("{column}_ci_method"));
        assert_eq!((method("polarization"), method(fraction)), ("bootstrap", "wilson"));
        let [middle, low, high] =
            ["mean", "ci_low", "ci_high"].map(|part| number(&format!("polarization_{part}")));
        let (least, most) =
            (means.iter().copied().fold(1.0, f64::min), means.iter().copied().fold(0.0, f64::max));
        assert!(least <= low && low < middle && middle < high && high <= most, "{low} {middle} {high}");
        assert!(number("binder_ci_low") <= number("binder_ci_high"));
    }
    for (column, method) in [(fraction, "Wilson"), ("polarization", "bootstrap")] {
        folder.done(&format!("plot out/runs.csv -y {column} -o a.svg --yes"));
        assert!(
            folder.read("a.svg").contains(&format!("means of 9 rows; bars: 95 % confidence by {method}"))
        );
    }
}

/// A schedule continues with the flock of the previous stage, like runs started from each other's states, also if the
/// study is stopped and resumed.
#[test]
fn a_stage_of_a_schedule_begins_where_the_one_before_ended() {
    let folder = Folder::new();
    let text = "preset = \"vicsek\"\nseeds = [3, 4]\n[set]\n\"flock.boids\" = 40\n[schedule]\ndwell = 20\n\
                \"noise.angle\" = [10, 60, 10]\n[measure]\nevery = 5\nseries = true\ncolumns = [\"polarization\"]\n";
    folder.write("loop.toml", text);
    let sweep = "sweep loop.toml --engine cpu --numeric fixed --quiet --out";
    folder.done(&format!("{sweep} out"));
    let runs = folder.read("out/runs.csv");
    let rows: Vec<String> =
        runs.lines().map(|row| row.split(',').take(6).collect::<Vec<_>>().join(" ")).collect();
    let expected = [
        "run noise.angle direction stage seed steps",
        "0 10.0 rising 0 3 20",
        "0 60.0 rising 1 3 40",
        "0 10.0 falling 2 3 60",
    ];
    assert_eq!((&rows[..4], rows.len()), (&expected.map(str::to_owned)[..], 7));
    let steps = Table::read(&folder, "out/series.csv").numbers(0..9, "step");
    assert_eq!(steps, [10, 15, 20, 30, 35, 40, 50, 55, 60].map(f64::from));
    // `run` has the same flock on the way and at the end, in batches of steps and step by step.
    let flock = "run --preset vicsek -n 40 --seed 3 --engine cpu --numeric fixed --quiet";
    let run = format!("{flock} --schedule loop.toml");
    let printed = folder.done(&format!("{run} --hash")).stdout;
    let lines: Vec<&str> = printed.lines().collect();
    let hashes = Table::read(&folder, "out/runs.csv");
    for stage in 0..3 {
        assert_eq!(lines[20 * stage + 20], format!("{},{}", 20 * stage + 20, hashes.cell(stage, "hash")));
        // So do single runs, each from the state of the one before.
        let angle = hashes.cell(stage, "noise.angle");
        let from = if stage == 0 { String::new() } else { format!("--init {stage}.csv") };
        let single = folder.done(&format!(
            "{flock} --set noise.angle={angle} --steps 20 {from} --hash --out {}.csv",
            stage + 1
        ));
        assert_eq!(single.stdout.lines().last(), Some(lines[20 * stage + 20]), "stage {stage}");
    }
    let summary = folder.done(&format!("{run} --json --metrics m.csv --every 7")).stdout;
    assert!(summary.contains(&format!("\"{}\"", lines[60].split_at(3).1)), "{summary}");
    let stays = folder.done(&format!("{run} --steps 70 --hash")).stdout;
    assert!(stays.starts_with(&printed) && stays.lines().count() == 71, "the last values stay");
    folder.done(&format!("{run} --steps 25 --out half.csv"));
    let rest = folder.done(&format!("{run} --init half.csv --steps 35 --hash")).stdout;
    assert!(
        printed.ends_with(&rest) && rest.lines().count() == 36,
        "a run from a file goes on with its stage"
    );
    // Tables of version 0.1.0 call the stage a stair, and so may a call.
    folder.write("old.csv", &runs.replace(",stage,", ",stair,"));
    folder.done("plot out/runs.csv -x stage --by direction -o new.svg --quiet");
    folder.done("plot old.csv -x stair --by direction -o old.svg --quiet");
    let picture = |name: &str| folder.read(name).replace("old.csv", "runs.csv");
    assert_eq!(picture("old.svg"), picture("new.svg"));
    // The flock is that of the call.
    let said = "loop.toml: only its [schedule] is used";
    assert!(folder.call(&run.replace("vicsek", "couzin").replace("--quiet", "")).stderr.contains(said));
    folder.done(&format!("{sweep} part"));
    let log = folder.read("part/runs.log");
    folder.write("part/runs.log", &log[..log.find('\n').expect("a line") + 1]);
    folder.done(&format!("{sweep} part --resume"));
    assert!(tables(&folder, "part") == tables(&folder, "out"));
}

/// The scripts of `examples/cluster`, on a Slurm of one node and under GNU parallel.
#[cfg(target_os = "linux")]
mod cluster {
    use std::path::Path;
    use std::process::Command;

    use super::{TABLES, logged};
    use crate::slurm::{PROGRAMS, Slurm, installed, script, search_path};
    use crate::{Folder, ended};

    /// 32 runs, 4 a shard of 8.
    const SPEC: &str = "preset = \"yabi\"\nsteps = 12000\nseeds = 8\n[set]\nflock.boids = 100\n[vary]\n\
                        noise.weight = [0, 0.5, 1, 2]\n[measure]\nevery = 1000\ncolumns = [\"polarization\"]\n";

    fn programs() -> &'static Path {
        Path::new(env!("CARGO_BIN_EXE_murmuration")).parent().expect("a folder")
    }

    /// The tables are those of a study that was done at once.
    fn is_one_run(folder: &Folder, out: &str) {
        folder.done("sweep a.toml --out one --engine cpu --quiet");
        for table in TABLES.iter().filter(|table| **table != "series.csv") {
            assert!(
                folder.read(&format!("{out}/{table}")) == folder.read(&format!("one/{table}")),
                "{table}"
            );
        }
    }

    #[test]
    fn a_slurm_array_is_one_run() {
        if !installed(&PROGRAMS) {
            return;
        }
        let folder = Folder::new();
        folder.write("a.toml", SPEC);
        let slurm = Slurm::start(folder.inside.path(), programs());
        let script = script("slurm.sh").display().to_string();
        let submit = |array| slurm.submit(&["--array", array, &script, "a.toml", "results", "8"]);
        let job = submit("0-7%2");
        slurm.wait("shard 2", |_| logged(&folder, "results/shard-2") > 0);
        slurm.kill(&format!("{job}_2"));
        slurm.wait_for(&job);
        let done = logged(&folder, "results/shard-2");
        assert!(done < 4, "the job was killed too late");
        let shards: Vec<String> = (0..8).map(|shard| format!("results/shard-{shard}")).collect();
        let merge = format!("sweep --merge {} --out all --quiet", shards.join(" "));
        let few = folder.call(&merge);
        assert_eq!(few.code, Some(1), "{few:?}");
        assert!(few.stderr.contains(&format!("{} of 32 runs are missing", 4 - done)), "{few:?}");
        slurm.wait_for(&submit("2"));
        folder.done(&merge);
        is_one_run(&folder, "all");
    }

    #[test]
    fn gnu_parallel_does_all_shards() {
        if !installed(&["parallel"]) {
            return;
        }
        let folder = Folder::new();
        folder.write("a.toml", &SPEC.replace("12000", "40").replace("1000", "10"));
        // Twice: the second time there is nothing to do.
        for _ in 0..2 {
            let mut command = Command::new("sh");
            command.arg(script("parallel.sh")).args(["a.toml", "results", "3"]);
            command.env("PATH", search_path(programs())).env("MURMURATION_CACHE", "");
            let ended = ended(command.current_dir(folder.inside.path()).output().expect("sh starts"));
            assert_eq!(ended.code, Some(0), "{ended:?}");
        }
        is_one_run(&folder, "results/all");
    }
}
