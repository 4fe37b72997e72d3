//! A program without Parquet says so.

use std::path::Path;

use csv::StringRecord;

use crate::atomic::AtomicFile;
use crate::failure::{Failure, Result};
pub use crate::rows::{ColumnKind, Item};

/// No table.
#[derive(Debug)]
pub enum Parquet {}

impl Parquet {
    /// None begins.
    ///
    /// # Errors
    /// Always.
    pub fn new<'a>(
        file: AtomicFile,
        _columns: impl IntoIterator<Item = (&'a str, ColumnKind)>,
    ) -> Result<Parquet> {
        Err(absent(file.path()))
    }

    /// Never called.
    pub fn row<'a>(&mut self, _cells: impl IntoIterator<Item = Item<'a>>) -> Result<()> {
        match *self {}
    }

    /// Never called.
    pub fn finish(self) -> Result<()> {
        match self {}
    }
}

pub(super) fn read(path: &Path) -> Result<(Vec<String>, Vec<StringRecord>)> {
    Err(absent(path))
}

fn absent(path: &Path) -> Failure {
    Failure::file(path, "this program was built without Parquet: build it with `--features parquet`")
}
