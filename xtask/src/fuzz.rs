//! What CI runs for seconds, for longer: the fuzzers, and random rules on all engines.

use crate::error::Result;
use crate::needs::Purpose;
use crate::system::System;
use crate::{drivers, firmware, options, setup, shell};

/// Seconds that each fuzzer runs.
const SECONDS: u32 = 600;

/// Random rules that are compared.
const RULES: u32 = 300;

/// The fuzzers, and their tests.
const TARGETS: [(&str, &str); 3] =
    [("toml", "fuzz::parameters"), ("csv", "fuzz::states"), ("console", "fuzz::damaged_lines")];

/// The options of `fuzz`.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    targets: Vec<(&'static str, &'static str)>,
    seconds: u32,
}

impl Options {
    /// Parses the words after the command.
    pub fn read(words: &[&str]) -> Result<Self> {
        let mut options = Options { targets: Vec::new(), seconds: SECONDS };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match TARGETS.iter().find(|(name, _)| name == word) {
                Some(target) => options.targets.push(*target),
                None if *word == "--seconds" => options.seconds = options::count("--seconds", words.next())?,
                None => return options::refused("fuzz", "toml, csv, console and --seconds N", word),
            }
        }
        if options.targets.is_empty() {
            options.targets = TARGETS.to_vec();
        }
        Ok(options)
    }
}

/// Runs the fuzzers one after the other.
///
/// # Errors
/// When one finds something: its message names the file.
pub fn fuzz(options: &Options) -> Result {
    for (target, test) in &options.targets {
        let mut cargo = match *target {
            "console" => firmware::host("test", &["--locked", "--lib", test]),
            _ => shell::cargo(&["test", "--locked", "--test", "cli", test]),
        };
        shell::run(cargo.env("MURMURATION_FUZZ_SECONDS", options.seconds.to_string()))?;
    }
    Ok(())
}

/// Compares random rules by brute force, on the CPU, on every software adapter and on the emulated board.
///
/// # Errors
/// When a word is no number, or a rule has other bits somewhere.
pub fn rules(words: &[&str]) -> Result {
    let count = match words {
        [] => RULES,
        [count] => options::count("rules", Some(count))?,
        [_, other, ..] => return options::refused("rules", "one number", other),
    };
    setup::setup(Purpose::Test, setup::Consent::asked(false))?;
    firmware::build(&firmware::Options::read("rules", &[])?)?;
    let mut tests = shell::cargo(&["test", "--locked", "--test", "integers_gpu", "drawn_rule"]);
    if System::here() != System::Complete {
        tests.envs(drivers::test_environment());
    }
    shell::run(tests.env("MURMURATION_RULES", count.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{Options, SECONDS, TARGETS};
    use crate::error::Error;

    #[test]
    fn targets_and_seconds_are_read_and_others_refused() {
        let all = Options { targets: TARGETS.to_vec(), seconds: SECONDS };
        assert_eq!(Options::read(&[]).ok(), Some(all));
        let one = Options { targets: vec![TARGETS[1]], seconds: 3 };
        assert_eq!(Options::read(&["csv", "--seconds", "3"]).ok(), Some(one));
        for (words, part) in [
            (&["gsd"][..], "toml, csv, console"),
            (&["--seconds"], "nothing"),
            (&["toml", "--seconds", "0"], "not 0"),
        ] {
            match Options::read(words) {
                Err(Error::Usage(why)) => assert!(why.contains(part), "{why}"),
                other => panic!("{words:?} gave {other:?}"),
            }
        }
    }
}
