//! The options of `bench`.

use std::path::PathBuf;

use crate::error::{Error, Result};

/// The largest allowed number of boids.
const MOST: u32 = 1_000_000_000;

/// The options of `bench`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Fewer sizes, repeats and steps.
    pub quick: bool,
    /// Boids of the largest flock; the default depends on the device.
    pub most: Option<u32>,
    /// Only devices whose name contains this.
    pub device: Option<String>,
    /// The program to run instead of building it.
    pub program: Option<PathBuf>,
}

impl Options {
    /// Reads the words after `bench`.
    pub fn read(words: &[&str]) -> Result<Self> {
        let mut options = Options::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = |what: &str| {
                let missing = || Error::Usage(format!("{word} needs {what}"));
                words.next().copied().ok_or_else(missing)
            };
            match *word {
                "--quick" => options.quick = true,
                "--most" => options.most = Some(boids(value("a number of boids")?)?),
                "--device" => options.device = Some(value("a part of a device's name")?.to_lowercase()),
                "--program" => options.program = Some(PathBuf::from(value("a file")?)),
                other => {
                    let allowed = "`--quick`, `--most N`, `--device NAME` and `--program FILE`";
                    return Err(Error::Usage(format!("bench takes {allowed}, not `{other}`")));
                }
            }
        }
        Ok(options)
    }
}

fn boids(text: &str) -> Result<u32> {
    let number = text.replace('_', "").parse().ok().filter(|number| (1000..=MOST).contains(number));
    number
        .ok_or_else(|| Error::Usage(format!("--most {text}: allowed is a whole number from 1000 to {MOST}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options> {
        Options::read(&line.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read() {
        assert_eq!(read("").ok(), Some(Options::default()));
        let all = read("--quick --most 20_000 --device LLVM --program a/b").expect("allowed");
        assert_eq!((all.quick, all.most, all.device.as_deref()), (true, Some(20_000), Some("llvm")));
        assert_eq!(all.program, Some(PathBuf::from("a/b")));
    }

    #[test]
    fn wrong_ones_are_named() {
        for (line, part) in [
            ("--slow", "not `--slow`"),
            ("--most", "--most needs a number of boids"),
            ("--most 10", "--most 10: allowed is a whole number from 1000"),
            ("--most many", "--most many: allowed"),
            ("--quick --device", "--device needs a part"),
        ] {
            match read(line) {
                Err(Error::Usage(why)) => assert!(why.contains(part), "{line}: {why}"),
                other => panic!("{line}: {other:?}"),
            }
        }
    }
}
