//! A fuzzer: runs a check on the corpus of what was found, then on new cases until the time is over.
//!
//! A case is a function of its number ([`case_of`]), and every run takes new numbers. What fails is in a file, which the
//! message names: mended, it belongs into `tests/corpus/`. The environment sets how long, and the first number:
//! `MURMURATION_FUZZ_SECONDS=600 MURMURATION_FUZZ_CASE=1 cargo test --test cli fuzz`; `cargo xtask fuzz` does so.

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
const SECONDS: u64 = 4;

/// Maximum duration of a case: far more than any case needs, even on a busy machine.
const LONGEST: Duration = Duration::from_secs(20);

/// The longest case in bytes.
const LONGEST_TEXT: usize = 1 << 17;

/// Words that a reader of numbers or of text may not expect, and white space.
const WORDS: &[u8] =
    b"nan -NaN inf -inf +inf infinity 1e999 -1e999 1e-999 5e-324 -0.0 0 -1 1 +1 1. .5 1e 1e6 1E+6 0.1 180 \
    65535 65536 1e15 1e16 -1e15 1e30 1e39 1e308 3.4028235e38 3.4028236e38 2147483647 2147483648 \
    -2147483648 4294967295 4294967296 9223372036854775807 9223372036854775808 18446744073709551615 \
    18446744073709551616 340282366920938463463374607431768211456 1e400000000000000000000 0x7fffffff \
    0xffffffffff 0o17 0b1 1_000 1__0 1k 2M true false \" ' \"\"\" ''' \\ \\u0000 \"\\u001b[31m\" \
    \\U0010ffff \\x \x1b[31m \0 \x07 \x7f \x08 , ,, ; = # . .. [ ] [[ ]] { } [] {} \xef\xbb\xbf \
    \xe2\x80\xae \xe2\x80\xa8 \xc2\x9b \xc3\xa9 \xe9\xb3\xa5 \xf0\x9f\xa6\x86 \xff \xc0\x80 \xed\xa0\x80";
const SPACES: [&[u8]; 6] = [b"\r", b"\r\n", b"\n", b"\n\n", b"\t", b" "];

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
            let text = case_of(case, &self.texts, &self.words);
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

/// Marsaglia's and Vigna's splitmix64.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// A number below `end`, or 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// The case of a number: one of the texts, changed in one place or in several.
fn case_of(number: u64, texts: &[Vec<u8>], words: &[Vec<u8>]) -> Vec<u8> {
    let mut random = Random::new(number);
    let mut text = random.of(texts).clone();
    // Mostly few changes: a reader stops at the first error.
    let changes = 1 + random.below(3) * random.below(4);
    for _ in 0..changes {
        match random.below(14) {
            0 => change_bytes(&mut random, &mut text),
            1 => cut(&mut random, &mut text),
            2 | 3 => change_lines(&mut random, &mut text),
            4 => splice(&mut random, &mut text, texts),
            5 => repeat(&mut random, &mut text),
            6 => insert(&mut random, &mut text, words),
            _ => replace_word(&mut random, &mut text, words),
        }
        text.truncate(LONGEST_TEXT);
    }
    text
}

fn change_bytes(random: &mut Random, text: &mut Vec<u8>) {
    for _ in 0..=random.below(3) {
        let at = random.below(text.len());
        match (text.get_mut(at), random.below(2)) {
            (Some(byte), 0) => *byte ^= 1 << random.below(8),
            (Some(byte), _) => *byte = random.next() as u8,
            (None, _) => text.push(random.next() as u8),
        }
    }
}

/// A range of the text, most often a short one.
fn range(random: &mut Random, text: &[u8]) -> std::ops::Range<usize> {
    let from = random.below(text.len() + 1);
    let longest = if random.below(4) == 0 { text.len() } else { 12 };
    from..(from + random.below(longest + 1)).min(text.len())
}

fn cut(random: &mut Random, text: &mut Vec<u8>) {
    if random.below(2) == 0 {
        text.truncate(random.below(text.len() + 1));
    } else {
        text.drain(range(random, text));
    }
}

/// Doubles a line, removes one, or lets two change places.
fn change_lines(random: &mut Random, text: &mut Vec<u8>) {
    let mut lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.is_empty() {
        return;
    }
    let [one, other] = [0; 2].map(|_: usize| random.below(lines.len()));
    match random.below(3) {
        0 => lines.insert(other, lines[one]),
        1 => drop(lines.remove(one)),
        _ => lines.swap(one, other),
    }
    *text = lines.concat();
}

/// Puts lines of another text in.
fn splice(random: &mut Random, text: &mut Vec<u8>, texts: &[Vec<u8>]) {
    let other: Vec<&[u8]> = random.of(texts).split_inclusive(|byte| *byte == b'\n').collect();
    let from = random.below(other.len());
    let taken = other.iter().skip(from).take(1 + random.below(6)).copied().collect::<Vec<_>>().concat();
    let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let ends: Vec<usize> = std::iter::once(0).chain(ends).collect();
    let at = *random.of(&ends);
    text.splice(at..at, taken);
}

/// Repeats a piece: now and then so often that it nests deeply, or is longer than any buffer.
fn repeat(random: &mut Random, text: &mut Vec<u8>) {
    let piece = range(random, text);
    let times = *random.of(&[2, 3, 17, 70, 300, 5000]);
    let piece: Vec<u8> = text[piece].repeat(times);
    let at = random.below(text.len() + 1);
    text.splice(at..at, piece.into_iter().take(LONGEST_TEXT));
}

fn insert(random: &mut Random, text: &mut Vec<u8>, words: &[Vec<u8>]) {
    let at = random.below(text.len() + 1);
    let word = word(random, words);
    text.splice(at..at, word);
}

/// A word of the list, of all lists, or a number.
fn word(random: &mut Random, words: &[Vec<u8>]) -> Vec<u8> {
    match random.below(4) {
        0 => {
            let all: Vec<&[u8]> = WORDS.split(|byte| *byte == b' ').chain(SPACES).collect();
            random.of(&all).to_vec()
        }
        1 => number(random).into_bytes(),
        _ if words.is_empty() => Vec::new(),
        _ => random.of(words).clone(),
    }
}

/// A number: of any bits, small, or within a word of a power of two.
fn number(random: &mut Random) -> String {
    let near = (1_i128 << random.below(70)) + random.below(3) as i128 - 1;
    match random.below(7) {
        0 => format!("{:?}", f64::from_bits(random.next())),
        1 => format!("{:e}", f32::from_bits(random.next() as u32)),
        2 => format!("{near}"),
        3 => format!("-{near}"),
        4 => format!("{}", random.below(40)),
        5 => format!("{:?}", (random.below(2_000_001) as f64 - 1e6) / 1e3),
        _ => format!("{:x}", random.next() as u32),
    }
}

/// Puts a word in the place of a run of letters, digits and points, or of what separates two of them.
fn replace_word(random: &mut Random, text: &mut Vec<u8>, words: &[Vec<u8>]) {
    let inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
    let at = random.below(text.len());
    let Some(kind) = text.get(at).map(inside) else { return };
    let from = text[..at].iter().rposition(|byte| inside(byte) != kind).map_or(0, |end| end + 1);
    let to = text[at..].iter().position(|byte| inside(byte) != kind).map_or(text.len(), |end| at + end);
    let word = word(random, words);
    text.splice(from..to, word);
}
