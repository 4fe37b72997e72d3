//! The file beside a target that holds its bytes until they are whole.
//!
//! A part is locked as long as its process lives, and the system releases the lock however the process ends. A part
//! that can be locked was left by a killed process and is removed.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// Ends the name of every part, so that no other file is taken for one.
const SUFFIX: &str = ".murmuration-part";
/// Random letters and digits between the target's name and the suffix.
const RANDOM: usize = 6;
/// Maximum bytes of the target's name in the part's name: a file name has at most 255.
const MAX: usize = 200;

/// A new part for the target of this name in a folder, after removing those that killed processes left.
pub(super) fn create(folder: &Path, target: &OsStr) -> io::Result<NamedTempFile> {
    let prefix = prefix(target);
    remove_stale(folder, &prefix);
    let mut builder = Builder::new();
    builder.prefix(&prefix).rand_bytes(RANDOM).suffix(SUFFIX);
    #[cfg(unix)]
    {
        // The user's umask applies, as to any new file; the default would be private.
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    loop {
        let part = builder.tempfile_in(folder)?;
        match part.as_file().try_lock() {
            // Another process may have found it before it was locked, and removed it.
            Ok(()) if part.path().exists() => return Ok(part),
            Ok(()) | Err(fs::TryLockError::WouldBlock) => {}
            // A file system without locks: no process can lock a part there, so none removes it.
            Err(fs::TryLockError::Error(_)) => return Ok(part),
        }
    }
}

/// The prefix of the names of a target's parts.
fn prefix(target: &OsStr) -> String {
    let name = target.to_string_lossy();
    format!(".{}.", &name[..name.floor_char_boundary(MAX)])
}

/// Removes the parts that no process holds. Parts that cannot be read or removed stay.
fn remove_stale(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(prefix)?.strip_suffix(SUFFIX));
        let regular = entry.file_type().is_ok_and(|kind| kind.is_file());
        if !regular || random.is_none_or(|random| random.len() != RANDOM) {
            continue;
        }
        // The part is removed while it is locked, so that a process that has just created it notices.
        if let Ok(part) = File::open(entry.path())
            && part.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_killed_process_are_removed_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let stale = folder.path().join(".a.csv.x1Y2z3.murmuration-part");
        let others = [
            ".b.csv.x1Y2z3.murmuration-part",
            ".a.csv.predators.x1Y2z3.murmuration-part",
            ".a.csv.x1Y2z3.part",
            "a.csv",
        ];
        fs::write(&stale, "half").unwrap();
        for name in others {
            fs::write(folder.path().join(name), "whole").unwrap();
        }
        let held = create(folder.path(), OsStr::new("a.csv")).unwrap();
        assert!(!stale.exists());
        let second = create(folder.path(), OsStr::new("a.csv")).unwrap();
        assert!(held.path().exists() && second.path().exists());
        for name in others {
            assert!(folder.path().join(name).exists(), "{name}");
        }
    }

    #[test]
    fn long_names_have_parts_too() {
        let folder = tempfile::tempdir().unwrap();
        let name = "é".repeat(127);
        let part = create(folder.path(), OsStr::new(&name)).unwrap();
        assert!(part.path().exists());
    }
}
