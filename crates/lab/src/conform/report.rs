//! The results of a comparison: a table for people, JSON for programs.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::backends::Place;
use super::divergence::Divergence;
use super::errors::Errors;
use super::result::{Report, Row, Tier};
use cpu::state::Numeric;
use report::Table;

impl Row {
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
        let p_value = match &self.statistics {
            Some(compared) => format!("{:.0e} {}", compared.p_value, compared.measure),
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
            p_value,
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
            "statistics": self.statistics.as_ref().map(|c| json!({ "p": c.p_value, "measure": c.measure })),
            "first_divergence": self.finding.as_ref().map(|finding| {
                let mut value = divergence(&finding.divergence);
                value["tier"] = json!(finding.tier.name());
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

fn names(tiers: &[Tier]) -> String {
    tiers.iter().map(|tier| tier.name()).collect::<Vec<_>>().join(", ")
}

impl Report {
    /// True if any backend of a kind was compared.
    pub fn has(&self, place: Place) -> bool {
        self.rows.iter().any(|row| row.place == place && row.missing.is_none())
    }

    /// The first failure: a backend that differs or fails, or a control that no tier caught.
    pub fn shortfall(&self) -> Option<String> {
        let row = self.rows.iter().find(|row| row.failed.is_some() || row.finding.is_some());
        if let Some(row) = row {
            let what = match (&row.failed, &row.finding) {
                (Some(error), _) => format!("{}: {error}", row.preset),
                (None, Some(f)) => format!("{}, {}: {}", f.tier.name(), f.flock, f.divergence),
                (None, None) => String::new(),
            };
            return Some(format!("{} {}: {what}", row.backend, row.numeric.name()));
        }
        let missed = self.controls.iter().find(|control| control.tiers.is_empty());
        missed.map(|control| format!("the control \"{}\" was caught by no tier", control.name))
    }

    /// The tables, and how to get each missing backend.
    pub fn text(&self) -> String {
        let mut table = Table::new(&[
            "backend", "type", "preset", "bits", "step", "ulp", "dB", "apart", "hostile", "apart", "p",
            "result",
        ]);
        let (here, missing): (Vec<&Row>, Vec<&Row>) = self.rows.iter().partition(|row| row.missing.is_none());
        here.iter().chain(&missing).for_each(|row| table.row(row.cells()));
        let mut text = table.to_string();
        text.push_str(
            "\nbits: at every step. step: largest error of one step as a share of the largest step a boid can take, in\n\
             units in the last place, and signal to noise; apart: boids whose decisions flipped + that cannot be\n\
             judged. p: smallest p-value of the statistics over the measures.\n",
        );
        if self.rows.iter().any(|row| row.statistics.is_some()) {
            let measures = super::statistics::COMPARED.len();
            let _ = writeln!(
                text,
                "Statistics differ below p = {:.1e}, for each of {measures} measures.",
                self.level
            );
        }
        let mut listed: Vec<&str> = Vec::new();
        for row in missing {
            let why = row.missing.as_deref().unwrap_or_default();
            if !listed.contains(&row.backend.as_str()) {
                listed.push(&row.backend);
                let _ = writeln!(text, "missing: {} {}: {why}", row.backend, row.numeric.name());
            }
        }
        if !self.controls.is_empty() {
            let mut table = Table::new(&["negative control", "preset", "tiers", "caught by", "first seen"]);
            for control in &self.controls {
                let caught = if control.tiers.is_empty() { "NONE".to_owned() } else { names(&control.tiers) };
                let first = control.first.as_ref().map(ToString::to_string).unwrap_or_default();
                table.row([
                    control.name.to_owned(),
                    control.preset.to_owned(),
                    names(&control.tried),
                    caught,
                    first,
                ]);
            }
            let _ = write!(text, "\n{table}");
        }
        let (compared, missing): (Vec<_>, Vec<_>) =
            Place::ALL.iter().partition(|(place, _)| self.has(*place));
        let words = |kinds: Vec<&(Place, &'static str)>| match kinds.len() {
            0 => "none".to_owned(),
            _ => kinds.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(", "),
        };
        let _ = writeln!(text, "\ncompared: {}; missing: {}", words(compared), words(missing));
        text
    }

    /// The results as JSON.
    pub fn json(&self) -> Value {
        let controls = self.controls.iter().map(|control| {
            json!({
                "name": control.name,
                "preset": control.preset,
                "tried": names(&control.tried),
                "caught_by": names(&control.tiers),
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
