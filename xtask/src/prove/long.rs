//! `cargo xtask prove long`: a million steps of each preset, a study of a million short runs and a window that stays open
//! for an hour. Memory stays flat, files do not accumulate, and the bits are the recorded ones.

use super::{Findings, presets, source};
use crate::display::Virtual;
use crate::shell::{Error, Result, at};
use crate::{drivers, options, shell};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The number of boids in the flocks whose hashes are recorded, and the steps of the hashes.
const BOIDS: &str = "200";
const RECORDED_STEPS: [u64; 4] = [1, 10, 100, 1000];
/// Growth of memory that is no leak, as a share of it.
const FLAT: f64 = 0.05;
/// A study remembers where each run is in its log: at most 128 bytes.
const RUNS_IN_KIB: u32 = 8;
/// The most files that are open or in the folder only towards the end, such as tables.
const TABLES: usize = 4;
/// The time between two samples of a study and of a window.
const SAMPLED_EVERY: Duration = Duration::from_millis(500);

/// The parts of a call, and how long they are.
#[derive(Debug)]
struct Lengths {
    parts: Vec<String>,
    presets: Vec<String>,
    steps: u64,
    runs: u32,
    minutes: u32,
    /// The program; that of this repository unless one is named.
    program: Option<PathBuf>,
}

impl Lengths {
    fn read(words: &[&str]) -> Result<Self> {
        let mut lengths = Lengths {
            parts: Vec::new(),
            presets: presets(),
            steps: 1_000_000,
            runs: 1_000_000,
            minutes: 60,
            program: None,
        };
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            match *word {
                "presets" | "study" | "window" => lengths.parts.push((*word).into()),
                "--steps" => {
                    let read = |word: &str| word.parse().ok().filter(|steps| *steps >= 10_000);
                    let takes = "a whole number from 10000 on";
                    lengths.steps = options::value("--steps", takes, rest.next(), read)?;
                }
                "--runs" => lengths.runs = options::count("--runs", rest.next())?,
                "--minutes" => lengths.minutes = options::count("--minutes", rest.next())?,
                "--presets" => {
                    let read = |word: &str| Some(word.split(',').map(str::to_owned).collect());
                    lengths.presets = options::value("--presets", "names", rest.next(), read)?;
                }
                "--program" => {
                    let read = |word: &str| std::path::absolute(word).ok();
                    lengths.program = Some(options::value("--program", "a file", rest.next(), read)?);
                }
                other => {
                    let takes = "presets, study, window, --steps, --runs, --minutes, --presets and --program";
                    return options::refused("prove long", takes, other);
                }
            }
        }
        Ok(lengths)
    }

    fn has(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|named| named == part)
    }
}

/// Prints a line for each preset, the study and the window, and writes them to `target/prove/long.txt`.
///
/// # Errors
/// When memory or files grow, or a bit differs.
pub fn long(words: &[&str]) -> Result {
    let lengths = Lengths::read(words)?;
    let program = match &lengths.program {
        Some(program) => program.clone(),
        None => {
            shell::run(&mut shell::cargo(&["build", "--locked", "--package", "murmuration-boids"]))?;
            shell::target().join("debug/murmuration")
        }
    };
    let folder = shell::target().join("prove/long");
    let mut findings = Findings::default();
    if lengths.has("presets") {
        for preset in &lengths.presets {
            renew(&folder)?;
            flight(&program, &folder, preset, lengths.steps, &mut findings)?;
        }
    }
    if lengths.has("study") {
        renew(&folder)?;
        study(&program, &folder, lengths.runs, &mut findings)?;
    }
    if lengths.has("window") {
        renew(&folder)?;
        window(&program, &folder, lengths.minutes, &mut findings)?;
    }
    findings.write("long.txt")
}

/// Empties a folder.
fn renew(folder: &Path) -> Result {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(at(folder))?;
    }
    std::fs::create_dir_all(folder).map_err(at(folder))
}

/// A running program, and samples of what it holds.
struct Watched {
    child: Child,
    folder: PathBuf,
    samples: Vec<Sample>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sample {
    /// Resident memory, in KiB.
    memory: u64,
    open_files: usize,
    /// Files in its folder.
    files: usize,
}

impl Watched {
    fn start(command: &mut Command, folder: &Path) -> Result<Self> {
        let child = command.current_dir(folder).stdin(Stdio::null()).spawn();
        let child = child.map_err(|why| Error::Failed(format!("cannot start the program: {why}")))?;
        Ok(Watched { child, folder: folder.to_owned(), samples: Vec::new() })
    }

    /// Takes a sample; none once the program has ended.
    fn sample(&mut self) {
        let process = PathBuf::from(format!("/proc/{}", self.child.id()));
        let status = std::fs::read_to_string(process.join("status")).unwrap_or_default();
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
        if let Some(memory) = memory.and_then(|number| number.parse().ok()) {
            let open_files = entries(&process.join("fd"));
            self.samples.push(Sample { memory, open_files, files: entries(&self.folder) });
        }
    }

    /// Takes samples until the program ends, or for so long; true if it still runs or has succeeded.
    fn watch(&mut self, most: Duration) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < most {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status.success();
            }
            self.sample();
            std::thread::sleep(SAMPLED_EVERY);
        }
        true
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        // Errors mean that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).into_iter().flatten().count()
}

fn most(samples: &[Sample]) -> Sample {
    let mut most = Sample::default();
    for sample in samples {
        most.memory = most.memory.max(sample.memory);
        most.open_files = most.open_files.max(sample.open_files);
        most.files = most.files.max(sample.files);
    }
    most
}

/// The figures of samples, and what grows from their first fifth to the others: more than the flat share of memory and
/// `allowed`, in KiB.
fn growth(samples: &[Sample], allowed: u32) -> (String, Option<String>) {
    let (first, others) = samples.split_at(samples.len().div_ceil(5));
    let (before, after) = (most(first), most(others));
    let [first_mib, last_mib] = [before, after].map(|sample| sample.memory as f64 / 1024.0);
    let figures = format!("{first_mib:.1} MiB, then at most {last_mib:.1} MiB, {} files", after.files);
    let wrong = if others.len() < 4 {
        "too short to see growth"
    } else if last_mib > first_mib * (1.0 + FLAT) + f64::from(allowed) / 1024.0 {
        "memory grows"
    } else if after.open_files > before.open_files + TABLES {
        "open files accumulate"
    } else if after.files > before.files + TABLES {
        "files accumulate"
    } else {
        return (figures, None);
    };
    (figures, Some(wrong.into()))
}

/// Flies a preset in integers, then its last tenth again from a checkpoint.
fn flight(program: &Path, folder: &Path, preset: &str, steps: u64, findings: &mut Findings) -> Result {
    let every = steps / 10;
    let kept = 9 * every;
    let begun = Instant::now();
    let checkpoints = ["--checkpoint", &every.to_string()];
    let mut whole = Watched::start(run(program, preset, steps, "whole.csv").args(checkpoints), folder)?;
    let mut recorded = Vec::new();
    let mut last = String::new();
    for line in lines(&mut whole) {
        let Some((number, hash)) = line.split_once(',') else { continue };
        let step: u64 = number.parse().unwrap_or(0);
        if RECORDED_STEPS.contains(&step) {
            recorded.push(hash.to_owned());
        }
        if step.is_multiple_of(steps / 100) {
            whole.sample();
        }
        if step == kept + steps / 20 {
            // The next checkpoint replaces it.
            let file = folder.join(format!("whole.{kept}.csv"));
            std::fs::copy(&file, folder.join("kept.csv")).map_err(at(&file))?;
        }
        last = line;
    }
    let took = begun.elapsed().as_secs();
    let start = ["--init", "kept.csv"];
    let mut again = Watched::start(run(program, preset, steps - kept, "again.csv").args(start), folder)?;
    let last_again = lines(&mut again).last().unwrap_or_default();
    let states = ["whole.csv", "again.csv"].map(|name| std::fs::read(folder.join(name)).unwrap_or_default());
    let (figures, grown) = growth(&whole.samples, 0);
    let known = known(preset)?;
    let wrong = if !last.starts_with(&format!("{steps},")) || states[0].is_empty() {
        Some("it ended early".into())
    } else if last_again != last || states[0] != states[1] {
        Some(format!("from step {kept} it flies otherwise"))
    } else if !known.is_empty() && !known.iter().any(|row| recorded.iter().all(|hash| row.contains(hash))) {
        Some("its hashes are not the recorded ones".into())
    } else {
        grown
    };
    let hashes = if known.is_empty() { "none recorded" } else { "as recorded" };
    findings.add(&format!("{preset} | {figures} | {last} | {hashes} | {took} s"), wrong);
    Ok(())
}

fn run(program: &Path, preset: &str, steps: u64, out: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["run", "--engine", "cpu", "--threads", "1", "--numeric", "fixed", "--preset", preset]);
    command.args(["--boids", BOIDS, "--hash", "--quiet", "--out", out, "--steps", &steps.to_string()]);
    command.stdout(Stdio::piped());
    command
}

/// The lines of a program as it writes them.
fn lines(watched: &mut Watched) -> impl Iterator<Item = String> + use<> {
    let output = watched.child.stdout.take().into_iter();
    output.flat_map(|pipe| BufReader::new(pipe).lines()).map_while(std::result::Result::ok)
}

/// The rows of recorded hashes of a preset, one for each number of dimensions.
fn known(preset: &str) -> Result<Vec<String>> {
    let text = source("crates/conform/src/constants.toml")?;
    let rows = text.lines().filter(|row| row.starts_with(&format!("\"{preset} ")));
    Ok(rows.filter(|row| row.contains(&format!(", {BOIDS} boids\""))).map(str::to_owned).collect())
}

/// Does a study of runs of one step.
fn study(program: &Path, folder: &Path, runs: u32, findings: &mut Findings) -> Result {
    let mut command = Command::new(program);
    command.args(["sweep", "--preset", "murmuration", "--boids", "2", "--steps", "1", "--engine", "cpu"]);
    command.args(["--numeric", "fixed", "--columns", "polarization", "--quiet", "--out", "."]);
    let begun = Instant::now();
    let mut study = Watched::start(command.args(["--seeds", &runs.to_string()]), folder)?;
    let ended = study.watch(Duration::MAX);
    let table = std::fs::read_to_string(folder.join("runs.csv")).unwrap_or_default();
    let rows = table.lines().count().saturating_sub(1);
    let (figures, grown) = growth(&study.samples, runs.div_ceil(RUNS_IN_KIB));
    let wrong = if ended && rows == runs as usize { grown } else { Some(format!("it has {rows} rows")) };
    let took = begun.elapsed().as_secs();
    findings.add(&format!("a study of {runs} runs | {figures} | {took} s"), wrong);
    Ok(())
}

/// Opens a window that nobody touches.
fn window(program: &Path, folder: &Path, minutes: u32, findings: &mut Findings) -> Result {
    let display = Virtual::start()?;
    let mut command = Command::new(program);
    command
        .args(["view", "--preset", "murmuration", "--boids", "1000"])
        .envs(drivers::test_environment(false));
    command.env("DISPLAY", &display.name).env_remove("WAYLAND_DISPLAY");
    let mut window = Watched::start(&mut command, folder)?;
    window.watch(Duration::from_secs(60 * u64::from(minutes)));
    let (figures, grown) = growth(&window.samples, 0);
    let ended = window.child.try_wait().map_err(at(folder))?;
    let wrong = ended.map(|status| format!("it ended by itself: {status}")).or(grown);
    findings.add(&format!("a window, {minutes} minutes | {figures}"), wrong);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Lengths, Sample, growth, known};

    #[test]
    fn parts_and_lengths_are_selected() {
        let lengths = Lengths::read(&["study", "--runs", "9", "--presets", "yabi,mill"]).expect("understood");
        assert!(lengths.has("study") && !lengths.has("window"));
        assert_eq!((lengths.runs, lengths.presets.as_slice()), (9, &["yabi".into(), "mill".into()][..]));
        let all = Lengths::read(&[]).expect("understood");
        assert!(all.has("presets") && all.has("window") && all.presets.len() > 20);
        for wrong in [&["--steps", "9999"][..], &["--runs", "0"], &["sweep"], &["--program"]] {
            assert!(Lengths::read(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn growth_is_found() {
        let flat = vec![Sample { memory: 10_000, open_files: 5, files: 2 }; 100];
        let with = |change: fn(&mut Sample), allowed| {
            let mut samples = flat.clone();
            change(&mut samples[60]);
            growth(&samples, allowed).1
        };
        assert_eq!(with(|sample| sample.memory += 400, 0), None);
        assert_eq!(with(|sample| sample.memory += 600, 0).as_deref(), Some("memory grows"));
        assert_eq!(with(|sample| sample.memory += 600, 200), None);
        assert_eq!(with(|sample| sample.open_files += 4, 0), None);
        assert_eq!(with(|sample| sample.open_files += 5, 0).as_deref(), Some("open files accumulate"));
        assert_eq!(with(|sample| sample.files += 5, 0).as_deref(), Some("files accumulate"));
        assert!(growth(&flat[..4], 0).1.is_some());
    }

    #[test]
    fn presets_have_recorded_hashes() {
        let rows = known("murmuration").expect("read");
        assert!(rows.len() == 2 && rows[1].contains("3f60a498cadca3b4"), "{rows:?}");
        assert!(known("mill").expect("read").is_empty());
    }
}
