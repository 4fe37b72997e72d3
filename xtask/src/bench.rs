//! The benchmarks of `benches/bench.py`.

use crate::error::{Error, Result};
use crate::needs::Purpose;
use crate::{setup, shell};
use std::process::Command;

/// Runs them with the words after the command, which the script reads. It builds the program, unless one is named.
pub fn bench(words: &[&str]) -> Result {
    if !words.iter().any(|word| word.starts_with("--program")) {
        setup::setup(Purpose::Run, setup::Consent::asked(false))?;
    }
    // The script ends by itself: at the first Ctrl-C it writes what it has.
    ctrlc::set_handler(|| {}).map_err(|why| Error::Failed(format!("Ctrl-C cannot be heard: {why}")))?;
    shell::run(script().args(words))
}

fn script() -> Command {
    let mut python = shell::python();
    python.arg(shell::root().join("benches").join("bench.py"));
    python
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_script_plans_and_writes_what_is_recorded() {
        match super::script().arg("--self-test").output() {
            Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
            Err(why) => assert!(std::env::var_os("MURMURATION_TEST").is_none(), "python3: {why}"),
        }
    }
}
