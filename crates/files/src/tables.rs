//! States, trajectories and measures in files: CSV and GSD.

mod csv_input;
mod data;
mod gsd;
mod state_csv;

pub use self::data::{Data, read_table};
pub use self::state_csv::{NO_STATE, Recording, SavedState, StateFile, path_with, read_state, write_state};

use std::path::Path;

use flock::Parameters;

use self::gsd::Gsd;
use crate::rows::{COLUMNS, Item, write_row, write_state_rows};
use crate::{AtomicFile, Existing, Result, check_ending, extension};
use engine::{Numeric, State};

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
}
