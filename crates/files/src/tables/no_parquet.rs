//! Refuses Parquet in a program that is built without it.

use std::path::Path;

use csv::StringRecord;

use crate::rows::{ColumnKind, Item};
use crate::{AtomicFile, Failure, Result};

/// Never constructed.
#[derive(Debug)]
pub enum Parquet {}

impl Parquet {
    /// Always fails.
    pub(super) fn new(file: AtomicFile, _columns: &[(&str, ColumnKind)]) -> Result<Parquet> {
        Err(absent(file.path()))
    }

    /// Never called.
    pub(super) fn row<'a>(&mut self, _cells: impl IntoIterator<Item = Item<'a>>) -> Result<()> {
        match *self {}
    }

    /// Never called.
    pub(super) fn finish(self) -> Result<()> {
        match self {}
    }
}

pub(super) fn read(path: &Path) -> Result<(Vec<String>, Vec<StringRecord>)> {
    Err(absent(path))
}

fn absent(path: &Path) -> Failure {
    Failure::file(path, "this program was built without Parquet: build it with `--features parquet`")
}
