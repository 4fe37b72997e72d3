//! The tables of a plot, and their columns by the names that a call uses.

use std::collections::HashMap;
use std::mem::take;
use std::path::PathBuf;

use super::plain;
use crate::cli::plot::column as column_name;
use config::shown;
use files::{Data, Failure, Result, read_table, same_file};
use study::{Column, extent};

/// The column that distinguishes the files, which is in none of them.
pub(super) const FILE: &str = "file";

/// The rows of several files.
pub(super) struct Tables {
    files: Vec<Data>,
}

/// A row of a plot.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlotRow<'a> {
    pub facet: String,
    pub by: String,
    pub x: f64,
    /// The name of `y`.
    pub measure: &'a str,
    pub y: f64,
    /// The interval that the file states, else NaN.
    pub least: f64,
    pub most: f64,
}

/// A file of a study some of whose runs are missing.
pub(super) struct Incomplete {
    /// The path as the call gives it.
    pub path: String,
    /// The short name, for a caption.
    pub name: String,
    /// The runs that are missing, in words.
    pub missing: String,
}

/// The runs that a table of a study lacks, in words; `None` where it lacks none, and for other tables.
fn missing(data: &Data) -> Option<String> {
    match extent(&data.path) {
        Some((runs, ended)) if ended < runs => Some(format!("{} of {runs} runs are missing", runs - ended)),
        Some(_) => None,
        // A summary that was moved away from its manifest.
        None => {
            if data.names[0] != "setting" {
                return None;
            }
            let missing = data.column("missing")?;
            let some = data.texts(missing).any(|text| text != "0");
            some.then(|| "runs are missing".to_owned())
        }
    }
}

impl Tables {
    pub fn read(paths: &[PathBuf]) -> Result<Self> {
        let again = |(k, path): &(usize, &PathBuf)| {
            paths[..*k].iter().any(|one| one == *path || same_file(one, path))
        };
        if let Some((_, path)) = paths.iter().enumerate().find(again) {
            // Its rows would count twice in a mean.
            return Err(Failure::usage(format!("duplicate file {}", path.display())));
        }
        let mut files = Vec::new();
        for path in paths {
            let mut data = read_table(path)?;
            for name in &mut data.names {
                let Ok(known) = column_name(name);
                *name = known;
            }
            files.push(data);
        }
        Ok(Tables { files })
    }

    /// The names of the files, for a caption.
    pub fn names(&self) -> String {
        self.listed(|data| self.name(data))
    }

    /// The paths of the files as the call gives them, for an error.
    pub fn paths(&self) -> String {
        self.listed(|data| data.path.display().to_string())
    }

    fn listed(&self, name: impl Fn(&Data) -> String) -> String {
        let names: Vec<String> = self.files.iter().take(3).map(name).collect();
        match self.files.len() {
            0..=3 => names.join(", "),
            more => format!("{} and {} more", names.join(", "), more - 3),
        }
    }

    /// The name of a file, with its folders where another file has the same.
    fn name(&self, data: &Data) -> String {
        let alike = self.files.iter().filter(|other| other.path.file_name() == data.path.file_name()).count();
        let short = data.path.file_name().filter(|_| alike == 1);
        short.map_or_else(|| data.path.display().to_string(), |name| name.to_string_lossy().into_owned())
    }

    /// The files of studies that are incomplete.
    pub fn incomplete(&self) -> Vec<Incomplete> {
        let mut all = Vec::new();
        for data in &self.files {
            if let Some(missing) = missing(data) {
                let (path, name) = (data.path.display().to_string(), self.name(data));
                all.push(Incomplete { path, name, missing });
            }
        }
        all
    }

    /// True if there are several files.
    pub fn several(&self) -> bool {
        self.files.len() > 1
    }

    /// The names of the first file's columns.
    fn columns(&self) -> impl Iterator<Item = &str> {
        self.files.iter().take(1).flat_map(|data| data.names.iter().map(String::as_str))
    }

    /// True if the first file has a column.
    pub fn has(&self, name: &str) -> bool {
        self.columns().any(|known| known == name)
    }

    /// Refuses files whose rows would count twice in a mean.
    pub fn check_apart(&self) -> Result {
        let means = |data: &&Data| data.names.iter().any(|name| name.ends_with("_ci_low"));
        for (k, data) in self.files.iter().enumerate() {
            let same = |other: &&Data| {
                other.names == data.names && (0..data.names.len()).all(|k| other.texts(k).eq(data.texts(k)))
            };
            let before = &self.files[..k];
            let why = if let Some(other) = before.iter().find(same) {
                format!("has the same rows as {}: leave one out, or use --by file", other.path.display())
            } else if let Some(other) = before.iter().find(|other| means(other) != means(&data)) {
                format!("cannot be plotted with {}: one file has runs, the other means", other.path.display())
            } else {
                continue;
            };
            return Err(Failure::file(&data.path, why));
        }
        Ok(())
    }

    /// True if all cells of a column of the first file are numbers.
    pub fn numbers(&self, name: &str) -> bool {
        let cells = self.files.iter().take(1).filter_map(|data| Some(data.texts(data.column(name)?)));
        cells.flatten().all(|text| text.parse::<f64>().is_ok())
    }

    /// Refuses names that no file has.
    pub fn check_names(&self, names: &[String]) -> Result {
        let missing = names.iter().find(|name| self.files.iter().all(|data| data.column(name).is_none()));
        match (missing, self.files.first()) {
            (Some(name), Some(data)) => Err(unknown(data, name, &[])),
            _ => Ok(()),
        }
    }

    /// The first of some varied keys in which rows at one place differ, that is with the same values of other columns.
    pub fn differing<'a>(&self, place: &[&str], keys: &'a [String]) -> Result<Option<&'a str>> {
        let place = place.iter().map(|name| self.labels(name)).collect::<Result<Vec<_>, _>>()?;
        let labels = |key| {
            self.all(|data| {
                // A file without a key has one value of it.
                Ok(self.labels_in(data, key).unwrap_or_else(|_| vec![String::new(); data.row_count()]))
            })
        };
        let values = keys.iter().map(|key| labels(key.as_str())).collect::<Result<Vec<_>, _>>()?;
        let mut first = HashMap::new();
        for row in 0..self.row_count() {
            let here: Vec<&str> = place.iter().map(|labels| labels[row].as_str()).collect();
            let known: usize = *first.entry(here).or_insert(row);
            if let Some(key) = values.iter().position(|values| values[known] != values[row]) {
                return Ok(Some(&keys[key]));
            }
        }
        Ok(None)
    }

    /// The varied keys: names with a dot (except fractions), stage and direction of a schedule, and groups.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.columns().filter(|name| {
            name.contains('.') && !name.contains('(') || ["stage", "direction", "group"].contains(name)
        })
    }

    /// True if rows with the same value of one key differ in another.
    pub fn vary_apart(&self, key: &str, other: &str) -> bool {
        self.differing(&[FILE, key], &[other.to_owned()]).is_ok_and(|found| found.is_some())
    }

    /// True if they are of `run --metrics`: one row per sample.
    pub fn metrics(&self) -> bool {
        self.has("step")
    }

    /// The measures, as a call names them.
    pub fn measures(&self) -> Vec<&str> {
        if self.metrics() {
            let other = |name: &&str| {
                !["run", "seed", "step", "group", "stage", "direction"].contains(name) && !name.contains('.')
            };
            // A trajectory has one row per boid, and no measure.
            return self.columns().filter(|_| !self.has("id")).filter(other).collect();
        }
        let alone = |name: &str| Column::find(name).is_ok_and(|column| !matches!(column, Column::Measure(_)));
        let measure = |name| str::strip_suffix(name, "_mean").or(alone(name).then_some(name));
        self.columns().filter_map(measure).collect()
    }

    /// All rows of a measure, at their places along x where there is one, with the panel and the curve of each.
    pub fn rows<'a>(
        &self,
        [facet, by]: [&Option<String>; 2],
        x: Option<&str>,
        measure: &'a str,
    ) -> Result<Vec<PlotRow<'a>>> {
        let labels = |name: &Option<String>| match name {
            Some(name) => self.labels(name),
            None => Ok(vec![String::new(); self.row_count()]),
        };
        let (mut facets, mut bys) = (labels(facet)?, labels(by)?);
        let numbers = |name| self.all(|data| data.numbers(column(data, name, &[])?));
        let (x, y) = (x.map(numbers).transpose()?, numbers(measure)?);
        let side = |suffix: &str| {
            self.all(|data| {
                let mean = data
                    .column(measure)
                    .map_or(measure, |_| measure.strip_suffix("_mean").unwrap_or(measure));
                let stated = data.column(&format!("{mean}_{suffix}"));
                stated.map_or_else(|| Ok(vec![f64::NAN; data.row_count()]), |column| data.numbers(column))
            })
        };
        let (least, most) = (side("ci_low")?, side("ci_high")?);
        let row = |k: usize| {
            let x = x.as_ref().map_or(0.0, |x| x[k]);
            let (panel, curve) = (take(&mut facets[k]), take(&mut bys[k]));
            PlotRow { facet: panel, by: curve, x, measure, y: y[k], least: least[k], most: most[k] }
        };
        // Empty cells have no place.
        let placed = (0..y.len()).map(row).filter(|row| row.x.is_finite() && row.y.is_finite());
        let rows: Vec<PlotRow<'_>> = placed.collect();
        if rows.is_empty() {
            return Err(Failure::usage(format!("{}: column {measure} has no values", self.paths())));
        }
        Ok(rows)
    }

    /// The values of all files, one after the other.
    fn all<T: Clone>(&self, of: impl Fn(&Data) -> Result<Vec<T>>) -> Result<Vec<T>> {
        Ok(self.files.iter().map(of).collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn row_count(&self) -> usize {
        self.files.iter().map(Data::row_count).sum()
    }

    /// The label of each row's curve or panel.
    fn labels(&self, name: &str) -> Result<Vec<String>> {
        self.all(|data| self.labels_in(data, name))
    }

    /// The same of one file: the cells of a column, or its name.
    fn labels_in(&self, data: &Data, name: &str) -> Result<Vec<String>> {
        if name == FILE {
            return Ok(vec![self.name(data); data.row_count()]);
        }
        // Equal numbers have equal labels, whatever their digits.
        let label = |text: &str| text.parse::<f64>().map_or_else(|_| shown(text), plain);
        Ok(data.texts(column(data, name, &[FILE])?).map(label).collect())
    }
}

/// The index of a column by its name, or of the mean of that measure; names in `more` are valid, too.
fn column(data: &Data, name: &str, more: &[&str]) -> Result<usize> {
    let found = data.column(name).or_else(|| data.column(&format!("{name}_mean")));
    found.ok_or_else(|| unknown(data, name, more))
}

fn unknown(data: &Data, name: &str, more: &[&str]) -> Failure {
    let names = data.names.iter().map(|name| shown(name)).chain(more.iter().map(|name| (*name).to_owned()));
    let (name, allowed) = (shown(name), names.collect::<Vec<String>>().join(", "));
    Failure::file(&data.path, format!("no column '{name}'; the columns are {allowed}"))
}
