//! The log of a study: a line a finished run, on the disk before the next is begun.
//!
//! A line is whole where it ends in a line feed: what follows the last one was torn by a kill or a full disk, and is cut
//! off before more is written. Of two lines for a run the later counts.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::report::Error;

/// A run that has ended.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Outcome {
    pub run: usize,
    /// The steps taken, the measures, and the hash of the last state, as in the table of runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<String>,
    /// The samples, where they are asked for: rows of comma-separated cells.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub series: String,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Where a run's line begins, and how the run failed if it did.
#[derive(Clone, Debug)]
struct Place {
    start: u64,
    error: Option<String>,
}

/// An open log.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    length: u64,
    places: BTreeMap<usize, Place>,
}

impl Log {
    /// Opens a log, or begins one, to add runs to it. No other process may have it open so.
    ///
    /// # Errors
    /// When it cannot be read and written, another process has it, or a line is no run.
    pub fn open(path: &Path) -> Result<Log, Failure> {
        let mut options = OpenOptions::new();
        let file = options.read(true).append(true).create(true).open(path);
        let file = file.map_err(|source| Error::create(path, source))?;
        // A file system without locks leaves the care to the user.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(Failure::usage(format!("{}: another sweep writes to it", path.display())));
        }
        let log = Log::index(path, file)?;
        log.file.set_len(log.length).map_err(|source| Error::write(path, source))?;
        Ok(log)
    }

    /// Opens a log to read what is in it.
    ///
    /// # Errors
    /// When it cannot be read, or a line is no run.
    pub fn read(path: &Path) -> Result<Log, Failure> {
        Log::index(path, File::open(path).map_err(|source| Error::read(path, source))?)
    }

    fn index(path: &Path, file: File) -> Result<Log, Failure> {
        let broken = |source| Error::read(path, source);
        let mut reader = BufReader::new(&file);
        let (mut places, mut start, mut line) = (BTreeMap::new(), 0, Vec::new());
        for number in 1.. {
            line.clear();
            reader.read_until(b'\n', &mut line).map_err(broken)?;
            if line.last() != Some(&b'\n') {
                break;
            }
            let outcome: Outcome = serde_json::from_slice(&line)
                .map_err(|error| Error::input(path, format!("line {number} is no run: {error}")))?;
            places.insert(outcome.run, Place { start, error: outcome.error });
            start += line.len() as u64;
        }
        Ok(Log { path: path.to_owned(), file, length: start, places })
    }

    /// Whether a run needs not be done.
    #[must_use]
    pub fn has(&self, run: usize, retry_failed: bool) -> bool {
        self.places.get(&run).is_some_and(|place| !(retry_failed && place.error.is_some()))
    }

    /// The runs that have ended, in order, each with the reason why it failed if it did.
    pub fn ended(&self) -> impl Iterator<Item = (usize, Option<&str>)> {
        self.places.iter().map(|(run, place)| (*run, place.error.as_deref()))
    }

    /// Adds a run. It is on the disk when this returns.
    ///
    /// # Errors
    /// When it cannot be written: the log is then as before.
    pub fn add(&mut self, outcome: &Outcome) -> Result<(), Failure> {
        let mut line = serde_json::to_vec(outcome).map_err(Failure::work)?;
        line.push(b'\n');
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        if let Err(source) = written {
            // Where even this fails, the next to open it does the same.
            let _ = self.file.set_len(self.length);
            let hint = "what was done is kept: --resume goes on from there";
            return Err(Failure::from(Error::write(&self.path, source)).hint(hint));
        }
        self.places.insert(outcome.run, Place { start: self.length, error: outcome.error.clone() });
        self.length += line.len() as u64;
        Ok(())
    }

    /// The outcome of a run that has ended.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn outcome(&mut self, run: usize) -> Result<Option<Outcome>, Failure> {
        let Some(place) = self.places.get(&run) else { return Ok(None) };
        let broken = |source| Error::read(&self.path, source);
        self.file.seek(SeekFrom::Start(place.start)).map_err(broken)?;
        let mut line = String::new();
        let rest = (&self.file).take(self.length - place.start);
        BufReader::new(rest).read_line(&mut line).map_err(broken)?;
        serde_json::from_str(&line)
            .map(Some)
            .map_err(|error| Error::input(&self.path, error.to_string()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(run: usize) -> Outcome {
        let (cells, series) = (vec![format!("{run}"), "\u{e9}".into()], "1,2\n".repeat(run));
        Outcome { run, cells, series, error: None }
    }

    fn failed(run: usize) -> Outcome {
        Outcome { error: Some("why".into()), cells: Vec::new(), series: String::new(), run }
    }

    /// Wherever the last line is torn, what was before it is read, and more can be added.
    #[test]
    fn a_torn_line_is_dropped_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("runs.log");
        let mut log = Log::open(&path).expect("a log");
        [done(4), failed(1)].iter().for_each(|outcome| log.add(outcome).expect("added"));
        let two = log.length as usize;
        log.add(&done(2)).expect("added");
        drop(log);
        let whole = std::fs::read(&path).expect("bytes");
        for cut in two..whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("written");
            let mut log = Log::open(&path).expect("a log");
            assert_eq!(log.ended().collect::<Vec<_>>(), [(1, Some("why")), (4, None)], "{cut}");
            log.add(&done(2)).expect("added");
            assert_eq!(std::fs::read(&path).expect("bytes"), whole, "{cut}");
            assert_eq!(log.outcome(4).expect("read"), Some(done(4)));
            assert_eq!(log.outcome(3).expect("read"), None);
        }
        std::fs::write(&path, [&whole[..two - 3], b"\n", &whole[two..]].concat()).expect("written");
        let error = Log::open(&path).expect_err("a line is damaged");
        assert!(error.message.contains("line 2 is no run"), "{}", error.message);
    }

    #[test]
    fn a_later_line_counts_and_one_process_writes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("runs.log");
        let mut log = Log::open(&path).expect("a log");
        log.add(&failed(0)).expect("added");
        assert!(log.has(0, false) && !log.has(0, true) && !log.has(1, false));
        log.add(&done(0)).expect("added");
        assert!(log.has(0, true));
        assert!(Log::open(&path).expect_err("it is open").message.contains("another sweep"));
        assert_eq!(Log::read(&path).expect("read").outcome(0).expect("read"), Some(done(0)));
    }
}
