//! `cargo xtask prove rule`: mutants of the update rule in Rust, and the test that sees each.

use super::mutate::Mutant;
use super::sample::{Kind, Sample};
use super::{Bench, ORDER, Trial, plant, source, write_copy};
use crate::display::Virtual;
use crate::shell::{self, Error, Result};
use std::collections::BTreeMap;
use std::path::Path;

/// The mutants of a call that names none: one in so many, for an hour or two on two cores.
const ONE_IN: u32 = 16;

pub const RULE: Kind = Kind {
    name: "rule",
    root: "flock/src/",
    takes: |file| {
        let name = file.trim_start_matches("flock/src/");
        let is_rule = GROUPS.iter().any(|(_, begin)| name.starts_with(begin));
        is_rule && !name.contains("tests")
    },
    one_in: ONE_IN,
    groups: &GROUPS,
};

const GROUPS: [(&str, &str); 4] =
    [("update", "update"), ("perception", "perceive"), ("integers", "fixed"), ("formulas", "formula")];

/// The most copies of a body that a function holds.
const MOST_COPIES: usize = 4;

const INLINED: &str = "#[inline(always)]";

/// Plants mutants of the rule in a copy, all in one build, and runs the suites that could see each, until a test fails.
/// Prints a line for each mutant, then a table; writes both to `target/prove/rule.txt`.
pub fn rule(words: &[&str]) -> Result {
    let sample = Sample::read(&RULE, words)?;
    let tree = shell::target().join("prove");
    let valid = write_valid(&tree, &sample)?;
    let display = Virtual::start()?;
    let mut bench = Bench::build(&tree, &sample.programs(), &display)?;
    let mut trials = Vec::new();
    for mutant in valid.into_iter().filter(|mutant| sample.runs(mutant)) {
        trials.push(Trial {
            planted: mutant,
            switch: mutant.number.to_string(),
            file: &mutant.file,
            steps: sample.steps(mutant, &ORDER, &mutant.file),
        });
    }
    sample.hunt(&mut bench, trials, &tree)
}

/// Writes the copy with the mutants that compile, and returns these. They are found in a second copy: so the first changes,
/// and is built, only where the mutants or the sources do.
fn write_valid<'a>(tree: &Path, sample: &'a Sample<'_>) -> Result<Vec<&'a Mutant>> {
    let mut mutants: Vec<&Mutant> = sample.mutants.iter().collect();
    loop {
        let (mut files, _) = plant::plant(&[], source);
        files.insert("flock/src/lib.rs".into(), plant::with_switch(&source("flock/src/lib.rs")?));
        let mut lines = BTreeMap::new();
        for (file, text) in &sample.texts {
            let of_file: Vec<&Mutant> = mutants.iter().copied().filter(|one| one.file == *file).collect();
            let mut switched = switched(text, &of_file);
            if !sample.programs().is_empty() {
                // Functions that are always inlined would hold the copies of those that they call in each of their own.
                switched = switched.replace(INLINED, "#[inline]");
            }
            for mutant in of_file {
                let mark = condition(mutant);
                let place = switched.find(&mark).unwrap_or(0);
                lines.insert((file, switched[..place].matches('\n').count() + 1), mutant.number);
            }
            files.insert(file.clone(), switched);
        }
        let checked = tree.with_file_name("prove-check");
        write_copy(&checked, &files)?;
        let errors = errors(&checked)?;
        if errors.is_empty() {
            write_copy(tree, &files)?;
            return Ok(mutants);
        }
        for (file, line) in errors {
            // An error of the function's own text comes from the mutant before it, such as another type.
            let wrong = lines.range((&file, 0)..=(&file, line)).next_back();
            let Some((_, wrong)) = wrong else {
                return Err(Error::Failed(format!(
                    "{file}:{line} of {} does not compile",
                    checked.display()
                )));
            };
            mutants.retain(|mutant| mutant.number != *wrong);
        }
    }
}

fn condition(mutant: &Mutant) -> String {
    format!("\nif crate::planted::is({})", mutant.number)
}

/// A file in which a function returns what its body with a slip gives, if the slip is switched on.
fn switched(text: &str, mutants: &[&Mutant]) -> String {
    let mut switched = text.to_owned();
    let mut from_the_end = mutants.to_vec();
    from_the_end.sort_by_key(|mutant| std::cmp::Reverse(mutant.body.start));
    for mutant in from_the_end {
        let mut body = mutant.plant(text);
        // One function with so many copies of a body takes the compiler longer than many functions.
        if mutants.iter().filter(|other| other.body == mutant.body).count() > MOST_COPIES {
            body = format!("crate::planted::apart(#[inline(never)] || {body})");
        }
        let early = format!("{} {{ return {body}; }}\n", condition(mutant));
        switched.insert_str(mutant.body.start + 1, &early);
    }
    switched
}

/// The files and lines that do not compile.
fn errors(tree: &Path) -> Result<Vec<(String, usize)>> {
    // Some lints that are errors, such as an index that is out of bounds, need more than `cargo check`.
    let mut cargo = shell::cargo(&["rustc", "--locked", "--lib", "--package", "murmuration-flock"]);
    cargo.args(["--message-format", "short", "--", "--emit=mir"]);
    cargo.current_dir(tree).env("CARGO_TARGET_DIR", tree.join("target"));
    let output = cargo.output().map_err(|why| Error::Failed(format!("cargo: {why}")))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let found: Vec<_> = text.lines().filter_map(error).collect();
    if found.is_empty() && !output.status.success() {
        return Err(Error::Failed(format!("cargo rustc: {text}")));
    }
    Ok(found)
}

/// The place in a line such as `flock/src/update.rs:12:5: error[E0308]: mismatched types`.
fn error(line: &str) -> Option<(String, usize)> {
    let (place, _) = line.split_once(": error")?;
    let mut parts = place.split(':');
    Some((parts.next()?.to_owned(), parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::{error, switched};
    use crate::prove::mutate::mutants;

    #[test]
    fn mutants_of_a_body_are_switches_before_it() {
        let text = "fn f(a: u32) -> u32 {\n    a + b\n}\n";
        let all = mutants("a.rs", text, 7);
        let expected =
            "fn f(a: u32) -> u32 {\nif crate::planted::is(7) { return {\n    a - b\n}; }\n\n    a + b\n}\n";
        assert_eq!(switched(text, &all.iter().collect::<Vec<_>>()), expected);
    }

    #[test]
    fn errors_have_a_place() {
        let line = "flock/src/update.rs:12:5: error[E0308]: mismatched types: expected";
        assert_eq!(error(line), Some(("flock/src/update.rs".into(), 12)));
        assert_eq!(error("error: could not compile `a` (lib) due to 1 previous error"), None);
    }
}
