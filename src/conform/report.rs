//! What came of a comparison: a table for people, JSON for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::backends::{Backend, Place};
use super::divergence::Divergence;
use super::errors::Errors;
use super::plan::Tier;
use super::statistics::Compared;
use crate::report::Table;
use crate::state::Numeric;

/// One backend and preset.
#[derive(Clone, Debug)]
pub struct Row {
    pub backend: String,
    pub numeric: Numeric,
    pub place: Place,
    pub preset: &'static str,
    /// Why the backend is not there, and how to come by it.
    pub missing: Option<String>,
    /// Why the engine could not go on.
    pub failed: Option<String>,
    pub exact: Option<Exact>,
    /// Tier B in states as flocks fly.
    pub natural: Option<Errors>,
    pub hostile: Option<Errors>,
    pub statistics: Option<Compared>,
    /// The first divergence.
    pub finding: Option<Finding>,
}

/// What tier A compared.
#[derive(Clone, Copy, Debug, Default)]
pub struct Exact {
    pub flocks: usize,
    /// Steps of each.
    pub steps: u32,
    pub wrong: usize,
}

impl Exact {
    /// Takes in a flock.
    pub fn add(&mut self, steps: u32, wrong: bool) {
        self.flocks += 1;
        self.steps = steps;
        self.wrong += usize::from(wrong);
    }
}

/// Where a backend first departs.
#[derive(Clone, Debug)]
pub struct Finding {
    pub tier: Tier,
    pub flock: String,
    pub divergence: Divergence,
}

/// What became of a negative control.
#[derive(Clone, Debug)]
pub struct Caught {
    pub name: &'static str,
    pub preset: &'static str,
    pub tried: Vec<Tier>,
    /// The tiers that caught it.
    pub tiers: Vec<Tier>,
    /// What the first of them saw.
    pub first: Option<Divergence>,
}

/// All of it.
#[derive(Clone, Debug)]
pub struct Report {
    pub rows: Vec<Row>,
    pub controls: Vec<Caught>,
    /// The level of one comparison of tier C.
    pub level: f64,
}

impl Row {
    /// Nothing compared yet.
    #[must_use]
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

    /// Keeps the comparison with the least chance.
    pub fn keep_least(&mut self, compared: Compared) {
        if self.statistics.as_ref().is_none_or(|kept| compared.chance < kept.chance) {
            self.statistics = Some(compared);
        }
    }

    fn result(&self) -> &'static str {
        match (&self.missing, &self.failed, &self.finding) {
            (Some(_), ..) => "missing",
            (_, Some(_), _) => "failed",
            (.., Some(_)) => "differs",
            _ => "agrees",
        }
    }

    fn cells(&self) -> Vec<String> {
        let exact = self.exact.map_or("-".to_owned(), |exact| match exact.wrong {
            0 => format!("equal, {} steps", exact.steps),
            wrong => format!("{wrong} of {} differ", exact.flocks),
        });
        let error = |errors: &Option<Errors>| match errors {
            Some(errors) => format!("{:.1e}", errors.share),
            None => "-".to_owned(),
        };
        let natural = |show: &dyn Fn(&Errors) -> String| self.natural.as_ref().map_or("-".to_owned(), show);
        let apart = |errors: &Option<Errors>| match errors {
            Some(errors) => format!("{}+{}", errors.flipped, errors.unjudged),
            None => "-".to_owned(),
        };
        let chance = match &self.statistics {
            Some(compared) => format!("{:.0e} {}", compared.chance, compared.measure),
            None if self.numeric == Numeric::F64 => "the reference".to_owned(),
            None if self.place == Place::Cpu => "-".to_owned(),
            None => format!("as cpu {}", self.numeric.name()),
        };
        vec![
            self.backend.clone(),
            self.numeric.name().to_owned(),
            self.preset.to_owned(),
            exact,
            error(&self.natural),
            natural(&|errors| format!("{:.1}", errors.ulps)),
            natural(&|errors| format!("{:.0}", errors.decibels())),
            apart(&self.natural),
            error(&self.hostile),
            apart(&self.hostile),
            chance,
            self.result().to_owned(),
        ]
    }

    fn json(&self) -> Value {
        let errors = |errors: &Option<Errors>| {
            errors.as_ref().map(|e| {
                json!({
                    "boids": e.boids, "flipped": e.flipped, "unjudged": e.unjudged, "worst": e.share,
                    "ulps": e.ulps, "snr_db": e.decibels(),
                })
            })
        };
        json!({
            "backend": self.backend,
            "numeric": self.numeric.name(),
            "preset": self.preset,
            "result": self.result(),
            "missing": self.missing,
            "failed": self.failed,
            "exact": self.exact.map(|e| json!({ "flocks": e.flocks, "steps": e.steps, "wrong": e.wrong })),
            "one_step": { "natural": errors(&self.natural), "hostile": errors(&self.hostile) },
            "statistics": self.statistics.as_ref().map(|c| json!({ "p": c.chance, "measure": c.measure })),
            "first_divergence": self.finding.as_ref().map(|finding| {
                let mut value = divergence(&finding.divergence);
                value["tier"] = json!(finding.tier.letter());
                value["flock"] = json!(finding.flock);
                value
            }),
        })
    }
}

fn divergence(divergence: &Divergence) -> Value {
    json!({
        "step": divergence.step, "boid": divergence.boid, "quantity": divergence.quantity,
        "found": divergence.found, "expected": divergence.expected,
    })
}

fn letters(tiers: &[Tier]) -> String {
    tiers.iter().map(|tier| tier.letter()).collect()
}

impl Report {
    /// What falls short first: a backend that departs or fails, or a control that nobody caught.
    #[must_use]
    pub fn shortfall(&self) -> Option<String> {
        let row = self.rows.iter().find(|row| row.failed.is_some() || row.finding.is_some());
        if let Some(row) = row {
            let what = match (&row.failed, &row.finding) {
                (Some(error), _) => format!("{}: {error}", row.preset),
                (None, Some(f)) => format!("tier {}, {}: {}", f.tier.letter(), f.flock, f.divergence),
                (None, None) => String::new(),
            };
            return Some(format!("{} {}: {what}", row.backend, row.numeric.name()));
        }
        let missed = self.controls.iter().find(|control| control.tiers.is_empty());
        missed.map(|control| format!("the control \"{}\" was caught by no tier", control.name))
    }

    /// The tables, and what each missing backend needs.
    #[must_use]
    pub fn text(&self) -> String {
        let mut table = Table::new(&[
            "backend", "type", "preset", "A", "B worst", "ulp", "dB", "apart", "hostile", "apart", "C p",
            "result",
        ]);
        let (here, missing): (Vec<&Row>, Vec<&Row>) = self.rows.iter().partition(|row| row.missing.is_none());
        here.iter().chain(&missing).for_each(|row| table.row(row.cells()));
        let mut text = table.to_string();
        text.push_str(
            "\nA: bits at every step. B: largest error of one step as a share of the largest step a boid can take, in\n\
             units in the last place, and signal to noise; apart: boids whose decisions flipped + that cannot be\n\
             judged. C: least chance over the measures that both samples are of one kind.\n",
        );
        if self.rows.iter().any(|row| row.statistics.is_some()) {
            let measures = super::statistics::COMPARED.len();
            let _ =
                writeln!(text, "C differs below p = {:.1e}, for each of {measures} measures.", self.level);
        }
        let mut told: Vec<&str> = Vec::new();
        for row in missing {
            let why = row.missing.as_deref().unwrap_or_default();
            if !told.contains(&row.backend.as_str()) {
                told.push(&row.backend);
                let _ = writeln!(text, "missing: {} {}: {why}", row.backend, row.numeric.name());
            }
        }
        if !self.controls.is_empty() {
            let mut table = Table::new(&["negative control", "preset", "tiers", "caught by", "first seen"]);
            for control in &self.controls {
                let caught =
                    if control.tiers.is_empty() { "NONE".to_owned() } else { letters(&control.tiers) };
                let first = control.first.as_ref().map(ToString::to_string).unwrap_or_default();
                table.row([
                    control.name.to_owned(),
                    control.preset.to_owned(),
                    letters(&control.tried),
                    caught,
                    first,
                ]);
            }
            let _ = write!(text, "\n{table}");
        }
        text
    }

    /// The same for programs.
    #[must_use]
    pub fn json(&self) -> Value {
        let controls = self.controls.iter().map(|control| {
            json!({
                "name": control.name,
                "preset": control.preset,
                "tried": letters(&control.tried),
                "caught_by": letters(&control.tiers),
                "first": control.first.as_ref().map(divergence),
            })
        });
        json!({
            "agrees": self.shortfall().is_none(),
            "shortfall": self.shortfall(),
            "statistics_level": self.level,
            "rows": self.rows.iter().map(Row::json).collect::<Vec<_>>(),
            "controls": controls.collect::<Vec<_>>(),
        })
    }
}
