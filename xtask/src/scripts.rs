//! Tasks that are scripts in Python: the benchmarks (`benches/bench.py`), the report of a card (`benches/report.py`), and
//! the published results (`examples/findings/`), repeated by the program.

use crate::error::{Error, Result};
use crate::{needs::Purpose, setup, shell};
use std::process::Command;

/// Runs the benchmarks with the words after the command, which the script reads. It builds the program, unless one is named.
pub fn bench(words: &[&str]) -> Result {
    let file = if matches!(words, ["--report" | "--read", ..]) { "report.py" } else { "bench.py" };
    if !words.iter().any(|word| word.starts_with("--program") || *word == "--read") {
        setup::setup(Purpose::Run, setup::Consent::asked(false))?;
    }
    // The script ends by itself: at the first Ctrl-C it writes what it has.
    ctrlc::set_handler(|| {}).map_err(|why| Error::Failed(format!("cannot handle Ctrl-C: {why}")))?;
    shell::run(bench_script(file).args(words))
}

fn bench_script(name: &str) -> Command {
    let mut python = shell::python();
    python.arg(shell::root().join("benches").join(name));
    python
}

/// Repeats the findings at full length, and writes `docs/findings.md` and its pictures; or those of these names, which
/// writes nothing but their studies.
///
/// # Errors
/// When a study cannot be run, or a finding is not understood.
pub fn findings(names: &[&str]) -> Result {
    setup::setup(Purpose::Run, setup::Consent::asked(false))?;
    shell::run(&mut shell::cargo(&["build", "--locked", "--package", "murmuration-boids"]))?;
    reproduce(names)
}

/// Holds the judge to cases whose verdicts are known, then repeats the findings with few seeds and half the steps: each effect
/// has to show that is marked to do so. With the program of the tests, which is built.
///
/// # Errors
/// When one does not.
pub fn check_findings() -> Result {
    shell::run(findings_script().arg("--self-test"))?;
    reproduce(&["--quick"])
}

fn reproduce(words: &[&str]) -> Result {
    let program = format!("debug/murmuration{}", std::env::consts::EXE_SUFFIX);
    let target = shell::target();
    shell::run(findings_script().arg(target.join(program)).arg(target.join("findings")).args(words))
}

fn findings_script() -> Command {
    let mut python = shell::python();
    python.arg("examples/findings/reproduce.py").current_dir(shell::root());
    python
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_scripts_plan_and_write_what_is_recorded() {
        for name in ["bench.py", "report.py"] {
            match super::bench_script(name).arg("--self-test").output() {
                Ok(output) => assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr)),
                Err(why) => assert!(std::env::var_os("MURMURATION_TEST").is_none(), "python3: {why}"),
            }
        }
    }
}
