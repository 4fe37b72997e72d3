//! The table `[view]` of a file: how its flock is first shown. No engine reads it.

use flock::parameters::{Value, ValueKind};

use crate::ConfigError;
use crate::toml_file::Entry;

/// The looks of a flock. A flat flock is drawn as cones on the dark ground or on paper.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scenery {
    /// Birds before a bright sky, as ink whose layers add up.
    Dusk,
    /// Lit cones before a dark ground.
    #[default]
    Cones,
    /// Lit cones on near-white, for print.
    Paper,
    /// Lit cones in water, with the walls of the aquarium.
    Water,
}

const LOOKS: [&str; 4] = ["dusk", "cones", "paper", "water"];

impl Scenery {
    /// Every look with its name in files, on the command line and in the panel, in the order of the variants.
    pub const ALL: [(Scenery, &'static str); 4] = [
        (Scenery::Dusk, LOOKS[0]),
        (Scenery::Cones, LOOKS[1]),
        (Scenery::Paper, LOOKS[2]),
        (Scenery::Water, LOOKS[3]),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Scenery::ALL[self as usize].1
    }
}

/// The table `[view]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The look in which the flock opens.
    pub look: Scenery,
    /// Steps that a film lets pass before its first picture.
    pub skip: u32,
}

/// The name of the table.
pub(super) const TABLE: &str = "view";

/// Every key: its type and range, and what it means.
pub(super) const KEYS: [(&str, ValueKind, &str); 2] = [
    ("look", ValueKind::Choice(&LOOKS), "The look in which the flock opens"),
    (
        "skip",
        ValueKind::Count { min: 0, max: u32::MAX / 2 },
        "Steps that a film lets pass before its first picture, while the flock forms",
    ),
];

impl View {
    /// The values, in the order of [`KEYS`].
    pub(super) fn values(&self) -> [Value; KEYS.len()] {
        [Value::Choice(self.look.name()), Value::Count(self.skip)]
    }

    /// Sets a key to its value in a file.
    pub(super) fn set(&mut self, entry: &Entry<'_>) -> Result<(), ConfigError> {
        let (name, kind, _) = KEYS.into_iter().find(|(name, ..)| *name == entry.name).ok_or_else(|| {
            let names = KEYS.map(|(name, ..)| name);
            ConfigError::unknown("view.", &entry.name, "key: view has", &names).at(&entry.place())
        })?;
        match entry.convert(&format!("{TABLE}.{name}"), kind)? {
            Value::Count(skip) => self.skip = skip,
            value => {
                let look = Scenery::ALL.into_iter().find(|(_, name)| value == Value::Choice(name));
                self.look = look.map_or(self.look, |(look, _)| look);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_listed_in_their_order() {
        for (index, (scenery, name)) in Scenery::ALL.into_iter().enumerate() {
            assert_eq!((scenery as usize, scenery.name()), (index, name));
        }
    }
}
