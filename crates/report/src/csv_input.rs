//! Reads CSV files. Every error names line, column, value and the allowed values.

use std::fs::File;
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use csv::{ErrorKind, StringRecord, Trim};

use super::error::{Error, Result};
use config::shown::shown;
use cpu::state::Numeric;

/// A CSV file after its header.
#[derive(Debug)]
pub(super) struct Input {
    path: PathBuf,
    reader: csv::Reader<Lines<File>>,
    columns: &'static [&'static str],
    record: StringRecord,
}

/// The most bytes in a line: a file without lines, such as `/dev/zero`, would fill the memory.
const LONGEST: usize = 1 << 20;

/// A file's rows, after a header.
pub(super) fn reader(path: &Path) -> Result<csv::Reader<Lines<File>>> {
    let file = File::open(path).map_err(|source| Error::read(path, source))?;
    Ok(csv::ReaderBuilder::new().trim(Trim::All).from_reader(Lines { file, length: 0 }))
}

/// A file of lines that are not too long.
#[derive(Debug)]
pub(super) struct Lines<R> {
    file: R,
    /// Bytes since the last line began.
    length: usize,
}

impl<R: Read> Read for Lines<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(bytes)?;
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

/// One row.
pub(super) struct Row<'a> {
    path: &'a Path,
    columns: &'static [&'static str],
    record: &'a StringRecord,
}

impl Input {
    /// Opens a file whose header is `columns`, of which those after the first `required` may be missing.
    pub(super) fn open(path: &Path, columns: &'static [&'static str], required: usize) -> Result<Self> {
        let reader = reader(path)?;
        let record = StringRecord::new();
        let path = path.to_owned();
        let mut input = Self { path, reader, columns, record };
        input.check_header(required)?;
        Ok(input)
    }

    fn check_header(&mut self, required: usize) -> Result<()> {
        let header = self.reader.headers().map_err(|error| fault(&self.path, error))?.clone();
        let list = self.columns.join(",");
        let optional = match self.columns.len() - required {
            0 => String::new(),
            count => format!(" (the last {count} may be missing)"),
        };
        let fail = |problem: String| {
            Err(Error::input(&self.path, format!("line 1: {problem}; the header must be {list}{optional}")))
        };
        if header.iter().all(str::is_empty) {
            return Err(Error::input(
                &self.path,
                format!("it is empty; the first line must be {list}{optional}"),
            ));
        }
        for (k, name) in header.iter().enumerate() {
            // A spreadsheet may put a byte order mark before the first name.
            let name = name.trim_start_matches('\u{feff}');
            match self.columns.get(k) {
                Some(&expected) if name == expected => {}
                Some(_) if self.columns.contains(&name) => {
                    return fail(format!("column {} is '{}'", k + 1, shown(name)));
                }
                _ => return fail(format!("unknown column '{}'", shown(name))),
            }
        }
        if header.len() < required {
            return fail(format!("column '{}' is missing", self.columns[header.len()]));
        }
        Ok(())
    }

    /// The next row, or none at the end.
    pub(super) fn row(&mut self) -> Result<Option<Row<'_>>> {
        match self.reader.read_record(&mut self.record) {
            Ok(true) => Ok(Some(Row { path: &self.path, columns: self.columns, record: &self.record })),
            Ok(false) => Ok(None),
            Err(error) => Err(fault(&self.path, error)),
        }
    }
}

impl Row<'_> {
    /// The line of the file, from 1.
    pub(super) fn line(&self) -> u64 {
        self.record.position().map_or(0, csv::Position::line)
    }

    /// True if the file has column `k`.
    pub(super) fn has(&self, k: usize) -> bool {
        k < self.record.len()
    }

    /// A finite number, in the nearest value of `numeric`.
    pub(super) fn number(&self, k: usize, numeric: Numeric) -> Result<f64> {
        // Rounding to f64 first and then to f32 could end at another f32 than the file means.
        let number = match numeric {
            Numeric::F32 => self.record[k].parse::<f32>().map(f64::from),
            Numeric::F64 | Numeric::Fixed => self.record[k].parse::<f64>(),
        };
        match number {
            Ok(number) if number.is_finite() => Ok(number),
            Ok(_) => Err(self.wrong(k, &format!("a finite {}", name(numeric)))),
            Err(_) => Err(self.wrong(k, "a number")),
        }
    }

    /// A whole number within `allowed`.
    pub(super) fn whole<T>(&self, k: usize, allowed: RangeInclusive<T>) -> Result<T>
    where
        T: FromStr + PartialOrd + std::fmt::Display,
    {
        match self.record[k].parse::<T>() {
            Ok(number) if allowed.contains(&number) => Ok(number),
            _ => Err(self.wrong(k, &format!("a whole number from {} to {}", allowed.start(), allowed.end()))),
        }
    }

    /// The error for column `k`, where `allowed` was expected.
    pub(super) fn wrong(&self, k: usize, allowed: &str) -> Error {
        let (line, column, value) = (self.line(), self.columns[k], shown(&self.record[k]));
        let problem = format!("line {line}, column {column}: '{value}'; it must be {allowed}");
        Error::input(self.path, problem)
    }
}

fn name(numeric: Numeric) -> &'static str {
    match numeric {
        Numeric::F32 => "f32",
        Numeric::F64 | Numeric::Fixed => "f64",
    }
}

/// What is wrong with a file, and in which line.
pub(super) fn fault(path: &Path, error: csv::Error) -> Error {
    let line = error.position().map_or(0, csv::Position::line);
    match error.into_kind() {
        ErrorKind::Io(source) => Error::read(path, source),
        ErrorKind::Utf8 { .. } => Error::input(path, format!("line {line}: it is not UTF-8 text")),
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let less = if len < expected_len { "short" } else { "long" };
            Error::input(
                path,
                format!("line {line} is {less}: {len} values, the header names {expected_len}"),
            )
        }
        other => Error::input(path, format!("line {line}: {other:?}")),
    }
}
