//! The table `[view]` of a file: how its flock is first shown. No engine reads it.

use flock::parameters::{Value, ValueKind};
use toml::de::DeValue;

use super::error::{ConfigError, nearest};
use super::value::convert;
use crate::shown::shown;

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

impl Scenery {
    /// Every look with its name in files, on the command line and in the panel, in the order of the variants.
    pub const ALL: [(Scenery, &'static str); 4] = [
        (Scenery::Dusk, "dusk"),
        (Scenery::Cones, "cones"),
        (Scenery::Paper, "paper"),
        (Scenery::Water, "water"),
    ];

    /// Its name.
    #[must_use]
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

/// A key of the table: its type and range, what it means, and how it is read and set.
pub(super) struct Key {
    pub name: &'static str,
    pub kind: ValueKind,
    pub help: &'static str,
    pub get: fn(&View) -> Value,
    set: fn(&mut View, Value),
}

/// The name of the table.
pub(super) const TABLE: &str = "view";

const LOOKS: [&str; Scenery::ALL.len()] = {
    let mut names = [""; Scenery::ALL.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = Scenery::ALL[index].1;
        index += 1;
    }
    names
};

/// Every key.
pub(super) const KEYS: [Key; 2] = [
    Key {
        name: "look",
        kind: ValueKind::Choice(&LOOKS),
        help: "The look in which the flock opens",
        get: |view| Value::Choice(view.look.name()),
        set: |view, value| {
            if let Some((look, _)) = Scenery::ALL.into_iter().find(|(_, name)| value == Value::Choice(name)) {
                view.look = look;
            }
        },
    },
    Key {
        name: "skip",
        kind: ValueKind::Count { min: 0, max: u32::MAX / 2 },
        help: "Steps that a film lets pass before its first picture, while the flock forms",
        get: |view| Value::Count(view.skip),
        set: |view, value| {
            if let Value::Count(skip) = value {
                view.skip = skip;
            }
        },
    },
];

impl View {
    /// Sets a key to a value; `text` is the value as written.
    pub(super) fn set(&mut self, key: &str, value: &DeValue<'_>, text: &str) -> Result<(), ConfigError> {
        let names = || KEYS.iter().map(|known| known.name);
        let known = KEYS.iter().find(|known| known.name == key).ok_or_else(|| {
            let all = names().collect::<Vec<_>>().join(", ");
            ConfigError::new(format!("{TABLE}.{}: no such key: {TABLE} has {all}", shown(key)))
                .hint(nearest(key, names()).map(|near| format!("did you mean \"{TABLE}.{near}\"?")))
        })?;
        (known.set)(self, convert(&format!("{TABLE}.{key}"), known.kind, value, text)?);
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
