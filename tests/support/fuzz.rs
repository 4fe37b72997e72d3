//! A fuzzer: runs a check on the corpus of what was found, then on new cases until the time is over.
//!
//! A case is a function of its number ([`mutate`]), and every run takes new numbers. What fails is in a file, which the
//! message names: mended, it belongs into `tests/corpus/`. The environment sets how long, and the first number:
//! `MURMURATION_FUZZ_SECONDS=600 MURMURATION_FUZZ_CASE=1 cargo test --test cli fuzz`; `cargo xtask fuzz` does so.

mod mutate;

use flock::parameters::{PARAMETERS, ValueKind};
use std::any::Any;
use std::format;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::string::{String, ToString as _};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::vec::Vec;

/// Default duration of a target.
const SECONDS: u64 = 8;

/// Maximum duration of a case: far more than any case needs, even on a busy machine.
const LONGEST: Duration = Duration::from_secs(20);

/// A target of fuzzing.
pub struct Target {
    /// Its folder of the corpus, and the first part of a file's name.
    pub name: &'static str,
    /// The root of the repository.
    pub root: PathBuf,
    /// Seeds of the cases, besides the corpus.
    pub texts: Vec<Vec<u8>>,
    /// Words that mean something in them.
    pub words: Vec<Vec<u8>>,
}

impl Target {
    /// Runs the check, which panics for a failure, and returns whether the text was accepted.
    ///
    /// # Panics
    /// With the name of a file that has the case, when one fails; when none is accepted, or all are.
    pub fn run(mut self, check: impl Fn(&[u8]) -> bool) {
        let corpus = self.corpus();
        for (file, text) in &corpus {
            if let Err(why) = held(&check, text) {
                panic!("{}: {why}", file.display());
            }
        }
        self.texts.extend(corpus.into_iter().map(|(_, text)| text));
        let folder = self.root.join("target/fuzz");
        std::fs::create_dir_all(&folder).expect("a folder");
        // Written before the check: a stack that overflows ends the process at once.
        let now = folder.join(format!("{}-at-work", self.name));
        let first = first();
        let end =
            Instant::now() + Duration::from_secs(variable("MURMURATION_FUZZ_SECONDS").unwrap_or(SECONDS));
        let (mut case, mut accepted) = (first, 0_u64);
        while Instant::now() < end {
            let text = mutate::case(case, &self.texts, &self.words);
            std::fs::write(&now, &text).expect("written");
            match held(&check, &text) {
                Ok(taken) => accepted += u64::from(taken),
                Err(why) => self.fail(&folder, case, &text, &why),
            }
            case += 1;
        }
        std::fs::remove_file(&now).expect("removed");
        let count = case - first;
        let line =
            format!("fuzz {}: cases {first} to {case}, {count} of which {accepted} accepted\n", self.name);
        // Directly, because the test harness captures the output of `eprintln!`.
        std::io::stderr().write_all(line.as_bytes()).unwrap_or_default();
        // A check that accepts nothing has seen the first error of each case, and nothing else.
        assert!(count < 100 || (accepted > 0 && accepted < count), "{line}");
    }

    fn fail(&self, folder: &Path, case: u64, text: &[u8], why: &str) -> ! {
        let name = self.name;
        let file = folder.join(format!("{name}-{case}"));
        std::fs::write(&file, text).expect("written");
        panic!(
            "fuzz {name}: case {case} ({}) fails: {why}\nMURMURATION_FUZZ_CASE={case} repeats it; when it is mended, \
             the file belongs into tests/corpus/{name}/",
            file.display()
        );
    }

    /// The files of the corpus, in the order of their names.
    fn corpus(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let folder = self.root.join("tests/corpus").join(self.name);
        let entries = std::fs::read_dir(&folder).expect("a folder of the repository");
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        files.sort();
        files.into_iter().map(|file| (file.clone(), std::fs::read(&file).expect("a file"))).collect()
    }
}

/// True if the check accepts the text, or why it fails.
fn held(check: &impl Fn(&[u8]) -> bool, text: &[u8]) -> Result<bool, String> {
    let began = Instant::now();
    let taken = catch_unwind(AssertUnwindSafe(|| check(text))).map_err(|why| said(&*why))?;
    let took = began.elapsed();
    if took > LONGEST { Err(format!("it takes {} s", took.as_secs())) } else { Ok(taken) }
}

/// The message of a panic.
fn said(why: &(dyn Any + Send)) -> String {
    let text = why.downcast_ref::<&str>().map(|text| (*text).to_string());
    text.or_else(|| why.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// The number of the first case: other ones in every run.
fn first() -> u64 {
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    // No run makes a million cases a second.
    variable("MURMURATION_FUZZ_CASE").unwrap_or_else(|| now() * 1_000_000)
}

/// A number from the environment.
fn variable(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{name} is {value}: allowed is a whole number")))
}

/// The words of the parameters: tables, keys, names, and the words that are values.
pub fn parameter_words() -> Vec<Vec<u8>> {
    let mut words: Vec<&str> = Vec::new();
    for parameter in PARAMETERS {
        words.extend([parameter.table, parameter.key, parameter.name]);
        if let ValueKind::Choice(values) = parameter.kind {
            words.extend(values);
        }
    }
    words.sort_unstable();
    words.dedup();
    words.into_iter().map(|word| word.as_bytes().to_vec()).collect()
}
