//! The fingerprints kept in the repository, so that all machines that pass have the same bits.
//!
//! `murmuration conform --constants FILE.toml` writes them anew, by the rule itself; nothing else does.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use super::divergence::Divergence;
use super::exact::ExactFlock;

/// The steps whose fingerprints are kept.
pub const STEPS: [usize; 3] = [10, 100, 1000];

/// The fingerprints at [`STEPS`], by the name of the flock.
static KEPT: LazyLock<BTreeMap<String, [String; 3]>> =
    LazyLock::new(|| toml::from_str(include_str!("constants.toml")).unwrap_or_default());

/// The file's text for these flocks.
#[must_use]
pub fn text<'a>(flocks: impl IntoIterator<Item = &'a ExactFlock>) -> String {
    let mut text = String::from(
        "# Hashes of flocks in integers at steps 10, 100 and 1000, by the rule itself (docs/conformance.md).\n\
         # Written by `murmuration conform --constants FILE.toml`.\n\n",
    );
    for flock in flocks {
        let at =
            STEPS.map(|step| format!("\"{:016x}\"", flock.hashes.get(step).copied().unwrap_or_default()));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\"{}\" = [{}]", flock.name, at.join(", "));
    }
    text
}

/// Holds the fingerprints of a flock, that of step k at index k, to those that are kept.
#[must_use]
pub fn hold(name: &str, hashes: &[u64]) -> Option<Divergence> {
    let differs = |step: usize, found: String, expected: &str| Divergence {
        step: step as u64,
        boid: None,
        quantity: "hash kept in constants.toml".to_owned(),
        found,
        expected: expected.to_owned(),
    };
    let Some(kept) = KEPT.get(name) else {
        return Some(differs(0, format!("\"{name}\""), "a flock that is in the file"));
    };
    STEPS.iter().zip(kept).find_map(|(step, kept)| {
        let found = format!("{:016x}", hashes.get(*step)?);
        (found != *kept).then(|| differs(*step, found, kept))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::exact;
    use crate::presets::PRESETS;

    #[test]
    fn every_flock_has_its_constants_and_a_wrong_hash_is_named() {
        for preset in PRESETS {
            for dimensions in [2, 3] {
                for flock in exact::flocks(preset, dimensions, 10).expect("presets hold") {
                    assert_eq!(hold(&flock.name, &flock.hashes), None);
                    let mut wrong = flock.hashes;
                    wrong[10] ^= 1;
                    assert_eq!(hold(&flock.name, &wrong).map(|d| d.step), Some(10));
                }
            }
        }
        assert!(hold("nobody", &[0]).is_some());
    }
}
