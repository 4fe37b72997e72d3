//! What is kept of a run: of a measure its course in five numbers, of the polarization also the susceptibility.

use serde::{Deserialize, Serialize};

use super::series::{Series, squares};
use crate::config::{ConfigError, nearest};
use crate::measures::{Family, Measures};
use crate::shown::shown;

/// A measure, by its place among all.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct Measure(usize);

/// What the tables of a study have columns of.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(try_from = "String", into = "String")]
pub enum Column {
    Measure(Measure),
    /// χ = N (⟨φ²⟩ − ⟨φ⟩²) over the samples of a run, with the polarization φ; none of fewer than two.
    Susceptibility,
}

const POLARIZATION: Measure = Measure(0);
const SUSCEPTIBILITY: &str = "susceptibility";

impl Measure {
    /// The measure of a name.
    ///
    /// # Errors
    /// Lists all of them.
    pub fn find(name: &str) -> Result<Measure, ConfigError> {
        let place = Measures::NAMES.iter().position(|known| *known == name);
        place.map(Measure).ok_or_else(|| unknown(name, "measure", Measures::NAMES))
    }

    /// The name, as in the columns of a file.
    #[must_use]
    pub fn name(self) -> &'static str {
        Measures::NAMES[self.0]
    }

    /// What it is worked out with.
    #[must_use]
    pub fn family(self) -> Family {
        Measures::FAMILIES[self.0]
    }

    /// Its value among those of all measures.
    pub(super) fn of(self, values: &[f64]) -> f64 {
        values[self.0]
    }
}

impl Column {
    /// Every column.
    #[must_use]
    pub fn all() -> Vec<Column> {
        let measures = (0..Measures::NAMES.len()).map(|place| Column::Measure(Measure(place)));
        measures.chain([Column::Susceptibility]).collect()
    }

    /// The column of a name.
    ///
    /// # Errors
    /// Lists all of them.
    pub fn find(name: &str) -> Result<Column, ConfigError> {
        let all = Column::all();
        let known = all.iter().find(|column| column.name() == name).copied();
        let names: Vec<&str> = all.iter().map(|column| column.name()).collect();
        known.ok_or_else(|| unknown(name, "measure", &names))
    }

    /// The name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Column::Measure(measure) => measure.name(),
            Column::Susceptibility => SUSCEPTIBILITY,
        }
    }

    /// What is measured of every sample for it.
    #[must_use]
    pub fn sampled(self) -> Measure {
        match self {
            Column::Measure(measure) => measure,
            Column::Susceptibility => POLARIZATION,
        }
    }

    /// The names of its cells in the table of runs. The table of settings has the mean over runs of the first.
    pub(super) fn cells(self) -> Vec<String> {
        let name = self.name();
        match self {
            Column::Measure(_) => {
                ["mean", "sem", "min", "max", "last"].map(|statistic| format!("{name}_{statistic}")).into()
            }
            Column::Susceptibility => vec![name.to_owned()],
        }
    }

    /// The values of these cells, from the samples and the last state of a run of so many boids.
    pub(super) fn values(self, samples: impl Iterator<Item = f64>, last: f64, boids: usize) -> Vec<f64> {
        let samples: Vec<f64> = samples.filter(|sample| !sample.is_nan()).collect();
        match self {
            Column::Measure(_) => {
                let Series { mean, sem, min, max } = Series::new(&samples);
                vec![mean, sem, min, max, last]
            }
            Column::Susceptibility if samples.len() < 2 => vec![f64::NAN],
            Column::Susceptibility => vec![boids as f64 * squares(&samples) / samples.len() as f64],
        }
    }
}

impl TryFrom<String> for Measure {
    type Error = ConfigError;

    fn try_from(name: String) -> Result<Measure, ConfigError> {
        Measure::find(&name)
    }
}

impl From<Measure> for String {
    fn from(measure: Measure) -> String {
        measure.name().to_owned()
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
        column.name().to_owned()
    }
}

/// The error of a name that is none of these.
pub(super) fn unknown(name: &str, what: &str, names: &[&str]) -> ConfigError {
    ConfigError::new(format!("{}: no such {what}: there are {}", shown(name), names.join(", ")))
        .hint(nearest(name, names.iter().copied()).map(|near| format!("did you mean \"{near}\"?")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_susceptibility_is_the_boids_times_the_variance_of_the_polarization() {
        assert_eq!(Column::Susceptibility.sampled().name(), "polarization");
        let of = |samples: &[f64]| Column::Susceptibility.values(samples.iter().copied(), 0.0, 40);
        let close = |found: &[f64], expected: f64| found.len() == 1 && (found[0] - expected).abs() < 1e-12;
        assert!(close(&of(&[0.2, 0.4, f64::NAN]), 40.0 * 0.01));
        assert_eq!(of(&[0.5; 9]), [0.0]);
        assert!(of(&[0.5]).iter().all(|value| value.is_nan()) && of(&[])[0].is_nan());
    }

    #[test]
    fn a_column_is_its_name_and_has_a_value_a_cell() {
        for column in Column::all() {
            let text = serde_json::to_string(&column).expect("a name");
            assert_eq!(text, format!("\"{}\"", column.name()));
            assert_eq!(serde_json::from_str::<Column>(&text).expect("a column"), column);
            assert_eq!(column.cells().len(), column.values([0.1, 0.2].into_iter(), 0.3, 9).len());
        }
        let error = serde_json::from_str::<Measure>("\"susceptibility\"").expect_err("it is of no one state");
        assert!(error.to_string().contains("no such measure"), "{error}");
    }
}
