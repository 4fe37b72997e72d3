//! Reads CSV files. Every error names line, column, value and the allowed values.

use std::fs::File;
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use csv::{ErrorKind, Position, StringRecord, Trim};

use crate::rows::COLUMNS;
use crate::{Failure, Result, check_ending, is_part};
use config::shown;
use engine::Numeric;

/// Maximum bytes of a line: a file without lines, such as `/dev/zero`, would fill the memory.
const LONGEST: usize = 1 << 20;
/// Separators of other tables, each with its name.
const SEPARATORS: [(char, &str); 2] = [(';', "';'"), ('\t', "a tab")];

/// A file whose lines are limited to [`LONGEST`] bytes. Each line ends with a line feed alone, whether the file ends it
/// with CR LF, LF, CR, or, the last one, with nothing.
#[derive(Debug)]
pub(super) struct Lines {
    file: File,
    /// Bytes since the last line began.
    length: usize,
    /// True if the last byte read was a CR: a line feed after it ends no other line.
    after_cr: bool,
    /// True if the file ends within a line.
    is_cut: bool,
}

impl Read for Lines {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut count = 0;
        // Zero bytes would mean the end of the file.
        while count == 0 {
            let taken = self.file.read(bytes)?;
            if taken == 0 {
                return Ok(self.end_last_line(bytes));
            }
            count = self.with_line_feeds(&mut bytes[..taken]);
        }
        self.length = match bytes[..count].iter().rposition(|byte| *byte == b'\n') {
            Some(end) => count - end - 1,
            None => self.length + count,
        };
        if self.length > LONGEST {
            let problem = format!("a line is longer than {LONGEST} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
        }
        Ok(count)
    }
}

impl Lines {
    /// Replaces the ends of lines by line feeds; returns the number of bytes that are left.
    fn with_line_feeds(&mut self, bytes: &mut [u8]) -> usize {
        let mut count = 0;
        for k in 0..bytes.len() {
            let byte = bytes[k];
            let second = self.after_cr && byte == b'\n';
            self.after_cr = byte == b'\r';
            if !second {
                bytes[count] = if byte == b'\r' { b'\n' } else { byte };
                count += 1;
            }
        }
        count
    }

    /// Ends the last line of the file where nothing else does; returns the number of bytes.
    fn end_last_line(&mut self, bytes: &mut [u8]) -> usize {
        if self.length == 0 || bytes.is_empty() {
            return 0;
        }
        bytes[0] = b'\n';
        (self.length, self.is_cut) = (0, true);
        1
    }
}

/// The rows of a CSV file.
#[derive(Debug)]
pub(super) struct Rows {
    path: PathBuf,
    reader: csv::Reader<Lines>,
}

impl Rows {
    /// Opens a CSV file; returns the names in its header, and its rows.
    pub(super) fn open(path: &Path) -> Result<(Vec<String>, Self)> {
        let file = File::open(path).map_err(|source| Failure::read(path, source))?;
        let lines = Lines { file, length: 0, after_cr: false, is_cut: false };
        let mut reader = csv::ReaderBuilder::new().trim(Trim::Headers).from_reader(lines);
        let header = reader.headers().map_err(|error| fault(path, error, 1))?;
        // A spreadsheet may put a byte order mark before the first name.
        let names: Vec<String> =
            header.iter().map(|name| name.trim_start_matches('\u{feff}').to_owned()).collect();
        if let [name] = names.as_slice()
            && let Some(separator) = SEPARATORS.iter().find(|(separator, _)| name.contains(*separator))
        {
            let problem = "line 1 has no comma; columns must be separated by ','";
            return Err(Failure::file(path, format!("{problem}, not by {}", separator.1)));
        }
        Ok((names, Rows { path: path.to_owned(), reader }))
    }

    /// Reads the next row, with the line that it begins in; false at the end, and at a row in which the file of a killed
    /// run breaks off.
    pub(super) fn next(&mut self, record: &mut StringRecord) -> Result<bool> {
        let read = self.reader.read_record(record);
        if self.is_cut() && is_part(&self.path) {
            return Ok(false);
        }
        // The position of the record itself would be before empty lines. Every record ends with a line feed.
        let within: usize = record.iter().map(|cell| cell.matches('\n').count()).sum();
        let line = self.reader.position().line().saturating_sub(1 + within as u64);
        let mut position = Position::new();
        position.set_line(line);
        record.set_position(Some(position));
        read.map_err(|error| fault(&self.path, error, line))
    }

    /// True if the file ends within a line: its last number may have lost digits.
    fn is_cut(&self) -> bool {
        self.reader.get_ref().is_cut
    }
}

/// The places of columns in [`COLUMNS`].
pub(super) const STEP: usize = 0;
pub(super) const ID: usize = 1;
pub(super) const KIND: usize = 2;
/// The place of x; y and z follow.
pub(super) const POSITION: usize = 3;
/// The place of vx; vy and vz follow.
pub(super) const VELOCITY: usize = 6;
pub(super) const GROUP: usize = 9;
pub(super) const BIAS: usize = 10;
pub(super) const REST: usize = 11;

/// The columns that may be missing.
const OPTIONAL: [usize; 5] = [STEP, KIND, GROUP, BIAS, REST];

/// The rows of a file of states, by the places of columns in [`COLUMNS`].
#[derive(Debug)]
pub(super) struct Input {
    rows: Rows,
    /// The column of the file for each of [`COLUMNS`].
    columns: [Option<usize>; COLUMNS.len()],
    numeric: Numeric,
    record: StringRecord,
}

impl Input {
    /// Opens a file with the columns of a state. Numbers are rounded to the nearest of `numeric`.
    pub(super) fn open(path: &Path, numeric: Numeric) -> Result<Self> {
        check_ending(path, &["csv"])?;
        let (names, rows) = Rows::open(path)?;
        if let Some(problem) = header_fault(&names) {
            return Err(Failure::file(path, problem));
        }
        let columns = COLUMNS.map(|column| names.iter().position(|name| name == column));
        Ok(Self { rows, columns, numeric, record: StringRecord::new() })
    }

    /// Reads the next row; false at the end.
    ///
    /// # Errors
    /// For a row without an end in a file with steps. The program ends each, so that this one may have lost digits.
    pub(super) fn next(&mut self) -> Result<bool> {
        let there = self.rows.next(&mut self.record)?;
        if self.has(STEP) && self.rows.is_cut() && !is_part(self.path()) {
            let problem = format!("line {} is incomplete: the file was cut off", self.line().max(1));
            return Err(Failure::file(self.path(), problem));
        }
        Ok(there)
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.rows.path
    }

    /// The line of the row, from 1.
    pub(super) fn line(&self) -> u64 {
        self.record.position().map_or(0, Position::line)
    }

    /// True if the file has this column.
    pub(super) fn has(&self, column: usize) -> bool {
        self.columns[column].is_some()
    }

    /// The cell in a column without blanks around it, empty if the file has no such column. Other white space belongs
    /// to the cell, as it does in TOML.
    pub(super) fn cell(&self, column: usize) -> &str {
        self.columns[column].and_then(|k| self.record.get(k)).unwrap_or_default().trim_ascii()
    }

    /// The finite number in a column.
    pub(super) fn number(&self, column: usize) -> Result<f64> {
        // Rounding first to f64 and then to f32 could give another f32 than the nearest.
        let (name, number) = match self.numeric {
            Numeric::F32 => ("f32", self.cell(column).parse::<f32>().map(f64::from)),
            Numeric::F64 | Numeric::Fixed => ("f64", self.cell(column).parse()),
        };
        match number {
            Ok(number) if number.is_finite() => Ok(number),
            Ok(_) => Err(self.wrong(column, &format!("a finite {name}"))),
            Err(_) => Err(self.wrong(column, "a number")),
        }
    }

    /// Three numbers.
    pub(super) fn vector(&self, first: usize) -> Result<[f64; 3]> {
        Ok([self.number(first)?, self.number(first + 1)?, self.number(first + 2)?])
    }

    /// A whole number within `allowed`.
    pub(super) fn whole<T>(&self, column: usize, allowed: RangeInclusive<T>) -> Result<T>
    where
        T: FromStr + PartialOrd + std::fmt::Display,
    {
        match self.cell(column).parse::<T>() {
            Ok(number) if allowed.contains(&number) => Ok(number),
            _ => {
                let right = format!("a whole number from {} to {}", allowed.start(), allowed.end());
                Err(self.wrong(column, &right))
            }
        }
    }

    /// The error for a column, which must be `right`.
    pub(super) fn wrong(&self, column: usize, right: &str) -> Failure {
        let (line, name, value) = (self.line(), COLUMNS[column], shown(self.cell(column)));
        Failure::file(self.path(), format!("line {line}: column {name} must be {right}, not '{value}'"))
    }
}

/// The fault of a header, if any.
fn header_fault(names: &[String]) -> Option<String> {
    let optional = OPTIONAL.map(|column| COLUMNS[column]);
    let list = format!("{} ({} are optional)", COLUMNS.join(","), optional.join(", "));
    if names.iter().all(String::is_empty) {
        return Some(format!("the file is empty; its first line must be {list}"));
    }
    let mut expected = COLUMNS.to_vec();
    expected.retain(|column| !optional.contains(column) || names.iter().any(|name| name == column));
    let problem = match names.iter().enumerate().find(|(k, name)| expected.get(*k) != Some(&name.as_str())) {
        Some((k, name)) if COLUMNS.contains(&name.as_str()) => {
            format!("column {} cannot be '{}'", k + 1, shown(name))
        }
        Some((_, name)) => format!("unknown column '{}'", shown(name)),
        None => format!("column '{}' is missing", expected.get(names.len())?),
    };
    Some(format!("line 1: {problem}; the header must be {list}"))
}

/// The failure for a CSV error in a line.
fn fault(path: &Path, error: csv::Error, line: u64) -> Failure {
    let problem = match error.into_kind() {
        ErrorKind::Io(source) => return Failure::read(path, source),
        ErrorKind::Utf8 { .. } => format!("line {line} is not UTF-8 text"),
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("line {line}: expected {expected_len} values, found {len}")
        }
        other => format!("line {line}: {other:?}"),
    };
    Failure::file(path, problem)
}
