//! Designs: which values of the varied parameters go together.

use flock::random::draw;
use serde::{Deserialize, Serialize};

use super::axis::{Axis, MOST_RUNS};
use config::ConfigError;

/// How settings are made of axes.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Design {
    /// All combinations; the last axis changes fastest.
    #[default]
    Factorial,
    /// The first value of each axis, the second of each, and so on.
    Zip,
    /// The settings themselves, each with all of its values.
    List,
    /// Latin hypercube: each axis is cut into as many parts as there are samples, and each part is drawn from once
    /// (McKay, Beckman and Conover, Technometrics 21, 1979).
    Latin,
    /// Independent draws.
    Random,
}

/// Purposes of draws, beyond those of a flock.
const SHUFFLE: u32 = 64;
const PLACE: u32 = 65;

/// A value an axis, for each setting.
pub(super) type Settings = Vec<Vec<String>>;

impl Design {
    pub(super) fn find(name: &str) -> Result<Design, ConfigError> {
        let names = ["factorial", "zip", "list", "latin", "random"];
        let unknown = |_| ConfigError::unknown("", name, "design: there are", &names);
        serde_json::from_value(name.into()).map_err(unknown)
    }

    /// True if it takes a number of samples.
    pub(super) fn sampled(self) -> bool {
        matches!(self, Design::Latin | Design::Random)
    }

    pub(super) fn settings(self, axes: &[Axis], samples: usize, seed: u32) -> Result<Settings, ConfigError> {
        match self {
            Design::Factorial | Design::List => factorial(axes),
            Design::Zip => zip(axes),
            Design::Latin | Design::Random => sampled(self, axes, samples, seed),
        }
    }
}

fn factorial(axes: &[Axis]) -> Result<Settings, ConfigError> {
    let mut settings = vec![Vec::new()];
    for axis in axes {
        let points = axis.points()?;
        if settings.len().saturating_mul(points.len()) > MOST_RUNS {
            let why = format!("with its {} values there are more than {MOST_RUNS} settings", points.len());
            return Err(ConfigError::new(format!("{}: {why}", axis.key)).at(&axis.place));
        }
        let with_each = |setting: &Vec<String>| {
            let setting = setting.clone();
            points.iter().map(move |point| [&setting[..], std::slice::from_ref(point)].concat())
        };
        settings = settings.iter().flat_map(with_each).collect();
    }
    Ok(settings)
}

fn zip(axes: &[Axis]) -> Result<Settings, ConfigError> {
    let columns: Vec<&[String]> = axes.iter().map(Axis::points).collect::<Result<_, _>>()?;
    let rows = columns.first().map_or(1, |column| column.len());
    for (axis, column) in axes.iter().zip(&columns) {
        if column.len() != rows {
            let why = format!("{} values in a zip: allowed is {rows}, as {} has", column.len(), axes[0].key);
            return Err(ConfigError::new(format!("{}: {why}", axis.key)).at(&axis.place));
        }
    }
    Ok((0..rows).map(|row| columns.iter().map(|column| column[row].clone()).collect()).collect())
}

fn sampled(design: Design, axes: &[Axis], samples: usize, seed: u32) -> Result<Settings, ConfigError> {
    let share =
        |sample: usize, axis: u32| f64::from(draw(seed, sample as u32, axis, PLACE)[0]) / 2_f64.powi(32);
    let mut settings = vec![Vec::new(); samples];
    for (number, axis) in (0..).zip(axes) {
        // Fisher and Yates.
        let mut parts: Vec<usize> = (0..samples).collect();
        for k in (1..samples).rev() {
            let word = draw(seed, k as u32, number, SHUFFLE)[0];
            parts.swap(k, ((u64::from(word) * (k as u64 + 1)) >> 32) as usize);
        }
        for (sample, setting) in settings.iter_mut().enumerate() {
            let share = match design {
                Design::Latin => (parts[sample] as f64 + share(sample, number)) / samples as f64,
                _ => share(sample, number),
            };
            setting.push(axis.at(share)?);
        }
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(design: Design, axes: &[&str], samples: usize, seed: u32) -> Vec<Vec<String>> {
        let axes: Vec<Axis> = axes.iter().map(|axis| Axis::parse(axis).expect(axis)).collect();
        design.settings(&axes, samples, seed).expect("settings")
    }

    #[test]
    fn factorial_and_zip_order_their_values() {
        let axes = ["noise.weight=0:1:11", "world.edges=open,wrap"];
        let all = table(Design::Factorial, &axes, 0, 1);
        assert_eq!(all.len(), 22);
        assert_eq!(
            (&all[0], &all[1]),
            (&vec!["0.0".into(), "\"open\"".into()], &vec!["0.0".into(), "\"wrap\"".into()])
        );
        // Tenths, not sums of tenths.
        assert_eq!((all[6][0].as_str(), all[21][0].as_str()), ("0.3", "1.0"));
        let pairs = table(
            Design::Zip,
            &["flock.boids=10:40:4", "wind.acceleration=[0,0,0],[1,0,0],[2,0,0],[3,0,0]"],
            0,
            1,
        );
        assert_eq!(pairs[2], ["30", "[2.0, 0.0, 0.0]"]);
        assert_eq!(table(Design::Factorial, &[], 0, 1), [Vec::<String>::new()]);
        let unequal =
            ["noise.weight=1,2", "flock.boids=1,2,3"].map(|axis| Axis::parse(axis).expect("an axis"));
        let error = Design::Zip.settings(&unequal, 0, 1).expect_err("of unequal lengths");
        assert_eq!(
            error.to_string(),
            "--vary: flock.boids: 3 values in a zip: allowed is 2, as noise.weight has"
        );
    }

    /// Every part of every axis is hit once; independent draws leave some out.
    #[test]
    fn a_latin_hypercube_covers_each_axis() {
        let parts = |design| {
            let rows = table(design, &["noise.weight=0:1", "cohesion.weight=2:4"], 50, 7);
            let mut hit = [[0; 50]; 2];
            for row in &rows {
                let [x, y] = [0, 1].map(|k| row[k].parse::<f64>().expect("a number"));
                hit[0][(x * 50.0) as usize] += 1;
                hit[1][((y - 2.0) * 25.0) as usize] += 1;
            }
            hit
        };
        assert_eq!(parts(Design::Latin), [[1; 50]; 2]);
        assert_ne!(parts(Design::Random), [[1; 50]; 2]);
        let axes = ["noise.weight=0:1", "flock.boids=1:1000", "world.edges=open,turn,wrap"];
        let rows = |seed| table(Design::Latin, &axes, 30, seed);
        assert_eq!(rows(1), rows(1));
        assert_ne!(rows(1), rows(2));
        // A list is an axis of equal parts.
        assert_eq!(rows(3).iter().filter(|row| row[2] == "\"turn\"").count(), 10);
    }
}
