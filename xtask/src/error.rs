//! The error of a task: one line for the terminal.

use std::path::Path;

#[derive(Clone, Debug)]
pub enum Error {
    /// The call itself is wrong.
    Usage(String),
    /// The work failed.
    Failed(String),
}

pub type Result<T = ()> = std::result::Result<T, Error>;

/// Names a file in what went wrong with it.
pub fn at(file: &Path) -> impl Fn(std::io::Error) -> Error {
    move |why| Error::Failed(format!("{}: {why}", file.display()))
}
