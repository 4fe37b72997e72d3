//! The folder of a study: its manifest, its log and its tables.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Log, Outcome, Shard, Study};
use config::shown;
use cpu::Registers;
use engines::Device;
use files::{AtomicFile, Existing, Failure};

const MANIFEST: &str = "manifest.json";
const LOG: &str = "runs.log";

/// The version of this program, and the hash of its sources.
const VERSION: &str = env!("CARGO_PKG_VERSION");
const BUILD: &str = env!("MURMURATION_BUILD");

/// The properties that must be equal to combine results.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Identity {
    version: String,
    /// A hash of the sources; a version that named none is another one.
    build: String,
    /// The engine; for a GPU also its adapter and driver.
    engine: String,
    numeric: String,
    pub study: Study,
}

impl Identity {
    /// The identity of a study by this program on a device. On the CPU the bits of a run do not depend on the machine.
    pub fn new(device: &Device, study: Study) -> Identity {
        let engine = match device {
            Device::Gpu(gpu, _) => format!("gpu, {}", gpu.name()),
            Device::Cpu(..) => "cpu".to_owned(),
            Device::Rp2040(_) => "rp2040".to_owned(),
        };
        let [version, build] = [VERSION, BUILD].map(str::to_owned);
        Identity { version, build, engine, numeric: device.numeric().name().to_owned(), study }
    }

    /// The properties by their keys in the manifest.
    fn parts(&self) -> Result<Map<String, Value>, Failure> {
        let mut parts: Map<String, Value> =
            serde_json::to_value(self).and_then(serde_json::from_value).map_err(Failure::work)?;
        if let Some(Value::Object(study)) = parts.remove("study") {
            parts.extend(study);
        }
        Ok(parts)
    }
}

/// The program as a manifest names it.
fn program(version: &str, build: &str) -> String {
    format!("{} ({})", shown(version), shown(build))
}

/// A machine that did runs.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Host {
    system: String,
    processor: String,
    registers: String,
    cores: usize,
}

/// The states of the runs when the program last ended; the log is authoritative.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Runs {
    done: usize,
    failed: Vec<Outcome>,
    missing: Vec<usize>,
}

/// The names of the tables of a study.
pub const TABLES: [&str; 3] = ["runs.csv", "summary.csv", "series.csv"];

/// The manifest of a folder that holds a study or a shard of it.
#[derive(Debug, Deserialize, Serialize)]
pub struct Folder {
    #[serde(skip)]
    pub path: PathBuf,
    /// The names of its tables that were there when it was begun: the study replaces these and no others.
    #[serde(skip)]
    pub found_tables: Vec<&'static str>,
    program: String,
    #[serde(flatten)]
    pub identity: Identity,
    shard: Shard,
    hosts: Vec<Host>,
    /// The file that asked for the study, as it is written.
    spec: Option<String>,
    runs: Runs,
}

impl Host {
    /// This machine.
    fn here() -> Host {
        Host {
            system: std::env::consts::OS.to_owned(),
            processor: std::env::consts::ARCH.to_owned(),
            registers: Registers::widest().name().to_owned(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

impl Folder {
    /// A folder of this machine's that is not begun.
    pub fn new(path: &Path, identity: Identity, shard: Shard, spec: Option<String>) -> Folder {
        let (path, program, hosts) = (path.to_owned(), "murmuration".to_owned(), vec![Host::here()]);
        let found_tables = Vec::new();
        Folder { path, found_tables, program, identity, shard, hosts, spec, runs: Runs::default() }
    }

    /// The folder that is at a path.
    ///
    /// # Errors
    /// When it has no manifest, or one that is not valid.
    pub fn read(path: &Path) -> Result<Folder, Failure> {
        let file = path.join(MANIFEST);
        let text = fs::read_to_string(&file).map_err(|source| Failure::read(&file, source))?;
        let folder: Folder = serde_json::from_str(&text).map_err(|error| foreign(&file, &text, &error))?;
        Ok(Folder { path: path.to_owned(), ..folder })
    }

    /// Starts the folder, or continues it if `resume` allows that; then it must hold the same study.
    ///
    /// # Errors
    /// When it cannot be written, holds something else, or holds a study and `resume` is false.
    pub fn begin(mut self, resume: bool) -> Result<(Folder, Log), Failure> {
        let path = &self.path;
        if path.exists() && !path.is_dir() {
            let why = format!("cannot create the folder {}: a file has this name", path.display());
            return Err(Failure::usage(why));
        }
        fs::create_dir_all(path).map_err(|source| Failure::create(path, source))?;
        if path.join(MANIFEST).exists() {
            if !resume {
                let why = format!("--out {} already contains a study", path.display());
                return Err(Failure::usage(why).hint("use --resume to continue it, or name a new folder"));
            }
            let there = Folder::read(path)?;
            there.same(&self)?;
            if there.shard != self.shard {
                let why = format!(
                    "{}: the folder contains shard {}, not {}",
                    path.display(),
                    there.shard,
                    self.shard
                );
                return Err(Failure::usage(why).hint("use a separate folder for each shard"));
            }
            self.hosts.extend(there.hosts);
            self.found_tables = TABLES.into_iter().filter(|file| path.join(file).exists()).collect();
        } else if let Some(file) = TABLES.into_iter().chain([LOG]).find(|file| path.join(file).exists()) {
            let why = format!("--out {} contains {file}, but no study", path.display());
            return Err(Failure::usage(why).hint("name a new folder"));
        } else {
            // Before the log, so that a folder with a log can be resumed.
            self.write(None)?;
        }
        self.hosts.sort();
        self.hosts.dedup();
        let log = Log::open(&self.path.join(LOG), &self.identity.study)?;
        self.write(Some(&log))?;
        Ok((self, log))
    }

    /// The log, for reading.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn log(&self) -> Result<Log, Failure> {
        Log::read(&self.path.join(LOG), &self.identity.study)
    }

    /// The runs that belong here.
    pub fn runs(&self) -> impl Iterator<Item = usize> + use<> {
        let shard = self.shard;
        (0..self.identity.study.runs()).filter(move |run| shard.has(*run))
    }

    /// Writes the manifest, with the runs that have ended.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&mut self, log: Option<&Log>) -> Result<(), Failure> {
        self.runs = Runs::default();
        let mut ended = log.into_iter().flat_map(Log::ended).peekable();
        for run in self.runs() {
            match ended.next_if(|(number, _)| *number == run) {
                None => self.runs.missing.push(run),
                Some((_, None)) => self.runs.done += 1,
                Some((_, Some(error))) => {
                    let error = Some(error.to_owned());
                    self.runs.failed.push(Outcome { run, error, ..Outcome::default() });
                }
            }
        }
        let text = serde_json::to_string_pretty(&self).map_err(Failure::work)?;
        AtomicFile::create(&self.path.join(MANIFEST), Existing::Replace)?.fill(text + "\n")
    }

    /// Checks that another folder holds the same study, by the same program, engine and number type.
    ///
    /// # Errors
    /// Names what differs, with both values of each key.
    pub fn same(&self, other: &Folder) -> Result<(), Failure> {
        let program = |folder: &Folder| program(&folder.identity.version, &folder.identity.build);
        if program(self) != program(other) {
            let (path, here, there) = (self.path.display(), program(self), program(other));
            let why = format!(
                "{path}: the study there was written by another version of the program, {here}, not {there}"
            );
            return Err(Failure::usage(why));
        }
        let (ours, theirs) = (self.identity.parts()?.into(), other.identity.parts()?.into());
        let mut found = Vec::new();
        differences("", &ours, &theirs, &mut found);
        if found.is_empty() {
            return Ok(());
        }
        let more = match found.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!("; {more} more differ"),
        };
        found.truncate(MOST);
        let path = self.path.display();
        Err(Failure::usage(format!("{path} contains a different study: {}{more}", found.join("; "))))
    }
}

/// The most keys that differ in one error.
const MOST: usize = 8;

/// Adds a line for each key in which two values differ, `key = ours, not theirs`, as far inside of them as they have the
/// same form.
fn differences(name: &str, ours: &Value, theirs: &Value, found: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            // The table of parameters is not named: its keys are `table.key`.
            let name = if name == "parameters" { "" } else { name };
            let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
            for key in keys {
                let inner = if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
                let [ours, theirs] = [a, b].map(|values| values.get(key).unwrap_or(&Value::Null));
                differences(&inner, ours, theirs, found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (k, (ours, theirs)) in a.iter().zip(b).enumerate() {
                differences(&format!("{name}[{k}]"), ours, theirs, found);
            }
        }
        (ours, theirs) if ours == theirs => {}
        (Value::Array(a), Value::Array(b)) => {
            found.push(format!("{} {name}, not {}", a.len(), b.len()));
        }
        (ours, theirs) => {
            let [ours, theirs] = apart([ours, theirs].map(|value| match value {
                Value::Null => "nothing".to_owned(),
                value => value.to_string(),
            }));
            found.push(format!("{} = {ours}, not {theirs}", shown(name)));
        }
    }
}

/// Two texts as an error shows them: of long ones the part from a little before their first difference on.
fn apart(texts: [String; 2]) -> [String; 2] {
    let [a, b] = texts.each_ref().map(|text| shown(text));
    if a != b {
        return [a, b];
    }
    let same = texts[0].chars().zip(texts[1].chars()).take_while(|(a, b)| a == b).count();
    texts.map(|text| format!("…{}", shown(&text.chars().skip(same.saturating_sub(20)).collect::<String>())))
}

/// The number of runs of the study in whose folder a table is, and how many of them have ended. `None` for a table of any
/// other folder.
pub fn extent(table: &Path) -> Option<(usize, usize)> {
    let name = table.file_stem()?.to_str()?;
    if !["runs", "summary", "series"].contains(&name) {
        return None;
    }
    let folder = Folder::read(table.parent()?).ok()?;
    Some((folder.identity.study.runs(), folder.runs.done + folder.runs.failed.len()))
}

/// The error of a manifest that cannot be read: another version of the program may write other ones. The first versions
/// had no build.
fn foreign(file: &Path, text: &str, error: &serde_json::Error) -> Failure {
    let written: Value = serde_json::from_str(text).unwrap_or_default();
    let build = written["build"].as_str().unwrap_or("no build");
    match written["version"].as_str() {
        Some(version) if (version, build) != (VERSION, BUILD) => {
            let [theirs, ours] = [program(version, build), program(VERSION, BUILD)];
            Failure::file(
                file,
                format!("it was written by another version of the program, {theirs}, not {ours}"),
            )
        }
        _ => Failure::file(file, format!("not the manifest of a study: {error}")),
    }
}

/// Adds the logs of folders to one, which may hold a part of them from an earlier merge. A run that failed in one and
/// was done in another counts as done. `say` is told which lines of a log are damaged.
///
/// # Errors
/// When the folders do not hold the same study, a run has two results, or a file cannot be read or written.
pub fn merge(folders: &[PathBuf], out: &Path, say: &dyn Fn(&str)) -> Result<(Folder, Log), Failure> {
    let parts: Vec<Folder> = folders.iter().map(|path| Folder::read(path)).collect::<Result<_, _>>()?;
    let Some(first) = parts.first() else {
        return Err(Failure::usage("--merge requires at least one folder"));
    };
    parts.iter().try_for_each(|part| part.same(first))?;
    let mut whole = Folder::new(out, first.identity.clone(), Shard::WHOLE, first.spec.clone());
    whole.hosts = parts.iter().flat_map(|part| part.hosts.clone()).collect();
    let (whole, mut log) = whole.begin(true)?;
    log.damage().iter().for_each(|line| say(line));
    for part in &parts {
        let mut from = part.log()?;
        from.damage().iter().for_each(|line| say(line));
        let runs: Vec<usize> = from.ended().map(|(run, _)| run).collect();
        for run in runs {
            let Some(outcome) = from.outcome(run)? else { continue };
            match log.outcome(run)? {
                Some(known) if known == outcome || outcome.error.is_some() => {}
                Some(known) if known.error.is_none() => {
                    let why = format!(
                        "{}: the result of run {run} differs from the one already merged",
                        part.path.display()
                    );
                    return Err(Failure::work(why));
                }
                _ => log.add(&outcome)?,
            }
        }
    }
    Ok((whole, log))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_differs_is_named_key_by_key_with_both_values() {
        let of = |ours: Value, theirs: Value| {
            let mut found = Vec::new();
            differences("", &ours, &theirs, &mut found);
            found
        };
        let flock =
            |radius: f64, boids: u32| json!({"flock": {"boids": boids}, "cohesion": {"radius": radius}});
        assert_eq!(
            of(json!({"parameters": flock(3.0, 9)}), json!({"parameters": flock(3.5, 8)})),
            ["cohesion.radius = 3.0, not 3.5", "flock.boids = 9, not 8"]
        );
        assert_eq!(
            of(json!({"set": ["a = 1", "b = 2"]}), json!({"set": ["a = 1", "b = 3"]})),
            ["set[1] = \"b = 2\", not \"b = 3\""]
        );
        assert_eq!(
            of(json!({"seeds": [1, 2], "steps": 3}), json!({"seeds": [1]})),
            ["2 seeds, not 1", "steps = 3, not nothing"]
        );
        let terms = |end: &str| json!({"terms": format!("{}{end}", "x".repeat(100))});
        let found = of(terms("1"), terms("2"));
        assert!(found.len() == 1 && found[0].ends_with("x1\", not …xxxxxxxxxxxxxxxxxxxx2\""), "{found:?}");
        assert!(of(terms("1"), terms("1")).is_empty());
    }
}
