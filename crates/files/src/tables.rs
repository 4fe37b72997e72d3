//! States, trajectories and measures in files: CSV and GSD. In CSV a number is written with the fewest digits that read
//! back as the same bits.

mod csv_input;
mod gsd;
mod state_csv;

pub use self::state_csv::{NO_STATE, Recording, SavedState, StateFile, path_with, read_state, write_state};

use std::mem::take;
use std::path::{Path, PathBuf};

use config::shown;
use csv::{Position, StringRecord};
use engine::{Numeric, State};
use flock::Parameters;

use self::csv_input::Rows;
use self::gsd::Gsd;
use crate::rows::{COLUMNS, Item, write_row, write_state_rows};
use crate::{AtomicFile, Existing, Failure, Result, check_ending, extension};

/// An open table in CSV; if dropped without [`TableFile::finish`], it leaves no file.
#[derive(Debug)]
pub struct TableFile {
    file: AtomicFile,
    /// Numbers are written with the digits that this type needs.
    numeric: Numeric,
}

impl TableFile {
    /// Starts a file, or stdout for `-`, with columns of these names.
    ///
    /// # Errors
    /// When the file cannot be written, or its extension belongs to another format.
    pub fn create<'a>(
        path: &Path,
        names: impl IntoIterator<Item = &'a str>,
        numeric: Numeric,
        existing: Existing,
    ) -> Result<Self> {
        check_ending(path, &["csv"])?;
        let file = AtomicFile::create_or_stdout(path, existing)?;
        let mut table = Self { file, numeric };
        table.row(names.into_iter().map(Item::Text))?;
        Ok(table)
    }

    /// Adds a row with one cell per column.
    ///
    /// # Errors
    /// When the row cannot be written.
    pub fn row<'a>(&mut self, cells: impl IntoIterator<Item = Item<'a>>) -> Result<()> {
        write_row(&mut self.file, cells, self.numeric).map_err(|source| self.file.failed(source))
    }

    /// Adds the rows of a state.
    fn state(&mut self, state: &State) -> Result<()> {
        write_state_rows(&mut self.file, state, self.numeric).map_err(|source| self.file.failed(source))
    }

    /// Ends a sample of one row or more: it can be read at once, and stays however the process ends.
    ///
    /// # Errors
    /// When the rows cannot be written.
    pub fn end_sample(&mut self) -> Result<()> {
        self.file.end_sample().map_err(|source| self.file.failed(source))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// See [`AtomicFile::commit`].
    pub fn finish(self) -> Result<()> {
        self.file.commit()
    }

    /// Gives the file its name after a write has failed, with its whole samples. False if it has none, and if it is a
    /// stream.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_samples(self) -> Result<bool> {
        self.file.commit_samples()
    }
}

/// An open trajectory; if dropped without [`Trajectory::finish`] or [`Trajectory::keep_samples`], it leaves no file.
#[derive(Debug)]
pub enum Trajectory {
    Table(TableFile),
    Gsd(Gsd),
}

impl Trajectory {
    /// Starts a file. The extension selects GSD (f32, in the world of the parameters) or CSV with the columns
    /// of a state; `-` is stdout.
    ///
    /// # Errors
    /// When the file cannot be written, its extension belongs to another format, or it is GSD and not a regular file.
    pub fn create(
        path: &Path,
        numeric: Numeric,
        parameters: &Parameters,
        existing: Existing,
    ) -> Result<Self> {
        check_ending(path, &["csv", "gsd"])?;
        if extension(path) == "gsd" {
            return Ok(Self::Gsd(Gsd::create(path, parameters, existing)?));
        }
        Ok(Self::Table(TableFile::create(path, COLUMNS, numeric, existing)?))
    }

    /// Adds a state, which is a sample; see [`TableFile::end_sample`].
    ///
    /// # Errors
    /// When the frame cannot be written.
    pub fn add(&mut self, state: &State) -> Result<()> {
        match self {
            Self::Table(table) => {
                table.state(state)?;
                table.end_sample()
            }
            Self::Gsd(gsd) => gsd.add(state),
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// See [`AtomicFile::commit`].
    pub fn finish(self) -> Result<()> {
        match self {
            Self::Table(table) => table.finish(),
            Self::Gsd(gsd) => gsd.finish(),
        }
    }

    /// See [`TableFile::keep_samples`].
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn keep_samples(self) -> Result<bool> {
        match self {
            Self::Table(table) => table.keep_samples(),
            Self::Gsd(gsd) => gsd.keep_samples(),
        }
    }
}

/// Maximum magnitude of a number: its square is finite, too.
const MAX: f64 = 1e150;

/// A table as text.
#[derive(Debug)]
pub struct Data {
    pub path: PathBuf,
    pub names: Vec<String>,
    rows: Vec<StringRecord>,
}

/// Reads a CSV file with a header and at least one row. Every row has all columns.
///
/// # Errors
/// When the file cannot be read, or is not such a table.
pub fn read_table(path: &Path) -> Result<Data> {
    check_ending(path, &["csv"])?;
    let (names, mut lines) = Rows::open(path)?;
    if names.iter().all(String::is_empty) {
        let problem = "the file is empty; its first line must name the columns, such as step,polarization";
        return Err(Failure::file(path, problem));
    }
    let (mut rows, mut row) = (Vec::new(), StringRecord::new());
    while lines.next(&mut row)? {
        rows.push(take(&mut row));
    }
    if rows.is_empty() {
        return Err(Failure::file(path, "no rows after the header"));
    }
    if let Some(k) = (1..names.len()).find(|k| names[..*k].contains(&names[*k])) {
        let problem = format!("duplicate column '{}'", shown(&names[k]));
        return Err(Failure::file(path, problem));
    }
    Ok(Data { path: path.to_owned(), names, rows })
}

impl Data {
    /// The number of rows.
    pub fn row_count(&self) -> usize {
        self.rows.len()
    }

    /// The index of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The cells of a column.
    pub fn texts(&self, column: usize) -> impl Iterator<Item = &str> {
        self.rows.iter().map(move |row| row.get(column).unwrap_or_default().trim_ascii())
    }

    /// The numbers of a column; NaN for an empty cell, which means an undefined measure.
    ///
    /// # Errors
    /// For any other cell that is not a number within ±1e150.
    pub fn numbers(&self, column: usize) -> Result<Vec<f64>> {
        let number = |(text, row): (&str, &StringRecord)| match text.parse::<f64>() {
            _ if text.is_empty() => Ok(f64::NAN),
            Ok(number) if number.abs() <= MAX => Ok(number),
            _ => {
                let line = row.position().map_or(0, Position::line);
                let (column, value) = (shown(&self.names[column]), shown(text));
                let required = format!("must be a number within ±{MAX:e}, or empty");
                let problem = format!("line {line}: column {column} {required}, not '{value}'");
                Err(Failure::file(&self.path, problem))
            }
        };
        self.texts(column).zip(&self.rows).map(number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_header_and_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measures.csv");
        let names = ["step", "polarization", "groups", "a,b"];
        let mut metrics = TableFile::create(&path, names, Numeric::F64, Existing::Keep).unwrap();
        metrics.row([Item::Whole(0), Item::real(0.1), Item::Whole(3), Item::Text("[1, 2]")]).unwrap();
        metrics.row([Item::Whole(10), Item::real(f64::NAN), Item::Whole(0), Item::Text("c")]).unwrap();
        metrics.finish().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text, "step,polarization,groups,\"a,b\"\n0,0.1,3,\"[1, 2]\"\n10,,0,c\n");
    }

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
    fn lines_are_counted_whatever_ends_them() {
        for end in ["\n", "\r\n", "\r"] {
            // An empty line, and one within quotes, count, too.
            let text = |last: &str| ["a,b", "1,2", "", "\"x\ny\",2", last].join("\n").replace('\n', end);
            let data = read(&text("1,no")).unwrap();
            let error = data.numbers(1).unwrap_err().message;
            assert!(error.contains("line 6: column b must be"), "{end:?}: {error}");
            let error = data.numbers(0).unwrap_err().message;
            assert!(error.contains("line 4: column a must be"), "{end:?}: {error}");
            let error = read(&text("3")).unwrap_err().message;
            assert!(error.contains("line 6: expected 2 values, found 1"), "{end:?}: {error}");
            assert_eq!(read(&text(&format!("1,2{end}"))).unwrap().row_count(), 3);
        }
    }

    /// An end of a line may fall on the end of a buffer.
    #[test]
    fn an_end_of_a_line_that_is_read_in_two_parts_is_one() {
        for length in 8180..8200 {
            let name = "a".repeat(length);
            let error = read(&format!("{name},b\r\n1,2\r\n3\r\n")).unwrap_err().message;
            assert!(error.contains("line 3: expected 2 values, found 1"), "{length}: {error}");
        }
    }
}
