//! The file beside a target that holds its bytes until they are whole: `.NAME.XXXXXX.murmuration-part.csv` for
//! `NAME.csv`.
//!
//! The part of a killed process stays: it is readable up to the last whole sample. A part that holds nothing is
//! removed by the next file of the same name. As a part is locked as long as its process lives, and the system releases
//! the lock however the process ends, one that can be locked has no process.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// Is in the name of every part, so that no other file is taken for one.
const MARK: &str = ".murmuration-part";
/// Random letters and digits between the target's name and the mark.
const RANDOM: usize = 6;
/// Maximum bytes of the target's name and of its ending in the part's name: a file name has at most 255.
const MAX: usize = 200;
const MAX_ENDING: usize = 16;

/// A new part for the target of this name in a folder.
pub(super) fn create(folder: &Path, target: &OsStr) -> io::Result<NamedTempFile> {
    let [prefix, suffix] = around(target);
    remove_empty(folder, &prefix, &suffix);
    let mut builder = Builder::new();
    builder.prefix(&prefix).rand_bytes(RANDOM).suffix(&suffix);
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

/// Beginning and end of the names of a target's parts, with the random letters between them. A part has the target's ending, by which
/// readers know its format.
fn around(target: &OsStr) -> [String; 2] {
    let name = target.to_string_lossy();
    let (stem, ending) = match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && ending.len() <= MAX_ENDING => {
            (stem, format!(".{ending}"))
        }
        _ => (&*name, String::new()),
    };
    [format!(".{}.", &stem[..stem.floor_char_boundary(MAX)]), format!("{MARK}{ending}")]
}

/// True if a path has the name of a part.
pub(crate) fn is_part(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with('.') && name.contains(MARK)
}

/// Removes the parts that hold nothing and that no process holds. Parts that cannot be read or removed stay.
fn remove_empty(folder: &Path, prefix: &str, suffix: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(prefix)?.strip_suffix(suffix));
        let empty = entry.metadata().is_ok_and(|part| part.is_file() && part.len() == 0);
        if !empty || random.is_none_or(|random| random.len() != RANDOM) {
            continue;
        }
        // The part is removed while it is locked, so that a process that has just created it notices.
        if let Ok(part) = File::open(entry.path())
            && part.try_lock().is_ok()
            && part.metadata().is_ok_and(|part| part.len() == 0)
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_parts_of_a_killed_process_are_removed_and_no_others() {
        let folder = tempfile::tempdir().unwrap();
        let empty = folder.path().join(".a.x1Y2z3.murmuration-part.csv");
        let sampled = folder.path().join(".a.X1y2Z3.murmuration-part.csv");
        let others = [
            ".b.x1Y2z3.murmuration-part.csv",
            ".a.100.x1Y2z3.murmuration-part.csv",
            ".a.x1Y2z3.murmuration-part.gsd",
            ".a.x1Y2z3.part.csv",
            "a.csv",
        ];
        for name in others {
            fs::write(folder.path().join(name), "").unwrap();
        }
        fs::write(&empty, "").unwrap();
        fs::write(&sampled, "step\n0\n").unwrap();
        let held = create(folder.path(), OsStr::new("a.csv")).unwrap();
        assert!(!empty.exists() && sampled.exists());
        let second = create(folder.path(), OsStr::new("a.csv")).unwrap();
        assert!(held.path().exists() && second.path().exists());
        assert!(is_part(held.path()) && is_part(&sampled) && !is_part(Path::new("a.csv")));
        for name in others {
            assert!(folder.path().join(name).exists(), "{name}");
        }
    }

    #[test]
    fn long_names_have_parts_too() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["é".repeat(127), format!("{}.csv", "a".repeat(251)), format!("a.{}", "b".repeat(253))] {
            let part = create(folder.path(), OsStr::new(&name)).unwrap();
            assert!(part.path().exists());
        }
    }
}
