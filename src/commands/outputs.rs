//! The files of a call: they are different files, and none is replaced unasked.

use std::path::{Component, Path, PathBuf};

use files::{AtomicFile, Existing, Failure, Result, same_file};

/// An option, and a file that it names.
pub(super) type Named = (&'static str, PathBuf);

/// Checks that no file that is written is another one or is read, by the same name or by a link.
pub(super) fn check(read: &[Named], written: &[Named]) -> Result {
    for (k, (option, file)) in written.iter().enumerate() {
        for (other, earlier) in read.iter().chain(&written[..k]) {
            let name = file.display();
            if plain(file) == plain(earlier) {
                return Err(Failure::usage(format!("{other} and {option} cannot both be {name}")));
            }
            if same_file(file, earlier) {
                let message =
                    format!("{other} {} and {option} {name} are links to the same file", earlier.display());
                return Err(Failure::usage(message).hint("use two different files"));
            }
        }
    }
    Ok(())
}

/// The file of a format at a path, where one is asked for. Created before the work, so that a file that cannot be
/// written loses none.
pub(super) fn create(path: Option<&Path>, format: &str, yes: bool) -> Result<Option<AtomicFile>> {
    let Some(path) = path else { return Ok(None) };
    files::check_ending(path, &[format])?;
    AtomicFile::create(path, Existing::replaced_if(yes)).map(Some)
}

/// Refuses to replace a file with contents, unless the call has `--yes`. `files` holds each option with its file; the
/// option is empty where none names the file.
pub(super) fn keep_existing(files: &[Named], yes: bool) -> Result {
    if yes {
        return Ok(());
    }
    for (option, path) in files {
        if !files::is_stdout(path) && files::replaces(path) {
            let named = format!("{option} {}", path.display());
            let why = format!("{} already exists", named.trim());
            return Err(Failure::usage(why).hint("use --yes to replace it"));
        }
    }
    Ok(())
}

/// A path without its `.` components: `./a.csv` is `a.csv`.
pub(super) fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}
