//! Parameters from files and from the command line, and back into files.
//!
//! A file is TOML: tables and keys are the names in [`flock::parameters::PARAMETERS`]; a line `preset = "NAME"`
//! before the first table starts from a preset, else from the defaults. What a file does not name keeps its value. The
//! table `[view]` says how the flock is first shown; it is no part of the rule. `[terms.NAME]` is a term of one's own, a formula.
//! Where `flock.density` is `keep`, a number of boids changes the size of the world in the same way in a file over a
//! preset, in `--set` and `-n`, and as the rows of `run --init`: after all other keys, from the number that the preset
//! or file below has. What was set of the world over that preset or file stands ([`World`]).
//!
//! The crate knows no engine and writes no file. Every error names the file and line or the option, the key, the value and
//! what is allowed ([`ConfigError`]). Begin with [`resolve`] in `document.rs`; [`TomlFile`] reads any file of the project.

mod camera;
mod document;
mod error;
pub mod presets;
mod save;
mod setting;
pub mod shown;
mod terms;
pub mod text_file;
mod toml_file;
mod value;
mod view;
mod world;

pub use camera::CameraPath;
pub use document::{Document, Source, check_ranges, load, parse, resolve, with_settings};
pub use error::ConfigError;
pub use save::{save, to_json};
pub use setting::{Setting, kind};
pub use shown::{escaped, shown};
pub use terms::{save as saved_terms, term_settings};
pub use toml_file::{Entry, TomlFile, read_text};
pub use value::whole_number;
pub use view::{Colour, Scenery, View};
pub use world::World;

#[cfg(test)]
mod tests;
