//! A table under way, in the format that is asked for.

use std::io::Write as _;
use std::path::Path;

use crate::report::{AtomicFile, Error, Result};

/// The format of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    #[default]
    Csv,
}

impl Format {
    /// Every format with its name, which ends the names of its files.
    pub const ALL: [(Format, &'static str); 1] = [(Format::Csv, "csv")];

    /// The file of a table.
    #[must_use]
    pub fn file(self, table: &str) -> String {
        format!("{table}.{}", Self::ALL[self as usize].1)
    }
}

/// A table of rows of text; dropped before [`Table::finish`] it leaves no file.
pub(super) struct Table {
    file: AtomicFile,
}

impl Table {
    pub fn create(folder: &Path, name: &str, format: Format, columns: &[String]) -> Result<Table> {
        let mut table = Table { file: AtomicFile::create(&folder.join(format.file(name)))? };
        table.row(columns.iter().map(String::as_str))?;
        Ok(table)
    }

    /// Adds a row, with a cell a column.
    pub fn row<'a>(&mut self, cells: impl Iterator<Item = &'a str>) -> Result<()> {
        let row: Vec<String> = cells.map(quoted).collect();
        writeln!(self.file, "{}", row.join(",")).map_err(|source| Error::write(self.file.path(), source))
    }

    pub fn finish(self) -> Result<()> {
        self.file.commit()
    }
}

/// A cell as CSV has it: a word in TOML's quotes loses them, a list gets CSV's.
#[must_use]
pub fn quoted(cell: &str) -> String {
    let plain = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).unwrap_or(cell);
    if plain.contains([',', '"']) { format!("\"{}\"", plain.replace('"', "\"\"")) } else { plain.to_owned() }
}
