//! Errors of files, in one line each.

use std::io;
use std::path::{Path, PathBuf};

/// The result of everything in [`crate`].
pub type Result<T> = std::result::Result<T, Error>;

/// An error that names its file; [`Error::exit_code`] says whose fault it is.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file that was asked for cannot be opened, read or created: the call is wrong.
    #[error("cannot {verb} {}: {}", path.display(), plain(source))]
    Open {
        /// What was tried: "read" or "write".
        verb: &'static str,
        /// The file as the user named it.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Writing failed on the way, for instance on a full disk: the work failed.
    #[error("cannot write {}: {}", path.display(), plain(source))]
    Write {
        /// The file as the user named it.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The contents of an input file are wrong.
    #[error("{}: {problem}", path.display())]
    Input {
        /// The file as the user named it.
        path: PathBuf,
        /// Line, column, value and what is allowed.
        problem: String,
    },
    /// A name, size or rate that the kind of file cannot have: the call is wrong.
    #[error("{}: {problem}", path.display())]
    Unfit {
        /// The file as the user named it.
        path: PathBuf,
        /// The value and what is allowed.
        problem: String,
    },
    /// An encoder failed on a frame: the work failed.
    #[error("cannot encode {}: {problem}", path.display())]
    Encode {
        /// The file as the user named it.
        path: PathBuf,
        /// The encoder's reason.
        problem: String,
    },
}

impl Error {
    /// The exit code of the command line: 1 where the work failed, 2 where the call or an input is wrong.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Open { .. } | Self::Input { .. } | Self::Unfit { .. } => 2,
            Self::Write { .. } | Self::Encode { .. } => 1,
        }
    }

    pub fn read(path: &Path, source: io::Error) -> Self {
        let (verb, path) = ("read", path.to_owned());
        Self::Open { verb, path, source }
    }

    pub fn create(path: &Path, source: io::Error) -> Self {
        let (verb, path) = ("write", path.to_owned());
        Self::Open { verb, path, source }
    }

    pub fn write(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Write { path, source }
    }

    pub fn input(path: &Path, problem: String) -> Self {
        let path = path.to_owned();
        Self::Input { path, problem }
    }

    pub fn unfit(path: &Path, problem: String) -> Self {
        let path = path.to_owned();
        Self::Unfit { path, problem }
    }

    pub fn encode(path: &Path, problem: impl ToString) -> Self {
        let (path, problem) = (path.to_owned(), problem.to_string());
        Self::Encode { path, problem }
    }
}

/// The system's reason without its number, in words that fit after a colon.
fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "no such file or folder".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "it is a folder, a file is needed".into(),
        io::ErrorKind::NotADirectory => "a part of its path is a file, not a folder".into(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "the disk is full".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_file_reason_and_fault_in_a_line() {
        let path = Path::new("a/b.csv");
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        assert_eq!(Error::read(path, denied()).to_string(), "cannot read a/b.csv: permission denied");
        assert_eq!(Error::create(path, denied()).exit_code(), 2);
        let full = Error::write(path, io::ErrorKind::StorageFull.into());
        assert_eq!(
            (full.to_string().as_str(), full.exit_code()),
            ("cannot write a/b.csv: the disk is full", 1)
        );
        assert_eq!(Error::input(path, "line 1: no".into()).to_string(), "a/b.csv: line 1: no");
        assert_eq!(Error::encode(path, "a reason").to_string(), "cannot encode a/b.csv: a reason");
    }
}
