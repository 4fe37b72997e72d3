//! A table in Apache Parquet: whole numbers, doubles (null where a cell is empty) and text.

use std::io;
use std::mem::take;
use std::path::PathBuf;
use std::sync::Arc;

use flock::parameters::{self, Kind};
use parquet::basic::{ConvertedType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::report::{AtomicFile, Error, Result};

/// Rows that are held until they are written.
const ROWS: usize = 1 << 16;

/// A table under way.
pub struct Columns {
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

impl Columns {
    pub fn new(file: AtomicFile, names: &[String]) -> Result<Columns> {
        let path = file.path().to_owned();
        let columns: Vec<Column> = names.iter().map(|name| Column::of(name)).collect();
        let fields = names.iter().zip(&columns).map(|(name, column)| column.field(name));
        let writer = fields
            .collect::<std::result::Result<_, _>>()
            .and_then(|fields| Type::group_type_builder("table").with_fields(fields).build())
            .and_then(|schema| SerializedFileWriter::new(file, Arc::new(schema), Arc::default()));
        let writer = writer.map_err(|error| failed(&path, error))?;
        Ok(Columns { path, writer, columns, rows: 0 })
    }

    pub fn row<'a>(&mut self, cells: impl Iterator<Item = &'a str>) -> Result<()> {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            match column {
                Column::Whole(numbers) => numbers.push(cell.parse().unwrap_or_default()),
                Column::Real(numbers, there) => {
                    let number = cell.parse::<f64>();
                    there.push(i16::from(number.is_ok()));
                    numbers.extend(number);
                }
                Column::Text(words) => words.push(cell.into()),
            }
        }
        self.rows += 1;
        if self.rows == ROWS { self.write() } else { Ok(()) }
    }

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
    /// For a column of this name: a parameter has its own type, and what is not counted or named is measured.
    fn of(name: &str) -> Column {
        match (parameters::find(name).map(|parameter| parameter.kind), name) {
            (Some(Kind::Count { .. }), _)
            | (None, "run" | "setting" | "seed" | "seeds" | "steps" | "step") => Column::Whole(Vec::new()),
            (Some(Kind::Real { .. }), _) => Column::Real(Vec::new(), Vec::new()),
            (Some(_), _) | (None, "hash") => Column::Text(Vec::new()),
            (None, _) => Column::Real(Vec::new(), Vec::new()),
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
