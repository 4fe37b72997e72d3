//! A table under way, in the format that is asked for.

use std::io::Write as _;
use std::path::Path;

use flock::parameters;

use report::parquet::{ColumnKind, Item, Parquet};
use report::{AtomicFile, Error, Result};

/// The format of tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    #[default]
    Csv,
    Parquet,
}

impl Format {
    /// Every format with its name, which ends the names of its files.
    pub const ALL: [(Format, &'static str); 2] = [(Format::Csv, "csv"), (Format::Parquet, "parquet")];

    /// The file of a table.
    pub fn file(self, table: &str) -> String {
        format!("{table}.{}", Self::ALL[self as usize].1)
    }
}

/// A table of rows of text; dropped before [`Table::finish`] it leaves no file.
pub(super) enum Table {
    Csv(AtomicFile),
    Parquet { columns: Vec<ColumnKind>, table: Box<Parquet> },
}

impl Table {
    pub fn create(folder: &Path, name: &str, format: Format, columns: &[String]) -> Result<Table> {
        let file = AtomicFile::create(&folder.join(format.file(name)))?;
        if format == Format::Parquet {
            let kinds: Vec<ColumnKind> = columns.iter().map(|name| kind(name)).collect();
            let table = Parquet::new(file, columns.iter().map(String::as_str).zip(kinds.iter().copied()))?;
            return Ok(Table::Parquet { columns: kinds, table: Box::new(table) });
        }
        let mut table = Table::Csv(file);
        table.row(columns)?;
        Ok(table)
    }

    /// Adds a row, with a cell a column.
    pub fn row(&mut self, cells: &[String]) -> Result<()> {
        match self {
            Table::Csv(file) => {
                let row: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
                writeln!(file, "{}", row.join(",")).map_err(|source| Error::write(file.path(), source))
            }
            Table::Parquet { columns, table } => {
                table.row(columns.iter().zip(cells).map(|(kind, cell)| item(*kind, plain(cell))))
            }
        }
    }

    pub fn finish(self) -> Result<()> {
        match self {
            Table::Csv(file) => file.commit(),
            Table::Parquet { table, .. } => table.finish(),
        }
    }
}

/// The kind of the column of this name: a parameter has its own type, and what is not counted or named is measured.
fn kind(name: &str) -> ColumnKind {
    use parameters::ValueKind as Of;
    match (parameters::find(name).map(|parameter| parameter.kind), name) {
        (Some(Of::Count { .. }), _)
        | (None, "run" | "setting" | "seed" | "seeds" | "stopped" | "steps" | "step" | "stair") => {
            ColumnKind::Whole
        }
        (Some(Of::Real { .. }), _) => ColumnKind::Real,
        (Some(_), _) | (None, "hash" | "direction") => ColumnKind::Text,
        (None, name) if name.ends_with("_ci_method") => ColumnKind::Text,
        (None, _) => ColumnKind::Real,
    }
}

/// A cell of text as its column has it; no number where it is empty. A text that is none stays a text, which the table
/// refuses.
fn item(kind: ColumnKind, cell: &str) -> Item<'_> {
    match kind {
        ColumnKind::Whole => cell.parse().map_or(Item::Text(cell), Item::Whole),
        ColumnKind::Real if cell.is_empty() => Item::Real(None),
        ColumnKind::Real => cell.parse().map_or(Item::Text(cell), |number| Item::Real(Some(number))),
        ColumnKind::Text => Item::Text(cell),
    }
}

/// A word without the quotes that TOML has about it.
fn plain(cell: &str) -> &str {
    cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).unwrap_or(cell)
}

/// A cell as CSV has it: a word in TOML's quotes loses them, a list gets CSV's.
pub fn quoted(cell: &str) -> String {
    let plain = plain(cell);
    if plain.contains([',', '"']) { format!("\"{}\"", plain.replace('"', "\"\"")) } else { plain.to_owned() }
}
