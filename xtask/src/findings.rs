//! The published results in `examples/findings/`, repeated by the program.

use std::process::Command;

use crate::{error::Result, needs::Purpose, setup, shell};

/// Repeats them all at full length, and writes `docs/findings.md` and its pictures; or those of these names, which
/// writes nothing but their studies.
///
/// # Errors
/// When a study cannot be run, or a finding is not understood.
pub fn findings(names: &[&str]) -> Result {
    setup::setup(Purpose::Run, setup::Consent::asked(false))?;
    shell::run(&mut shell::cargo(&["build", "--locked", "--package", "murmuration-boids"]))?;
    reproduce(names)
}

/// Holds the judge to cases whose verdicts are known, then repeats them with few seeds and half the steps: each effect
/// has to show that is marked to do so. With the program of the tests, which is built.
///
/// # Errors
/// When one does not.
pub fn check() -> Result {
    shell::run(script().arg("--self-test"))?;
    reproduce(&["--quick"])
}

fn reproduce(words: &[&str]) -> Result {
    let program = format!("debug/murmuration{}", std::env::consts::EXE_SUFFIX);
    let target = shell::target();
    shell::run(script().arg(target.join(program)).arg(target.join("findings")).args(words))
}

fn script() -> Command {
    let mut python = shell::python();
    python.arg("examples/findings/reproduce.py").current_dir(shell::root());
    python
}
