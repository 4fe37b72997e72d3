//! The file of parameters that is open: whether it was written since it was read.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use config::Setting;

/// A file, and what it was like when it was read.
#[derive(Clone, Debug)]
pub struct OpenFile {
    pub path: PathBuf,
    /// What the call sets on top, whatever the file says.
    pub settings: Vec<Setting>,
    stamp: Option<Stamp>,
}

/// When a file was written, and its length: two versions of it differ in one of these.
type Stamp = (SystemTime, u64);

/// None of what is no file: to read a pipe would wait for who writes it.
fn stamp(path: &Path) -> Option<Stamp> {
    let about = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((about.modified().ok()?, about.len()))
}

impl OpenFile {
    /// From file to file, the time between two looks.
    pub const INTERVAL: Duration = Duration::from_millis(500);

    /// A file that is about to be read: what is written meanwhile is found by the next look.
    pub fn new(path: &Path) -> Self {
        OpenFile { path: path.to_owned(), settings: Vec::new(), stamp: stamp(path) }
    }

    /// The same file, about to be read again.
    pub fn anew(&self) -> Self {
        OpenFile { settings: self.settings.clone(), ..OpenFile::new(&self.path) }
    }

    /// True if the file was written since the last look. One that is not there has not been: an editor may just be
    /// replacing it.
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
        fs::write(&path, "a").expect("written");
        assert!(file.look() && !file.look());
        fs::write(&path, "ab").expect("written");
        assert!(file.look() && !file.look());
        fs::remove_file(&path).expect("removed");
        assert!(!file.look());
        // To read what is no file might take for ever.
        fs::create_dir(&path).expect("a folder");
        assert!(!file.look());
    }
}
