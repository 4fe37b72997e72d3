//! The files of an archive.

use std::path::Path;

use crate::{Result, at};

/// A file of an archive.
#[derive(Debug)]
pub struct File {
    /// Its path in the archive, with slashes.
    pub path: String,
    pub bytes: Vec<u8>,
    pub executable: bool,
}

impl File {
    pub fn mode(&self) -> u32 {
        if self.executable { 0o755 } else { 0o644 }
    }
}

/// All files of a folder, sorted by path.
pub fn read(folder: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    add(folder, "", &mut files)?;
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn add(folder: &Path, prefix: &str, files: &mut Vec<File>) -> Result {
    for entry in std::fs::read_dir(folder).map_err(at(folder))? {
        let file = entry.map_err(at(folder))?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = format!("{prefix}{name}");
        if file.is_dir() {
            add(&file, &format!("{path}/"), files)?;
        } else {
            let bytes = std::fs::read(&file).map_err(at(&file))?;
            // By its name: file systems differ in what they keep.
            let executable = matches!(path.as_str(), "murmuration" | "murmuration.exe");
            files.push(File { path, bytes, executable });
        }
    }
    Ok(())
}
