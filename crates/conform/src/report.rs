//! The results of a comparison, as a table and as JSON.

use serde::Serialize;
use serde_json::{Value, json};

use super::flocks::Model;
use super::{Backend, Divergence, Errors, Place};
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
pub struct Row {
    pub name: String,
    pub numeric: Numeric,
    pub place: Place,
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
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub rows: Vec<Row>,
    pub controls: Vec<Row>,
}

const COLUMNS: [&str; 11] =
    ["backend", "type", "preset", "bits", "step", "ulp", "dB", "apart", "hostile", "apart", "result"];

impl Row {
    /// The row of a backend on a model, before any comparison.
    pub(super) fn new(backend: &Backend, model: &Model) -> Self {
        Row {
            name: backend.name.clone(),
            numeric: backend.numeric,
            place: backend.place,
            preset: model.name.clone(),
            missing: backend.subject.as_ref().err().cloned(),
            ..Row::default()
        }
    }

    /// Keeps a divergence, if there is one.
    pub(super) fn note(&mut self, tier: Tier, flock: &str, divergence: Option<Divergence>) {
        let flock = flock.to_owned();
        self.findings.extend(divergence.map(|divergence| Finding { tier, flock, divergence }));
    }

    fn result(&self) -> &'static str {
        match (&self.missing, &self.failed, self.findings.first()) {
            (Some(_), ..) => "missing",
            (_, Some(_), _) => "failed",
            (.., Some(_)) => "differs",
            _ if self.compared() => "agrees",
            _ => "not compared",
        }
    }

    /// True if a tier compared something.
    fn tried(&self, tier: Tier) -> bool {
        match tier {
            Tier::Bits => self.bits.is_some(),
            Tier::Step => self.natural.is_some(),
        }
    }

    fn compared(&self) -> bool {
        Tier::ALL.into_iter().any(|(tier, _)| self.tried(tier))
    }

    /// The cells of the row, in the order of [`COLUMNS`].
    fn cells(&self) -> [String; COLUMNS.len()] {
        let bits = self.bits.map_or("-".to_owned(), |bits| match bits.wrong {
            0 => format!("equal, {} steps", bits.steps),
            wrong => format!("{wrong} of {} differ", bits.flocks),
        });
        let cell = |errors: &Option<Errors>, show: &dyn Fn(&Errors) -> String| {
            errors.as_ref().map_or("-".to_owned(), show)
        };
        let share = |errors: &Errors| format!("{:.1e}", errors.share);
        let apart = |errors: &Errors| format!("{}+{}", errors.turned, errors.undecided);
        [
            self.name.clone(),
            self.numeric.name().to_owned(),
            self.preset.clone(),
            bits,
            cell(&self.natural, &share),
            cell(&self.natural, &|errors| format!("{:.1}", errors.ulps)),
            cell(&self.natural, &|errors| format!("{:.0}", errors.decibels())),
            cell(&self.natural, &apart),
            cell(&self.hostile, &share),
            cell(&self.hostile, &apart),
            self.result().to_owned(),
        ]
    }

    fn json(&self) -> Value {
        let errors = |errors: &Option<Errors>| {
            errors.as_ref().map(|e| {
                json!({
                    "boids": e.boids, "turned": e.turned, "undecided": e.undecided, "worst": e.share,
                    "ulps": e.ulps, "snr_db": e.decibels(),
                })
            })
        };
        json!({
            "backend": self.name,
            "numeric": self.numeric.name(),
            "preset": self.preset,
            "result": self.result(),
            "missing": self.missing,
            "failed": self.failed,
            "exact": self.bits,
            "one_step": { "natural": errors(&self.natural), "hostile": errors(&self.hostile) },
            "first_divergence": self.findings.first(),
        })
    }

    /// The tiers that a control was tried in, and those that caught it.
    fn tried_and_caught(&self) -> [String; 2] {
        let caught = |tier| self.findings.iter().any(|finding| finding.tier == tier);
        let names = |is: &dyn Fn(Tier) -> bool| {
            let tiers = Tier::ALL.into_iter().filter(|(tier, _)| is(*tier));
            tiers.map(|(_, name)| name).collect::<Vec<_>>().join(", ")
        };
        [names(&|tier| self.tried(tier)), names(&caught)]
    }
}

impl Report {
    /// True if any backend of a kind was compared, or failed while it was.
    pub fn has(&self, place: Place) -> bool {
        self.rows.iter().any(|row| row.place == place && (row.compared() || row.failed.is_some()))
    }

    /// The first failure: a backend that differs or fails, or a control that no tier caught.
    pub fn shortfall(&self) -> Option<String> {
        let differs = self.rows.iter().find_map(|row| {
            let what = match (&row.failed, row.findings.first()) {
                (Some(error), _) => format!("{}: {error}", row.preset),
                (None, Some(Finding { tier, flock, divergence })) => {
                    format!("{}, {flock}: {divergence}", tier.name())
                }
                (None, None) => return None,
            };
            Some(format!("{} {}: {what}", row.name, row.numeric.name()))
        });
        let missed = || self.controls.iter().find(|control| control.findings.is_empty());
        let missed = || missed().map(|row| format!("the control \"{}\" was caught by no tier", row.name));
        differs.or_else(missed)
    }

    /// The tables, and how to get each missing backend.
    pub fn text(&self) -> String {
        let mut table = Table::new(&COLUMNS);
        let (here, missing): (Vec<&Row>, Vec<&Row>) = self.rows.iter().partition(|row| row.missing.is_none());
        here.iter().chain(&missing).for_each(|row| table.row(row.cells()));
        let mut text = table.to_string()
            + "\nbits: at every step. step: largest error of one step as a share of the largest step a boid can take, in\n\
               units in the last place, and signal to noise; apart: boids with another outcome of an open decision +\n\
               that have no bound.\n";
        for (k, row) in missing.iter().enumerate() {
            let why = row.missing.as_deref().unwrap_or_default();
            if missing[..k].iter().all(|before| before.name != row.name) {
                text += &format!("missing: {} {}: {why}\n", row.name, row.numeric.name());
            }
        }
        if !self.controls.is_empty() {
            let mut table = Table::new(&["negative control", "preset", "tiers", "caught by", "first seen"]);
            for control in &self.controls {
                let [tried, caught] = control.tried_and_caught();
                let first = control.findings.first().map(|finding| finding.divergence.to_string());
                let caught = if caught.is_empty() { "NONE".to_owned() } else { caught };
                let (name, preset) = (control.name.clone(), control.preset.clone());
                table.row([name, preset, tried, caught, first.unwrap_or_default()]);
            }
            text += &format!("\n{table}");
        }
        let kinds = |compared| {
            let kinds = Place::ALL.iter().filter(|(place, _)| self.has(*place) == compared);
            let names: Vec<&str> = kinds.map(|(_, name)| *name).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        text + &format!("\ncompared: {}; not compared: {}\n", kinds(true), kinds(false))
    }

    /// The results as JSON.
    pub fn json(&self) -> Value {
        let control = |control: &Row| {
            let [tried, caught] = control.tried_and_caught();
            json!({
                "name": control.name,
                "preset": control.preset,
                "tried": tried,
                "caught_by": caught,
                "first": control.findings.first().map(|finding| &finding.divergence),
            })
        };
        json!({
            "agrees": self.shortfall().is_none(),
            "shortfall": self.shortfall(),
            "rows": self.rows.iter().map(Row::json).collect::<Vec<_>>(),
            "controls": self.controls.iter().map(control).collect::<Vec<_>>(),
        })
    }
}
