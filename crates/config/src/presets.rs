//! The presets, from the literature and from this project: the files in `presets/`, by name.

use presets::{FILES, FORMULAS};

use crate::ConfigError;

/// A flock known by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// The name on the command line.
    pub name: &'static str,
    /// The file, comments included.
    pub text: &'static str,
}

/// The published flocks, the default one first.
pub static PRESETS: &[Preset] = &named::<{ FILES.len() }>(FILES);

/// The gallery of `docs/formulas.md`: flocks with user-defined terms.
pub static GALLERY: &[Preset] = &named::<{ FORMULAS.len() }>(FORMULAS);

const fn named<const N: usize>(files: &[(&'static str, &'static str)]) -> [Preset; N] {
    let mut all = [Preset { name: "", text: "" }; N];
    let mut k = 0;
    while k < N {
        (all[k].name, all[k].text) = files[k];
        k += 1;
    }
    all
}

/// All named flocks: the presets, then the gallery.
pub fn all() -> impl Iterator<Item = &'static Preset> {
    PRESETS.iter().chain(GALLERY)
}

/// The preset that is used where none is named.
pub const DEFAULT: &str = "murmuration";

impl Preset {
    /// A short description: the first line of the file, after the name.
    pub fn about(&self) -> &'static str {
        let first = self.text.lines().next().unwrap_or_default();
        first.split_once(": ").map_or(first, |(_, about)| about)
    }

    /// A sentence on what to look for, and for how long: the second line of the file.
    pub fn look_for(&self) -> &'static str {
        let second = self.text.lines().nth(1).unwrap_or_default();
        second.strip_prefix("# ").unwrap_or_default()
    }
}

/// The preset, or the flock of the gallery, of this name.
///
/// # Errors
/// Names all presets, and the nearest name as a hint.
pub fn find(name: &str) -> Result<&'static Preset, ConfigError> {
    all().find(|preset| preset.name == name).ok_or_else(|| {
        let names: Vec<&str> = all().map(|preset| preset.name).collect();
        ConfigError::unknown("", name, "preset", &names)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate as config;

    #[test]
    fn every_preset_loads_says_what_it_is_and_stays_the_same_when_saved() {
        for preset in all() {
            let document = preset.document().expect(preset.name);
            assert!(preset.text.starts_with(&format!("# {}: ", preset.name)));
            assert!(preset.about().len() > 20);
            assert!(preset.look_for().starts_with("Look for ") && preset.look_for().ends_with('.'));
            let saved = config::save(&document);
            assert_eq!(config::parse(&saved, "saved").expect(preset.name), document);
            for dimensions in ["flock.dimensions=2", "flock.dimensions=3"] {
                let other = config::Setting::parse(dimensions).expect("a setting");
                config::with_settings(document, &[other]).expect(preset.name);
            }
        }
        assert_eq!(PRESETS[0].name, DEFAULT);
    }
}
