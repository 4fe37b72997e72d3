//! How good the tests are: faults planted in the sources, and the test that sees each.

use crate::display::Virtual;
use crate::error::{Error, Result, at};
use crate::{options, shell};
use plant::Fault;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use suites::{Control, Ended, Suite};

mod plant;
pub mod ranks;
mod suites;

/// The test programs that can see a fault of a folder, the quickest first. `unit` stands for the tests inside the
/// fault's crate, `near` for those of its module, `units` for those inside the other crates; a word after a blank selects
/// tests.
const ORDER: [(&str, &str); 10] = [
    ("shaders/view/", "unit:scene, view pictures, gpu, view"),
    ("shaders/", "gpu integers::llvmpipe_vulkan, conformance llvmpipe_vulkan, gpu, conformance, cli, view"),
    (
        "flock/src/formula/",
        "recorded, near, unit, presets, conformance formulas, gpu formulas, units, conformance, cli",
    ),
    (
        "flock/",
        "recorded, near, unit, presets steps, flocks, conformance cpu, presets, cli every_engine, conformance, units, gpu, \
         firmware, cli, view",
    ),
    ("crates/cpu/", "recorded, near, unit, flocks, allocation, presets, conformance cpu, cli"),
    ("crates/gpu/", "near, unit, gpu, conformance, cli, view"),
    (
        "crates/formula/",
        "near, unit, recorded, presets, conformance formulas, gpu formulas, units, cli, view",
    ),
    ("crates/window/", "near, unit, view panel, view, cli"),
    ("crates/config/", "near, unit, cli calls_that, presets, cli, units, view"),
    ("", "near, unit, cli calls_that, cli, units, view, gpu, conformance, firmware"),
];

/// The calls to the task: all faults unless some are named, and steps as in [`ORDER`] unless some are named.
#[derive(Debug, Default, PartialEq, Eq)]
struct Selection {
    faults: Vec<u32>,
    suites: Vec<String>,
}

impl Selection {
    fn read(words: &[&str]) -> Result<Self> {
        let mut selection = Selection::default();
        for pair in words.chunks(2) {
            match *pair {
                ["--only", list] => {
                    for part in list.split(',') {
                        let (first, last) = part.split_once('-').unwrap_or((part, part));
                        let number = |word: &str| options::count("--only", Some(&word));
                        selection.faults.extend(number(first)?..=number(last)?);
                    }
                }
                ["--suites", list] => selection.suites.extend(list.split(',').map(str::to_owned)),
                _ => return options::refused("prove faults", "`--only N,M-K` and `--suites A,B`", pair[0]),
            }
        }
        Ok(selection)
    }

    fn has_fault(&self, number: u32) -> bool {
        self.faults.is_empty() || self.faults.contains(&number)
    }

    /// The steps that could see a fault.
    fn steps(&self, fault: &Fault) -> Vec<&str> {
        if !self.suites.is_empty() {
            return self.suites.iter().map(String::as_str).collect();
        }
        let row = ORDER.iter().find(|(folder, _)| fault.file.starts_with(folder));
        row.map_or(Vec::new(), |(_, steps)| steps.split(", ").collect())
    }
}

/// Plants the faults of `tests/faults.txt` in a copy, `target/prove/`, and runs the suites that could see each, until a
/// test fails. A slow suite begins when the quicker ones have run for all faults. Prints a line for each fault, and
/// writes them in order to `target/prove/faults.txt`.
pub fn faults(words: &[&str]) -> Result {
    let selection = Selection::read(words)?;
    let list = shell::root().join("tests/faults.txt");
    let faults = plant::read(&std::fs::read_to_string(&list).map_err(at(&list))?)?;
    let tree = shell::target().join("prove");
    let lost = copy(&tree, &faults)?;
    let suites = suites::build(&tree)?;
    let display = Virtual::start()?;
    let mut bench = Bench { suites, display: display.name.clone(), controls: HashMap::new() };
    let mut lines = BTreeMap::new();
    let mut found = |fault: &Fault, suite: &str, test: &str| {
        let line = format!("{:3} {} | {suite} | {test}", fault.number, fault.file);
        println!("{line}");
        lines.insert(fault.number, line);
    };
    let mut open: Vec<&Fault> = faults.iter().filter(|fault| selection.has_fault(fault.number)).collect();
    let rounds = open.iter().map(|fault| selection.steps(fault).len()).max().unwrap_or(0);
    for round in 0..rounds {
        let mut unseen = Vec::new();
        for fault in open {
            if let Some(why) = lost.get(&fault.number) {
                found(fault, "LOST", why);
            } else if let Some(step) = selection.steps(fault).get(round)
                && let Some(seen) = bench.prove(fault, step)?
            {
                found(fault, &seen.suite, &seen.test);
            } else {
                unseen.push(fault);
            }
        }
        open = unseen;
    }
    for fault in open {
        found(fault, "MISSED", &fault.bad);
    }
    let table = tree.join("faults.txt");
    std::fs::write(&table, lines.into_values().collect::<Vec<_>>().join("\n") + "\n").map_err(at(&table))
}

/// The test that saw a fault.
struct Seen {
    suite: String,
    test: String,
}

/// The built suites, and what they do without faults.
struct Bench {
    suites: Vec<Suite>,
    display: String,
    controls: HashMap<String, Control>,
}

impl Bench {
    /// Runs a step with a fault.
    fn prove(&mut self, fault: &Fault, step: &str) -> Result<Option<Seen>> {
        let (wanted, filter) = match step.split_once(' ') {
            Some((name, filter)) => (name, Some(filter)),
            None if step == "near" => ("unit", Some(module(&fault.file))),
            None => (step, None),
        };
        for suite in self.named(wanted, &fault.file) {
            let control = self.control(&suite, filter)?;
            let test = match suite.run(fault.number, filter, &self.display, &control)? {
                Ended::Passed => continue,
                Ended::Failed(test) => test,
                Ended::Hung => "(it did not end in time)".into(),
            };
            return Ok(Some(Seen { suite: suite.name, test }));
        }
        Ok(None)
    }

    /// The programs that a word of [`ORDER`] stands for.
    fn named(&self, wanted: &str, file: &str) -> Vec<Suite> {
        let room = room(file);
        let own = format!("unit:{}", if room == "src" { "murmuration" } else { &room });
        let is_wanted = |suite: &&Suite| match wanted {
            "unit" => suite.name == own,
            "units" => suite.name.starts_with("unit:") && suite.name != own && suite.name != "unit:xtask",
            name => suite.name == name,
        };
        self.suites.iter().filter(is_wanted).cloned().collect()
    }

    fn control(&mut self, suite: &Suite, filter: Option<&str>) -> Result<Control> {
        let key = format!("{} {}", suite.program.display(), filter.unwrap_or_default());
        if let Some(control) = self.controls.get(&key) {
            return Ok(control.clone());
        }
        let control = suite.control(filter, &self.display)?;
        let (took, failing) = (control.took.as_secs_f32(), control.failing.join(", "));
        eprintln!("without a fault: {} {} {took:.1} s {failing}", suite.name, filter.unwrap_or_default());
        self.controls.insert(key, control.clone());
        Ok(control)
    }
}

/// The room of a file: the name of its crate.
fn room(file: &str) -> String {
    let file = file.trim_start_matches("crates/");
    file.split('/').next().unwrap_or(file).to_owned()
}

/// The module of a file: the name of the file, or of its folder.
fn module(file: &str) -> &str {
    let file = file.trim_end_matches(".rs").trim_end_matches("/mod");
    file.rsplit('/').next().unwrap_or(file)
}

/// Copies the files that git knows, with the faults as switches; says which faults have no place.
fn copy(tree: &Path, faults: &[Fault]) -> Result<BTreeMap<u32, String>> {
    let root = shell::root();
    let listed = shell::read(
        Command::new("git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard"])
            .current_dir(&root),
    );
    let listed = listed.ok_or_else(|| Error::Failed("git does not list the files".into()))?;
    let known = tree.join("target/copied.txt");
    for old in std::fs::read_to_string(&known).unwrap_or_default().lines() {
        if !listed.lines().any(|file| file == old) {
            let _ = std::fs::remove_file(tree.join(old));
        }
    }
    let source = |file: &str| std::fs::read_to_string(root.join(file)).map_err(at(&root.join(file)));
    let (planted, lost) = plant::plant(faults, source);
    let mut copied = String::new();
    for file in listed.lines() {
        let from = root.join(file);
        let Ok(held) = std::fs::read(&from) else { continue };
        let text = planted.get(file).map_or(&held[..], String::as_bytes);
        plant::write(&tree.join(file), text)?;
        let _ = writeln!(copied, "{file}");
    }
    plant::write(&known, copied.as_bytes())?;
    for (fault, why) in &lost {
        eprintln!("fault {fault} has no place: {why}");
    }
    Ok(lost)
}

#[cfg(test)]
mod tests {
    use super::{Selection, module, room};

    #[test]
    fn faults_and_suites_are_selected() {
        let selection = Selection::read(&["--only", "3,7-8", "--suites", "unit,cli"]).expect("understood");
        assert_eq!(selection.faults, [3, 7, 8]);
        assert!(selection.has_fault(7) && !selection.has_fault(9));
        assert_eq!(selection.suites, ["unit", "cli"]);
        for wrong in [&["--only"][..], &["--only", "x"], &["7"]] {
            assert!(Selection::read(wrong).is_err(), "{wrong:?}");
        }
        assert_eq!((module("a/b/mod.rs"), module("a/c.rs")), ("b", "c"));
        assert_eq!((room("crates/files/src/rows.rs"), room("src/main.rs")), ("files".into(), "src".into()));
    }
}
