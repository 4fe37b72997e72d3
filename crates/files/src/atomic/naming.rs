//! The names of a file: while it is written, that of the part file beside its target, `.NAME.XXXXXX.murmuration-part.csv`
//! for `NAME.csv`; when it is finished, its target's, or another one where that is taken.
//!
//! The part of a killed process stays: it is readable up to the last whole sample. A part that holds nothing is
//! removed by the next file of the same name. As a part is locked as long as its process lives, and the system releases
//! the lock however the process ends, one that can be locked has no process.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, PersistError};

use super::{folder_of, one_inode};
use crate::{Existing, Failure};

/// Is in the name of every part, so that no other file is taken for one.
const MARK: &str = ".murmuration-part";
/// Random letters and digits between the target's name and the mark.
const RANDOM: usize = 6;
/// Maximum bytes of the target's name and of its ending in the part's name: a file name has at most 255.
const MAX: usize = 200;
const MAX_ENDING: usize = 16;

/// A new part for the target of this name in a folder.
pub(super) fn create_part(folder: &Path, target: &OsStr) -> io::Result<NamedTempFile> {
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

/// Number of names that are tried.
const ATTEMPTS: u32 = 10_000;

/// Where a file will be.
#[derive(Debug)]
pub(super) struct Target {
    /// Its path, with symbolic links followed.
    pub path: PathBuf,
    pub existing: Existing,
    /// The file that was there before the work; an empty one if files are kept.
    pub before: Option<Box<fs::Metadata>>,
}

impl Target {
    /// True if the file may replace what is at its own path.
    fn replaces(&self) -> bool {
        self.existing == Existing::Replace || self.is_still_empty()
    }

    /// True if the empty file that was there before the work still is, and is empty.
    fn is_still_empty(&self) -> bool {
        let (Some(before), Ok(now)) = (&self.before, fs::metadata(&self.path)) else { return false };
        now.is_file() && now.len() == 0 && (one_inode(&now, before) || cfg!(not(unix)))
    }
}

/// The path of an attempt: the file's own for 1, then one with the number before the ending.
fn path_of(path: &Path, attempt: u32) -> PathBuf {
    if attempt == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let ending = path.extension().map(|ending| format!(".{}", ending.to_string_lossy()));
    path.with_file_name(format!("{stem}-{attempt}{}", ending.unwrap_or_default()))
}

/// Gives a part the first name that is free. Returns the path if it is not the target's own. On failure the part stays:
/// returns its path.
pub(super) fn name_part(
    mut part: NamedTempFile,
    target: &Target,
) -> Result<Option<PathBuf>, (io::Error, PathBuf)> {
    for attempt in 1..=ATTEMPTS {
        let path = path_of(&target.path, attempt);
        let named = if attempt == 1 && target.replaces() {
            part.persist(&path).map(drop)
        } else {
            persist_new(part, &path)
        };
        match named {
            Ok(()) => {
                sync_folder(&path);
                return Ok((attempt > 1).then_some(path));
            }
            Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => part = taken.file,
            Err(failed) => return Err((failed.error, keep_part(failed.file))),
        }
    }
    Err((io::ErrorKind::AlreadyExists.into(), keep_part(part)))
}

/// Renames a part unless the path is taken.
fn persist_new(part: NamedTempFile, path: &Path) -> Result<(), PersistError> {
    match part.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(taken) if taken.error.kind() == io::ErrorKind::AlreadyExists => Err(taken),
        Err(failed) => persist_reserved(failed.file, path),
    }
}

/// The same on a file system that has neither such a rename nor hard links: an empty file reserves the name.
fn persist_reserved(part: NamedTempFile, path: &Path) -> Result<(), PersistError> {
    if let Err(error) = File::create_new(path) {
        return Err(PersistError { error, file: part });
    }
    let named = part.persist(path).map(drop);
    if named.is_err() {
        // Else the empty file would stay.
        let _ = fs::remove_file(path);
    }
    named
}

/// Makes a rename durable. The file is complete either way, so a folder that cannot be synced is not an error.
fn sync_folder(path: &Path) {
    let folder = folder_of(path);
    if cfg!(unix)
        && let Err(error) = File::open(&folder).and_then(|folder| folder.sync_all())
    {
        log::warn!("{}: {error}", folder.display());
    }
}

/// Leaves a part where it is; returns its path.
pub(super) fn keep_part(part: NamedTempFile) -> PathBuf {
    match part.keep() {
        Ok((_, path)) => path,
        Err(error) => error.file.path().to_owned(),
    }
}

/// The failure of a file whose bytes stay in a part.
pub(super) fn left(path: &Path, source: io::Error, part: PathBuf) -> Failure {
    let why = Failure::write(path, source).message;
    Failure::work(format!("{why}; the data written so far is in {}", part.display()))
}

/// The failure of a finished file whose name is taken, with the name that was given instead.
pub(super) fn taken(path: &Path, given: &Path) -> Failure {
    let (path, given) = (path.display(), given.display());
    Failure::work(format!("cannot write {path}: it was created in the meantime; the result is in {given}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_name_keeps_the_ending() {
        for (path, expected) in [
            ("a.csv", "a-2.csv"),
            ("b/a.100.csv", "b/a.100-2.csv"),
            ("flock", "flock-2"),
            ("frame-0017.png", "frame-0017-2.png"),
            (".hidden", ".hidden-2"),
        ] {
            assert_eq!(path_of(Path::new(path), 2), Path::new(expected));
        }
    }

    /// This is the way where the system refuses both a rename that does not replace and a link.
    #[test]
    fn a_reserved_name_is_given_and_a_taken_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let part = || NamedTempFile::new_in(folder.path()).unwrap();
        persist_reserved(part(), &path).unwrap();
        fs::write(&path, "kept").unwrap();
        let taken = persist_reserved(part(), &path).unwrap_err();
        assert_eq!(taken.error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "kept");
    }

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
        let held = create_part(folder.path(), OsStr::new("a.csv")).unwrap();
        assert!(!empty.exists() && sampled.exists());
        let second = create_part(folder.path(), OsStr::new("a.csv")).unwrap();
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
            let part = create_part(folder.path(), OsStr::new(&name)).unwrap();
            assert!(part.path().exists());
        }
    }
}
