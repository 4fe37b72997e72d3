//! How good the tests are: faults planted in the sources, mutants of the shaders and of the rule, and the test that sees
//! each; long runs, permuted workgroups, failing disks, and ranks on a simulated transport by many seeds.

use crate::display::Virtual;
use crate::firmware::names;
use crate::shell::{Error, Result, at};
use crate::{options, shell};
use plant::Fault;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use suites::{Control, Ended, Suite};

#[cfg(target_os = "linux")]
mod disk;
mod long;
mod mutate;
mod order;
mod permute;
mod plant;
mod rule;
mod sample;
mod shaders;
mod suites;
#[cfg(target_os = "linux")]
mod writes;

pub use long::long;
pub use order::order;
pub use rule::rule;
pub use shaders::shaders;
#[cfg(target_os = "linux")]
pub use writes::writes;

/// The reason why `prove writes` cannot run here.
pub fn why_no_failing_disk() -> Option<String> {
    #[cfg(target_os = "linux")]
    return disk::why_absent();
    #[cfg(not(target_os = "linux"))]
    Some("only Linux asks before a program's calls".to_owned())
}

/// The test programs that can see a fault of a folder, the quickest first. `unit` stands for the tests inside the
/// fault's crate, `near` for those of its module, `folder` for those of its topmost module, `units` for those inside the
/// other crates; a word after a blank selects tests.
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

/// The calls to the task: all that can be planted unless some are named, and the steps of a table unless some are named.
#[derive(Debug, Default, PartialEq, Eq)]
struct Selection {
    numbers: Vec<u32>,
    suites: Vec<String>,
    /// Takes one mutant in so many; none for faults, all of which are taken.
    one_in: Option<u32>,
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
                        selection.numbers.extend(number(first)?..=number(last)?);
                    }
                }
                ["--suites", list] => selection.suites.extend(list.split(',').map(str::to_owned)),
                ["--one-in", count] => selection.one_in = Some(options::count("--one-in", Some(&count))?),
                _ => {
                    let takes = "`--only N,M-K` and `--suites A,B`, and for mutants `--one-in K`";
                    return options::refused("prove", takes, pair[0]);
                }
            }
        }
        Ok(selection)
    }

    /// Reads the words of a call that takes no sample.
    fn read_whole(call: &str, words: &[&str]) -> Result<Self> {
        let selection = Selection::read(words)?;
        match selection.one_in {
            Some(_) => options::refused(call, "`--only N,M-K` and `--suites A,B`", "--one-in"),
            None => Ok(selection),
        }
    }

    fn has(&self, number: u32) -> bool {
        self.numbers.is_empty() || self.numbers.contains(&number)
    }

    /// The programs of the suites that the call names, for what is planted in one crate; none if it needs all of them.
    fn programs(&self, root: &str) -> BTreeSet<String> {
        let names = self.suites.iter().map(|step| step.split(' ').next().unwrap_or(step));
        let own = format!("unit:{}", room(root));
        let of =
            |name: &str| if ["near", "folder", "unit"].contains(&name) { own.clone() } else { name.into() };
        let programs: BTreeSet<String> = names.map(of).collect();
        let is_whole =
            ["units", "unit:murmuration", "unit:xtask"].iter().any(|name| programs.contains(*name));
        if is_whole { BTreeSet::new() } else { programs }
    }

    /// The steps that could see what is planted in a file: those named, else those of the first folder that holds it.
    fn steps<'a>(&'a self, order: &'a [(&'a str, &'a str)], file: &str) -> Vec<&'a str> {
        if !self.suites.is_empty() {
            return self.suites.iter().map(String::as_str).collect();
        }
        let row = order.iter().find(|(folder, _)| file.starts_with(folder));
        row.map_or(Vec::new(), |(_, steps)| steps.split(", ").collect())
    }
}

/// Something planted, and the steps that could see it.
struct Trial<'a, T> {
    planted: &'a T,
    /// The value of the variable that turns it on.
    switch: String,
    file: &'a str,
    steps: Vec<&'a str>,
}

/// Plants the faults of `tests/faults.txt` in a copy, `target/prove/`, and runs the suites that could see each, until a
/// test fails. Prints a line for each fault, and writes them in order to `target/prove/faults.txt`.
pub fn faults(words: &[&str]) -> Result {
    let selection = Selection::read_whole("prove faults", words)?;
    let faults = listed_faults()?;
    let tree = shell::target().join("prove");
    let lost = copy(&tree, &faults)?;
    let display = Virtual::start()?;
    let mut bench = Bench::build(&tree, &BTreeSet::new(), &display)?;
    let mut lines = BTreeMap::new();
    let mut found = |fault: &Fault, suite: &str, test: &str| {
        let line = format!("{:3} {} | {suite} | {test}", fault.number, fault.file);
        println!("{line}");
        lines.insert(fault.number, line);
    };
    let mut trials = Vec::new();
    for fault in faults.iter().filter(|fault| selection.has(fault.number)) {
        if let Some(why) = lost.get(&fault.number) {
            found(fault, "LOST", why);
            continue;
        }
        trials.push(Trial {
            planted: fault,
            switch: fault.number.to_string(),
            file: &fault.file,
            steps: selection.steps(&ORDER, &fault.file),
        });
    }
    bench.hunt(trials, |fault, seen| match seen {
        Some(seen) => found(fault, &seen.suite, &seen.test),
        None => found(fault, "MISSED", &fault.bad),
    })?;
    let table = tree.join("faults.txt");
    std::fs::write(&table, lines.into_values().collect::<Vec<_>>().join("\n") + "\n").map_err(at(&table))
}

fn listed_faults() -> Result<Vec<Fault>> {
    plant::read(&source("tests/faults.txt")?)
}

/// The lines of a call, and how many of them are wrong.
#[derive(Default)]
struct Findings {
    text: String,
    wrong: u32,
}

impl Findings {
    fn add(&mut self, what: &str, wrong: Option<String>) {
        self.wrong += u32::from(wrong.is_some());
        let line = format!("{what} | {}", wrong.map_or("fine".into(), |why| format!("WRONG: {why}")));
        println!("{line}");
        let _ = writeln!(self.text, "{line}");
    }

    /// Writes the lines to a file below `target/prove/`.
    fn write(&self, name: &str) -> Result {
        let file = shell::target().join("prove").join(name);
        std::fs::write(&file, &self.text).map_err(at(&file))?;
        match self.wrong {
            0 => Ok(()),
            wrong => Err(Error::Failed(format!("{wrong} lines of {} are WRONG", file.display()))),
        }
    }
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
    /// Builds the suites of these names, or all if none is named.
    fn build(tree: &Path, only: &BTreeSet<String>, display: &Virtual) -> Result<Self> {
        Ok(Bench {
            suites: suites::build(tree, only)?,
            display: display.name.clone(),
            controls: HashMap::new(),
        })
    }

    /// Runs the steps of trials; a slow one begins when the quicker ones have run for all. `tell` learns of each trial
    /// what saw it, if anything did.
    fn hunt<T>(&mut self, trials: Vec<Trial<'_, T>>, mut tell: impl FnMut(&T, Option<Seen>)) -> Result {
        let rounds = trials.iter().map(|trial| trial.steps.len()).max().unwrap_or(0);
        let mut open = trials;
        for round in 0..=rounds {
            let mut unseen = Vec::new();
            for trial in open {
                let Some(step) = trial.steps.get(round) else {
                    tell(trial.planted, None);
                    continue;
                };
                match self.prove(&trial.switch, trial.file, step)? {
                    Some(seen) => tell(trial.planted, Some(seen)),
                    None => unseen.push(trial),
                }
            }
            open = unseen;
            let left: Vec<&str> = open.iter().map(|trial| &*trial.switch).collect();
            eprintln!("round {} of {rounds} leaves {}: {}", round + 1, left.len(), left.join(" "));
        }
        Ok(())
    }

    /// Runs a step with something planted in a file.
    fn prove(&mut self, switch: &str, file: &str, step: &str) -> Result<Option<Seen>> {
        let (wanted, filter) = match step.split_once(' ') {
            Some((name, filter)) => (name, Some(filter)),
            None if step == "near" => ("unit", Some(module(file))),
            None if step == "folder" => ("unit", Some(folder(file))),
            None => (step, None),
        };
        for suite in self.named(wanted, file) {
            let control = self.control(&suite, filter)?;
            let test = match suite.run(switch, filter, &self.display, &control)? {
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

/// The names of all presets.
fn presets() -> Vec<String> {
    let mut presets = names("presets");
    presets.extend(names("presets/formulas"));
    presets.sort();
    presets
}

/// The files that git lists for these words.
fn listed(words: &[&str]) -> Result<Vec<String>> {
    let text = shell::read(Command::new("git").arg("ls-files").args(words).current_dir(shell::root()));
    let text = text.ok_or_else(|| Error::Failed("git does not list the files".into()))?;
    Ok(text.lines().map(str::to_owned).collect())
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

/// The topmost module of a crate that a file belongs to.
fn folder(file: &str) -> &str {
    let inside = file.split_once("src/").map_or(file, |(_, inside)| inside);
    inside.split(['/', '.']).next().unwrap_or(inside)
}

/// A file of the repository.
fn source(file: &str) -> Result<String> {
    let file = shell::root().join(file);
    std::fs::read_to_string(&file).map_err(at(&file))
}

/// Copies the sources with the faults as switches; says which faults have no place.
fn copy(tree: &Path, faults: &[Fault]) -> Result<BTreeMap<u32, String>> {
    let (planted, lost) = plant::plant(faults, source);
    write_copy(tree, &planted)?;
    for (fault, why) in &lost {
        eprintln!("fault {fault} has no place: {why}");
    }
    Ok(lost)
}

/// Copies the files that git knows; those that are planted have another text.
fn write_copy(tree: &Path, planted: &BTreeMap<String, String>) -> Result {
    let root = shell::root();
    let listed = listed(&["--cached", "--others", "--exclude-standard"])?;
    let known = tree.join("target/copied.txt");
    for old in std::fs::read_to_string(&known).unwrap_or_default().lines() {
        if !listed.iter().any(|file| file == old) {
            let _ = std::fs::remove_file(tree.join(old));
        }
    }
    let mut copied = String::new();
    for file in &listed {
        let from = root.join(file);
        let Ok(held) = std::fs::read(&from) else { continue };
        let text = planted.get(file).map_or(&held[..], String::as_bytes);
        plant::write(&tree.join(file), text)?;
        let _ = writeln!(copied, "{file}");
    }
    for (file, text) in planted.iter().filter(|(file, _)| file.starts_with(plant::FAULTY_SHADERS)) {
        plant::write(&tree.join(file), text.as_bytes())?;
    }
    plant::write(&known, copied.as_bytes())
}

/// The test that checks seeds, in the crate of the ranks.
const RANKS_TEST: &str = "simulated::seeds_have_the_bits_of_one_engine";

/// Seeds that are checked unless a number is given.
const RANKS_SEEDS: &str = "10000";

/// The seeds to check, as a variable of the test and its value.
fn seeds_of(words: &[&str]) -> Result<(&'static str, String)> {
    match words {
        [] => Ok(("MURMURATION_RANKS_SEEDS", RANKS_SEEDS.into())),
        ["--seeds", rest @ ..] if rest.len() < 2 => {
            let count = options::count("--seeds", rest.first())?;
            Ok(("MURMURATION_RANKS_SEEDS", count.to_string()))
        }
        ["--seed", rest @ ..] if rest.len() < 2 => {
            let seed =
                options::value("--seed", "a whole number", rest.first(), |word| word.parse::<u64>().ok())?;
            Ok(("MURMURATION_RANKS_SEED", seed.to_string()))
        }
        ["--seeds" | "--seed", ..] => {
            Err(Error::Usage("prove ranks accepts either --seeds or --seed, once".into()))
        }
        [other, ..] => options::refused("prove ranks", "`--seeds N` or `--seed N`", other),
    }
}

/// Checks seeds; each one's ranks are delayed, killed and restarted, and must have the bits of one engine.
///
/// # Errors
/// When a word is not understood, or a seed fails: its message has the call that repeats it.
pub fn ranks(words: &[&str]) -> Result {
    let (variable, value) = seeds_of(words)?;
    let test =
        ["test", "--locked", "--package", "murmuration-ranks", "--lib", RANKS_TEST, "--", "--nocapture"];
    // The other variable would be taken first, or instead.
    let mut cargo = shell::cargo(&test);
    cargo.env_remove("MURMURATION_RANKS_SEED").env_remove("MURMURATION_RANKS_SEEDS");
    shell::run(cargo.env(variable, value))
}

#[cfg(test)]
mod tests {
    use super::{ORDER, Selection, folder, module, presets, room, seeds_of};

    #[test]
    fn faults_and_suites_are_selected() {
        let selection = Selection::read(&["--only", "3,7-8", "--suites", "unit,cli"]).expect("understood");
        assert_eq!(selection.numbers, [3, 7, 8]);
        assert!(selection.has(7) && !selection.has(9));
        assert_eq!(selection.steps(&ORDER, "src/main.rs"), ["unit", "cli"]);
        let all = Selection::read(&["--one-in", "1"]).expect("understood");
        assert_eq!((all.one_in, all.steps(&[("a/", "b, c d")], "a/x")), (Some(1), vec!["b", "c d"]));
        for wrong in [&["--only"][..], &["--only", "x"], &["7"]] {
            assert!(Selection::read(wrong).is_err(), "{wrong:?}");
        }
        let named = Selection::read(&["--suites", "folder,brute,unit:flock x"]).expect("understood");
        assert_eq!(Vec::from_iter(named.programs("flock/src/")), ["brute", "unit:flock"]);
        assert!(selection.programs("flock/src/").contains("cli") && all.programs("flock/src/").is_empty());
        let whole = Selection::read(&["--suites", "cli,units"]).expect("understood");
        assert!(whole.programs("flock/src/").is_empty());
        assert_eq!((folder("flock/src/fixed/word.rs"), folder("flock/src/update.rs")), ("fixed", "update"));
        assert_eq!((module("a/b/mod.rs"), module("a/c.rs")), ("b", "c"));
        assert_eq!((room("crates/files/src/rows.rs"), room("src/main.rs")), ("files".into(), "src".into()));
    }

    #[test]
    fn all_presets_are_flown() {
        let names = presets();
        assert!(["murmuration", "mill"].iter().all(|name| names.iter().any(|known| known == name)));
        assert!(!names.iter().any(|name| name == "Cargo"));
    }

    #[test]
    fn seeds_are_selected() {
        for (words, variable, value) in [
            (&[][..], "MURMURATION_RANKS_SEEDS", "10000"),
            (&["--seeds", "20"], "MURMURATION_RANKS_SEEDS", "20"),
            (&["--seed", "0"], "MURMURATION_RANKS_SEED", "0"),
        ] {
            assert_eq!(seeds_of(words).expect("understood"), (variable, value.to_owned()), "{words:?}");
        }
        for wrong in
            [&["--seeds"][..], &["--seeds", "0"], &["--seed", "x"], &["--seed", "1", "--seeds"], &["7"]]
        {
            assert!(seeds_of(wrong).is_err(), "{wrong:?}");
        }
    }
}
