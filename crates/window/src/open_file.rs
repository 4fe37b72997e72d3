//! The open file of parameters: detects when it was written.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use config::Setting;

/// A file, and its stamp when it was read.
#[derive(Clone, Debug)]
pub struct OpenFile {
    pub path: PathBuf,
    /// Settings of the call, which override the file.
    pub settings: Vec<Setting>,
    stamp: Option<Stamp>,
}

/// Time of the last write, and length: two versions of a file differ in one of these.
type Stamp = (SystemTime, u64);

/// The stamp; `None` for an empty file, which its writer is about to fill, and for anything but a regular file: reading a
/// pipe would wait for its writer.
fn stamp(path: &Path) -> Option<Stamp> {
    let about = fs::metadata(path).ok().filter(|about| about.is_file() && about.len() > 0)?;
    Some((about.modified().ok()?, about.len()))
}

impl OpenFile {
    /// Interval between two polls of the file.
    pub const INTERVAL: Duration = Duration::from_millis(500);

    /// A file that is about to be read: a change in the meantime is found by the next poll.
    pub fn new(path: &Path) -> Self {
        OpenFile { path: path.to_owned(), settings: Vec::new(), stamp: stamp(path) }
    }

    /// The same file with the current stamp, about to be read again.
    pub fn anew(&self) -> Self {
        OpenFile { settings: self.settings.clone(), ..OpenFile::new(&self.path) }
    }

    /// True if the file was written since the last poll; false if it is missing or empty: an editor may just be replacing it.
    pub fn look(&mut self) -> bool {
        let Some(now) = stamp(&self.path) else { return false };
        self.stamp.replace(now) != Some(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_written_is_seen_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.toml");
        let mut file = OpenFile::new(&path);
        assert!(!file.look());
        for (text, is_news) in [("", false), ("a", true), ("", false), ("ab", true)] {
            fs::write(&path, text).expect("written");
            assert_eq!([file.look(), file.look()], [is_news, false], "{text}");
        }
        fs::remove_file(&path).expect("removed");
        assert!(!file.look());
        // Reading what is no regular file might block for ever.
        fs::create_dir(&path).expect("a folder");
        assert!(!file.look());
    }
}
