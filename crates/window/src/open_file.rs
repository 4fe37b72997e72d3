//! The open file of parameters, which is polled for changes, and the files that were opened recently.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;

use config::Setting;
use files::user_folder;

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

/// The file in the user's cache folder that keeps the recent ones.
const RECENT: &str = "recent.json";

/// Recently opened files of parameters, kept in the user's cache folder: their names, the newest first. Without a folder they
/// last as long as the window.
#[derive(Clone, Debug, Default)]
pub struct Recent {
    folder: Option<PathBuf>,
    files: Vec<String>,
}

impl Recent {
    /// Maximum number of names.
    pub const MAX: usize = 8;

    /// The list in the user's cache folder.
    pub fn of_user() -> Self {
        Self::within(user_folder::cache())
    }

    /// The list in a folder; empty if its file cannot be read or is malformed.
    pub fn within(folder: Option<PathBuf>) -> Self {
        let read = folder.as_ref().and_then(|folder| user_folder::read(folder, RECENT));
        let all: Option<Value> = read.and_then(|text| serde_json::from_str(&text).ok());
        let names = all.as_ref().and_then(Value::as_array).into_iter().flatten();
        let files = names.filter_map(Value::as_str).take(Self::MAX).map(str::to_owned).collect();
        Recent { folder, files }
    }

    /// The names of the files, the newest first.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    /// Puts a file first.
    pub fn add(&mut self, file: &Path) {
        // Another window may have another working folder.
        let whole = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let Some(name) = whole.to_str().map(str::to_owned) else { return };
        self.renew();
        if self.files.first() == Some(&name) {
            return;
        }
        self.files.retain(|other| *other != name);
        self.files.insert(0, name);
        self.files.truncate(Self::MAX);
        self.keep();
    }

    /// Removes a file that no longer exists.
    pub fn remove(&mut self, file: &str) {
        self.renew();
        self.files.retain(|other| other != file);
        self.keep();
    }

    /// Reads the list again: another window may have changed it.
    fn renew(&mut self) {
        let kept = Self::within(self.folder.clone());
        if !kept.files.is_empty() {
            *self = kept;
        }
    }

    fn keep(&self) {
        let Some(folder) = &self.folder else { return };
        let text = format!("{:#}\n", Value::from(self.files.as_slice()));
        if let Err(error) = user_folder::write(folder, RECENT, text) {
            log::warn!("cannot save the recent files: {}", error.message);
        }
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

    #[test]
    fn the_newest_files_are_kept_and_each_stands_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = Some(folder.path().join("made on demand"));
        let add =
            |recent: &mut Recent, number: u32| recent.add(&folder.path().join(format!("{number}.toml")));
        let mut recent = Recent::within(inside.clone());
        for number in (0..20).chain([15]) {
            add(&mut recent, number);
        }
        // Another window has opened a file in the meantime.
        add(&mut Recent::within(inside.clone()), 21);
        add(&mut recent, 22);
        let again = Recent::within(inside);
        assert_eq!((again.files(), again.files().len()), (recent.files(), Recent::MAX));
        let names = again.files().iter().map(|file| file.rsplit(['/', '\\']).next().unwrap_or_default());
        assert_eq!(names.take(3).collect::<Vec<_>>(), ["22.toml", "21.toml", "15.toml"]);
    }

    #[test]
    fn a_list_that_is_of_no_use_is_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(RECENT);
        for text in ["", "{}", "[1, {}]", "[[["] {
            fs::write(&file, text).expect("written");
            assert!(Recent::within(Some(folder.path().to_owned())).files().is_empty(), "{text}");
        }
        let mut nowhere = Recent::within(None);
        nowhere.add(Path::new("a.toml"));
        nowhere.remove("b.toml");
        assert_eq!(nowhere.files().len(), 1);
        // Reading a pipe would wait for its writer.
        #[cfg(unix)]
        {
            fs::remove_file(&file).expect("removed");
            assert!(std::process::Command::new("mkfifo").arg(&file).status().expect("mkfifo").success());
            assert!(Recent::within(Some(folder.path().to_owned())).files().is_empty());
        }
    }
}
