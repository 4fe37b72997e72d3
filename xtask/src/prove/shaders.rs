//! `cargo xtask prove shaders`: mutants of the shaders, and the test that sees each.

use super::mutate::{self, Mutant};
use super::{Bench, Seen, Selection, Trial, copy, listed_faults, plant};
use crate::display::Virtual;
use crate::error::{Error, Result, at};
use crate::{options, shell};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;

/// The mutants of a call that names none: one in so many, for an hour or two on two cores.
const ONE_IN: u32 = 10;

/// The test that fails for what is no WGSL, and for nothing else.
const VALID: &str = "gpu every_shader_passes_validation";

/// The steps that can see a mutant of a folder, the quickest first, on one adapter where that is enough. The tests that
/// plant slips of their own are left out: they fail where the text that they replace is another.
const ORDER: [(&str, &str); 12] = [
    ("view/", "view pictures_are_as_recorded, view pictures"),
    (
        "number/f32",
        "conformance gpu_llvmpipe_vulkan::any_rule, gpu formulas::llvmpipe_vulkan, conformance gpu_llvmpipe_vulkan",
    ),
    ("number/fixed_formulas", FORMULAS),
    ("number/", "gpu vulkan::words, gpu vulkan::ties, gpu vulkan::random_rules, gpu llvmpipe_vulkan"),
    ("step_plain", "gpu kernels_agree, gpu integers::llvmpipe_gl, gpu crowds::llvmpipe_gl"),
    ("common/formulas", FORMULAS),
    ("place_requests", FORMULAS),
    ("rule/formulas", FORMULAS),
    ("hash", SUMS),
    ("measure", SUMS),
    ("rule/", RULE),
    (
        "",
        "gpu vulkan::other_parameters, gpu kernels_agree, gpu crowds::llvmpipe_vulkan, gpu vulkan::random_rules, \
         gpu reductions::llvmpipe_vulkan, gpu beyond_32_bits, gpu vulkan::every_part, gpu formulas::llvmpipe_vulkan",
    ),
];
const FORMULAS: &str = "gpu formulas::llvmpipe_vulkan, gpu llvmpipe_vulkan";
const SUMS: &str = "gpu reductions::llvmpipe_vulkan, gpu llvmpipe_vulkan";
const RULE: &str = "gpu vulkan::other_parameters, gpu vulkan::random_rules, gpu vulkan::every_part, gpu vulkan::ties, \
                    gpu kernels_agree, gpu formulas::llvmpipe_vulkan, conformance gpu_llvmpipe_vulkan::any_rule";

/// Files that neither step nor draw.
const LEFT_OUT: &str = "shaders/probe/";

/// The rows of the table: a name, and the beginnings of the paths below `shaders/` that belong to it. The last takes the
/// rest.
const GROUPS: [(&str, &str); 5] = [
    ("pictures", "view"),
    ("numbers", "number"),
    ("sort", "count scan scatter order common/dispatch common/grid common/guard common/long common/scan"),
    ("sums and hashes", "convert hash measure reduce common/measure common/reduce"),
    ("rule and step", "common move place rule step"),
];

/// A mutant that computes the same, and why.
#[derive(Debug, Default, PartialEq, Eq)]
struct Equivalent {
    file: String,
    good: String,
    bad: String,
    why: String,
}

/// The mutants of a group, by what became of them.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    planted: usize,
    seen: usize,
    equivalent: usize,
    missed: usize,
}

/// Plants mutants of the shaders in the copy of [`super::faults`], which needs no further build, and runs the suites
/// that could see each, until a test fails. Prints a line for each mutant, then a table; writes both to
/// `target/prove/shaders.txt`.
pub fn shaders(words: &[&str]) -> Result {
    let selection = Selection::read(words)?;
    if selection.one_in.is_some() && !selection.numbers.is_empty() {
        return options::refused("prove shaders", "either `--one-in K` or `--only N,M-K`", "--only");
    }
    let (mutants, texts) = all_mutants()?;
    let list = shell::root().join("tests/equivalent_mutants.txt");
    let equivalents = read(&std::fs::read_to_string(&list).map_err(at(&list))?)?;
    for equivalent in &equivalents {
        if !mutants.iter().any(|mutant| equivalent.is(mutant)) {
            eprintln!("no mutant any more: {}: {}", equivalent.file, equivalent.bad);
        }
    }
    let tree = shell::target().join("prove");
    copy(&tree, &listed_faults()?)?;
    let display = Virtual::start()?;
    let mut bench = Bench::build(&tree, &display)?;
    let one_in = selection.one_in.unwrap_or(ONE_IN);
    let mut trials = Vec::new();
    let mut invalid = 0;
    for mutant in &mutants {
        let is_named = selection.numbers.contains(&mutant.number);
        if !is_named && (!selection.numbers.is_empty() || !mutant.is_in_sample(one_in)) {
            continue;
        }
        let switch = format!("mutant-{}", mutant.number);
        let name = mutant.file.trim_start_matches("shaders/");
        let (file, text) = plant::faulty_shader(&switch, name, &mutant.plant(&texts[&mutant.file]));
        plant::write(&tree.join(file), text.as_bytes())?;
        if bench.prove(&switch, &mutant.file, VALID)?.is_some() {
            invalid += 1;
            continue;
        }
        let mut steps = selection.steps(&ORDER, name);
        if equivalents.iter().any(|equivalent| equivalent.is(mutant)) && !is_named {
            // The quickest suite tells whether the list is wrong.
            steps.truncate(1);
        }
        trials.push(Trial { planted: mutant, switch, file: &mutant.file, steps });
    }
    println!("{} mutants of {}; {invalid} more are no WGSL", trials.len(), mutants.len());
    let mut report = Report { equivalents, lines: BTreeMap::new(), tallies: Default::default() };
    bench.hunt(trials, |mutant, seen| report.add(mutant, seen))?;
    let table = report.table();
    print!("\n{table}");
    let text = report.lines.into_values().collect::<Vec<_>>().join("\n") + "\n\n" + &table;
    let file = tree.join("shaders.txt");
    std::fs::write(&file, text).map_err(at(&file))
}

/// All mutants, and the texts of the files that they change.
fn all_mutants() -> Result<(Vec<Mutant>, BTreeMap<String, String>)> {
    let root = shell::root();
    let listed = shell::read(Command::new("git").args(["ls-files", "shaders/*.wgsl"]).current_dir(&root));
    let listed = listed.ok_or_else(|| Error::Failed("git does not list the files".into()))?;
    let mut mutants = Vec::new();
    let mut texts = BTreeMap::new();
    for file in listed.lines().filter(|file| !file.starts_with(LEFT_OUT)) {
        let text = std::fs::read_to_string(root.join(file)).map_err(at(&root.join(file)))?;
        mutants.extend(mutate::mutants(file, &text, mutants.len() as u32 + 1));
        texts.insert(file.to_owned(), text);
    }
    Ok((mutants, texts))
}

fn group(file: &str) -> usize {
    let name = file.trim_start_matches("shaders/");
    let found = GROUPS.iter().position(|(_, begins)| begins.split(' ').any(|begin| name.starts_with(begin)));
    found.unwrap_or(GROUPS.len() - 1)
}

/// The lines and the table of a call.
struct Report {
    equivalents: Vec<Equivalent>,
    lines: BTreeMap<u32, String>,
    tallies: [Tally; GROUPS.len()],
}

impl Report {
    fn add(&mut self, mutant: &Mutant, seen: Option<Seen>) {
        let tally = &mut self.tallies[group(&mutant.file)];
        tally.planted += 1;
        let equivalent = self.equivalents.iter().find(|equivalent| equivalent.is(mutant));
        let end = match (seen, equivalent) {
            (Some(seen), listed) => {
                tally.seen += 1;
                let wrong = if listed.is_some() { ", but it is listed as equivalent" } else { "" };
                format!("{} | {}{wrong}", seen.suite, seen.test)
            }
            (None, Some(equivalent)) => {
                tally.equivalent += 1;
                format!("equivalent | {}", equivalent.why)
            }
            (None, None) => {
                tally.missed += 1;
                format!("MISSED | {}", mutant.bad)
            }
        };
        let Mutant { number, file, line, kind, old, new, .. } = mutant;
        let row = format!("{number:4} {file}:{line} {kind}, `{old}` → `{new}` | {end}");
        println!("{row}");
        self.lines.insert(*number, row);
    }

    fn table(&self) -> String {
        let mut table =
            String::from("| shaders | mutants | seen | equivalent | missed | seen of the others |\n");
        table.push_str("|---|---|---|---|---|---|\n");
        for ((name, _), tally) in GROUPS.iter().zip(&self.tallies) {
            let Tally { planted, seen, equivalent, missed } = *tally;
            let share = 100.0 * seen as f64 / (seen + missed).max(1) as f64;
            let _ =
                writeln!(table, "| {name} | {planted} | {seen} | {equivalent} | {missed} | {share:.0} % |");
        }
        table
    }
}

/// Reads the list of equivalent mutants: a line `FILE`, then `- LINE`, `+ LINE WITH THE SLIP` and `= WHY`.
fn read(list: &str) -> Result<Vec<Equivalent>> {
    let mut all: Vec<Equivalent> = Vec::new();
    for line in list.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (mark, text) = line.split_once(' ').unwrap_or((line, ""));
        match (mark, all.last_mut()) {
            ("-", Some(one)) => one.good = text.into(),
            ("+", Some(one)) => one.bad = text.into(),
            ("=", Some(one)) => one.why = text.into(),
            (file, _) if file.ends_with(".wgsl") && text.is_empty() => {
                all.push(Equivalent { file: file.into(), ..Equivalent::default() });
            }
            _ => {
                let wrong = format!("tests/equivalent_mutants.txt: not understood: `{line}`");
                return Err(Error::Failed(wrong));
            }
        }
    }
    match all.iter().find(|one| one.why.is_empty()) {
        Some(one) => Err(Error::Failed(format!("tests/equivalent_mutants.txt: no reason: `{}`", one.bad))),
        None => Ok(all),
    }
}

impl Equivalent {
    fn is(&self, mutant: &Mutant) -> bool {
        self.file == mutant.file && self.good == mutant.good && self.bad == mutant.bad
    }
}

#[cfg(test)]
mod tests {
    use super::{BTreeMap, GROUPS, Report, Seen, all_mutants, group, read};

    #[test]
    fn equivalent_mutants_are_read_and_each_has_a_reason() {
        let list = "# A comment.\nshaders/a.wgsl\n- let a = b + 0;\n+ let a = b - 0;\n= Nothing is added.\n";
        let all = read(list).expect("understood");
        assert_eq!((all.len(), all[0].why.as_str()), (1, "Nothing is added."));
        assert!(read("shaders/a.wgsl\n- x\n+ y\n").is_err() && read("- x\n").is_err());
    }

    #[test]
    fn every_group_has_mutants_and_each_has_another_text() {
        let (mutants, texts) = all_mutants().expect("read");
        for (place, (name, _)) in GROUPS.iter().enumerate() {
            assert!(mutants.iter().any(|mutant| group(&mutant.file) == place), "{name}");
        }
        for mutant in &mutants {
            assert_ne!(mutant.plant(&texts[&mutant.file]), texts[&mutant.file], "{mutant:?}");
        }
    }

    #[test]
    fn a_report_counts_what_became_of_each_mutant() {
        let (mutants, _) = all_mutants().expect("read");
        let one = &mutants[0];
        let list = format!("{}\n- {}\n+ {}\n= It is so.\n", one.file, one.good, one.bad);
        let equivalents = read(&list).expect("understood");
        let mut report = Report { equivalents, lines: BTreeMap::new(), tallies: Default::default() };
        let seen = || Seen { suite: "gpu".into(), test: "a_test".into() };
        report.add(one, None);
        report.add(&mutants[1], None);
        report.add(&mutants[2], Some(seen()));
        let row = report.table().lines().last().map(str::to_owned);
        assert_eq!(row.as_deref(), Some("| rule and step | 3 | 1 | 1 | 1 | 50 % |"));
        assert!(report.lines[&one.number].ends_with("equivalent | It is so."));
        report.add(one, Some(seen()));
        assert!(report.lines[&one.number].ends_with("but it is listed as equivalent"));
    }
}
