//! `cargo xtask prove long`: a million steps of each preset, a study of a million short runs and a window that stays open
//! for an hour. Memory stays flat, files do not accumulate, and the bits are the recorded ones.

use super::presets;
use crate::display::Virtual;
use crate::error::{Error, Result, at};
use crate::{drivers, options, shell};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The flocks whose hashes are recorded have as many boids.
const BOIDS: &str = "200";
const RECORDED_STEPS: [u64; 4] = [1, 10, 100, 1000];
/// Growth of memory that is no leak, as a share of it.
const FLAT: f64 = 0.05;
/// Time between two samples of what is not sampled by steps.
const SAMPLED_EVERY: Duration = Duration::from_millis(500);

/// What a call does, and for how long.
#[derive(Debug, PartialEq, Eq)]
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
                    lengths.steps =
                        options::value("--steps", "a whole number from 10000 on", rest.next(), read)?;
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
                    let takes = "presets, study, window, --steps N, --runs N, --minutes N, --presets A,B and --program FILE";
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

/// Prints a line for each part, and writes them to `target/prove/long.txt`.
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
    let mut report = Report::default();
    if lengths.has("presets") {
        for preset in &lengths.presets {
            renew(&folder)?;
            report.add(flight(&program, &folder, preset, lengths.steps)?);
        }
    }
    if lengths.has("study") {
        renew(&folder)?;
        report.add(study(&program, &folder, lengths.runs)?);
    }
    if lengths.has("window") {
        renew(&folder)?;
        report.add(window(&program, &folder, lengths.minutes)?);
    }
    let file = shell::target().join("prove/long.txt");
    std::fs::write(&file, &report.text).map_err(at(&file))?;
    match report.wrong {
        0 => Ok(()),
        wrong => Err(Error::Failed(format!("{wrong} lines say WRONG: {}", file.display()))),
    }
}

/// Empties a folder.
fn renew(folder: &Path) -> Result {
    if folder.exists() {
        std::fs::remove_dir_all(folder).map_err(at(folder))?;
    }
    std::fs::create_dir_all(folder).map_err(at(folder))
}

/// A running program, with what it has held over time.
struct Watched {
    child: Child,
    folder: PathBuf,
    samples: Vec<Sample>,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Resident memory, in KiB.
    memory: u64,
    open_files: usize,
    /// Files in its folder.
    files: usize,
}

impl Watched {
    fn start(command: &mut Command, folder: &Path) -> Result<Self> {
        command.current_dir(folder).stdin(Stdio::null()).stderr(Stdio::inherit());
        let child =
            command.spawn().map_err(|why| Error::Failed(format!("cannot start the program: {why}")))?;
        Ok(Watched { child, folder: folder.to_owned(), samples: Vec::new() })
    }

    /// Samples what the process holds; nothing once it has ended.
    fn sample(&mut self) {
        let process = PathBuf::from(format!("/proc/{}", self.child.id()));
        let status = std::fs::read_to_string(process.join("status")).unwrap_or_default();
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB"));
        if let Some(memory) = memory.and_then(|number| number.parse().ok()) {
            let open_files = entries(&process.join("fd"));
            self.samples.push(Sample { memory, open_files, files: entries(&self.folder) });
        }
    }

    /// What it writes, line by line.
    fn lines(&mut self) -> impl Iterator<Item = String> + use<> {
        let output = self.child.stdout.take().into_iter();
        output.flat_map(|pipe| BufReader::new(pipe).lines()).map_while(std::result::Result::ok)
    }

    /// Samples until it ends, or for so long.
    fn watch(&mut self, most: Duration) -> Result<bool> {
        let begun = Instant::now();
        while begun.elapsed() < most {
            if let Some(status) = self.child.try_wait().map_err(at(&self.folder))? {
                return Ok(status.success());
            }
            self.sample();
            std::thread::sleep(SAMPLED_EVERY);
        }
        Ok(true)
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

/// What has grown from the first fifth of the samples to the others.
fn growth(samples: &[Sample]) -> (String, Option<String>) {
    let (first, others) = samples.split_at(samples.len().div_ceil(5));
    let most = |samples: &[Sample]| Sample {
        memory: samples.iter().map(|sample| sample.memory).max().unwrap_or(0),
        open_files: samples.iter().map(|sample| sample.open_files).max().unwrap_or(0),
        files: samples.iter().map(|sample| sample.files).max().unwrap_or(0),
    };
    let (before, after) = (most(first), most(others));
    let grown = after.memory as f64 / before.memory.max(1) as f64 - 1.0;
    let figures = format!(
        "{:.1} MiB, then at most {:.1} MiB ({:+.1} %) | {} open files, {} in the folder",
        before.memory as f64 / 1024.0,
        after.memory as f64 / 1024.0,
        100.0 * grown,
        after.open_files,
        after.files
    );
    let wrong = if others.len() < 4 {
        Some("too short to see growth")
    } else if grown > FLAT {
        Some("memory grows")
    } else if after.open_files > before.open_files {
        Some("open files accumulate")
    } else if after.files > before.files + 1 {
        // One is written while another is replaced.
        Some("files accumulate")
    } else {
        None
    };
    (figures, wrong.map(str::to_owned))
}

/// A line of the report.
struct Line {
    what: String,
    figures: String,
    wrong: Option<String>,
}

/// Flies a preset in integers, then its last tenth again from a checkpoint.
fn flight(program: &Path, folder: &Path, preset: &str, steps: u64) -> Result<Line> {
    let every = steps / 10;
    let kept = 9 * every;
    let mut command = run(program, preset, steps, "whole.csv");
    let mut whole = Watched::start(command.args(["--checkpoint", &every.to_string()]), folder)?;
    let mut recorded = Vec::new();
    let mut last = String::new();
    let begun = Instant::now();
    for line in whole.lines() {
        let Some((number, hash)) = line.split_once(',') else { continue };
        let step: u64 = number.parse().unwrap_or(0);
        if RECORDED_STEPS.contains(&step) {
            recorded.push(hash.to_owned());
        }
        if step % (steps / 100) == 0 {
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
    let ended = whole.child.wait().is_ok_and(|status| status.success());
    let mut resumed =
        Watched::start(run(program, preset, steps - kept, "again.csv").args(["--init", "kept.csv"]), folder)?;
    let again = resumed.lines().last();
    let read = |name: &str| std::fs::read(folder.join(name)).ok();
    let (figures, grown) = growth(&whole.samples);
    let known = known(preset)?;
    let wrong = if !ended || !last.starts_with(&format!("{steps},")) {
        Some("it ended early".into())
    } else if again.as_ref() != Some(&last)
        || read("whole.csv").is_none()
        || read("whole.csv") != read("again.csv")
    {
        Some(format!("from step {kept} it flies otherwise"))
    } else if !known.is_empty() && !known.iter().any(|row| recorded.iter().all(|hash| row.contains(hash))) {
        Some("its hashes are not the recorded ones".into())
    } else {
        grown
    };
    let hashes = if known.is_empty() { "none recorded" } else { "as recorded" };
    let what = format!("{preset}, {steps} steps");
    Ok(Line { what, figures: format!("{figures} | {last} | {hashes} | {took} s"), wrong })
}

fn run(program: &Path, preset: &str, steps: u64, out: &str) -> Command {
    let mut command = Command::new(program);
    command.args(["run", "--engine", "cpu", "--threads", "1", "--numeric", "fixed", "--preset", preset]);
    command.args(["--boids", BOIDS, "--hash", "--quiet", "--out", out, "--steps", &steps.to_string()]);
    command.stdout(Stdio::piped());
    command
}

/// The rows of recorded hashes of a preset, one for each number of dimensions.
fn known(preset: &str) -> Result<Vec<String>> {
    let file = shell::root().join("crates/conform/src/constants.toml");
    let text = std::fs::read_to_string(&file).map_err(at(&file))?;
    let mut rows = Vec::new();
    for row in text.lines() {
        if row.starts_with(&format!("\"{preset} ")) && row.contains(&format!(", {BOIDS} boids\"")) {
            rows.push(row.to_owned());
        }
    }
    Ok(rows)
}

/// A study of runs of one step.
fn study(program: &Path, folder: &Path, runs: u32) -> Result<Line> {
    let mut command = Command::new(program);
    command.args([
        "sweep",
        "--preset",
        "murmuration",
        "--boids",
        "2",
        "--steps",
        "1",
        "--columns",
        "polarization",
    ]);
    command.args(["--engine", "cpu", "--numeric", "fixed", "--quiet", "--out", "study"]);
    let begun = Instant::now();
    let mut study = Watched::start(command.args(["--seeds", &runs.to_string()]), folder)?;
    let ended = study.watch(Duration::MAX)?;
    let table = std::fs::read_to_string(folder.join("study/runs.csv")).unwrap_or_default();
    let rows = table.lines().count().saturating_sub(1);
    let (figures, grown) = growth(&study.samples);
    let wrong = if !ended || rows != runs as usize { Some(format!("{rows} rows of {runs}")) } else { grown };
    let took = begun.elapsed().as_secs();
    Ok(Line { what: format!("a study of {runs} runs"), figures: format!("{figures} | {took} s"), wrong })
}

/// A window that nobody touches.
fn window(program: &Path, folder: &Path, minutes: u32) -> Result<Line> {
    let display = Virtual::start()?;
    let mut command = Command::new(program);
    command
        .args(["view", "--preset", "murmuration", "--boids", "1000"])
        .envs(drivers::test_environment(false));
    command.env("DISPLAY", &display.name).env_remove("WAYLAND_DISPLAY");
    let mut window = Watched::start(&mut command, folder)?;
    window.watch(Duration::from_secs(60 * u64::from(minutes)))?;
    let ended = window.child.try_wait().map_err(at(folder))?.is_some();
    let (figures, grown) = growth(&window.samples);
    let wrong = if ended { Some("it ended by itself".into()) } else { grown };
    Ok(Line { what: format!("a window, {minutes} minutes"), figures, wrong })
}

/// The lines of a call.
#[derive(Default)]
struct Report {
    text: String,
    wrong: u32,
}

impl Report {
    fn add(&mut self, line: Line) {
        self.wrong += u32::from(line.wrong.is_some());
        let end = line.wrong.map_or("flat".into(), |why| format!("WRONG: {why}"));
        let row = format!("{} | {} | {end}", line.what, line.figures);
        println!("{row}");
        let _ = writeln!(self.text, "{row}");
    }
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
        let with = |change: fn(&mut Sample)| {
            let mut samples = flat.clone();
            change(&mut samples[60]);
            growth(&samples).1
        };
        assert_eq!(with(|sample| sample.memory += 400), None);
        assert_eq!(with(|sample| sample.memory += 600).as_deref(), Some("memory grows"));
        assert_eq!(with(|sample| sample.open_files += 1).as_deref(), Some("open files accumulate"));
        assert_eq!(with(|sample| sample.files += 2).as_deref(), Some("files accumulate"));
        assert!(growth(&flat[..4]).1.is_some());
    }

    #[test]
    fn presets_have_recorded_hashes() {
        let rows = known("murmuration").expect("read");
        assert!(rows.len() == 2 && rows[1].contains("3f60a498cadca3b4"), "{rows:?}");
        assert!(known("mill").expect("read").is_empty());
    }
}
