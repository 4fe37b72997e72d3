//! Reads Apache Parquet files of any columns as rows of text.

use std::fs::File;
use std::path::Path;

use csv::{Position, StringRecord};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::record::Field;

use crate::error::{Error, Result};
use cpu::contained::contain;

/// The most cells: a short file can stand for rows without end.
const MOST: usize = 100_000_000;

/// The names of the columns, and the rows, each with its number in place of a line.
pub(super) fn read(path: &Path) -> Result<(Vec<String>, Vec<StringRecord>)> {
    let file = File::open(path).map_err(|source| Error::read(path, source))?;
    // The library panics on some files that are damaged.
    let table = contain(|| rows(file)).unwrap_or_else(|| Err(ParquetError::General("it is damaged".into())));
    table.map_err(|error| Error::input(path, format!("it is no Parquet table that can be read: {error}")))
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
        if rows.len() * names.len().max(1) > MOST {
            return Err(ParquetError::General(format!("more than {MOST} cells")));
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
