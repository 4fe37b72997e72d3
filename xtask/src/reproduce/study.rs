//! The studies of a finding, run by the program.

use std::path::Path;
use std::process::Command;

use crate::finding::{Finding, Study};
use crate::summary::Summary;
use crate::{Result, at, findings, root};

/// The seeds of a quick study.
const FEW_SEEDS: &str = "4";

/// The tables of a finding's studies.
#[derive(Debug)]
pub struct Studies<'a> {
    finding: &'a Finding,
    summaries: Vec<(&'a Study, Summary)>,
}

impl<'a> Studies<'a> {
    /// Runs them into folders of their own, then draws their pictures; quickly only those of quick rows, with few seeds and
    /// half the steps, and no picture.
    ///
    /// # Errors
    /// When the program fails.
    pub fn run(program: &Path, folder: &Path, name: &str, finding: &'a Finding, quick: bool) -> Result<Self> {
        let mut summaries = Vec::new();
        for study in finding.studies.iter().filter(|study| !quick || finding.quickly(study)) {
            let table = folder.join(stem(name, study));
            if table.exists() {
                std::fs::remove_dir_all(&table).map_err(at(&table))?;
            }
            let file = findings().join(name).join(&study.file);
            let mut sweep = Command::new(program);
            sweep.arg("sweep").arg(&file).arg("--engine").arg("cpu").arg("--out").arg(&table);
            if quick {
                let [steps, after] = halves(&file)?;
                sweep.args(["--quiet", "--seeds", FEW_SEEDS, "--steps", &steps, "--after", &after]);
            }
            done(&mut sweep)?;
            summaries.push((study, Summary::read(&table.join("summary.csv"))?));
        }
        for study in finding.drawn().filter(|_| !quick) {
            let mut plot = Command::new(program);
            let picture = root().join("docs/pictures").join(picture(name, study));
            plot.current_dir(folder).arg("plot").args(plotted(name, study)).arg("-o").arg(picture);
            done(plot.arg("--yes"))?;
        }
        Ok(Studies { finding, summaries })
    }

    /// The table of the study of this file, or of the first one.
    ///
    /// # Errors
    /// When the finding has no such study.
    pub fn summary(&self, file: Option<&str>) -> Result<&Summary> {
        let wanted = self.finding.study(file)?;
        let found = self.summaries.iter().find(|(study, _)| std::ptr::eq(*study, wanted));
        found.map(|(_, summary)| summary).ok_or_else(|| format!("{} was not run", wanted.file))
    }

    #[cfg(test)]
    pub fn of(finding: &'a Finding, summary: &str) -> Self {
        let summaries =
            finding.studies.iter().map(|study| (study, Summary::parse(summary).expect("a table")));
        Studies { finding, summaries: summaries.collect() }
    }
}

/// The name of a study's folder.
pub fn stem(name: &str, study: &Study) -> String {
    match study.file.trim_end_matches(".toml") {
        "study" => name.to_owned(),
        other => format!("{name}-{other}"),
    }
}

/// The file of a study's picture in `docs/pictures/`.
pub fn picture(name: &str, study: &Study) -> String {
    format!("finding-{}.png", stem(name, study))
}

/// What `plot` is told of a study: its table and its options.
pub fn plotted(name: &str, study: &Study) -> Vec<String> {
    let mut words = vec![format!("{}/summary.csv", stem(name, study))];
    words.extend(study.plot.iter().cloned());
    words
}

/// Half the steps of a study, and half of the first one that is measured.
fn halves(file: &Path) -> Result<[String; 2]> {
    let text = std::fs::read_to_string(file).map_err(at(file))?;
    let study: toml::Table = text.parse().map_err(|why| format!("{}: {why}", file.display()))?;
    let half =
        |value: Option<&toml::Value>| (value.and_then(toml::Value::as_integer).unwrap_or(0) / 2).to_string();
    Ok([half(study.get("steps")), half(study.get("measure").and_then(|measure| measure.get("after")))])
}

/// The options of the run in integers.
pub fn hashed(name: &str, finding: &Finding) -> Vec<String> {
    let mut words =
        vec!["run".to_owned(), "--config".to_owned(), format!("examples/findings/{name}/flock.toml")];
    for (key, value) in &finding.hash.set {
        words.extend(["--set".to_owned(), format!("{key}={value}")]);
    }
    words.extend(["--steps".to_owned(), finding.hash.steps.to_string()]);
    words.extend(["--numeric", "fixed", "--hash"].map(str::to_owned));
    words
}

/// The hash of its last state.
///
/// # Errors
/// When the program fails.
pub fn hash(program: &Path, name: &str, finding: &Finding) -> Result<String> {
    let mut run = Command::new(program);
    run.args(hashed(name, finding)).args(["--engine", "cpu"]).current_dir(root());
    let output = run.output().map_err(at(program))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = text.lines().last().and_then(|line| line.split(',').nth(1));
    last.filter(|_| output.status.success())
        .map(str::to_owned)
        .ok_or_else(|| format!("{run:?}: {}", String::from_utf8_lossy(&output.stderr).trim()))
}

fn done(command: &mut Command) -> Result {
    let status = command.status().map_err(|why| format!("{command:?}: {why}"))?;
    if status.success() { Ok(()) } else { Err(format!("{command:?} failed ({status})")) }
}
