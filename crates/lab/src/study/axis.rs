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
    pub values: Values,
}

/// What it is varied over.
#[derive(Clone, Debug)]
pub enum Values {
    List(Vec<Setting>),
    /// Both ends are allowed values; `points` are spread evenly from one to the other.
    Interval {
        from: f64,
        to: f64,
        points: Option<usize>,
    },
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
        let values = match values.split(':').map(str::trim).collect::<Vec<_>>()[..] {
            [from, to] => Values::interval(key, from, to, None),
            [from, to, points] => Values::interval(key, from, to, Some(points)),
            _ => Values::list(key, items(values)),
        };
        let values = values.map_err(|error| error.at(option))?;
        Ok(Axis { key: key.to_owned(), place: option.to_owned(), values })
    }

    /// The values in order.
    pub(super) fn points(&self) -> Result<Vec<Setting>, ConfigError> {
        match &self.values {
            Values::List(values) => Ok(values.clone()),
            Values::Interval { points: None, .. } => {
                let why = "how many points? Allowed is { from, to, points } or A:B:N";
                Err(ConfigError::new(format!("{}: {why}", self.key)).at(&self.place))
            }
            Values::Interval { from, to, points: Some(points) } => {
                let last = (points - 1).max(1) as f64;
                // Weighted like this, both ends are exact, and tenths are as one would write them.
                let value = |k: usize| (from * (last - k as f64) + to * k as f64) / last;
                (0..*points).map(|k| self.number(value(k))).collect()
            }
        }
    }

    /// The value at a share of the way, from 0 up to 1.
    pub(super) fn at(&self, share: f64) -> Result<Setting, ConfigError> {
        match &self.values {
            Values::List(values) => {
                let index = (share * values.len() as f64) as usize;
                Ok(values[index.min(values.len() - 1)].clone())
            }
            Values::Interval { from, to, .. } => self.number(from + (to - from) * share),
        }
    }

    fn number(&self, value: f64) -> Result<Setting, ConfigError> {
        let whole = matches!(kind(&self.key), Some(ValueKind::Count { .. }));
        let text = if whole { format!("{}", value.round()) } else { format!("{value:?}") };
        setting(&self.key, &text).map_err(|error| error.at(&self.place))
    }
}

impl Values {
    pub(super) fn list<'a>(
        key: &str,
        values: impl IntoIterator<Item = &'a str>,
    ) -> Result<Values, ConfigError> {
        let values: Vec<Setting> =
            values.into_iter().map(|value| setting(key, value)).collect::<Result<_, _>>()?;
        if values.is_empty() {
            return Err(ConfigError::new(format!("{key}: an empty list: allowed is one value or more")));
        }
        Ok(Values::List(values))
    }

    pub(super) fn interval(
        key: &str,
        from: &str,
        to: &str,
        points: Option<&str>,
    ) -> Result<Values, ConfigError> {
        let end = |text: &str| {
            setting(key, text)?;
            if !matches!(kind(key), Some(ValueKind::Real { .. } | ValueKind::Count { .. })) {
                let why = "an interval, but it is no number: allowed is a list of values";
                return Err(ConfigError::new(format!("{key}: {why}")));
            }
            let number = text.parse().ok().or_else(|| whole_number(text).map(|whole| whole as f64));
            number.ok_or_else(|| {
                ConfigError::new(format!("{key} = {}: allowed is a decimal number", shown(text)))
            })
        };
        let points = points.map(|text| {
            let points = whole_number(text).filter(|points| (1..=MOST_RUNS as u64).contains(points));
            points.map(|points| points as usize).ok_or_else(|| {
                let allowed = format!("allowed is a whole number from 1 to {MOST_RUNS}");
                ConfigError::new(format!("{key}: points = {}: {allowed}", shown(text)))
            })
        });
        Ok(Values::Interval { from: end(from)?, to: end(to)?, points: points.transpose()? })
    }
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
