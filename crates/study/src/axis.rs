//! Varied parameters, each a list of values or an interval, and the designs that combine their values.

use flock::parameters::ValueKind;
use flock::random::draw;
use serde::{Deserialize, Serialize};

use config::{ConfigError, Decimal, Setting, kind, shown, whole_number};

/// A varied parameter.
#[derive(Clone, Debug)]
pub struct Axis {
    /// `table.key`.
    pub key: String,
    /// The source of the axis: the file and line, or the option.
    pub place: String,
    /// The values as in a file; empty for an interval without a number of points.
    values: Vec<String>,
    /// The ends of an interval, both of which are allowed values.
    ends: Option<[f64; 2]>,
}

/// The most runs of a study, and points of an interval.
pub const MAX_RUNS: usize = 1_000_000;

/// The refusal of a key of the table `[view]`.
pub const NO_VIEW: &str = "[view] cannot be varied: a study draws no pictures";

/// The setting that gives a parameter a value, as written in TOML. The seed is not a parameter of a study: see `seeds`.
pub(super) fn setting(key: &str, value: &str) -> Result<Setting, ConfigError> {
    if key == "flock.seed" {
        return Err(ConfigError::new("flock.seed cannot be varied; use seeds = N, or a list of seeds"));
    }
    if key.starts_with("view.") {
        return Err(ConfigError::new(format!("{}: {NO_VIEW}", shown(key))));
    }
    Setting::parse(&format!("{key}={value}"))
}

impl Axis {
    /// Reads `KEY=A:B:N`, `KEY=A:B` or `KEY=VALUE,VALUE`, as an option has it.
    ///
    /// # Errors
    /// Names the key, the value and what is allowed.
    pub fn parse(text: &str) -> Result<Axis, ConfigError> {
        let option = "--vary";
        let Some((key, values)) = text.split_once('=') else {
            return Err(ConfigError::must_be(
                option,
                "table.key=A:B:N or table.key=VALUE,VALUE",
                &shown(text),
            ));
        };
        let axis = match values.split(':').map(str::trim_ascii).collect::<Vec<_>>()[..] {
            [from, to] => Axis::interval(key, [from, to], None),
            [from, to, points] => Axis::interval(key, [from, to], Some(points)),
            [_, _, _, ..] => Err(ConfigError::must_be(key, "A:B:N or VALUE,VALUE", &shown(values))),
            _ => Axis::list(key, items(values).into_iter()),
        };
        axis.map(|axis| axis.written_at(option)).map_err(|error| error.at(option))
    }

    /// The same axis, written at a place.
    pub(super) fn written_at(self, place: &str) -> Axis {
        Axis { place: place.to_owned(), ..self }
    }

    /// An axis of these values.
    pub(super) fn list<'a>(key: &str, values: impl Iterator<Item = &'a str>) -> Result<Axis, ConfigError> {
        let values = values.map(|value| Ok(setting(key, value)?.text()));
        let values: Vec<String> = values.collect::<Result<_, ConfigError>>()?;
        if values.is_empty() {
            return Err(ConfigError::new(format!("{key} requires at least one value")));
        }
        Ok(Axis { key: key.to_owned(), place: String::new(), values, ends: None })
    }

    /// An axis of points that are spread evenly from one value to another, in exact decimal arithmetic: both ends are as
    /// written, and so are the points that have few digits.
    pub(super) fn interval(key: &str, ends: [&str; 2], points: Option<&str>) -> Result<Axis, ConfigError> {
        let [from, to] = ends.map(|text| End::parse(key, text));
        let (from, to) = (from?, to?);
        let points = points.map_or(Ok(0), |text| {
            whole_number(text).filter(|points| (1..=MAX_RUNS as u64).contains(points)).ok_or_else(|| {
                ConfigError::must_be(&format!("{key}: points"), format_args!("1 to {MAX_RUNS}"), &shown(text))
            })
        })?;
        let parts = points.saturating_sub(1).max(1);
        let value = |part: u64| match part {
            0 => Ok(from.text.clone()),
            _ if part == parts => Ok(to.text.clone()),
            _ => number(key, from.towards(&to, part, parts)),
        };
        let values = (0..points).map(value).collect::<Result<_, _>>()?;
        let numbers = [from.number, to.number];
        Ok(Axis { key: key.to_owned(), place: String::new(), values, ends: Some(numbers) })
    }

    /// The values in order.
    pub(super) fn points(&self) -> Result<&[String], ConfigError> {
        if self.values.is_empty() {
            let why = "the number of points is missing; write { from, to, points } or A:B:N";
            return Err(ConfigError::new(format!("{}: {why}", self.key)).at(&self.place));
        }
        Ok(&self.values)
    }

    /// The value at the fraction `share` of the axis, 0 ≤ `share` < 1.
    pub(super) fn at(&self, share: f64) -> Result<String, ConfigError> {
        if let Some([from, to]) = self.ends {
            return number(&self.key, from + (to - from) * share).map_err(|error| error.at(&self.place));
        }
        let index = (share * self.values.len() as f64) as usize;
        Ok(self.values[index.min(self.values.len() - 1)].clone())
    }
}

/// An end of an interval.
struct End {
    /// The value as in a file.
    text: String,
    number: f64,
    /// The value as it is written, where it has no more digits than fit.
    decimal: Option<Decimal>,
}

impl End {
    /// Reads a value of a parameter that is a number.
    fn parse(key: &str, written: &str) -> Result<End, ConfigError> {
        let text = setting(key, written)?.text();
        if !matches!(kind(key), Some(ValueKind::Real { .. } | ValueKind::Count { .. })) {
            let why = "only numbers have intervals; write a list of values";
            return Err(ConfigError::new(format!("{key}: {why}")));
        }
        let whole = whole_number(written).map(|whole| whole.to_string());
        let digits = whole.as_deref().unwrap_or(written);
        let number =
            digits.parse().map_err(|_| ConfigError::must_be(key, "a decimal number", &shown(written)))?;
        Ok(End { text, number, decimal: Decimal::parse(digits) })
    }

    /// The point at `part` of `parts` on the way to another end.
    fn towards(&self, to: &End, part: u64, parts: u64) -> f64 {
        let ends = self.decimal.zip(to.decimal);
        let exact = ends.and_then(|(from, to)| Decimal::between(from, to, part, parts));
        exact.unwrap_or_else(|| self.number + (to.number - self.number) * (part as f64 / parts as f64))
    }
}

/// A number as the value of a parameter.
fn number(key: &str, value: f64) -> Result<String, ConfigError> {
    let whole = matches!(kind(key), Some(ValueKind::Count { .. }));
    let text = if whole { format!("{}", value.round()) } else { format!("{value:?}") };
    Ok(setting(key, &text)?.text())
}

/// The items of a list without its brackets: commas within brackets, braces or quotes divide nothing.
fn items(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted) = (0_i32, false);
    let divides = |c| {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        c == ',' && !quoted && depth == 0
    };
    text.split(divides).map(str::trim_ascii).collect()
}

/// The way to combine axes into settings.
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
    /// Latin hypercube: each axis is cut into as many equal parts as there are samples, with one draw from each part
    /// (McKay, Beckman and Conover, Technometrics 21, 1979).
    Latin,
    /// Independent draws.
    Random,
}

/// Purposes of draws, beyond those of a flock.
const SHUFFLE: u32 = 64;
const PLACE: u32 = 65;

/// One row per setting, with one value per axis.
pub(super) type Settings = Vec<Vec<String>>;

impl Design {
    pub(super) fn find(name: &str) -> Result<Design, ConfigError> {
        let names = ["factorial", "zip", "list", "latin", "random"];
        let unknown = |_| ConfigError::unknown("", name, "design", &names);
        serde_json::from_value(name.into()).map_err(unknown)
    }

    /// True if the design takes a number of samples.
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
        if settings.len().saturating_mul(points.len()) > MAX_RUNS {
            let why = format!("its {} values make more than {MAX_RUNS} settings", points.len());
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
            let why =
                format!("a zip requires {rows} values, as many as {} has, not {}", axes[0].key, column.len());
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
