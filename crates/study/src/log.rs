//! The log of a study: one line per finished run, on the disk before the next run begins.
//!
//! A line is a checksum, a space and the run as JSON. Bytes after the last line feed come from a kill or a full disk;
//! they are removed before the next write. A line with a wrong checksum, or that is not a run of the study, is ignored:
//! it is reported and overwritten with spaces, and its run is done again. If a run has two lines, the later one counts.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Study;
use files::Failure;

/// A run that has ended.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    pub run: usize,
    /// For each stage the steps taken, the measures, and the hash of the last state, as in the table of runs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<String>,
    /// The samples, where they are asked for: rows of comma-separated cells.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub series: String,
    /// The error of a failed run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Outcome {
    /// The line of a log.
    fn line(&self) -> Result<Vec<u8>, Failure> {
        let json = serde_json::to_vec(self).map_err(Failure::work)?;
        Ok([format!("{:016x} ", checksum(&json)).as_bytes(), &json, b"\n"].concat())
    }

    /// The outcome that a line holds; none where the line is damaged.
    fn parse(line: &[u8], study: &Study) -> Option<Outcome> {
        let (sum, json) = (line.get(..17)?, &line[17..]);
        if sum != format!("{:016x} ", checksum(json)).as_bytes() {
            return None;
        }
        serde_json::from_slice(json).ok().filter(|outcome: &Outcome| outcome.fits(study))
    }

    /// True if it is of a run of the study, with the cells and samples that its tables have.
    fn fits(&self, study: &Study) -> bool {
        let number = |cell: &str| cell.is_empty() || cell.parse::<f64>().is_ok();
        let whole = |cell: &str| cell.parse::<u64>().is_ok_and(|steps| steps <= study.steps);
        let samples = study.sampled().count();
        let row = |row: &str| {
            let mut cells = row.split(',');
            cells.next().is_some_and(whole) && cells.clone().count() == samples && cells.all(number)
        };
        let block = |cells: &[String]| {
            let [steps, values @ .., hash] = cells else { return false };
            let hash_fits = hash.len() == 16 && u64::from_str_radix(hash, 16).is_ok();
            whole(steps) && values.iter().all(|cell| number(cell)) && hash_fits
        };
        let count = 2 + study.columns.iter().map(|column| column.cells().len()).sum::<usize>();
        let blocks = self.cells.len() == count * study.stages() && self.cells.chunks(count).all(block);
        let done = blocks && self.series.lines().all(row);
        let failed = self.error.is_some() && self.cells.is_empty() && self.series.is_empty();
        self.run < study.runs() && (failed || self.error.is_none() && done)
    }
}

/// FNV-1a, its halves mixed: a line that differs in one byte has another.
fn checksum(bytes: &[u8]) -> u64 {
    let add = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let sum = bytes.iter().fold(0xcbf2_9ce4_8422_2325, add);
    sum ^ (sum >> 32)
}

/// The start of a run's line, and the error of a failed run.
#[derive(Clone, Debug)]
struct LoggedRun {
    start: u64,
    error: Option<String>,
}

/// An open log.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    length: u64,
    places: BTreeMap<usize, LoggedRun>,
    /// The numbers, starts and lengths of the lines that are damaged.
    damaged: Vec<(usize, u64, usize)>,
}

impl Log {
    /// Opens a log, or begins one, to add runs of a study to it. No other process may have it open so.
    ///
    /// # Errors
    /// When it cannot be read and written, or another process has it.
    pub fn open(path: &Path, study: &Study) -> Result<Log, Failure> {
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|source| Failure::create(path, source))?;
        // A file system without locks leaves the care to the user.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(Failure::usage(format!("{}: another sweep is writing to it", path.display())));
        }
        let mut log = Log::index(path, file, study)?;
        let Log { file, length, damaged, .. } = &mut log;
        let mended = file.set_len(*length).and_then(|()| {
            // Spaces replace the damaged lines: they are reported once.
            damaged.iter().try_for_each(|(_, start, length)| {
                file.seek(SeekFrom::Start(*start))?;
                file.write_all(&vec![b' '; *length])
            })
        });
        mended.map_err(|source| Failure::write(path, source))?;
        Ok(log)
    }

    /// Opens a log to read the runs of a study that are in it.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn read(path: &Path, study: &Study) -> Result<Log, Failure> {
        Log::index(path, File::open(path).map_err(|source| Failure::read(path, source))?, study)
    }

    fn index(path: &Path, file: File, study: &Study) -> Result<Log, Failure> {
        let broken = |source| Failure::read(path, source);
        let mut reader = BufReader::new(&file);
        let (mut places, mut damaged) = (BTreeMap::new(), Vec::new());
        let mut start = 0;
        let mut line = Vec::new();
        for number in 1.. {
            line.clear();
            reader.read_until(b'\n', &mut line).map_err(broken)?;
            if line.is_empty() {
                break;
            }
            let Some(b'\n') = line.pop() else {
                damaged.push((number, start, 0));
                break;
            };
            match Outcome::parse(&line, study) {
                Some(outcome) => {
                    places.insert(outcome.run, LoggedRun { start, error: outcome.error });
                }
                None if line.iter().all(|byte| *byte == b' ') => {}
                None => damaged.push((number, start, line.len())),
            }
            start += line.len() as u64 + 1;
        }
        Ok(Log { path: path.to_owned(), file, length: start, places, damaged })
    }

    /// Says which lines were damaged when the log was opened, if any were.
    pub fn damage(&self) -> Option<String> {
        let lines: Vec<String> = self.damaged.iter().take(8).map(|(line, ..)| line.to_string()).collect();
        let (path, count, lines) = (self.path.display(), self.damaged.len(), lines.join(", "));
        let more = if count > 8 { ", …" } else { "" };
        match count {
            0 => None,
            1 => Some(format!("{path}: line {lines} is damaged: its run counts as missing")),
            _ => Some(format!(
                "{path}: {count} lines are damaged ({lines}{more}): their runs count as missing"
            )),
        }
    }

    /// True if a run needs not be done.
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
        let line = outcome.line()?;
        let end = self.file.seek(SeekFrom::Start(self.length));
        let written = end.and_then(|_| self.file.write_all(&line)).and_then(|()| self.file.sync_data());
        if let Err(source) = written {
            // If this fails too, the next process that opens the log truncates it.
            let _ = self.file.set_len(self.length);
            let hint = "finished runs are saved; use --resume to continue";
            return Err(Failure::write(&self.path, source).hint(hint));
        }
        self.places.insert(outcome.run, LoggedRun { start: self.length, error: outcome.error.clone() });
        self.length += line.len() as u64;
        Ok(())
    }

    /// The outcome of a run that has ended.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn outcome(&mut self, run: usize) -> Result<Option<Outcome>, Failure> {
        let Some(place) = self.places.get(&run) else { return Ok(None) };
        let broken = |source| Failure::read(&self.path, source);
        self.file.seek(SeekFrom::Start(place.start)).map_err(broken)?;
        let mut line = Vec::new();
        let rest = (&self.file).take(self.length - place.start);
        BufReader::new(rest).read_until(b'\n', &mut line).map_err(broken)?;
        let json = line.get(17..).unwrap_or_default();
        let outcome = serde_json::from_slice(json);
        outcome.map(Some).map_err(|error| Failure::file(&self.path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Column, Spec};

    /// Five runs, of which polarization is measured.
    fn study() -> Study {
        let columns = Some(vec![Column::find("polarization").expect("a measure")]);
        let spec = Spec { seeds: Some(vec![1, 2, 3, 4, 5]), columns, series: true, ..Spec::default() };
        Study::new(spec, "test").expect("a study").0
    }

    fn done(run: usize) -> Outcome {
        let cells = ["1000", "0.5", "", "0.25", "1.0", "0.5", "0123456789abcdef"].map(str::to_owned).into();
        Outcome { run, cells, series: "1,0.5\n".repeat(run), error: None }
    }

    fn failed(run: usize) -> Outcome {
        Outcome { error: Some("wh\u{fd}".into()), cells: Vec::new(), series: String::new(), run }
    }

    /// Wherever the last line is torn, what was before it is read, and more can be added.
    #[test]
    fn a_torn_line_is_dropped_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("runs.log");
        let mut log = Log::open(&path, &study()).expect("a log");
        [done(4), failed(1)].iter().for_each(|outcome| log.add(outcome).expect("added"));
        let two = log.length as usize;
        log.add(&done(2)).expect("added");
        drop(log);
        let whole = std::fs::read(&path).expect("bytes");
        for cut in two..whole.len() {
            std::fs::write(&path, &whole[..cut]).expect("written");
            let mut log = Log::open(&path, &study()).expect("a log");
            assert_eq!(log.ended().collect::<Vec<_>>(), [(1, Some("wh\u{fd}")), (4, None)], "{cut}");
            log.add(&done(2)).expect("added");
            assert_eq!(std::fs::read(&path).expect("bytes"), whole, "{cut}");
            assert_eq!(log.outcome(4).expect("read"), Some(done(4)));
            assert_eq!(log.outcome(3).expect("read"), None);
        }
    }

    /// Whichever bit is flipped, its line does not count, is reported once, and the others are as before.
    #[test]
    fn a_flipped_bit_costs_its_line_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("runs.log");
        let mut log = Log::open(&path, &study()).expect("a log");
        let all = [done(4), failed(1), done(2)];
        all.iter().for_each(|outcome| log.add(outcome).expect("added"));
        drop(log);
        let whole = std::fs::read(&path).expect("bytes");
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, &bytes).expect("written");
            let mut log = Log::open(&path, &study()).expect("a log");
            assert!(log.damage().is_some_and(|line| line.contains("damaged")), "bit {bit}");
            let lost = all.iter().filter(|one| log.outcome(one.run).expect("read").as_ref() != Some(*one));
            let lost: Vec<&Outcome> = lost.collect();
            // A line feed that is lost joins two lines.
            assert!((1..=2).contains(&lost.len()), "bit {bit}: {lost:?}");
            lost.into_iter().for_each(|outcome| log.add(outcome).expect("added"));
            drop(log);
            let mut log = Log::open(&path, &study()).expect("a log");
            assert_eq!(log.damage(), None, "bit {bit}");
            all.iter().for_each(|one| assert_eq!(log.outcome(one.run).expect("read").as_ref(), Some(one)));
        }
    }

    /// A line with a right checksum that is no run of the study does not count.
    #[test]
    fn a_line_that_is_no_run_of_the_study_does_not_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("runs.log");
        let json = serde_json::to_string(&done(1)).expect("JSON");
        for (from, to) in [
            ("1000", "1001"),
            ("\"0.5\"", "\"0.5x\""),
            ("\"1.0\",", ""),
            ("abcdef", "abcdeg"),
            ("1,0.5", "1,0.5,2"),
            ("1,0.5", "one,0.5"),
            ("\"cells\"", "\"cell\""),
            ("\"run\":1", "\"run\":5"),
            ("}", ",\"more\":1}"),
            ("x", "x"),
        ] {
            let json = json.replacen(from, to, 1);
            let line = format!("{:016x} {json}\n", checksum(json.as_bytes()));
            std::fs::write(&path, line).expect("written");
            let log = Log::read(&path, &study()).expect("a log");
            assert_eq!(log.damage().is_some(), from != to, "{from} {to}");
            assert_eq!(log.has(1, false), from == to, "{from} {to}");
        }
    }

    #[test]
    fn a_later_line_counts_and_one_process_writes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("runs.log");
        let mut log = Log::open(&path, &study()).expect("a log");
        log.add(&failed(0)).expect("added");
        assert!(log.has(0, false) && !log.has(0, true) && !log.has(1, false));
        log.add(&done(0)).expect("added");
        assert!(log.has(0, true));
        assert!(Log::open(&path, &study()).expect_err("it is open").message.contains("another sweep"));
        assert_eq!(Log::read(&path, &study()).expect("read").outcome(0).expect("read"), Some(done(0)));
    }
}
