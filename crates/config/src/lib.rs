//! Parameters from files and from the command line, and back into files.
//!
//! A file is TOML: tables and keys are the names in [`flock::parameters::PARAMETERS`]; a line `preset = "NAME"`
//! before the first table starts from a preset, else from the defaults. Other parameters keep their values. The table
//! `[view]` holds the initial view, which is not part of the rule. `[terms.NAME]` is a user-defined term, a formula.
//! Where `flock.density` is `keep`, a number of boids scales the world in the same way in a file over a preset, in
//! `--set` and `-n`, and as the number of rows of `run --init`: after all other keys, from the number in the preset or
//! file below. World parameters that were set over that preset or file are not scaled ([`World`]).
//!
//! The crate knows no engine and writes no file. Every error names the file and line or the option, the key, the value
//! and the allowed values ([`ConfigError`]). Begin with [`resolve`] in `document.rs`; [`TomlFile`] reads any TOML file.

mod camera;
mod document;
mod error;
mod lesson;
pub mod presets;
mod save;
mod setting;
mod shapes;
mod terms;
mod toml_file;
mod value;
mod view;
mod world;

pub use camera::CameraPath;
pub use document::{
    Document, Source, check_ranges, load, load_at_once, parse, read_at_once, resolve, with_settings,
};
pub use error::{ConfigError, alike, escaped, shown};
pub use formula::each_key;
pub use lesson::{Lesson, LessonStep};
pub use save::{differences, save, to_json};
pub use setting::{Setting, kind};
pub use shapes::{Outline, Shape};
pub use terms::{save as saved_terms, term_settings};
pub use toml_file::{Entry, TomlFile, io_reason, may_block, read_text};
pub use value::{Decimal, ambiguous, whole_number};
pub use view::{Colour, MIN_WINDOW_SIDE, Scenery, View};
pub use world::World;

#[cfg(test)]
mod tests;
