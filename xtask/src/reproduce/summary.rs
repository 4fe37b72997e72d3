//! The table of a study: a row a setting, with the mean of each measure over seeds and its interval.

use std::path::Path;

use toml::{Table, Value};

use crate::{Result, at};

/// `summary.csv`.
#[derive(Debug)]
pub struct Summary {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// A mean over seeds, and its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

impl Summary {
    /// # Errors
    /// When there is no such table.
    pub fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).map_err(at(file))?;
        Self::parse(&text).map_err(|why| format!("{}: {why}", file.display()))
    }

    pub fn parse(text: &str) -> std::result::Result<Self, csv::Error> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let texts = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
        let names = texts(reader.headers()?);
        let rows = reader.records().map(|record| Ok(texts(&record?)));
        Ok(Summary { names, rows: rows.collect::<std::result::Result<_, csv::Error>>()? })
    }

    /// A measure in a setting.
    ///
    /// # Errors
    /// When there is no such measure, no such setting, more than one, or too few seeds for an interval.
    pub fn estimate(&self, measure: &str, at: &Table) -> Result<Estimate> {
        let row = self.setting(at)?;
        let number = |part: &str| {
            let cell = &row[self.column(&format!("{measure}_{part}"))?];
            cell.parse().map_err(|_| format!("{measure}_{part} is `{cell}` at {at}"))
        };
        Ok(Estimate { mean: number("mean")?, low: number("ci_low")?, high: number("ci_high")? })
    }

    /// The value of a measure in each run of a setting, where this is the table of settings and `runs` that of runs.
    ///
    /// # Errors
    /// When there is no such measure, no such setting, or a run without a value.
    pub fn by_seed(&self, runs: &Summary, measure: &str, at: &Table) -> Result<Vec<f64>> {
        let row = self.setting(at)?;
        // The keys stand between the number of the setting and the number of its seeds in both tables.
        let keys = self.names.iter().zip(row).skip(1).take_while(|(name, _)| *name != "seeds");
        let keys = keys.map(|(name, cell)| Ok((runs.column(name)?, cell))).collect::<Result<Vec<_>>>()?;
        let column = runs.column(&format!("{measure}_mean")).or_else(|_| runs.column(measure))?;
        let fitting = runs.rows.iter().filter(|run| keys.iter().all(|(key, cell)| run[*key] == **cell));
        let value =
            |run: &Vec<String>| run[column].parse().map_err(|_| format!("a run has no {measure} at {at}"));
        fitting.map(value).collect()
    }

    fn setting(&self, at: &Table) -> Result<&Vec<String>> {
        let keys =
            at.iter().map(|(key, value)| Ok((self.column(key)?, value))).collect::<Result<Vec<_>>>()?;
        let mut fitting =
            self.rows.iter().filter(|row| keys.iter().all(|(column, value)| is(&row[*column], value)));
        match (fitting.next(), fitting.next()) {
            (Some(row), None) => Ok(row),
            _ => Err(format!("not one setting has {at}")),
        }
    }

    fn column(&self, name: &str) -> Result<usize> {
        self.names
            .iter()
            .position(|known| known == name)
            .ok_or_else(|| format!("there is no column `{name}`"))
    }
}

/// True if a cell is a value, numbers up to rounding.
fn is(cell: &str, value: &Value) -> bool {
    match (value.as_float().or(value.as_integer().map(|whole| whole as f64)), value) {
        (Some(wanted), _) => {
            cell.parse().is_ok_and(|number: f64| (number - wanted).abs() <= 1e-9 * wanted.abs().max(1.0))
        }
        (None, Value::String(word)) => cell == word,
        (None, other) => cell.replace(' ', "") == other.to_string().replace(' ', ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measure_is_found_at_its_setting() {
        let text = "setting,a.b,c.d,seeds,m_mean,m_ci_low,m_ci_high\n0,0.5,\"[1.0, 0.0, 0.0]\",20,2,1,3\n1,0.5,\"[0.0, 1.0, 0.0]\",20,,,\n";
        let summary = Summary::parse(text).expect("read");
        let at = |text: &str| text.parse::<Table>().expect("a table");
        let found = summary.estimate("m", &at("\"a.b\" = 0.5\n\"c.d\" = [1.0, 0.0, 0.0]"));
        assert_eq!(found, Ok(Estimate { mean: 2.0, low: 1.0, high: 3.0 }));
        for (measure, setting) in
            [("m", "\"a.b\" = 0.5"), ("m", "\"a.b\" = 0.6"), ("n", "\"c.d\" = [1.0, 0.0, 0.0]")]
        {
            assert!(summary.estimate(measure, &at(setting)).is_err(), "{measure} at {setting}");
        }
        assert!(summary.estimate("m", &at("\"c.d\" = [0.0, 1.0, 0.0]")).is_err(), "an empty cell");
    }
}
