//! Recently opened files of parameters, kept in the user's cache folder.

use std::path::{Path, PathBuf};

use serde_json::Value;

use files::user_folder;

const FILE: &str = "recent.json";

/// File names, the newest first. Without a folder they last as long as the window.
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
        let read = folder.as_ref().and_then(|folder| user_folder::read(folder, FILE));
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
        if let Err(error) = user_folder::write(folder, FILE, text) {
            log::warn!("recent files are not kept: {}", error.message);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_newest_files_are_kept_and_each_stands_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let inside = Some(folder.path().join("made on demand"));
        let mut recent = Recent::within(inside.clone());
        assert!(recent.files().is_empty());
        for number in (0..20).chain([15]) {
            recent.add(&folder.path().join(format!("{number}.toml")));
        }
        // Another window has opened a file in the meantime.
        let mut other = Recent::within(inside.clone());
        other.add(&folder.path().join("21.toml"));
        recent.add(&folder.path().join("22.toml"));
        let again = Recent::within(inside);
        assert_eq!((again.files(), again.files().len()), (recent.files(), Recent::MAX));
        let newest =
            |file: &String| Path::new(file).file_stem().and_then(|name| name.to_str()).map(str::to_owned);
        assert_eq!(again.files().iter().filter_map(newest).take(3).collect::<Vec<_>>(), ["22", "21", "15"]);
    }

    /// Reading a pipe would wait for its writer.
    #[cfg(unix)]
    #[test]
    fn a_pipe_in_place_of_the_list_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let made = std::process::Command::new("mkfifo").arg(folder.path().join(FILE)).status();
        assert!(made.expect("mkfifo").success());
        assert!(Recent::within(Some(folder.path().to_owned())).files().is_empty());
    }

    #[test]
    fn a_list_that_is_of_no_use_is_empty() {
        let folder = tempfile::tempdir().expect("a folder");
        for text in ["", "{}", "[1, {}]", "[[["] {
            fs::write(folder.path().join(FILE), text).expect("written");
            assert!(Recent::within(Some(folder.path().to_owned())).files().is_empty(), "{text}");
        }
        let mut nowhere = Recent::within(None);
        nowhere.add(Path::new("a.toml"));
        nowhere.remove("b.toml");
        assert_eq!(nowhere.files().len(), 1);
    }
}
