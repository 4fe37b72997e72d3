//! What a comparison found, without how it was found or how it is shown.

use serde::Serialize;

use super::{Compared, Divergence, Errors, Place};
use cpu::Numeric;

/// A kind of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Integer engines have the same bits at every step.
    Bits,
    /// One step lies within its bounds.
    Step,
    /// Long runs have the same statistics.
    Statistics,
}

impl Tier {
    /// Every tier with its name in tables and on the command line, in the order of the variants.
    pub const ALL: [(Tier, &'static str); 3] =
        [(Tier::Bits, "bits"), (Tier::Step, "step"), (Tier::Statistics, "statistics")];

    pub(super) fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// The results of one backend, or of one negative control, on one preset; those of no comparison by default.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub name: String,
    pub numeric: Numeric,
    pub place: Place,
    /// The name of the preset or file.
    pub preset: String,
    /// Why the backend is absent, and how to get it.
    pub missing: Option<String>,
    /// The error that ended the engine's run.
    pub failed: Option<String>,
    pub bits: Option<Bits>,
    /// One step from natural states.
    pub natural: Option<Errors>,
    /// One step from hostile states.
    pub hostile: Option<Errors>,
    pub statistics: Option<Compared>,
    /// The divergences, in the order of the tiers.
    pub findings: Vec<Finding>,
}

/// The result of [`Tier::Bits`].
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Bits {
    pub flocks: usize,
    /// Steps of each flock.
    pub steps: u32,
    /// Flocks that differ.
    pub wrong: usize,
}

/// A divergence, and where it was found.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    pub tier: Tier,
    pub flock: String,
    #[serde(flatten)]
    pub divergence: Divergence,
}

/// All results.
#[derive(Clone, Debug)]
pub struct Report {
    pub rows: Vec<Row>,
    pub controls: Vec<Row>,
    /// The significance level of one comparison of statistics.
    pub level: f64,
}

impl Row {
    /// Keeps a divergence, if there is one.
    pub(super) fn note(&mut self, tier: Tier, flock: &str, divergence: Option<Divergence>) {
        let flock = flock.to_owned();
        self.findings.extend(divergence.map(|divergence| Finding { tier, flock, divergence }));
    }
}
