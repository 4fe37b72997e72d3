//! States, trajectories and measures in files: CSV, Apache Parquet and GSD.

mod csv_input;
mod data;
mod gsd;
#[cfg_attr(not(feature = "parquet"), path = "tables/no_parquet.rs")]
mod parquet;
mod state_csv;
mod trajectory;

pub use self::data::{Data, read_table};
pub use self::state_csv::{
    StateFile, path_with, predators_path, read_state, read_state_with_step, write_state,
};
pub use self::trajectory::{Recording, Trajectory};

use std::path::Path;

use self::parquet::Parquet;
use crate::rows::{ColumnKind, Item, write_row};
use crate::{AtomicFile, Existing, Result, check_ending, extension};
use engine::Numeric;

/// An open table; if dropped without [`TableFile::finish`], it leaves no file.
#[derive(Debug)]
pub enum TableFile {
    /// Numbers are written with the digits that the number type needs.
    Csv(AtomicFile, Numeric),
    /// Numbers are doubles, which hold every number type.
    Parquet(Box<Parquet>),
}

impl TableFile {
    /// Starts a file, or stdout for `-`, with these columns.
    ///
    /// # Errors
    /// When the file cannot be written, or its extension belongs to another format.
    pub fn create(
        path: &Path,
        columns: &[(&str, ColumnKind)],
        numeric: Numeric,
        existing: Existing,
    ) -> Result<Self> {
        check_ending(path, &["csv", "parquet"])?;
        let mut file = AtomicFile::create_or_stdout(path, existing)?;
        if extension(path) == "parquet" {
            return Ok(TableFile::Parquet(Box::new(Parquet::new(file, columns)?)));
        }
        let names = columns.iter().map(|(name, _)| Item::Text(name));
        write_row(&mut file, names, numeric).map_err(|source| file.failed(source))?;
        Ok(TableFile::Csv(file, numeric))
    }

    /// Adds a row, with a cell for each column.
    ///
    /// # Errors
    /// When the row cannot be written, or a cell does not fit its column.
    pub fn row<'a>(&mut self, cells: impl IntoIterator<Item = Item<'a>>) -> Result<()> {
        match self {
            TableFile::Csv(file, numeric) => {
                write_row(file, cells, *numeric).map_err(|source| file.failed(source))
            }
            TableFile::Parquet(table) => table.row(cells),
        }
    }

    /// Ends a sample of one row or more: in CSV it can be read at once, and stays however the process ends.
    ///
    /// # Errors
    /// When the rows cannot be written.
    pub fn end_sample(&mut self) -> Result<()> {
        match self {
            TableFile::Csv(file, _) => file.end_sample().map_err(|source| file.failed(source)),
            TableFile::Parquet(_) => Ok(()),
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// See [`AtomicFile::commit`].
    pub fn finish(self) -> Result<()> {
        match self {
            TableFile::Csv(file, _) => file.commit(),
            TableFile::Parquet(table) => table.finish(),
        }
    }

    /// Gives the file its name after a write has failed, with its whole samples. False if it has none, and if it is a
    /// stream.
    ///
    /// # Errors
    /// When it cannot be written. Apache Parquet cannot be read without its end, so that nothing is left of it where
    /// the disk is full.
    pub fn keep_samples(self) -> Result<bool> {
        match self {
            TableFile::Csv(file, _) => file.commit_samples(),
            TableFile::Parquet(table) => table.finish().map(|()| true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_header_and_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("measures.csv");
        let [whole, real] = [ColumnKind::Whole, ColumnKind::Real];
        let columns = [("step", whole), ("polarization", real), ("groups", whole), ("a,b", ColumnKind::Text)];
        let mut metrics = TableFile::create(&path, &columns, Numeric::F64, Existing::Keep).unwrap();
        metrics.row([Item::Whole(0), Item::real(0.1), Item::Whole(3), Item::Text("[1, 2]")]).unwrap();
        metrics.row([Item::Whole(10), Item::real(f64::NAN), Item::Whole(0), Item::Text("c")]).unwrap();
        metrics.finish().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(text, "step,polarization,groups,\"a,b\"\n0,0.1,3,\"[1, 2]\"\n10,,0,c\n");
    }
}
