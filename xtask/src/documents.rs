//! The figures and pictures of the documents. The pictures of the README are rendered; the others come from scripts in
//! Python: the benchmarks (`benches/bench.py`), the report of a card (`benches/report.py`), and the published results
//! (`examples/findings/`), repeated by the program.

use crate::shell::{Error, Result, at};
use crate::{needs::Purpose, setup, shell};
use std::path::Path;
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

/// Each picture: its file in `docs/pictures`, and the arguments of `render` after the file.
const PICTURES: [(&str, &str); 11] = [
    (
        "murmuration.gif",
        "--preset murmuration --boids 60000 --seed 2 --size 400x225 --zoom 0.8 --skip 2800 --steps 180 --every 4 --fps 12",
    ),
    (
        "murmuration.png",
        "--preset murmuration --boids 60000 --seed 2 --size 704x396 --zoom 0.85 --skip 0 --steps 3000",
    ),
    ("million.png", "--preset murmuration --boids 1M --size 704x396 --skip 0 --steps 1000"),
    ("cornell.png", "--preset cornell --size 800x450 --steps 400"),
    ("yabi.png", "--preset yabi --size 800x450 --steps 400"),
    ("think.png", "--preset think --size 800x450 --steps 400"),
    ("swarm.png", "--preset swarm --size 640x360 --steps 400"),
    ("holoviews.png", "--preset holoviews --size 800x450 --steps 400"),
    ("vicsek.png", "--preset vicsek --size 800x450 --steps 300"),
    ("couzin.png", "--preset couzin --size 800x450 --skip 0 --steps 1200"),
    ("starlings.png", "--preset starlings --size 704x396 --skip 0 --steps 2500"),
];

/// Size limits: a clone carries every version of a picture.
const PICTURE_LIMIT: u64 = 300 * 1024;
const WINDOW_LIMIT: u64 = 768 * 1024;
const FILM_LIMIT: u64 = 1024 * 1024;

/// Draws every picture. Fails with the names of those over the limit.
pub fn pictures() -> Result {
    setup::setup(Purpose::Run, setup::Consent::asked(false))?;
    let folder = shell::root().join("docs").join("pictures");
    std::fs::create_dir_all(&folder).map_err(at(&folder))?;
    let window = folder.join("window.png");
    let shown = ["test", "--locked", "--package", "murmuration-boids", "--test", "view", "sixty_thousand"];
    shell::run(shell::cargo(&shown).env("MURMURATION_WINDOW_PICTURE", &window))?;
    let mut heavy = weigh(&window, WINDOW_LIMIT)?;
    for (name, options) in PICTURES {
        let file = folder.join(name);
        let program = ["run", "--quiet", "--package", "murmuration-boids", "--", "render"];
        shell::run(shell::cargo(&program).arg(&file).arg("--yes").args(options.split_whitespace()))?;
        let limit = if name.ends_with(".png") { PICTURE_LIMIT } else { FILM_LIMIT };
        heavy.extend(weigh(&file, limit)?);
    }
    if heavy.is_empty() {
        return Ok(());
    }
    Err(Error::Failed(format!("too large for the repository: {}", heavy.join(", "))))
}

/// Prints the size of a picture; returns its name if it is over the limit.
fn weigh(file: &Path, limit: u64) -> Result<Vec<String>> {
    let size = std::fs::metadata(file).map_err(at(file))?.len();
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    eprintln!("pictures: {name} has {} KiB of {}", size.div_ceil(1024), limit / 1024);
    Ok(if size > limit { vec![name] } else { Vec::new() })
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
