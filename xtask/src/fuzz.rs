//! Longer runs of tests that CI runs for seconds: the fuzzers, and random rules on all engines.

use crate::error::Result;
use crate::needs::{Purpose, System};
use crate::{drivers, firmware, options, setup, shell};

/// Seconds that each fuzzer runs.
const SECONDS: u32 = 600;

/// Random rules that are compared.
const RULES: u32 = 300;

/// A fuzzer: its name and its test.
type Target = (&'static str, &'static str);

/// The fuzzers.
const TARGETS: [Target; 3] =
    [("toml", "fuzz::parameters"), ("csv", "fuzz::states"), ("console", "fuzz::damaged_lines")];

/// The fuzzers, all unless some are named, and the seconds that each runs.
fn plan(words: &[&str]) -> Result<(Vec<Target>, u32)> {
    let (mut targets, mut seconds) = (Vec::new(), SECONDS);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match TARGETS.iter().find(|(name, _)| name == word) {
            Some(target) => targets.push(*target),
            None if *word == "--seconds" => seconds = options::count("--seconds", words.next())?,
            None => return options::refused("fuzz", "toml, csv, console or --seconds N", word),
        }
    }
    Ok((if targets.is_empty() { TARGETS.to_vec() } else { targets }, seconds))
}

/// Runs the fuzzers that the words after the command name, one after the other.
///
/// # Errors
/// When one finds something: its message names the file.
pub fn fuzz(words: &[&str]) -> Result {
    let (targets, seconds) = plan(words)?;
    for (target, test) in targets {
        let mut cargo = match target {
            "console" => firmware::host("test", &["--locked", "--lib", test]),
            _ => shell::cargo(&["test", "--locked", "--test", "cli", test]),
        };
        shell::run(cargo.env("MURMURATION_FUZZ_SECONDS", seconds.to_string()))?;
    }
    Ok(())
}

/// Compares random rules by brute force, on the CPU, on every software adapter and on the emulated board.
///
/// # Errors
/// When a word is not a number, or the bits of a rule differ somewhere.
pub fn rules(words: &[&str]) -> Result {
    let count = match words {
        [] => RULES,
        [count] => options::count("rules", Some(count))?,
        [_, other, ..] => return options::refused("rules", "one number", other),
    };
    setup::setup(Purpose::Test, setup::Consent::asked(false))?;
    firmware::build(&firmware::Options::read("rules", &[])?)?;
    let mut tests = shell::cargo(&["test", "--locked", "--test", "gpu", "random_rule"]);
    if System::here() != System::Complete {
        tests.envs(drivers::test_environment(true));
    }
    shell::run(tests.env("MURMURATION_RULES", count.to_string()))
}
