//! The benchmarks of `benches/bench.py`, and the report of a card by `benches/report.py`.

use crate::error::{Error, Result};
use crate::{needs::Purpose, setup, shell};
use std::process::Command;

/// Runs them with the words after the command, which the script reads. It builds the program, unless one is named.
pub fn bench(words: &[&str]) -> Result {
    let file = if matches!(words, ["--report" | "--read", ..]) { "report.py" } else { "bench.py" };
    if !words.iter().any(|word| word.starts_with("--program") || *word == "--read") {
        setup::setup(Purpose::Run, setup::Consent::asked(false))?;
    }
    // The script ends by itself: at the first Ctrl-C it writes what it has.
    ctrlc::set_handler(|| {}).map_err(|why| Error::Failed(format!("cannot handle Ctrl-C: {why}")))?;
    shell::run(script(file).args(words))
}

fn script(name: &str) -> Command {
    let mut python = shell::python();
    python.arg(shell::root().join("benches").join(name));
    python
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_scripts_plan_and_write_what_is_recorded() {
        for name in ["bench.py", "report.py"] {
            match super::script(name).arg("--self-test").output() {
                Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
                Err(why) => assert!(std::env::var_os("MURMURATION_TEST").is_none(), "python3: {why}"),
            }
        }
    }
}
