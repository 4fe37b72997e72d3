//! A table in Apache Parquet: whole numbers, doubles (null where a cell is empty) and text.

use std::io;
use std::mem::take;
use std::path::PathBuf;
use std::sync::Arc;

use parquet::basic::{ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::atomic::AtomicFile;
use super::error::{Error, Result};

/// Rows that are held until they are written.
const ROWS: usize = 1 << 16;

/// What a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Whole,
    Real,
    Text,
}

/// A cell; it fits the kind of its column.
#[derive(Clone, Copy, Debug)]
pub enum Item<'a> {
    Whole(i64),
    Real(Option<f64>),
    Text(&'a str),
}

/// A table under way; dropped without [`Parquet::finish`] it leaves no file.
pub struct Parquet {
    path: PathBuf,
    writer: SerializedFileWriter<AtomicFile>,
    columns: Vec<Column>,
    rows: usize,
}

/// The cells of a column that are held.
enum Column {
    Whole(Vec<i64>),
    /// The numbers that are there, and for each row whether there is one.
    Real(Vec<f64>, Vec<i16>),
    Text(Vec<ByteArray>),
}

impl std::fmt::Debug for Parquet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Parquet").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Parquet {
    /// Begins a table with these columns.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn new<'a>(
        file: AtomicFile,
        columns: impl IntoIterator<Item = (&'a str, ColumnKind)>,
    ) -> Result<Parquet> {
        let path = file.path().to_owned();
        let (names, columns): (Vec<_>, Vec<_>) =
            columns.into_iter().map(|(name, kind)| (name, Column::of(kind))).unzip();
        let fields = names.iter().zip(&columns).map(|(name, column)| column.field(name));
        let writer = fields
            .collect::<std::result::Result<_, _>>()
            .and_then(|fields| Type::group_type_builder("table").with_fields(fields).build())
            .and_then(|schema| SerializedFileWriter::new(file, Arc::new(schema), Arc::default()));
        let writer = writer.map_err(|error| failed(&path, error))?;
        Ok(Parquet { path, writer, columns, rows: 0 })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// [`Error::Write`]; [`Error::Encode`] for cells that do not fit their columns.
    pub fn row<'a>(&mut self, cells: impl IntoIterator<Item = Item<'a>>) -> Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            match (column, cell) {
                (Column::Whole(numbers), Item::Whole(number)) => numbers.push(number),
                (Column::Real(numbers, there), Item::Real(number)) => {
                    there.push(i16::from(number.is_some()));
                    numbers.extend(number);
                }
                (Column::Text(words), Item::Text(word)) => words.push(word.into()),
                (_, cell) => {
                    let problem = ParquetError::General(format!("{cell:?} does not fit its column"));
                    return Err(failed(&self.path, problem));
                }
            }
        }
        self.rows += 1;
        if self.rows == ROWS { self.write() } else { Ok(()) }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// [`Error::Write`].
    pub fn finish(mut self) -> Result<()> {
        self.write()?;
        self.writer.into_inner().map_err(|error| failed(&self.path, error))?.commit()
    }

    /// Writes the rows that are held.
    fn write(&mut self) -> Result<()> {
        if take(&mut self.rows) == 0 {
            return Ok(());
        }
        let mut write = || {
            let mut group = self.writer.next_row_group()?;
            for column in &mut self.columns {
                let Some(mut writer) = group.next_column()? else { break };
                match column {
                    Column::Whole(numbers) => {
                        writer.typed::<Int64Type>().write_batch(&take(numbers), None, None)?
                    }
                    Column::Real(numbers, there) => {
                        writer.typed::<DoubleType>().write_batch(&take(numbers), Some(&take(there)), None)?
                    }
                    Column::Text(words) => {
                        writer.typed::<ByteArrayType>().write_batch(&take(words), None, None)?
                    }
                };
                writer.close()?;
            }
            group.close().map(drop)
        };
        write().map_err(|error| failed(&self.path, error))
    }
}

impl Column {
    fn of(kind: ColumnKind) -> Column {
        match kind {
            ColumnKind::Whole => Column::Whole(Vec::new()),
            ColumnKind::Real => Column::Real(Vec::new(), Vec::new()),
            ColumnKind::Text => Column::Text(Vec::new()),
        }
    }

    fn field(&self, name: &str) -> std::result::Result<Arc<Type>, ParquetError> {
        let (physical, repetition, converted) = match self {
            Column::Whole(_) => (Physical::INT64, Repetition::REQUIRED, ConvertedType::NONE),
            Column::Real(..) => (Physical::DOUBLE, Repetition::OPTIONAL, ConvertedType::NONE),
            Column::Text(_) => (Physical::BYTE_ARRAY, Repetition::REQUIRED, ConvertedType::UTF8),
        };
        let field = Type::primitive_type_builder(name, physical);
        field.with_repetition(repetition).with_converted_type(converted).build().map(Arc::new)
    }
}

fn failed(path: &std::path::Path, error: ParquetError) -> Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => Error::write(path, *source),
            Err(other) => Error::encode(path, other),
        },
        error => Error::encode(path, error),
    }
}
