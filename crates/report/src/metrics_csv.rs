//! Measures as CSV: one row per sample.

use std::io::{self, Write};
use std::path::Path;

use super::atomic::AtomicFile;
use super::error::Result;

/// A cell of a table of measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A count.
    Whole(u64),
    /// A measure; written with the fewest digits that read back as the same bits, and empty where
    /// it is not a number (a flock of none has no mean).
    Real(f64),
}

/// A table under way; dropped without [`Metrics::finish`] it leaves no file.
#[derive(Debug)]
pub struct Metrics {
    file: AtomicFile,
    columns: usize,
}

impl Metrics {
    /// Starts a file, or stdout for `-`, and writes its header. Names hold letters, digits and underscores.
    ///
    /// # Errors
    /// [`super::Error::Open`] and [`super::Error::Write`].
    pub fn create(path: &Path, columns: &[&str]) -> Result<Self> {
        let mut file = AtomicFile::create_or_stdout(path)?;
        writeln!(file, "{}", columns.join(",")).map_err(|source| file.failed(source))?;
        Ok(Self { file, columns: columns.len() })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`super::Error::Write`].
    ///
    /// # Panics
    /// Where `row` has another number of cells than the header.
    pub fn add(&mut self, row: &[Value]) -> Result<()> {
        assert_eq!(row.len(), self.columns, "a cell for each column");
        write_row(&mut self.file, row).map_err(|source| self.file.failed(source))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`super::Error::Write`].
    pub fn finish(self) -> Result<()> {
        self.file.commit()
    }
}

fn write_row(out: &mut impl Write, row: &[Value]) -> io::Result<()> {
    for (k, value) in row.iter().enumerate() {
        if k > 0 {
            out.write_all(b",")?;
        }
        match value {
            Value::Whole(number) => write!(out, "{number}")?,
            Value::Real(number) if number.is_nan() => {}
            Value::Real(number) => write!(out, "{number:?}")?,
        }
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_header_and_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measures.csv");
        let mut metrics = Metrics::create(&path, &["step", "polarization", "groups"]).unwrap();
        metrics.add(&[Value::Whole(0), Value::Real(0.1), Value::Whole(3)]).unwrap();
        metrics.add(&[Value::Whole(10), Value::Real(f64::NAN), Value::Whole(0)]).unwrap();
        metrics.finish().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text, "step,polarization,groups\n0,0.1,3\n10,,0\n");
    }
}
