//! The file of a finding.

use std::path::Path;

use serde::Deserialize;
use toml::{Table, Value};

use crate::{Result, at};

/// A published result and how it is repeated.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    pub title: String,
    /// Its place on the page.
    pub place: u32,
    /// Where it was published, what the model is here, and what is varied.
    pub about: String,
    /// The run in integers whose last hash is printed.
    pub hash: Run,
    /// What takes the interaction away, in all studies that name nothing else.
    #[serde(default)]
    pub control: Table,
    #[serde(rename = "study")]
    pub studies: Vec<Study>,
    #[serde(rename = "row")]
    pub rows: Vec<Row>,
}

/// A run.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// What is set, in addition to `flock.toml`.
    #[serde(default)]
    pub set: Table,
    pub steps: u32,
}

/// A study in the folder of the finding.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Study {
    pub file: String,
    /// Options of `plot`, and other studies' tables as `STUDY/summary.csv`; no picture without them.
    #[serde(default)]
    pub plot: Vec<String>,
    /// What the picture shows.
    #[serde(default)]
    pub about: String,
    /// What takes the interaction away here.
    #[serde(default)]
    pub control: Table,
}

/// What is compared.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub observable: String,
    pub published: String,
    /// The file of its study; the first one where there is none.
    pub study: Option<String>,
    #[serde(default)]
    pub measure: String,
    /// The setting: a value for each varied parameter.
    #[serde(default)]
    pub at: Table,
    /// It holds where the whole interval lies in this one.
    pub within: Option<[f64; 2]>,
    /// It holds where it is less than in another setting, by a test over seeds, or where the whole interval lies below a number.
    pub below: Option<Value>,
    /// The same above.
    pub above: Option<Value>,
    /// The study of the other setting, where that is another one.
    pub other_study: Option<String>,
    /// What is said where nothing is compared.
    pub verdict: Option<String>,
    #[serde(default)]
    pub note: String,
    /// It has to hold with few seeds, too.
    #[serde(default)]
    pub quick: bool,
    /// A parameter was chosen so that it holds.
    #[serde(default)]
    pub choice: bool,
}

impl Finding {
    /// # Errors
    /// Names the file, the line and what is wrong with it.
    pub fn read(file: &Path) -> Result<Finding> {
        let text = std::fs::read_to_string(file).map_err(at(file))?;
        let why =
            |why: toml::de::Error| format!("{}: {}", file.display(), why.to_string().replace('\n', " "));
        toml::from_str(&text).map_err(why)
    }

    /// The studies with a picture.
    pub fn drawn(&self) -> impl Iterator<Item = &Study> {
        self.studies.iter().filter(|study| !study.plot.is_empty())
    }

    /// What takes the interaction away in a study, as `KEY=VALUE`; nothing where it has no control.
    pub fn control(&self, study: &Study) -> Vec<String> {
        let set = if study.control.is_empty() { &self.control } else { &study.control };
        settings(set)
    }

    /// True if a row compares a measure of this study.
    pub fn compared(&self, study: &Study) -> bool {
        self.rows.iter().any(|row| row.verdict.is_none() && self.needs(row, study))
    }

    /// True if a quick row needs this study.
    pub fn quickly(&self, study: &Study) -> bool {
        self.rows.iter().filter(|row| row.quick).any(|row| self.needs(row, study))
    }

    fn needs(&self, row: &Row, study: &Study) -> bool {
        let is = |file: &Option<String>| self.study(file.as_deref()).is_ok_and(|of| std::ptr::eq(of, study));
        is(&row.study) || row.other_study.is_some() && is(&row.other_study)
    }

    /// The study of this file, or the first one.
    ///
    /// # Errors
    /// When the finding has no such study.
    pub fn study(&self, file: Option<&str>) -> Result<&Study> {
        let found = self.studies.iter().find(|study| file.is_none_or(|file| study.file == file));
        found.ok_or_else(|| format!("there is no study `{}`", file.unwrap_or_default()))
    }
}

/// Settings as the command line takes them.
pub fn settings(set: &Table) -> Vec<String> {
    set.iter().map(|(key, value)| format!("{key}={value}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_is_run_quickly_where_a_quick_row_needs_it() {
        let study = |file: &str| format!("[[study]]\nfile = \"{file}\"\n");
        let row = |rest: &str| format!("[[row]]\nobservable = \"o\"\npublished = \"p\"\n{rest}\n");
        let text = ["a", "b", "c", "d"].map(study).concat()
            + &row("quick = true\nother_study = \"b\"")
            + &row("study = \"c\"")
            + &row("study = \"d\"\nquick = true");
        let head = "title = \"T\"\nplace = 1\nabout = \"A\"\nhash = { steps = 1 }\n";
        let finding: Finding = toml::from_str(&format!("{head}{text}")).expect("a finding");
        let quick: Vec<bool> = finding.studies.iter().map(|study| finding.quickly(study)).collect();
        assert_eq!(quick, [true, true, false, true]);
    }
}
