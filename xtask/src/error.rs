//! The error of a task: one line for the terminal.

#[derive(Clone, Debug)]
pub enum Error {
    /// The call itself is wrong.
    Usage(String),
    /// The work failed.
    Failed(String),
}

pub type Result<T = ()> = std::result::Result<T, Error>;
