//! What a comparison found, without how it was found or how it is shown.

use super::backends::{Backend, Place};
use super::divergence::Divergence;
use super::errors::Errors;
use super::statistics::Compared;
use cpu::state::Numeric;

/// A kind of comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Integer engines have the same bits at every step.
    Exact,
    /// One step lies within its bounds.
    OneStep,
    /// Long runs have the same statistics.
    Statistics,
}

impl Tier {
    /// Every tier with its name in tables and on the command line, in the order of the variants.
    pub const ALL: [(Tier, &'static str); 3] =
        [(Tier::Exact, "bits"), (Tier::OneStep, "step"), (Tier::Statistics, "statistics")];

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

/// The results of one backend on one preset.
#[derive(Clone, Debug)]
pub struct Row {
    pub backend: String,
    pub numeric: Numeric,
    pub place: Place,
    pub preset: &'static str,
    /// Why the backend is absent, and how to get it.
    pub missing: Option<String>,
    /// The error that ended the engine's run.
    pub failed: Option<String>,
    pub exact: Option<Exact>,
    /// One step from natural states.
    pub natural: Option<Errors>,
    /// One step from hostile states.
    pub hostile: Option<Errors>,
    pub statistics: Option<Compared>,
    /// The first divergence.
    pub finding: Option<Finding>,
}

/// The result of [`Tier::Exact`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact {
    pub flocks: usize,
    /// Steps of each flock.
    pub steps: u32,
    /// Flocks that differ.
    pub wrong: usize,
}

impl Exact {
    /// Counts one flock.
    pub fn add(&mut self, steps: u32, wrong: bool) {
        self.flocks += 1;
        self.steps = steps;
        self.wrong += usize::from(wrong);
    }
}

/// The first divergence of a backend.
#[derive(Clone, Debug)]
pub struct Finding {
    pub tier: Tier,
    pub flock: String,
    pub divergence: Divergence,
}

/// The result of a negative control.
#[derive(Clone, Debug)]
pub struct Caught {
    pub name: &'static str,
    pub preset: &'static str,
    pub tried: Vec<Tier>,
    /// The tiers that caught it.
    pub tiers: Vec<Tier>,
    /// The divergence that the first of them found.
    pub first: Option<Divergence>,
}

/// All results.
#[derive(Clone, Debug)]
pub struct Report {
    pub rows: Vec<Row>,
    pub controls: Vec<Caught>,
    /// The significance level of one comparison of statistics.
    pub level: f64,
}

impl Row {
    /// A row without results.
    pub fn new(backend: &Backend, preset: &'static str) -> Self {
        Row {
            backend: backend.name.clone(),
            numeric: backend.numeric,
            place: backend.place,
            preset,
            missing: backend.subject.as_ref().err().cloned(),
            failed: None,
            exact: None,
            natural: None,
            hostile: None,
            statistics: None,
            finding: None,
        }
    }

    /// Keeps the comparison with the smallest p-value.
    pub fn keep_least(&mut self, compared: Compared) {
        if self.statistics.as_ref().is_none_or(|kept| compared.p_value < kept.p_value) {
            self.statistics = Some(compared);
        }
    }

    /// Keeps the first divergence.
    pub fn note(&mut self, tier: Tier, flock: &str, divergence: Option<Divergence>) {
        if let (None, Some(divergence)) = (&self.finding, divergence) {
            self.finding = Some(Finding { tier, flock: flock.to_owned(), divergence });
        }
    }
}
