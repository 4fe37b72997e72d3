//! Parameters from files and from the command line, and back into files.
//!
//! A file is TOML: tables and keys are the names in [`flock::parameters::PARAMETERS`]; a line `preset = "NAME"`
//! before the first table starts from a preset, else from the defaults. What a file does not name keeps its value. The
//! table `[view]` says how the flock is first shown; it is no part of the rule.
//! Where `flock.density` is `keep`, a number of boids changes the size of the world in the same way in a file over a
//! preset, in `--set` and `-n`, and as the rows of `run --init`: after all other keys, from the number that the preset
//! or file below has. What was set of the world over that preset or file stands ([`World`]).

mod camera;
mod error;
mod json;
mod number;
pub mod presets;
mod read;
mod resolve;
mod save;
pub mod shown;
pub mod text_file;
mod value;
mod view;
mod world;

pub use camera::CameraPath;
pub use error::{ConfigError, nearest};
pub use json::to_json;
pub use number::whole_number;
pub use read::{Document, check_ranges, load, parse};
#[cfg(not(target_arch = "wasm32"))]
pub use read::{in_order, line_of, parse_toml, read_text};
pub use resolve::{Setting, Source, resolve, with_settings};
pub use save::save;
pub use view::{Scenery, View};
pub use world::World;

#[cfg(test)]
mod tests;
