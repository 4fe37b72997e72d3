//! The presets, as text: one line a parameter that differs from its default.

/// A preset out of `presets/`.
#[derive(Debug)]
pub struct Preset {
    pub name: &'static str,
    /// Pairs of `table.key` and the value as in TOML.
    pub values: &'static [(&'static str, &'static str)],
}

/// All presets, by name in alphabetical order.
pub static PRESETS: &[Preset] = include!(concat!(env!("OUT_DIR"), "/presets.rs"));

/// The name of the preset that runs from the start.
pub const START: &str = env!("FIRMWARE_PRESET");

/// The preset of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}
