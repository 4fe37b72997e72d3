//! Failures of the program: one line, an exit code, and optionally a hint.

use std::path::Path;
use std::{fmt, io};

use config::{ConfigError, escaped, io_reason};
use engine::EngineError;

/// A result whose error is a [`Failure`].
pub type Result<T = (), E = Failure> = std::result::Result<T, E>;

/// The kinds of failure, with the exit codes that other programs rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// The work failed, or a comparison fell short: 1.
    Work = 1,
    /// The call or an input file is wrong: 2.
    Usage = 2,
    /// No suitable adapter or emulated board: 3.
    Adapter = 3,
}

/// One line that describes the failure, an exit code, and optionally a hint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("error: {message}{}", hint.iter().map(|hint| format!("\nhint: {hint}")).collect::<String>())]
pub struct Failure {
    pub kind: FailureKind,
    pub message: String,
    pub hint: Option<String>,
}

impl Failure {
    fn new(kind: FailureKind, message: impl fmt::Display) -> Self {
        // One line, even if the message of a file, a driver or a library has several.
        let message = message.to_string().split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        Failure { kind, message: escaped(&message), hint: None }
    }

    /// The work failed.
    pub fn work(message: impl fmt::Display) -> Self {
        Self::new(FailureKind::Work, message)
    }

    /// The call or an input is wrong.
    pub fn usage(message: impl fmt::Display) -> Self {
        Self::new(FailureKind::Usage, message)
    }

    /// No suitable adapter or emulated board.
    pub fn adapter(message: impl fmt::Display) -> Self {
        Self::new(FailureKind::Adapter, message)
    }

    /// A file that was asked for cannot be opened or read: the call is wrong.
    pub fn read(path: &Path, source: io::Error) -> Self {
        Self::usage(format!("cannot read {}: {}", path.display(), io_reason(&source)))
    }

    /// A file that was asked for cannot be created: the call is wrong.
    pub fn create(path: &Path, source: io::Error) -> Self {
        let why = match (source.kind(), path.parent()) {
            (io::ErrorKind::NotFound, Some(folder)) if !folder.exists() => {
                format!("the folder {} does not exist", folder.display())
            }
            _ => io_reason(&source),
        };
        Self::usage(format!("cannot write {}: {why}", path.display()))
    }

    /// Writing failed on the way, for instance on a full disk: the work failed.
    pub fn write(path: &Path, source: io::Error) -> Self {
        Self::work(format!("cannot write {}: {}", path.display(), io_reason(&source)))
    }

    /// The contents of an input file, or a file's name, are wrong.
    pub fn file(path: &Path, problem: impl fmt::Display) -> Self {
        Self::usage(format!("{}: {problem}", path.display()))
    }

    /// An encoder failed: the work failed.
    pub(crate) fn encode(path: &Path, problem: impl fmt::Display) -> Self {
        Self::work(format!("cannot encode {}: {problem}", path.display()))
    }

    /// The same failure with a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(escaped(&hint.into()));
        self
    }

    /// The exit code of the program.
    pub fn exit_code(&self) -> u8 {
        self.kind as u8
    }
}

/// The first failure of several files, followed by the messages of the others.
///
/// # Errors
/// When one of them failed.
pub fn first(results: impl IntoIterator<Item = Result>) -> Result {
    let mut failures = results.into_iter().filter_map(std::result::Result::err);
    let Some(mut first) = failures.next() else { return Ok(()) };
    for other in failures {
        first.message += &format!("; {}", other.message);
    }
    Err(first)
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Failure { hint: error.hint_text().map(escaped), ..Failure::usage(&error) }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::TooMany { .. } => Failure::adapter(error).hint("use fewer boids (--boids)"),
            EngineError::NoAdapter(_) | EngineError::Unsupported { .. } => {
                let page = "remove `engine=gpu` from the address: the page then only requires WebGL2, which browsers provide if hardware acceleration is on";
                let adapters = "`murmuration adapters` lists the adapters; --engine cpu requires none";
                Failure::adapter(error).hint(if cfg!(target_arch = "wasm32") { page } else { adapters })
            }
            EngineError::Firmware { named: true, .. } | EngineError::Board(_) => Failure::usage(error),
            EngineError::Firmware { named: false, .. } => {
                Failure::adapter(error).hint("build it with `cargo xtask firmware`, or use --firmware FILE")
            }
            EngineError::Refused(_) => {
                Failure::usage(error).hint("use --numeric f32 or f64, which have a larger range")
            }
            EngineError::EmptyWorld(_) => Failure::usage(error),
            EngineError::NoThreads(_) => Failure::work(error).hint("use --threads 1"),
            EngineError::Device { .. } | EngineError::NotFinite { .. } => Failure::work(error),
            EngineError::Lost { .. } => Failure::work(error)
                .hint("use another adapter (`murmuration adapters` lists them), or --engine cpu"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_file_reason_and_fault_in_a_line() {
        let path = Path::new("a/b.csv");
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        assert_eq!(Failure::read(path, denied()).message, "cannot read a/b.csv: permission denied");
        assert_eq!(Failure::create(path, denied()).kind, FailureKind::Usage);
        let full = Failure::write(path, io::ErrorKind::StorageFull.into());
        let said = (full.message.as_str(), full.kind);
        assert_eq!(said, ("cannot write a/b.csv: the disk is full", FailureKind::Work));
        #[cfg(unix)]
        let too_many = Failure::read(path, io::Error::from_raw_os_error(24)).message;
        #[cfg(unix)]
        assert!(
            too_many.starts_with("cannot read a/b.csv: too many open files; raise the limit"),
            "{too_many}"
        );
        let unnamed = io::Error::from_raw_os_error(71);
        assert!(!Failure::write(path, unnamed).message.contains("os error"));
        assert_eq!(Failure::file(path, "line 1: no").message, "a/b.csv: line 1: no");
        assert_eq!(Failure::encode(path, "a reason").message, "cannot encode a/b.csv: a reason");
    }
}
