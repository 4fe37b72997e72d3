//! Whether the files of a call are different files.

use std::path::{Component, Path, PathBuf};

use report::{Failure, Result, same_file};

/// Checks that no two options name one file, by the same name or by a link; `files` holds each option with its file.
pub(super) fn check(files: &[(&str, PathBuf)]) -> Result {
    for (k, (option, file)) in files.iter().enumerate() {
        for (other, earlier) in &files[..k] {
            // A run may replace the file it started from: that is read before it is written.
            if matches!((*other, *option), ("--init", "--out" | "--init")) {
                continue;
            }
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
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| *part != Component::CurDir).collect()
}
