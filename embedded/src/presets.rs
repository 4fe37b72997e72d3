//! The presets, as the text of the parameters that differ from their defaults.

use crate::value;
use flock::Parameters;
use flock::parameters;

/// A preset from `presets/`.
#[derive(Debug)]
pub struct Preset {
    pub name: &'static str,
    /// Pairs of `table.key` and the value in TOML.
    pub values: &'static [(&'static str, &'static str)],
}

impl Preset {
    /// The parameters.
    #[inline(never)]
    pub fn parameters(&self) -> Parameters {
        let mut all = Parameters::default();
        for (name, text) in self.values {
            // A test ensures that every preset parses.
            if let Some(parameter) = parameters::find(name)
                && let Some(value) = value::parse(parameter.kind, text)
            {
                let _ = parameter.set(&mut all, value);
            }
        }
        all
    }
}

/// All presets, in alphabetical order.
pub static PRESETS: &[Preset] = include!(concat!(env!("OUT_DIR"), "/presets.rs"));

/// The preset that runs after a reset.
pub const START: &str = env!("FIRMWARE_PRESET");

/// Console lines executed after a reset, once that preset is loaded: empty, or those of a custom flock.
pub const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/script.txt"));

/// The preset of this name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}
