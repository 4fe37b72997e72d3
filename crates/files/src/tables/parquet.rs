//! A table in Apache Parquet: whole numbers, doubles (null where a cell is empty) and text.

use std::fs::File;
use std::io;
use std::mem::take;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use csv::{Position, StringRecord};
use parquet::basic::{ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::schema::types::Type;

use crate::rows::{ColumnKind, Item};
use crate::{AtomicFile, Failure, Result};
use engine::contained::contain;

/// Maximum number of cells: a short file can encode any number of rows.
const MAX_CELLS: usize = 100_000_000;
/// Number of buffered rows at which they are written.
const ROWS: usize = 1 << 16;

/// An open table; if dropped without [`Parquet::finish`], it leaves no file.
#[derive(Debug)]
pub struct Parquet {
    path: PathBuf,
    writer: SerializedFileWriter<AtomicFile>,
    columns: Vec<Column>,
    rows: usize,
    /// True once rows could not be written.
    failed: bool,
}

/// The buffered cells of a column.
#[derive(Debug)]
enum Column {
    Whole(Vec<i64>),
    /// NaN where there is no number.
    Real(Vec<f64>),
    Text(Vec<ByteArray>),
}

impl Parquet {
    /// Begins a table with these columns.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn new(file: AtomicFile, columns: &[(&str, ColumnKind)]) -> Result<Parquet> {
        let path = file.path().to_owned();
        let (fields, columns): (Vec<_>, Vec<_>) =
            columns.iter().map(|(name, kind)| column(name, *kind)).unzip();
        let fields = fields.into_iter().collect::<std::result::Result<_, _>>();
        let writer = fields
            .and_then(|fields| Type::group_type_builder("table").with_fields(fields).build())
            .and_then(|schema| SerializedFileWriter::new(file, Arc::new(schema), Arc::default()));
        let writer = writer.map_err(|error| failed(&path, error))?;
        Ok(Parquet { path, writer, columns, rows: 0, failed: false })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// When the row cannot be written, or a cell does not fit its column.
    pub fn row<'a>(&mut self, cells: impl IntoIterator<Item = Item<'a>>) -> Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            match (column, cell) {
                (Column::Whole(held), Item::Whole(number)) => held.push(number),
                (Column::Real(held), Item::Real(number)) => held.push(number.unwrap_or(f64::NAN)),
                (Column::Text(held), Item::Text(word)) => held.push(word.into()),
                (_, cell) => {
                    return Err(Failure::encode(&self.path, format!("{cell:?} does not fit its column")));
                }
            }
        }
        self.rows += 1;
        if self.rows == ROWS { self.write() } else { Ok(()) }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When the file cannot be written; no file is left then.
    pub fn finish(mut self) -> Result<()> {
        if self.failed {
            return Err(Failure::work(format!("{} is not written", self.path.display())));
        }
        self.write()?;
        self.writer.into_inner().map_err(|error| failed(&self.path, error))?.commit()
    }

    /// Writes the buffered rows.
    fn write(&mut self) -> Result<()> {
        if take(&mut self.rows) == 0 {
            return Ok(());
        }
        let mut write = || {
            let mut group = self.writer.next_row_group()?;
            for column in &mut self.columns {
                let Some(mut writer) = group.next_column()? else { break };
                match column {
                    Column::Whole(held) => writer.typed::<Int64Type>().write_batch(&take(held), None, None),
                    Column::Real(held) => {
                        let mut numbers = take(held);
                        let there: Vec<i16> =
                            numbers.iter().map(|number| i16::from(!number.is_nan())).collect();
                        numbers.retain(|number| !number.is_nan());
                        writer.typed::<DoubleType>().write_batch(&numbers, Some(&there), None)
                    }
                    Column::Text(held) => {
                        writer.typed::<ByteArrayType>().write_batch(&take(held), None, None)
                    }
                }?;
                writer.close()?;
            }
            group.close().map(drop)
        };
        let written = write();
        self.failed = written.is_err();
        written.map_err(|error| failed(&self.path, error))
    }
}

/// The schema field of a column, and its empty buffer.
fn column(name: &str, kind: ColumnKind) -> (std::result::Result<Arc<Type>, ParquetError>, Column) {
    use ConvertedType::{NONE, UTF8};
    let (physical, repetition, converted, column) = match kind {
        ColumnKind::Whole => (Physical::INT64, Repetition::REQUIRED, NONE, Column::Whole(Vec::new())),
        ColumnKind::Real => (Physical::DOUBLE, Repetition::OPTIONAL, NONE, Column::Real(Vec::new())),
        ColumnKind::Text => (Physical::BYTE_ARRAY, Repetition::REQUIRED, UTF8, Column::Text(Vec::new())),
    };
    let field = Type::primitive_type_builder(name, physical).with_repetition(repetition);
    (field.with_converted_type(converted).build().map(Arc::new), column)
}

fn failed(path: &Path, error: ParquetError) -> Failure {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => Failure::write(path, *source),
            Err(other) => Failure::encode(path, other),
        },
        error => Failure::encode(path, error),
    }
}

/// Reads the column names, and the rows as text with their row numbers as line numbers.
pub(super) fn read(path: &Path) -> Result<(Vec<String>, Vec<StringRecord>)> {
    let file = File::open(path).map_err(|source| Failure::read(path, source))?;
    // The library panics on some damaged files.
    let table = contain(|| rows(file));
    let table = table.unwrap_or_else(|| Err(ParquetError::General("it is damaged".into())));
    match table {
        Ok((_, rows)) if rows.is_empty() => Err(Failure::file(path, "it has no row of values")),
        Ok(table) => Ok(table),
        Err(error) => Err(Failure::file(path, format!("it is no Parquet table that can be read: {error}"))),
    }
}

fn rows(file: File) -> std::result::Result<(Vec<String>, Vec<StringRecord>), ParquetError> {
    let reader = SerializedFileReader::new(file)?;
    let schema = reader.metadata().file_metadata().schema();
    let names: Vec<String> = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
    let mut rows = Vec::new();
    for row in reader.get_row_iter(None)? {
        let mut record: StringRecord = row?.get_column_iter().map(|(_, field)| text(field)).collect();
        let mut place = Position::new();
        place.set_line(rows.len() as u64 + 1);
        record.set_position(Some(place));
        rows.push(record);
        if rows.len() * names.len().max(1) > MAX_CELLS {
            return Err(ParquetError::General(format!("more than {MAX_CELLS} cells")));
        }
    }
    Ok((names, rows))
}

/// A cell; empty where it is null or not a number.
fn text(field: &Field) -> String {
    match field {
        Field::Null => String::new(),
        Field::Double(number) if number.is_nan() => String::new(),
        Field::Float(number) if number.is_nan() => String::new(),
        Field::Str(word) => word.clone(),
        other => other.to_string(),
    }
}
