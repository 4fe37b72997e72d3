//! The tables of a plot, and their columns by the names that a call uses.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::values::plain;
use config::shown::shown;
use lab::study::Column;
use report::failure::Failure;
use report::{Cells, Data};

/// The column that tells the files apart, which none of them has.
pub(super) const FILE: &str = "file";

/// The rows of several files.
pub(super) struct Tables {
    files: Vec<Data>,
}

/// A row as a plot takes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Row {
    pub facet: String,
    pub by: String,
    pub x: f64,
    pub y: f64,
    /// The interval that the file states, else NaN.
    pub least: f64,
    pub most: f64,
}

/// The columns of a plot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names<'a> {
    pub facet: Option<&'a str>,
    pub by: Option<&'a str>,
    pub x: Option<&'a str>,
    pub y: &'a str,
}

impl Tables {
    pub fn read(paths: &[PathBuf]) -> Result<Self, Failure> {
        let files = paths.iter().map(|path| Data::read(path)).collect::<Result<_, _>>()?;
        Ok(Tables { files })
    }

    /// The names of the files, for a caption.
    pub fn names(&self) -> String {
        let names: Vec<String> = self.files.iter().take(3).map(|data| self.name(data)).collect();
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

    /// True if there are several files.
    pub fn several(&self) -> bool {
        self.files.len() > 1
    }

    /// The names of the first file's columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.files.iter().take(1).flat_map(|data| data.names.iter().map(String::as_str))
    }

    /// True if the first file has a column.
    pub fn has(&self, name: &str) -> bool {
        self.columns().any(|known| known == name)
    }

    /// Refuses names that no file has.
    pub fn check_names(&self, names: &[String]) -> Result<(), Failure> {
        let missing = names.iter().find(|name| self.files.iter().all(|data| data.column(name).is_none()));
        match (missing, self.files.first()) {
            (Some(name), Some(data)) => Err(unknown(data, name, &[])),
            _ => Ok(()),
        }
    }

    /// The first of some varied keys in which rows at one place differ: of one facet, curve and x.
    pub fn differing<'a>(
        &self,
        place: [Option<&str>; 3],
        keys: &'a [String],
    ) -> Result<Option<&'a str>, Failure> {
        let mut first = BTreeMap::new();
        for data in self.files.iter().filter(|_| !keys.is_empty()) {
            let place = place.map(|name| name.map(|name| self.point(data, name)).transpose());
            let [facet, by, x] = place;
            let place = [facet?, by?, x?];
            let rest: Vec<_> = keys.iter().map(|key| data.column(key).map(Label::Column)).collect();
            let text = |label: &Option<Label<'_>>, row| {
                label.as_ref().map_or_else(String::new, |label| label.text(row))
            };
            for row in 0..data.row_count() {
                let values: Vec<String> = rest.iter().map(|label| text(label, row)).collect();
                let known = first
                    .entry(place.each_ref().map(|label| text(label, row)))
                    .or_insert_with(|| values.clone());
                if let Some(at) = (0..values.len()).find(|at| known[*at] != values[*at]) {
                    return Ok(Some(&keys[at]));
                }
            }
        }
        Ok(None)
    }

    /// A column that a point lies at, or a file's name.
    fn point<'a>(&self, data: &'a Data, name: &str) -> Result<Label<'a>, Failure> {
        match name {
            FILE => Ok(Label::File(self.name(data))),
            _ => Ok(Label::Column(measure(data, name)?)),
        }
    }

    /// The varied keys: the names with a dot, but for fractions of a measure, and the stair and direction of a schedule.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let stair = |name: &str| ["stair", "direction"].contains(&name);
        self.columns().filter(move |name| name.contains('.') && !name.contains('(') || stair(name))
    }

    /// True if rows with the same value of one key differ in another.
    pub fn vary_apart(&self, key: &str, other: &str) -> bool {
        self.files.iter().any(|data| {
            let (Ok(key), Ok(other)) = (self.label(data, key), self.label(data, other)) else { return false };
            let mut first = BTreeMap::new();
            (0..data.row_count()).any(|row| {
                let first = *first.entry(key.text(row)).or_insert(row);
                other.text(first) != other.text(row)
            })
        })
    }

    /// True if they are of `run --metrics`: a row a sample.
    pub fn metrics(&self) -> bool {
        self.columns().any(|name| name == "step")
    }

    /// The measures, as a call names them.
    pub fn measures(&self) -> Vec<&str> {
        if self.metrics() {
            let other = |name: &&str| {
                !["run", "seed", "step", "stair", "direction"].contains(name) && !name.contains('.')
            };
            return self.columns().filter(other).collect();
        }
        let alone = |name: &str| Column::find(name).is_ok_and(|column| !matches!(column, Column::Measure(_)));
        let measure = |name| str::strip_suffix(name, "_mean").or(alone(name).then_some(name));
        self.columns().filter_map(measure).collect()
    }

    /// All rows of the columns.
    pub fn rows(&self, names: Names<'_>) -> Result<Vec<Row>, Failure> {
        let mut rows = Vec::new();
        for data in &self.files {
            let label = |name: Option<&str>| name.map(|name| self.label(data, name)).transpose();
            let (facet, by) = (label(names.facet)?, label(names.by)?);
            let x = names.x.map(|name| measure(data, name)).transpose()?;
            let y = measure(data, names.y)?;
            let name =
                if data.column(names.y).is_some() { names.y.trim_end_matches("_mean") } else { names.y };
            let side = |suffix: &str| data.column(&format!("{name}_{suffix}"));
            let (least, most) = (side("ci_low"), side("ci_high"));
            for row in 0..data.row_count() {
                let number = |cells: Option<Cells<'_>>| cells.map_or(Ok(f64::NAN), |cells| cells.number(row));
                rows.push(Row {
                    facet: facet.as_ref().map_or_else(String::new, |label| label.text(row)),
                    by: by.as_ref().map_or_else(String::new, |label| label.text(row)),
                    x: number(x)?,
                    y: y.number(row)?,
                    least: number(least)?,
                    most: number(most)?,
                });
            }
        }
        // Empty cells have no place.
        rows.retain(|row| row.y.is_finite() && (names.x.is_none() || row.x.is_finite()));
        if rows.is_empty() {
            return Err(Failure::usage(format!("{}: column {} has no values", self.names(), names.y)));
        }
        Ok(rows)
    }

    fn label<'a>(&self, data: &'a Data, name: &str) -> Result<Label<'a>, Failure> {
        match name {
            FILE => Ok(Label::File(self.name(data))),
            _ => Ok(Label::Column(data.column(name).ok_or_else(|| unknown(data, name, &[FILE]))?)),
        }
    }
}

/// A column whose values name curves or panels.
enum Label<'a> {
    File(String),
    Column(Cells<'a>),
}

impl Label<'_> {
    /// Equal numbers have equal labels, whatever their digits.
    fn text(&self, row: usize) -> String {
        let text = match self {
            Label::File(name) => return name.clone(),
            Label::Column(cells) => cells.text(row),
        };
        text.parse::<f64>().map_or_else(|_| shown(text), plain)
    }
}

/// A column by its name, or the mean of that measure.
fn measure<'a>(data: &'a Data, name: &str) -> Result<Cells<'a>, Failure> {
    let found = data.column(name).or_else(|| data.column(&format!("{name}_mean")));
    found.ok_or_else(|| unknown(data, name, &[]))
}

fn unknown(data: &Data, name: &str, more: &[&str]) -> Failure {
    let names = data.names.iter().map(|name| shown(name)).chain(more.iter().map(|name| (*name).to_owned()));
    let names: Vec<String> = names.collect();
    let (path, name) = (data.path.display(), shown(name));
    Failure::usage(format!("{path}: no column '{name}': allowed is {}", names.join(", ")))
}
