//! The columns of a study: five statistics of each measure, the susceptibility and Binder's cumulant of the
//! polarization, and the fraction of runs in which the mean of a measure lies beyond a bound.

use serde::{Deserialize, Serialize};

use super::{Interval, course, mean, squares, wilson, within};
use config::{ConfigError, shown};
use engine::measures::{Family, Measures};

/// A measure, by its place among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure(usize);

/// A column, or group of columns, in the tables of a study.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub enum Column {
    Measure(Measure),
    /// χ = N (⟨φ²⟩ − ⟨φ⟩²) over the samples of a run, with the polarization φ; none for fewer than two.
    Susceptibility,
    /// G = 1 − ⟨φ⁴⟩ / (3 ⟨φ²⟩²) over the samples of a run (Binder, Z. Phys. B 43, 1981): 2/3 of a steady order, 1/3 of
    /// random headings in two dimensions, less between phases that change in turns; none of fewer than two.
    Binder,
    /// For a run, 1 if the mean of a measure over its samples lies beyond a bound, else 0; for a setting, the fraction
    /// of such runs.
    Fraction {
        measure: Measure,
        above: bool,
        bound: f64,
    },
}

const POLARIZATION: Measure = Measure(0);
const SUSCEPTIBILITY: &str = "susceptibility";
const BINDER: &str = "binder";

impl Measure {
    /// The measure of a name.
    ///
    /// # Errors
    /// Lists all of them.
    pub fn find(name: &str) -> Result<Measure, ConfigError> {
        let place = Measures::NAMES.iter().position(|known| *known == name);
        let unknown = || ConfigError::unknown("", name, "measure", Measures::NAMES);
        place.map(Measure).ok_or_else(unknown)
    }

    /// The name, as in the columns of a file.
    pub fn name(self) -> &'static str {
        Measures::NAMES[self.0]
    }

    /// The family of measures that are computed together.
    pub fn family(self) -> Family {
        Measures::FAMILIES[self.0]
    }

    /// The minimum and maximum possible value.
    fn range(self) -> [f64; 2] {
        Measures::RANGES[self.0]
    }

    /// Its value among those of all measures.
    pub fn of(self, values: &[f64]) -> f64 {
        values[self.0]
    }
}

/// The greatest cumulant of Binder.
const MAX_BINDER: f64 = 2.0 / 3.0;

impl Column {
    /// Every column.
    pub fn all() -> Vec<Column> {
        let measures = (0..Measures::NAMES.len()).map(|place| Column::Measure(Measure(place)));
        measures.chain([Column::Susceptibility, Column::Binder]).collect()
    }

    /// The column of a name.
    ///
    /// # Errors
    /// Lists all of them.
    pub fn find(name: &str) -> Result<Column, ConfigError> {
        if let Some(inner) = name.trim().strip_prefix("fraction(") {
            return fraction(inner).unwrap_or_else(|| {
                let required = "fraction(MEASURE > NUMBER) or fraction(MEASURE < NUMBER)";
                Err(ConfigError::must_be("a fraction", required, &shown(name)))
            });
        }
        let all = Column::all();
        let known = all.iter().find(|column| column.name() == name).copied();
        let others = [SUSCEPTIBILITY, BINDER, "fraction(MEASURE > NUMBER)"];
        let names: Vec<&str> = Measures::NAMES.iter().copied().chain(others).collect();
        known.ok_or_else(|| ConfigError::unknown("", name, "measure", &names))
    }

    /// The name.
    pub fn name(self) -> String {
        match self {
            Column::Measure(measure) => measure.name().to_owned(),
            Column::Susceptibility => SUSCEPTIBILITY.to_owned(),
            Column::Binder => BINDER.to_owned(),
            Column::Fraction { measure, above, bound } => {
                format!("fraction({}{}{bound})", measure.name(), if above { '>' } else { '<' })
            }
        }
    }

    /// The mean over runs of the first of its cells, and its interval.
    pub fn interval(self, values: &[f64]) -> Interval {
        match self {
            Column::Measure(measure) => within(Some(measure.range()), values),
            Column::Susceptibility => within(Some([0.0, f64::INFINITY]), values),
            Column::Binder => within(Some([f64::NEG_INFINITY, MAX_BINDER]), values),
            Column::Fraction { .. } => wilson(values),
        }
    }

    /// The measure that the column samples.
    pub fn sampled(self) -> Measure {
        match self {
            Column::Measure(measure) | Column::Fraction { measure, .. } => measure,
            Column::Susceptibility | Column::Binder => POLARIZATION,
        }
    }

    /// The names of its cells in the table of runs. The table of settings has the mean over runs of the first.
    pub(super) fn cells(self) -> Vec<String> {
        let name = self.name();
        match self {
            Column::Measure(_) => {
                ["mean", "sem", "min", "max", "last"].map(|statistic| format!("{name}_{statistic}")).into()
            }
            Column::Susceptibility | Column::Binder | Column::Fraction { .. } => vec![name],
        }
    }

    /// The values of these cells, from the samples and the last value of a run of `boids` boids.
    pub(super) fn values(self, samples: impl Iterator<Item = f64>, last: f64, boids: usize) -> Vec<f64> {
        let samples: Vec<f64> = samples.filter(|sample| !sample.is_nan()).collect();
        match self {
            Column::Measure(_) => {
                let [mean, sem, min, max] = course(&samples);
                vec![mean, sem, min, max, last]
            }
            Column::Fraction { .. } if samples.is_empty() => vec![f64::NAN],
            Column::Fraction { above, bound, .. } => {
                let mean = mean(&samples);
                vec![f64::from(u8::from(if above { mean > bound } else { mean < bound }))]
            }
            Column::Susceptibility | Column::Binder if samples.len() < 2 => vec![f64::NAN],
            Column::Susceptibility => vec![boids as f64 * squares(&samples) / samples.len() as f64],
            Column::Binder => {
                let count = samples.len() as f64;
                let moment = |power: i32| samples.iter().map(|s| s.powi(power)).sum::<f64>() / count;
                vec![(1.0 - moment(4) / (3.0 * moment(2).powi(2))).min(MAX_BINDER)]
            }
        }
    }
}

impl TryFrom<String> for Column {
    type Error = ConfigError;

    fn try_from(name: String) -> Result<Column, ConfigError> {
        Column::find(&name)
    }
}

impl From<Column> for String {
    fn from(column: Column) -> String {
        column.name()
    }
}

/// The mean and the confidence interval of independent values of the table column `name`. If the column is not a
/// measure, the interval is Student's.
pub fn interval(name: &str, values: &[f64]) -> Interval {
    let known = |name: &str| Column::find(name).ok();
    let column = known(name).or_else(|| known(name.strip_suffix("_mean")?));
    column.map_or_else(|| within(None, values), |column| column.interval(values))
}

/// Parses the rest of `fraction(MEASURE > NUMBER)` after the opening bracket; `None` if it has another form.
fn fraction(inner: &str) -> Option<Result<Column, ConfigError>> {
    let inner = inner.trim().strip_suffix(')')?;
    let (name, bound) = inner.split_once(['>', '<'])?;
    let bound = bound.trim().parse::<f64>().ok().filter(|bound| bound.is_finite())?;
    let column = |measure| Column::Fraction { measure, above: inner.contains('>'), bound };
    Some(Measure::find(name.trim()).map(column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binders_cumulant_tells_a_steady_order_from_phases_in_turns() {
        let of = |samples: &[f64]| Column::Binder.values(samples.iter().copied(), 0.0, 40)[0];
        let close = |found: f64, expected: f64| (found - expected).abs() < 1e-12;
        assert!(close(of(&[0.7; 5]), 2.0 / 3.0) && of(&[0.5]).is_nan() && of(&[]).is_nan());
        // One sample in ten is ordered: ⟨φ⁴⟩ / ⟨φ²⟩² is 10.
        let turns: Vec<f64> = (0..10).map(|k| if k == 0 { 0.9 } else { 0.0 }).collect();
        assert!(close(of(&turns), 1.0 - 10.0 / 3.0));
        // Random headings: φ² is exponentially distributed, here by its quantiles.
        let random: Vec<f64> =
            (0..100_000).map(|k| (-(1.0 - (f64::from(k) + 0.5) / 1e5).ln()).sqrt()).collect();
        assert!((of(&random) - 1.0 / 3.0).abs() < 1e-3, "{}", of(&random));
    }
}
