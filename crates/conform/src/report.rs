//! The results of a comparison, as a table and as JSON.

use serde::Serialize;
use serde_json::{Value, json};

use super::flocks::Model;
use super::{Backend, Divergence, Errors, Platform};
use engine::Numeric;
use files::Table;

flock::named! {
    /// A kind of comparison.
    #[derive(Serialize)]
    #[serde(rename_all = "lowercase")]
    Tier {
        /// Integer engines have the same bits at every step.
        Bits = "bits",
        /// One step in floating point lies within its bounds.
        Step = "step",
    }
}

/// The results of one backend, or of one negative control, on one preset; empty by default.
#[derive(Clone, Debug, Default)]
pub struct ReportRow {
    pub name: String,
    pub numeric: Numeric,
    pub place: Platform,
    /// The name of the preset or file.
    pub preset: String,
    /// The reason why the backend is absent, and how to get it.
    pub missing: Option<String>,
    /// The error that ended the engine's run.
    pub failed: Option<String>,
    pub bits: Option<Bits>,
    /// One step from natural states.
    pub natural: Option<Errors>,
    /// One step from hostile states.
    pub hostile: Option<Errors>,
    /// The first divergence.
    pub finding: Option<Finding>,
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
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub rows: Vec<ReportRow>,
    pub controls: Vec<ReportRow>,
}

const COLUMNS: [&str; 11] =
    ["backend", "type", "preset", "bits", "step", "ulp", "dB", "apart", "hostile", "apart", "result"];

impl ReportRow {
    /// The row of a backend on a model, before any comparison.
    pub(super) fn new(backend: &Backend, model: &Model) -> Self {
        ReportRow {
            name: backend.name.clone(),
            numeric: backend.numeric,
            place: backend.place,
            preset: model.name.clone(),
            missing: backend.subject.as_ref().err().cloned(),
            ..ReportRow::default()
        }
    }

    /// Keeps the first divergence.
    pub(super) fn note(&mut self, tier: Tier, flock: &str, divergence: Option<Divergence>) {
        if let Some(divergence) = divergence {
            let flock = flock.to_owned();
            self.finding.get_or_insert(Finding { tier, flock, divergence });
        }
    }

    /// The result in a word or two.
    pub fn result(&self) -> &'static str {
        if self.missing.is_some() {
            "missing"
        } else if self.failed.is_some() {
            "failed"
        } else if self.finding.is_some() {
            "differs"
        } else if self.compared() {
            "agrees"
        } else {
            "not compared"
        }
    }

    /// True if a tier compared something.
    fn compared(&self) -> bool {
        self.bits.is_some() || self.natural.is_some()
    }

    /// The name of the tier that found a divergence.
    fn caught_by(&self) -> Option<&'static str> {
        self.finding.as_ref().map(|finding| finding.tier.name())
    }

    /// The error or the divergence of the backend, if there is one.
    fn shortfall(&self) -> Option<String> {
        let what = if let Some(error) = &self.failed {
            format!("{}: {error}", self.preset)
        } else {
            let Finding { tier, flock, divergence } = self.finding.as_ref()?;
            format!("{}, {flock}: {divergence}", tier.name())
        };
        Some(format!("{} {}: {what}", self.name, self.numeric.name()))
    }

    /// The cells of the row, in the order of [`COLUMNS`].
    fn cells(&self) -> [String; COLUMNS.len()] {
        let none = || "-".to_owned();
        let bits = match self.bits {
            Some(bits) if bits.wrong == 0 => format!("equal, {} steps", bits.steps),
            Some(bits) => format!("{} of {} differ", bits.wrong, bits.flocks),
            None => none(),
        };
        let [step, ulps, decibels, apart] = match &self.natural {
            Some(errors) => [
                errors.share_cell(),
                format!("{:.1}", errors.ulps),
                format!("{:.0}", errors.decibels()),
                errors.apart_cell(),
            ],
            None => [none(), none(), none(), none()],
        };
        let [hostile, hostile_apart] = match &self.hostile {
            Some(errors) => [errors.share_cell(), errors.apart_cell()],
            None => [none(), none()],
        };
        [
            self.name.clone(),
            self.numeric.name().to_owned(),
            self.preset.clone(),
            bits,
            step,
            ulps,
            decibels,
            apart,
            hostile,
            hostile_apart,
            self.result().to_owned(),
        ]
    }

    fn json(&self) -> Value {
        json!({
            "backend": self.name,
            "numeric": self.numeric.name(),
            "preset": self.preset,
            "result": self.result(),
            "missing": self.missing,
            "failed": self.failed,
            "exact": self.bits,
            "one_step": { "natural": self.natural.as_ref().map(Errors::json), "hostile": self.hostile.as_ref().map(Errors::json) },
            "first_divergence": self.finding,
        })
    }
}

impl Errors {
    fn share_cell(&self) -> String {
        format!("{:.1e}", self.share)
    }

    fn apart_cell(&self) -> String {
        format!("{}+{}", self.turned, self.undecided)
    }

    fn json(&self) -> Value {
        json!({
            "boids": self.boids,
            "turned": self.turned,
            "undecided": self.undecided,
            "worst": self.share,
            "ulps": self.ulps,
            "snr_db": self.decibels(),
        })
    }
}

/// The meaning of the columns.
const LEGEND: &str = "
bits: compared at every step. step: the largest error of one step, as a share of the longest step a boid can
take, in units in the last place, and as a signal-to-noise ratio. apart: boids that took an open decision
differently + boids without an error bound.
";

impl Report {
    /// True if any backend of a kind was compared, or failed while it was.
    pub fn has(&self, place: Platform) -> bool {
        self.rows.iter().any(|row| row.place == place && (row.compared() || row.failed.is_some()))
    }

    /// The first failure: a backend that differs or fails, or a control that no tier caught.
    pub fn shortfall(&self) -> Option<String> {
        if let Some(shortfall) = self.rows.iter().find_map(ReportRow::shortfall) {
            return Some(shortfall);
        }
        let missed = self.controls.iter().find(|control| control.finding.is_none())?;
        Some(format!("no tier caught the control \"{}\"", missed.name))
    }

    /// The tables, and how to get each missing backend.
    pub fn text(&self) -> String {
        let mut table = Table::new(&COLUMNS);
        let (here, missing): (Vec<&ReportRow>, Vec<&ReportRow>) =
            self.rows.iter().partition(|row| row.missing.is_none());
        here.iter().chain(&missing).for_each(|row| table.row(row.cells()));
        let mut text = table.to_string() + LEGEND;
        for (k, row) in missing.iter().enumerate() {
            let why = row.missing.as_deref().unwrap_or_default();
            if missing[..k].iter().all(|before| before.name != row.name) {
                text += &format!("missing: {} {}: {why}\n", row.name, row.numeric.name());
            }
        }
        if !self.controls.is_empty() {
            text += &format!("\n{}", self.table_of_controls());
        }
        text + &format!("\ncompared: {}; not compared: {}\n", self.kinds(true), self.kinds(false))
    }

    fn table_of_controls(&self) -> Table {
        let mut table = Table::new(&["negative control", "preset", "caught by", "first seen"]);
        for control in &self.controls {
            let first = control.finding.as_ref().map(|finding| finding.divergence.to_string());
            table.row([
                control.name.clone(),
                control.preset.clone(),
                control.caught_by().unwrap_or("NONE").to_owned(),
                first.unwrap_or_default(),
            ]);
        }
        table
    }

    /// The kinds of backends that were compared, or those that were not.
    fn kinds(&self, compared: bool) -> String {
        let kinds = Platform::ALL.iter().filter(|(place, _)| self.has(*place) == compared);
        let names: Vec<&str> = kinds.map(|(_, name)| *name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }

    /// The results as JSON.
    pub fn json(&self) -> Value {
        let control = |control: &ReportRow| {
            json!({
                "name": control.name,
                "preset": control.preset,
                "caught_by": control.caught_by(),
                "first": control.finding.as_ref().map(|finding| &finding.divergence),
            })
        };
        json!({
            "agrees": self.shortfall().is_none(),
            "shortfall": self.shortfall(),
            "rows": self.rows.iter().map(ReportRow::json).collect::<Vec<_>>(),
            "controls": self.controls.iter().map(control).collect::<Vec<_>>(),
        })
    }
}
