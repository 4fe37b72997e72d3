//! The presets, as the text of the parameters that differ from their defaults.

/// A preset from `presets/`.
#[derive(Debug)]
pub struct Preset {
    pub name: &'static str,
    /// Pairs of `table.key` and the value in TOML.
    pub values: &'static [(&'static str, &'static str)],
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
