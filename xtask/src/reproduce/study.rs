//! The studies of a finding, run by the program.

use std::path::Path;
use std::process::Command;

use crate::finding::{Finding, Study, settings};
use crate::summary::Summary;
use crate::{Result, at, findings, root};

/// The seeds of a quick study.
const FEW_SEEDS: &str = "4";

/// Which of a study's runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Run {
    Study,
    /// The same without the interaction.
    Control,
}

/// The tables of a study.
#[derive(Debug)]
pub struct Results {
    pub summary: Summary,
    runs: Summary,
}

impl Results {
    fn read(folder: &Path) -> Result<Self> {
        let [summary, runs] = ["summary.csv", "runs.csv"].map(|table| Summary::read(&folder.join(table)));
        Ok(Results { summary: summary?, runs: runs? })
    }

    /// The value of a measure in each run of a setting.
    ///
    /// # Errors
    /// When there is no such measure or setting, or a run without a value.
    pub fn by_seed(&self, measure: &str, at: &toml::Table) -> Result<Vec<f64>> {
        self.summary.by_seed(&self.runs, measure, at)
    }
}

/// The tables of a finding's studies.
#[derive(Debug)]
pub struct Studies<'a> {
    finding: &'a Finding,
    results: Vec<(&'a Study, Run, Results)>,
}

impl<'a> Studies<'a> {
    /// Runs them and their controls into folders of their own, then draws their pictures; quickly only those of quick rows,
    /// with few seeds and half the steps, without controls and pictures.
    ///
    /// # Errors
    /// When the program fails.
    pub fn run(
        program: &Path,
        folder: &Path,
        name: &str,
        finding: &'a Finding,
        [quick, keep]: [bool; 2],
    ) -> Result<Self> {
        let mut results = Vec::new();
        for study in finding.studies.iter().filter(|study| !quick || finding.quickly(study)) {
            let mut sweep = |run: Run, suffix: &str, more: &[String]| {
                let table = folder.join(stem(name, study) + suffix);
                if keep && table.join("summary.csv").exists() {
                    results.push((study, run, Results::read(&table)?));
                    return Ok(());
                }
                results.push((
                    study,
                    run,
                    swept(program, &findings().join(name).join(&study.file), &table, more)?,
                ));
                Ok::<_, String>(())
            };
            if quick {
                let [steps, after] = halves(&findings().join(name).join(&study.file))?;
                let few = ["--quiet", "--seeds", FEW_SEEDS, "--steps", &steps, "--after", &after];
                sweep(Run::Study, "", &few.map(str::to_owned))?;
                continue;
            }
            sweep(Run::Study, "", &[])?;
            let control = finding.control(study);
            if !control.is_empty() && finding.compared(study) {
                let set = control.into_iter().flat_map(|setting| ["--set".to_owned(), setting]);
                sweep(Run::Control, "-control", &set.collect::<Vec<_>>())?;
            }
        }
        for study in finding.drawn().filter(|_| !quick) {
            let mut plot = Command::new(program);
            let picture = root().join("docs/pictures").join(picture(name, study));
            plot.current_dir(folder).arg("plot").args(plotted(name, study)).arg("-o").arg(picture);
            done(plot.arg("--yes"))?;
        }
        Ok(Studies { finding, results })
    }

    /// The tables of the study of this file, or of the first one.
    ///
    /// # Errors
    /// When the finding has no such study, or it was not run.
    pub fn results(&self, file: Option<&str>, run: Run) -> Result<&Results> {
        let wanted = self.finding.study(file)?;
        let found = self.results.iter().find(|(study, of, _)| std::ptr::eq(*study, wanted) && *of == run);
        found.map(|(.., results)| results).ok_or_else(|| format!("{} was not run", wanted.file))
    }

    /// True if a study has a control.
    pub fn controlled(&self, file: Option<&str>) -> bool {
        self.results(file, Run::Control).is_ok()
    }

    #[cfg(test)]
    pub fn of(finding: &'a Finding, summary: &str, runs: &str, control: Option<&str>) -> Self {
        let table = |text: &str| Summary::parse(text).expect("a table");
        let of = |run, summary: &str| {
            (&finding.studies[0], run, Results { summary: table(summary), runs: table(runs) })
        };
        let results = [(Run::Study, Some(summary)), (Run::Control, control)];
        let results = results.into_iter().filter_map(|(run, summary)| Some(of(run, summary?)));
        Studies { finding, results: results.collect() }
    }
}

/// Runs a study into an empty folder.
fn swept(program: &Path, file: &Path, table: &Path, more: &[String]) -> Result<Results> {
    if table.exists() {
        std::fs::remove_dir_all(table).map_err(at(table))?;
    }
    let mut sweep = Command::new(program);
    sweep.arg("sweep").arg(file).args(["--engine", "cpu", "--out"]).arg(table).args(more);
    done(&mut sweep)?;
    Results::read(table)
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
    words.extend(settings(&finding.hash.set).into_iter().flat_map(|setting| ["--set".to_owned(), setting]));
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
