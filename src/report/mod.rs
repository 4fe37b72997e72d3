//! What a run leaves behind: pictures, films, tables and CSV files.
//!
//! Every file is written beside its target and renamed over it when it is whole
//! ([`AtomicFile`]); every error is one line that names the file ([`Error`]).

mod atomic;
mod error;
mod film;

pub use atomic::AtomicFile;
pub use error::{Error, Result};
pub use film::{Film, Format};
