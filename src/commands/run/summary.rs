//! The summary of a run, as a table or as JSON.

use std::time::Duration;

use flock::Parameters;
use serde_json::{Value, json};

use engine::measures::{Measures, measure};
use engine::{Engine, State};
use files::Table;

pub(super) struct Summary<'a> {
    /// The preset that the flock started from.
    pub preset: Option<&'static str>,
    pub engine: &'a dyn Engine,
    /// The parameters of the last step.
    pub parameters: Parameters,
    /// The number of the first step.
    pub first: u64,
    /// The step the run was to end at.
    pub last: u64,
    /// Time spent in steps.
    pub stepping: Duration,
    pub state: State,
}

impl Summary<'_> {
    /// Milliseconds per step; none if there was no step.
    fn step_time(&self) -> Option<f64> {
        let steps = self.state.step - self.first;
        (steps > 0).then(|| self.stepping.as_secs_f64() * 1e3 / steps as f64)
    }

    pub fn text(&self) -> String {
        let mut table = Table::new(&["what", "value"]);
        table.row(["engine", &self.engine.describe()]);
        table.row(["boids", &self.state.boids.len().to_string()]);
        table.row(["steps", &format!("{} to {}", self.first, self.state.step)]);
        if let Some(time) = self.step_time() {
            table.row(["ms_a_step", &format!("{time:.3}")]);
        }
        table.row(["hash", &self.hash()]);
        let measures = measure(&self.parameters, &self.state);
        for (name, value) in Measures::NAMES.iter().zip(measures.values()) {
            // An empty flock has counts but no other measures.
            if value.is_nan() && self.state.boids.is_empty() {
                continue;
            }
            let value = if value.is_nan() { "-".to_owned() } else { format!("{value:.6}") };
            table.row([*name, trim(&value)]);
        }
        table.to_string()
    }

    fn hash(&self) -> String {
        format!("{:016x}", self.state.hash(self.engine.numeric(), &self.parameters))
    }

    pub fn json(&self, hashes: Option<Vec<(u64, u64)>>) -> Value {
        let measures = measure(&self.parameters, &self.state);
        // A measure that is not defined for the flock is NaN here, and null in JSON.
        let measures: Value = Measures::NAMES.iter().copied().zip(measures.values()).collect();
        let mut summary = json!({
            "version": env!("CARGO_PKG_VERSION"),
            "preset": self.preset,
            "seed": self.parameters.flock.seed,
            "parameters": config::to_json(&self.parameters),
            "engine": self.engine.describe(),
            "numeric": self.engine.numeric().name(),
            "boids": self.state.boids.len(),
            "first_step": self.first,
            "last_step": self.state.step,
            "complete": self.state.step == self.last,
            "seconds": self.stepping.as_secs_f64(),
            "ms_a_step": self.step_time(),
            "hash": self.hash(),
            "measures": measures,
        });
        if let Some(hashes) = hashes {
            let one = |(step, hash)| json!({ "step": step, "hash": format!("{hash:016x}") });
            summary["hashes"] = hashes.into_iter().map(one).collect();
        }
        summary
    }
}

/// A decimal number without trailing zeros.
fn trim(value: &str) -> &str {
    if value.contains('.') { value.trim_end_matches('0').trim_end_matches('.') } else { value }
}
