//! One varied parameter: a list of values, or an interval.

use flock::parameters::{self, ValueKind};

use config::shown::shown;
use config::{ConfigError, Setting, whole_number};

/// A varied parameter.
#[derive(Clone, Debug)]
pub struct Axis {
    /// `table.key`.
    pub key: String,
    /// Where it is written: the file and line, or the option.
    pub place: String,
    /// Its values as in a file; none for an interval without a number of points.
    values: Vec<String>,
    /// The ends of an interval, both of which are allowed values.
    ends: Option<[f64; 2]>,
}

/// The most runs of a study, and points of an interval.
pub const MOST_RUNS: usize = 1_000_000;

/// The setting that gives a parameter a value, as written in TOML. The seed is no parameter of a study: `seeds` has it.
pub(super) fn setting(key: &str, value: &str) -> Result<Setting, ConfigError> {
    if key == "flock.seed" {
        return Err(ConfigError::new("flock.seed: seeds are named by seeds = N or a list of them"));
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
            let allowed = "allowed is table.key=A:B:N or table.key=VALUE,VALUE";
            return Err(ConfigError::new(format!("\"{}\": {allowed}", shown(text))).at(option));
        };
        let axis = match values.split(':').map(str::trim).collect::<Vec<_>>()[..] {
            [from, to] => Axis::interval(key, option, [from, to], None),
            [from, to, points] => Axis::interval(key, option, [from, to], Some(points)),
            _ => Axis::list(key, option, items(values)),
        };
        axis.map_err(|error| error.at(option))
    }

    /// An axis of these values, written at a place.
    pub(super) fn list<'a>(
        key: &str,
        place: &str,
        values: impl IntoIterator<Item = &'a str>,
    ) -> Result<Axis, ConfigError> {
        let values = values.into_iter().map(|value| Ok(setting(key, value)?.text()));
        let values: Vec<String> = values.collect::<Result<_, ConfigError>>()?;
        if values.is_empty() {
            return Err(ConfigError::new(format!("{key}: an empty list: allowed is one value or more")));
        }
        Ok(Axis { key: key.to_owned(), place: place.to_owned(), values, ends: None })
    }

    /// An axis of points that are spread evenly from one value to another.
    pub(super) fn interval(
        key: &str,
        place: &str,
        ends: [&str; 2],
        points: Option<&str>,
    ) -> Result<Axis, ConfigError> {
        let [from, to] = ends.map(|text| {
            setting(key, text)?;
            if !matches!(kind(key), Some(ValueKind::Real { .. } | ValueKind::Count { .. })) {
                let why = "an interval, but it is no number: allowed is a list of values";
                return Err(ConfigError::new(format!("{key}: {why}")));
            }
            let number = text.parse::<f64>().ok().or_else(|| whole_number(text).map(|whole| whole as f64));
            number.ok_or_else(|| {
                ConfigError::new(format!("{key} = {}: allowed is a decimal number", shown(text)))
            })
        });
        let (from, to) = (from?, to?);
        let points = points.map_or(Ok(0), |text| {
            whole_number(text).filter(|points| (1..=MOST_RUNS as u64).contains(points)).ok_or_else(|| {
                let allowed = format!("allowed is a whole number from 1 to {MOST_RUNS}");
                ConfigError::new(format!("{key}: points = {}: {allowed}", shown(text)))
            })
        })?;
        let last = points.saturating_sub(1).max(1) as f64;
        // Weighted like this, both ends are exact, and tenths are as one would write them.
        let value = |k: u64| number(key, (from * (last - k as f64) + to * k as f64) / last);
        let values = (0..points).map(value).collect::<Result<_, _>>()?;
        Ok(Axis { key: key.to_owned(), place: place.to_owned(), values, ends: Some([from, to]) })
    }

    /// The values in order.
    pub(super) fn points(&self) -> Result<&[String], ConfigError> {
        if self.values.is_empty() {
            let why = "how many points? Allowed is { from, to, points } or A:B:N";
            return Err(ConfigError::new(format!("{}: {why}", self.key)).at(&self.place));
        }
        Ok(&self.values)
    }

    /// The value at a share of the way, from 0 up to 1.
    pub(super) fn at(&self, share: f64) -> Result<String, ConfigError> {
        if let Some([from, to]) = self.ends {
            return number(&self.key, from + (to - from) * share).map_err(|error| error.at(&self.place));
        }
        let index = (share * self.values.len() as f64) as usize;
        Ok(self.values[index.min(self.values.len() - 1)].clone())
    }
}

/// A number as the value of a parameter.
fn number(key: &str, value: f64) -> Result<String, ConfigError> {
    let whole = matches!(kind(key), Some(ValueKind::Count { .. }));
    let text = if whole { format!("{}", value.round()) } else { format!("{value:?}") };
    Ok(setting(key, &text)?.text())
}

fn kind(key: &str) -> Option<ValueKind> {
    parameters::find(key).map(|parameter| parameter.kind)
}

/// The items of a list without its brackets: commas within brackets, braces or quotes divide nothing.
fn items(text: &str) -> Vec<&str> {
    let (mut items, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0_i32, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                items.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(text[start..].trim());
    items
}
