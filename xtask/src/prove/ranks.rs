//! Ranks on a simulated transport, by many seeds.

use crate::shell::{Error, Result};
use crate::{options, shell};

/// The test that checks seeds, in the crate of the ranks.
const TEST: &str = "simulated::seeds_have_the_bits_of_one_engine";

/// Seeds that are checked unless a number is given.
const SEEDS: &str = "10000";

/// The seeds to check, as a variable of the test and its value.
fn selection(words: &[&str]) -> Result<(&'static str, String)> {
    match words {
        [] => Ok(("MURMURATION_RANKS_SEEDS", SEEDS.into())),
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
    let (variable, value) = selection(words)?;
    let test = ["test", "--locked", "--package", "murmuration-ranks", "--lib", TEST, "--", "--nocapture"];
    // The other variable would be taken first, or instead.
    let mut cargo = shell::cargo(&test);
    cargo.env_remove("MURMURATION_RANKS_SEED").env_remove("MURMURATION_RANKS_SEEDS");
    shell::run(cargo.env(variable, value))
}

#[cfg(test)]
mod tests {
    use super::selection;

    #[test]
    fn seeds_are_selected() {
        for (words, variable, value) in [
            (&[][..], "MURMURATION_RANKS_SEEDS", "10000"),
            (&["--seeds", "20"], "MURMURATION_RANKS_SEEDS", "20"),
            (&["--seed", "0"], "MURMURATION_RANKS_SEED", "0"),
        ] {
            assert_eq!(selection(words).expect("understood"), (variable, value.to_owned()), "{words:?}");
        }
        for wrong in
            [&["--seeds"][..], &["--seeds", "0"], &["--seed", "x"], &["--seed", "1", "--seeds"], &["7"]]
        {
            assert!(selection(wrong).is_err(), "{wrong:?}");
        }
    }
}
