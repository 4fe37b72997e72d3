//! Parameters from files and from the command line, and back into files.
//!
//! A file is TOML: tables and keys are the names in [`flock::parameters::PARAMETERS`]; a line `preset = "NAME"`
//! before the first table starts from a preset, else from the defaults. What a file does not name keeps its value.

mod error;
mod json;
mod number;
mod read;
mod resolve;
mod save;
mod value;

pub use error::{ConfigError, nearest};
pub use json::to_json;
pub use number::whole_number;
pub use read::{load, parse};
pub use resolve::{Setting, Source, resolve};
pub use save::save;

#[cfg(test)]
mod tests;
