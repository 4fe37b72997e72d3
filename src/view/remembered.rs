//! What the window remembers of the last one: whether its panel was open. It is a file in the user's cache folder.

use std::fs;
use std::path::PathBuf;

use report::failure::Failure;
use report::{AtomicFile, user_folder};

fn file() -> Option<PathBuf> {
    user_folder::cache().map(|folder| folder.join("panel"))
}

/// True if the panel was open.
pub fn panel() -> bool {
    file().and_then(|file| fs::read_to_string(file).ok()).is_some_and(|text| text == "open")
}

/// Remembers whether the panel is open. Where the folder cannot be written to, it is forgotten.
pub fn keep_panel(open: bool) {
    if let Err(error) = write(if open { "open" } else { "closed" }) {
        log::warn!("the panel is not remembered: {}", error.message);
    }
}

fn write(text: &str) -> report::Result<()> {
    let Some(file) = file() else { return Ok(()) };
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(|source| Failure::create(folder, source))?;
    }
    AtomicFile::create(&file)?.fill(text)
}
