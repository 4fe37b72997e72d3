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
            log::warn!("cannot save the recent files: {}", error.message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let file = folder.path().join(FILE);
        for text in ["", "{}", "[1, {}]", "[[["] {
            std::fs::write(&file, text).expect("written");
            assert!(Recent::within(Some(folder.path().to_owned())).files().is_empty(), "{text}");
        }
        let mut nowhere = Recent::within(None);
        nowhere.add(Path::new("a.toml"));
        nowhere.remove("b.toml");
        assert_eq!(nowhere.files().len(), 1);
        // Reading a pipe would wait for its writer.
        #[cfg(unix)]
        {
            std::fs::remove_file(&file).expect("removed");
            assert!(std::process::Command::new("mkfifo").arg(&file).status().expect("mkfifo").success());
            assert!(Recent::within(Some(folder.path().to_owned())).files().is_empty());
        }
    }
}
