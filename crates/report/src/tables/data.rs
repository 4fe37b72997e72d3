//! Reads tables of any columns, in CSV or Parquet: those of measures and of studies.

use std::fs::File;
use std::path::{Path, PathBuf};

use csv::{Position, StringRecord};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;

use super::csv_input;
use crate::{Failure, Result, extension};
use config::shown;
use cpu::contained::contain;

/// The greatest number: its square is finite, too.
const MOST: f64 = 1e150;
/// The most cells of Parquet: a short file can stand for rows without end.
const MOST_CELLS: usize = 100_000_000;

/// A table as text.
#[derive(Debug)]
pub struct Data {
    pub path: PathBuf,
    pub names: Vec<String>,
    /// In Parquet a row has its number in place of a line.
    rows: Vec<StringRecord>,
}

/// Reads a file with at least one row, `.parquet` by its name, else CSV with a header; every row has a cell for each name.
///
/// # Errors
/// Where it cannot be read, or is no such table.
pub fn read_table(path: &Path) -> Result<Data> {
    let (names, rows) = if extension(path) == "parquet" { read_parquet(path) } else { read_csv(path) }?;
    match (1..names.len()).find(|k| names[..*k].contains(&names[*k])) {
        None => Ok(Data { path: path.to_owned(), names, rows }),
        Some(k) => {
            Err(Failure::file(path, format!("column '{}' stands twice: allowed is once", shown(&names[k]))))
        }
    }
}

fn read_csv(path: &Path) -> Result<(Vec<String>, Vec<StringRecord>)> {
    let (names, mut reader) = csv_input::open(path)?;
    if names.iter().all(String::is_empty) {
        let problem = "it is empty; the first line must name the columns, as step,polarization";
        return Err(Failure::file(path, problem));
    }
    let rows = reader.records().collect::<std::result::Result<Vec<_>, _>>();
    let rows = rows.map_err(|error| csv_input::fault(path, error))?;
    if rows.is_empty() {
        return Err(Failure::file(path, "line 2: no row of values follows the header"));
    }
    Ok((names, rows))
}

fn read_parquet(path: &Path) -> Result<(Vec<String>, Vec<StringRecord>)> {
    let file = File::open(path).map_err(|source| Failure::read(path, source))?;
    // The library panics on some files that are damaged.
    let table = contain(|| parquet_rows(file));
    let table = table.unwrap_or_else(|| Err(ParquetError::General("it is damaged".into())));
    match table {
        Ok((_, rows)) if rows.is_empty() => Err(Failure::file(path, "it has no row of values")),
        Ok(table) => Ok(table),
        Err(error) => Err(Failure::file(path, format!("it is no Parquet table that can be read: {error}"))),
    }
}

fn parquet_rows(file: File) -> std::result::Result<(Vec<String>, Vec<StringRecord>), ParquetError> {
    let reader = SerializedFileReader::new(file)?;
    let schema = reader.metadata().file_metadata().schema();
    let names: Vec<String> = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
    let mut rows = Vec::new();
    for row in reader.get_row_iter(None)? {
        let mut record: StringRecord = row?.get_column_iter().map(|(_, field)| text(field)).collect();
        let mut place = Position::new();
        place.set_line(rows.len() as u64 + 1);
        record.set_position(Some(place));
        rows.push(record);
        if rows.len() * names.len().max(1) > MOST_CELLS {
            return Err(ParquetError::General(format!("more than {MOST_CELLS} cells")));
        }
    }
    Ok((names, rows))
}

/// A cell; empty where it is null or not a number.
fn text(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Double(number) if number.is_nan() => String::new(),
        Field::Float(number) if number.is_nan() => String::new(),
        Field::Str(word) => word.clone(),
        other => other.to_string(),
    }
}

impl Data {
    /// The number of rows.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// The place of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The cells of a column.
    pub fn texts(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |row| row.get(column).unwrap_or_default())
    }

    /// The numbers of a column; NaN for an empty cell, which stands for a measure that is not defined.
    ///
    /// # Errors
    /// For anything else that is no number within ±1e150.
    pub fn numbers(&self, column: usize) -> Result<Vec<f64>> {
        let number = |(text, row): (&str, &StringRecord)| match text.parse::<f64>() {
            _ if text.is_empty() => Ok(f64::NAN),
            Ok(number) if number.abs() <= MOST => Ok(number),
            _ => {
                let place = if extension(&self.path) == "parquet" { "row" } else { "line" };
                let line = row.position().map_or(0, Position::line);
                let (column, value) = (shown(&self.names[column]), shown(text));
                let allowed = format!("it must be a number within ±{MOST:e} or empty");
                let problem = format!("{place} {line}, column {column}: '{value}'; {allowed}");
                Err(Failure::file(&self.path, problem))
            }
        };
        self.texts(column).zip(&self.rows).map(number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::FailureKind;

    fn read(text: &str) -> Result<Data> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        std::fs::write(&path, text).unwrap();
        read_table(&path)
    }

    #[test]
    fn columns_are_found_by_name_and_empty_cells_are_no_numbers() {
        let data = read("\u{feff}step,polarization\n0,0.5\n10,\n").unwrap();
        assert_eq!((data.row_count(), data.names.join(" ")), (2, "step polarization".to_owned()));
        let column = data.column("polarization").unwrap();
        let numbers = data.numbers(column).unwrap();
        assert_eq!((numbers[0], data.texts(column).next()), (0.5, Some("0.5")));
        assert!(numbers[1].is_nan() && data.column("milling").is_none());
        assert_eq!(data.numbers(data.column("step").unwrap()).unwrap(), [0.0, 10.0]);
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
            assert!(error.message.contains(problem) && error.kind == FailureKind::Usage, "{error}");
        }
        for cell in ["x", "inf", "nan", "1,5", "0x1", "-2e150"] {
            let data = read(&format!("a;b\n1\n\"{cell}\"\n")).unwrap();
            let error = data.numbers(data.column("a;b").unwrap()).unwrap_err().message;
            assert!(
                error.contains("line 3, column a;b: '") && error.contains("a number within ±1e150"),
                "{error}"
            );
        }
    }
}
