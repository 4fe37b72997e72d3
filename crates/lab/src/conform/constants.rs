//! The hashes kept in the repository: two machines that pass have the same bits.
//!
//! `murmuration conform --constants FILE.toml` writes the file, by the rule itself.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use super::divergence::Divergence;

/// The steps whose hashes are kept.
pub const STEPS: [usize; 4] = [1, 10, 100, 1000];

/// The hashes at [`STEPS`], by the name of the flock.
static RECORDED: LazyLock<Result<Hashes, toml::de::Error>> =
    LazyLock::new(|| toml::from_str(include_str!("constants.toml")));

type Hashes = BTreeMap<String, [String; STEPS.len()]>;

/// The text of the file, from the name of each flock and its hashes, that of step k at index k.
pub fn text<'a>(flocks: impl IntoIterator<Item = (&'a str, &'a [u64])>) -> String {
    let mut text = String::from(
        "# Hashes of flocks in integers at steps 1, 10, 100 and 1000, by the rule itself (docs/conformance.md).\n\
         # Written by `murmuration conform --constants FILE.toml`.\n\n",
    );
    for (name, hashes) in flocks {
        let at = STEPS.map(|step| format!("\"{:016x}\"", hashes.get(step).copied().unwrap_or_default()));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "\"{name}\" = [{}]", at.join(", "));
    }
    text
}

/// Compares the hashes of a flock, that of step k at index k, with those that are kept.
pub fn check(name: &str, hashes: &[u64]) -> Option<Divergence> {
    let differs = |step: usize, found: String, expected: &str| {
        Some(Divergence::new(step as u64, "hash kept in constants.toml", found, expected))
    };
    let kept = match &*RECORDED {
        Ok(all) => all.get(name),
        Err(why) => return differs(0, why.to_string(), "a file of hashes"),
    };
    let Some(kept) = kept else {
        return differs(0, format!("\"{name}\""), "a flock that is in the file");
    };
    STEPS.iter().zip(kept).find_map(|(step, kept)| {
        let found = format!("{:016x}", hashes.get(*step)?);
        if found == *kept { None } else { differs(*step, found, kept) }
    })
}
