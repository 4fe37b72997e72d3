//! Text files, read whole; those in TOML entry by entry, so that each error names the file, the line and the key.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::ops::RangeInclusive;
use std::path::Path;

use flock::parameters::{Value, ValueKind};
use toml::{Spanned, de::DeTable, de::DeValue};

use crate::{ConfigError, shown, value::convert, whole_number};

/// Maximum size in bytes: an endless file, such as `/dev/zero`, would fill the memory.
const LONGEST: u64 = 64 << 20;

/// The reason of an error of the operating system without its number, in words that fit after a colon.
pub fn io_reason(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => "no such file or folder".into(),
        ErrorKind::PermissionDenied => "permission denied".into(),
        ErrorKind::IsADirectory => "it is a folder, not a file".into(),
        ErrorKind::NotADirectory => "a part of the path is a file, not a folder".into(),
        ErrorKind::StorageFull => "the disk is full".into(),
        ErrorKind::QuotaExceeded => "the disk quota is exceeded".into(),
        ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
        // That of `read` has a text of its own.
        ErrorKind::FileTooLarge if error.get_ref().is_none() => {
            "the file is larger than the system allows".into()
        }
        ErrorKind::BrokenPipe => "broken pipe".into(),
        ErrorKind::AlreadyExists => "a file with this name already exists".into(),
        _ if too_many_files(error) => "too many open files; raise the limit with `ulimit -n`".into(),
        _ => {
            // Drops the system's error number and the name of a temporary file.
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default();
            // The system's messages begin with a capital.
            let end = text.chars().next().map_or(0, char::len_utf8);
            text[..end].to_lowercase() + &text[end..]
        }
    }
}

/// True if the process or the system has as many open files as it may have.
fn too_many_files(error: &io::Error) -> bool {
    // EMFILE and ENFILE, which have no kind of their own.
    cfg!(unix) && matches!(error.raw_os_error(), Some(23 | 24))
}

/// True for a pipe or a device: reading it may wait for a writer for ever.
pub fn may_block(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir())
}

/// The text of a file.
///
/// # Errors
/// When the file cannot be read, is not UTF-8, or is longer than 64 MiB.
pub fn read_text(path: &Path) -> Result<String, ConfigError> {
    read(path).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::InvalidData => "not a text file".to_owned(),
            _ => io_reason(&error),
        };
        ConfigError::new(format!("{}: {why}", path.display()))
    })
}

fn read(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    let length = File::open(path)?.take(LONGEST + 1).read_to_string(&mut text)?;
    if length as u64 > LONGEST {
        let problem = format!("the file is larger than {} MiB", LONGEST >> 20);
        return Err(io::Error::new(ErrorKind::FileTooLarge, problem));
    }
    Ok(text)
}

/// A parsed TOML text; `origin` names it in errors.
#[derive(Debug)]
pub struct TomlFile<'a> {
    text: &'a str,
    origin: &'a str,
    table: DeTable<'a>,
}

/// A key of a file with its value.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    file: &'a TomlFile<'a>,
    /// The key.
    pub name: String,
    /// Byte offset that errors point at.
    start: usize,
    value: &'a Spanned<DeValue<'a>>,
}

/// `origin:line` of a byte offset; empty without an origin.
fn line_of(origin: &str, text: &str, byte: usize) -> String {
    if origin.is_empty() {
        return String::new();
    }
    let before = text.get(..byte).unwrap_or(text);
    format!("{origin}:{}", before.matches('\n').count() + 1)
}

impl<'a> TomlFile<'a> {
    pub fn parse(text: &'a str, origin: &'a str) -> Result<Self, ConfigError> {
        let table = DeTable::parse(text).map_err(|error| {
            let mut message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
            let span = error.span().unwrap_or(0..0);
            if message == "duplicate key" {
                message = format!("{message} '{}'", text.get(span.clone()).unwrap_or_default());
            }
            ConfigError::new(message).at(&line_of(origin, text, span.start))
        })?;
        Ok(TomlFile { text, origin, table: table.into_inner() })
    }

    pub fn entries(&'a self) -> Vec<Entry<'a>> {
        self.entries_of(&self.table)
    }

    /// The entries of a table in the order of the file, so that errors name the first mistake.
    fn entries_of(&'a self, table: &'a DeTable<'a>) -> Vec<Entry<'a>> {
        let entries = table.iter().map(|(key, value)| Entry {
            file: self,
            name: key.get_ref().to_string(),
            start: key.span().start,
            value,
        });
        let mut entries: Vec<_> = entries.collect();
        entries.sort_by_key(|entry| entry.start);
        entries
    }
}

impl<'a> Entry<'a> {
    /// `FILE:LINE`.
    pub fn place(&self) -> String {
        line_of(self.file.origin, self.file.text, self.start)
    }

    /// `FILE:LINE:COLUMN` of a line and column, both from 1, in this entry's text. With escapes the column may be off.
    pub(crate) fn place_within(&self, (line, column): (usize, usize)) -> String {
        let written = self.written();
        let quotes = written.bytes().take(3).take_while(|byte| b"\"'".contains(byte)).count();
        let long = quotes == 3;
        let opening = if long { 3 } else { 1 };
        // A line break right after three quotes does not belong to the text.
        let skipped = usize::from(long && written[opening..].starts_with(['\n', '\r']));
        let file = self.file;
        let before = file.text.get(..self.value.span().start).unwrap_or_default();
        let first = before.matches('\n').count() + 1;
        let within = if line + skipped == 1 {
            before.rsplit('\n').next().unwrap_or_default().chars().count() + opening
        } else {
            0
        };
        format!("{}:{}:{}", file.origin, first + skipped + line - 1, within + column)
    }

    /// The value as written.
    pub fn written(&self) -> &'a str {
        self.file.text.get(self.value.span()).unwrap_or_default()
    }

    pub fn value(&self) -> &'a DeValue<'a> {
        self.value.get_ref()
    }

    /// An error at this place.
    pub fn error(&self, problem: impl Into<String>) -> ConfigError {
        ConfigError::new(problem).at(&self.place())
    }

    /// The error of a value that its key does not take.
    pub fn refused(&self, required: impl Display) -> ConfigError {
        ConfigError::must_be(&self.name, required, &shown(self.written())).at(&self.place())
    }

    /// The result, with this place in front of its error.
    pub fn locate<T>(&self, result: Result<T, ConfigError>) -> Result<T, ConfigError> {
        result.map_err(|error| error.at(&self.place()))
    }

    /// Converts the value to a kind and checks its range; `name` is shown in errors.
    pub(crate) fn convert(&self, name: &str, kind: ValueKind) -> Result<Value, ConfigError> {
        self.locate(convert(name, kind, self.value(), self.written()))
    }

    /// The entries of a table.
    pub fn table(&self) -> Option<Vec<Entry<'a>>> {
        self.value().as_table().map(|table| self.file.entries_of(table))
    }

    /// The same entry, named `table.key`.
    pub fn below(mut self, table: &str) -> Entry<'a> {
        self.name = format!("{table}.{}", self.name);
        self
    }

    /// The items of an array, each under the array's name. A table has its own place, other items have the array's.
    pub fn array(&self) -> Option<Vec<Entry<'a>>> {
        let item = |value: &'a Spanned<DeValue<'a>>| {
            let start = if value.get_ref().is_table() { value.span().start } else { self.start };
            Entry { name: self.name.clone(), start, value, ..*self }
        };
        self.value().as_array().map(|array| array.iter().map(item).collect())
    }

    pub fn word(&self) -> Result<&'a str, ConfigError> {
        self.value().as_str().ok_or_else(|| self.refused("text in quotes"))
    }

    pub fn whole(&self, range: RangeInclusive<u64>) -> Result<u64, ConfigError> {
        whole_number(self.written()).filter(|number| range.contains(number)).ok_or_else(|| {
            self.refused(format_args!("a whole number from {} to {}", range.start(), range.end()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_reason_has_the_number_of_the_system() {
        for number in 1..200 {
            let reason = io_reason(&io::Error::from_raw_os_error(number));
            assert!(!reason.contains("os error"), "{number}: {reason}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_file_is_too_large() {
        let error = read_text(Path::new("/dev/zero")).expect_err("an endless file").to_string();
        assert_eq!(error, "/dev/zero: the file is larger than 64 MiB");
    }
}
