//! Writes tables as CSV.

use std::io::Write as _;
use std::path::Path;

use crate::rows::{Item, write_row};
use crate::{AtomicFile, Result};
use cpu::Numeric;

/// A table under way; dropped without [`CsvTable::finish`] it leaves no file.
#[derive(Debug)]
pub struct CsvTable {
    file: AtomicFile,
    numeric: Numeric,
}

impl CsvTable {
    /// Starts a file, or stdout for `-`, and writes its header. Numbers have the digits that `numeric` needs.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn create(path: &Path, columns: &[&str], numeric: Numeric) -> Result<Self> {
        let mut file = AtomicFile::create_or_stdout(path)?;
        writeln!(file, "{}", columns.join(",")).map_err(|source| file.failed(source))?;
        Ok(Self { file, numeric })
    }

    /// Adds a row, with a cell for each column.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn row<'a>(&mut self, cells: impl IntoIterator<Item = Item<'a>>) -> Result<()> {
        write_row(&mut self.file, cells, self.numeric).map_err(|source| self.file.failed(source))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// Where that fails; no file is left then.
    pub fn finish(self) -> Result<()> {
        self.file.commit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_header_and_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measures.csv");
        let columns = ["step", "polarization", "groups"];
        let mut metrics = CsvTable::create(&path, &columns, Numeric::F64).unwrap();
        metrics.row([Item::Whole(0), Item::real(0.1), Item::Whole(3)]).unwrap();
        metrics.row([Item::Whole(10), Item::real(f64::NAN), Item::Whole(0)]).unwrap();
        metrics.finish().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text, "step,polarization,groups\n0,0.1,3\n10,,0\n");
    }
}
