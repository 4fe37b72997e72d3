//! Mutants of a call, taken from all those that a kind of source has room for, and the report on them.

use super::mutate::{self, Mutant};
use super::{Bench, Seen, Selection, Trial, listed, source};
use crate::shell::{Error, Result, at};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// The sources of mutants.
pub struct Kind {
    /// The word of the call.
    pub name: &'static str,
    pub root: &'static str,
    /// True for a file below the root that has mutants.
    pub takes: fn(&str) -> bool,
    /// A call that names no mutants takes one in so many.
    pub one_in: u32,
    /// The rows of the table: a name, and the beginnings of the paths below the root that belong to it. The last takes the
    /// remaining ones.
    pub groups: &'static [(&'static str, &'static str)],
}

/// The mutants of a call.
pub struct Sample<'a> {
    kind: &'a Kind,
    selection: Selection,
    /// Those that the call runs, and the sample of a call without a number: so that calls for some of it share a build.
    pub mutants: Vec<Mutant>,
    /// Number of mutants there are.
    of: usize,
    /// The files of all of them.
    pub texts: BTreeMap<String, String>,
    equivalents: Vec<Equivalent>,
}

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

impl Kind {
    /// All mutants, and the texts of the files that they change.
    fn mutants(&self) -> Result<(Vec<Mutant>, BTreeMap<String, String>)> {
        let mut mutants = Vec::new();
        let mut texts = BTreeMap::new();
        for file in listed(&[self.root])?.into_iter().filter(|file| (self.takes)(file)) {
            let text = source(&file)?;
            mutants.extend(mutate::mutants(&file, &text, mutants.len() as u32 + 1));
            texts.insert(file, text);
        }
        Ok((mutants, texts))
    }

    fn group(&self, file: &str) -> usize {
        let name = file.trim_start_matches(self.root);
        let holds = |(_, begins): &(&str, &str)| begins.split(' ').any(|begin| name.starts_with(begin));
        self.groups.iter().position(holds).unwrap_or(self.groups.len() - 1)
    }
}

impl<'a> Sample<'a> {
    pub fn read(kind: &'a Kind, words: &[&str]) -> Result<Self> {
        let selection = Selection::read(words)?;
        let (mut mutants, texts) = kind.mutants()?;
        let mut equivalents = read(&source("tests/equivalent_mutants.txt")?)?;
        equivalents.retain(|equivalent| equivalent.file.starts_with(kind.root));
        for equivalent in &equivalents {
            if !mutants.iter().any(|mutant| equivalent.is(mutant)) {
                eprintln!("no mutant any more: {}: {}", equivalent.file, equivalent.bad);
            }
        }
        let of = mutants.len();
        let mut sample = Sample { kind, selection, mutants: Vec::new(), of, texts, equivalents };
        let is_narrow = sample.selection.one_in.is_some();
        mutants.retain(|mutant| sample.runs(mutant) || !is_narrow && mutant.is_in_sample(kind.one_in));
        sample.mutants = mutants;
        Ok(sample)
    }

    /// The programs of the suites that the call names: see `Selection::programs`.
    pub fn programs(&self) -> BTreeSet<String> {
        self.selection.programs(self.kind.root)
    }

    /// True for the mutants that the call runs: those named, of which it takes one in so many if it says so.
    pub fn runs(&self, mutant: &Mutant) -> bool {
        let all = if self.selection.numbers.is_empty() { self.kind.one_in } else { 1 };
        self.selection.has(mutant.number) && mutant.is_in_sample(self.selection.one_in.unwrap_or(all))
    }

    /// The steps that could see a mutant; of one that is listed as equivalent the quickest, which tells whether the list is
    /// wrong.
    pub fn steps<'b>(&'b self, mutant: &Mutant, order: &'b [(&'b str, &'b str)], file: &str) -> Vec<&'b str> {
        let mut steps = self.selection.steps(order, file);
        let is_listed = self.equivalents.iter().any(|equivalent| equivalent.is(mutant));
        if is_listed && self.selection.numbers.is_empty() {
            steps.truncate(1);
        }
        steps
    }

    /// Runs the suites, and writes a line for each mutant and the table below `tree`.
    pub fn hunt(&self, bench: &mut Bench, trials: Vec<Trial<'_, Mutant>>, tree: &Path) -> Result {
        let invalid = self.mutants.iter().filter(|mutant| self.runs(mutant)).count() - trials.len();
        println!("{} mutants of {}; {invalid} more do not compile", trials.len(), self.of);
        let mut report = Report {
            kind: self.kind,
            equivalents: &self.equivalents,
            lines: BTreeMap::new(),
            tallies: vec![Tally::default(); self.kind.groups.len()],
        };
        bench.hunt(trials, |mutant, seen| report.add(mutant, seen))?;
        let table = report.table();
        print!("\n{table}");
        let text = report.lines.into_values().collect::<Vec<_>>().join("\n") + "\n\n" + &table;
        let file = tree.join(format!("{}.txt", self.kind.name));
        std::fs::write(&file, text).map_err(at(&file))
    }
}

/// The lines and the table of a call.
struct Report<'a> {
    kind: &'a Kind,
    equivalents: &'a [Equivalent],
    lines: BTreeMap<u32, String>,
    tallies: Vec<Tally>,
}

impl Report<'_> {
    fn add(&mut self, mutant: &Mutant, seen: Option<Seen>) {
        let tally = &mut self.tallies[self.kind.group(&mutant.file)];
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
        let heads = "mutants | seen | equivalent | missed | seen of the others";
        let mut table = format!("| {} | {heads} |\n", self.kind.name);
        table.push_str("|---|---|---|---|---|---|\n");
        for ((name, _), tally) in self.kind.groups.iter().zip(&self.tallies) {
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
            (file, _) if file.contains('.') && text.is_empty() => {
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
    use super::{BTreeMap, Report, Seen, Tally, read};
    use crate::prove::{rule::RULE, shaders::SHADERS};

    #[test]
    fn equivalent_mutants_are_read_and_each_has_a_reason() {
        let list = "# A comment.\nshaders/a.wgsl\n- let a = b + 0;\n+ let a = b - 0;\n= Nothing is added.\n";
        let all = read(list).expect("understood");
        assert_eq!((all.len(), all[0].why.as_str()), (1, "Nothing is added."));
        assert!(read("shaders/a.wgsl\n- x\n+ y\n").is_err() && read("- x\n").is_err());
    }

    #[test]
    fn every_group_has_mutants_and_each_has_another_text() {
        for kind in [&RULE, &SHADERS] {
            let (mutants, texts) = kind.mutants().expect("read");
            for (place, (name, _)) in kind.groups.iter().enumerate() {
                assert!(mutants.iter().any(|mutant| kind.group(&mutant.file) == place), "{name}");
            }
            for mutant in &mutants {
                let text = &texts[&mutant.file];
                assert_ne!(mutant.plant(text), text[mutant.body.clone()], "{mutant:?}");
            }
        }
    }

    #[test]
    fn a_report_counts_what_became_of_each_mutant() {
        let (mutants, _) = SHADERS.mutants().expect("read");
        let one = &mutants[0];
        let list = format!("{}\n- {}\n+ {}\n= It is so.\n", one.file, one.good, one.bad);
        let equivalents = read(&list).expect("understood");
        let tallies = vec![Tally::default(); SHADERS.groups.len()];
        let mut report =
            Report { kind: &SHADERS, equivalents: &equivalents, lines: BTreeMap::new(), tallies };
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
