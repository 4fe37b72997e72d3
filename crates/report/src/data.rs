//! Reads tables of any columns, in CSV or Parquet: those of measures and of studies.

mod parquet;

use std::path::{Path, PathBuf};

use super::csv_input::{fault, reader};
use super::error::{Error, Result};
use config::shown::shown;

/// The greatest number: its square is finite, too.
const MOST: f64 = 1e150;

/// A table as text.
#[derive(Debug)]
pub struct Data {
    pub path: PathBuf,
    pub names: Vec<String>,
    rows: Vec<csv::StringRecord>,
    /// What the place of a row is called.
    place: &'static str,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a> {
    data: &'a Data,
    column: usize,
}

impl Data {
    /// Reads a file with at least one row, `.parquet` by its name, else CSV with a header; every row has a cell for each
    /// name.
    ///
    /// # Errors
    /// [`Error::Open`] and [`Error::Input`].
    pub fn read(path: &Path) -> Result<Self> {
        let columnar = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("parquet"));
        let data = if columnar { Self::read_parquet(path) } else { Self::read_csv(path) }?;
        let twice = (1..data.names.len()).find(|k| data.names[..*k].contains(&data.names[*k]));
        match twice.map(|k| shown(&data.names[k])) {
            None => Ok(data),
            Some(name) => Err(Error::input(path, format!("column '{name}' stands twice: allowed is once"))),
        }
    }

    fn read_parquet(path: &Path) -> Result<Self> {
        let (names, rows) = parquet::read(path)?;
        if rows.is_empty() {
            return Err(Error::input(path, "it has no row of values".to_owned()));
        }
        Ok(Data { path: path.to_owned(), names, rows, place: "row" })
    }

    fn read_csv(path: &Path) -> Result<Self> {
        let mut reader = reader(path)?;
        let header = reader.headers().map_err(|error| fault(path, error))?;
        // A spreadsheet may put a byte order mark before the first name.
        let names: Vec<String> =
            header.iter().map(|name| name.trim_start_matches('\u{feff}').to_owned()).collect();
        if names.iter().all(String::is_empty) {
            let problem = "it is empty; the first line must name the columns, as step,polarization";
            return Err(Error::input(path, problem.to_owned()));
        }
        let rows: Vec<_> =
            reader.records().collect::<std::result::Result<_, _>>().map_err(|e| fault(path, e))?;
        if rows.is_empty() {
            return Err(Error::input(path, "line 2: no row of values follows the header".to_owned()));
        }
        Ok(Data { path: path.to_owned(), names, rows, place: "line" })
    }

    /// The number of rows.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// A column.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<Cells<'_>> {
        let column = self.names.iter().position(|known| known == name)?;
        Some(Cells { data: self, column })
    }
}

impl<'a> Cells<'a> {
    /// The text of a row; empty beyond the last.
    #[must_use]
    pub fn text(&self, row: usize) -> &'a str {
        self.data.rows.get(row).and_then(|record| record.get(self.column)).unwrap_or_default()
    }

    /// The number of a row; NaN for an empty cell, which stands for a measure that is not defined.
    ///
    /// # Errors
    /// [`Error::Input`] for anything else that is no number within ±1e150.
    pub fn number(&self, row: usize) -> Result<f64> {
        let text = self.text(row);
        if text.is_empty() {
            return Ok(f64::NAN);
        }
        match text.parse::<f64>() {
            Ok(number) if number.abs() <= MOST => Ok(number),
            _ => {
                let line = self
                    .data
                    .rows
                    .get(row)
                    .and_then(csv::StringRecord::position)
                    .map_or(0, csv::Position::line);
                let place = self.data.place;
                let (column, value) = (shown(&self.data.names[self.column]), shown(text));
                let problem = format!(
                    "{place} {line}, column {column}: '{value}'; it must be a number within ±{MOST:e} or empty"
                );
                Err(Error::input(&self.data.path, problem))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Data> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, text).unwrap();
        Data::read(&path)
    }

    #[test]
    fn columns_are_found_by_name_and_empty_cells_are_no_numbers() {
        let data = read("\u{feff}step,polarization\n0,0.5\n10,\n").unwrap();
        assert_eq!((data.row_count(), data.names.join(" ")), (2, "step polarization".to_owned()));
        let column = data.column("polarization").unwrap();
        assert_eq!((column.number(0).unwrap(), column.text(0)), (0.5, "0.5"));
        assert!(column.number(1).unwrap().is_nan() && data.column("milling").is_none());
        assert_eq!(data.column("step").unwrap().number(1).unwrap(), 10.0);
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_line() {
        for (text, problem) in [
            ("", "it is empty"),
            ("a,b\n", "line 2: no row"),
            ("a,b,a\n1,2,3\n", "column 'a' stands twice"),
            ("a,b\n1,2\n3\n", "line 3 is short: 1 values, the header names 2"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.to_string().contains(problem) && error.exit_code() == 2, "{error}");
        }
        for cell in ["x", "inf", "nan", "1,5", "0x1", "-2e150"] {
            let data = read(&format!("a;b\n1\n\"{cell}\"\n")).unwrap();
            let error = data.column("a;b").unwrap().number(1).unwrap_err().to_string();
            assert!(
                error.contains("line 3, column a;b: '") && error.contains("a number within ±1e150"),
                "{error}"
            );
        }
    }
}
