//! The user's cache folder of the program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::{AtomicFile, Existing, Failure, Result};

/// Environment variable that overrides the cache folder; an empty value disables the cache.
pub const VARIABLE: &str = "MURMURATION_CACHE";

/// The folder in [`VARIABLE`], else the program's folder in the user's cache folder.
pub fn cache() -> Option<PathBuf> {
    match env::var_os(VARIABLE) {
        Some(folder) => filled(folder),
        None => of_system().map(|folder| folder.join("murmuration")),
    }
}

/// The text of a file in the folder; `None` if it cannot be read at once.
pub fn read(folder: &Path, file: &str) -> Option<String> {
    config::read_at_once(&folder.join(file)).ok()
}

/// Writes a file atomically; creates its folder if missing.
///
/// # Errors
/// When folder or file cannot be written.
pub fn write(folder: &Path, file: &str, text: String) -> Result<()> {
    fs::create_dir_all(folder).map_err(|source| Failure::create(folder, source))?;
    AtomicFile::create(&folder.join(file), Existing::Replace)?.fill(text)
}

/// The user's cache folder of the system.
fn of_system() -> Option<PathBuf> {
    let named = |variable| env::var_os(variable).and_then(filled).filter(|folder| folder.is_absolute());
    if cfg!(windows) {
        return named("LOCALAPPDATA");
    }
    let home = || named("HOME");
    if cfg!(target_os = "macos") {
        return home().map(|home| home.join("Library").join("Caches"));
    }
    named("XDG_CACHE_HOME").or_else(|| home().map(|home| home.join(".cache")))
}

fn filled(folder: OsString) -> Option<PathBuf> {
    (!folder.is_empty()).then(|| folder.into())
}
