//! Checks that the files of a call are different files.

use std::path::{Component, Path, PathBuf};

use files::{Failure, Result, same_file};

/// An option, and a file that it names.
pub(super) type Named = (&'static str, PathBuf);

/// Checks that no file that is written is another one or is read, by the same name or by a link.
pub(super) fn check(read: &[Named], written: &[Named]) -> Result {
    for (k, (option, file)) in written.iter().enumerate() {
        for (other, earlier) in read.iter().chain(&written[..k]) {
            let name = file.display();
            if plain(file) == plain(earlier) {
                return Err(Failure::usage(format!("{other} and {option} both name {name}")));
            }
            if same_file(file, earlier) {
                let message =
                    format!("{other} {} and {option} {name} are one file, by a link", earlier.display());
                return Err(Failure::usage(message).hint("name two files"));
            }
        }
    }
    Ok(())
}

/// A path without its `.` components: `./a.csv` is `a.csv`.
pub(super) fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}
