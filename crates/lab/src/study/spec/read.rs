//! Reading a study's file.

use std::ops::{Range, RangeInclusive};
use std::path::Path;

use toml::Spanned;
use toml::de::DeValue;

use super::{Spec, Stop, seeds};
use crate::study::axis::{Axis, MOST_RUNS, Values, setting};
use crate::study::column::{Column, Measure, unknown};
use crate::study::design::Design;
use config::presets;
use config::shown::shown;
use config::{ConfigError, Setting, Source, in_order, line_of, parse_toml, whole_number};

const KEYS: [&str; 12] = [
    "preset",
    "config",
    "steps",
    "seeds",
    "design",
    "samples",
    "design_seed",
    "set",
    "vary",
    "schedule",
    "measure",
    "stop",
];

/// Reads a text; `origin` names it in errors.
pub(super) fn parse(text: &str, origin: &str, folder: &Path) -> Result<Spec, ConfigError> {
    let reader = Reader { text, origin };
    let document = parse_toml(text, origin)?;
    let mut spec = Spec::default();
    for (name, value) in in_order(document.get_ref()) {
        if name.get_ref() == "config" && document.get_ref().contains_key("preset") {
            let why = ConfigError::new("config: allowed is one of preset and config");
            return Err(reader.placed(why, &name.span()));
        }
        let read = reader.entry(&mut spec, name.get_ref(), value, folder);
        read.map_err(|error| reader.placed(error, &name.span()))?;
    }
    Ok(spec)
}

/// A text that is read, for the places of errors.
struct Reader<'a> {
    text: &'a str,
    origin: &'a str,
}

/// An entry of a table: `table.key`, its place and its value.
type Entry<'a, 'b> = (String, Range<usize>, &'a Spanned<DeValue<'b>>);

impl<'t> Reader<'t> {
    fn place(&self, span: &Range<usize>) -> String {
        line_of(self.origin, self.text, span.start)
    }

    /// The error with its place in front, unless an inner entry has put a nearer one there.
    fn placed(&self, error: ConfigError, span: &Range<usize>) -> ConfigError {
        if error.to_string().starts_with(&format!("{}:", self.origin)) {
            error
        } else {
            error.at(&self.place(span))
        }
    }

    fn written(&self, value: &Spanned<DeValue<'_>>) -> &'t str {
        self.text.get(value.span()).unwrap_or_default()
    }

    fn entry(
        &self,
        spec: &mut Spec,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        folder: &Path,
    ) -> Result<(), ConfigError> {
        let most = u64::from(u32::MAX);
        match name {
            "preset" => spec.source = Some(Source::Preset(presets::find(self.word(name, value)?)?)),
            "config" => spec.source = Some(Source::File(folder.join(self.word(name, value)?))),
            "steps" => spec.steps = Some(self.whole(name, value, 0..=most)?),
            "seeds" => spec.seeds = Some(seeds(self.written(value))?),
            "samples" => spec.samples = Some(self.whole(name, value, 1..=MOST_RUNS as u64)? as usize),
            "design_seed" => spec.design_seed = Some(self.whole(name, value, 0..=most)? as u32),
            "design" => {
                let word = self.word(name, value)?;
                let known = Design::ALL.iter().find(|(_, known)| *known == word);
                let names = Design::ALL.map(|(_, name)| name);
                spec.design = Some(known.ok_or_else(|| unknown(word, "design", &names))?.0);
            }
            "set" => spec.set = self.settings(name, value)?,
            "vary" => self.vary(spec, value)?,
            "schedule" => spec.schedule = Some(self.schedule(value)?),
            "measure" => self.measure(spec, value)?,
            "stop" => {
                for (key, span, value) in self.entries(name, value)? {
                    spec.stop.push(self.stop(&key, value).map_err(|error| self.placed(error, &span))?);
                }
            }
            _ => return Err(unknown(name, "key", &KEYS)),
        }
        Ok(())
    }

    fn vary(&self, spec: &mut Spec, value: &Spanned<DeValue<'_>>) -> Result<(), ConfigError> {
        let Some(rows) = value.get_ref().as_array() else {
            for (key, span, value) in self.entries("vary", value)? {
                let values = self.values(&key, value).map_err(|error| self.placed(error, &span))?;
                spec.vary.push(Axis { key, place: self.place(&span), values });
            }
            return Ok(());
        };
        for row in rows.iter() {
            let setting = self.settings("vary", row)?;
            spec.list.push((self.place(&row.span()), setting));
        }
        Ok(())
    }

    fn schedule(&self, value: &Spanned<DeValue<'_>>) -> Result<(Vec<Axis>, u64), ConfigError> {
        let (mut axes, mut dwell) = (Vec::new(), None);
        for (key, span, value) in self.entries("schedule", value)? {
            let mut read = || {
                if key == "dwell" {
                    dwell = Some(self.whole("dwell", value, 1..=u64::from(u32::MAX))?);
                } else {
                    axes.push(Axis {
                        key: key.clone(),
                        place: self.place(&span),
                        values: self.values(&key, value)?,
                    });
                }
                Ok(())
            };
            read().map_err(|error| self.placed(error, &span))?;
        }
        let none =
            || ConfigError::new("schedule: it has no dwell: allowed is the number of steps on a stair");
        Ok((axes, dwell.ok_or_else(none)?))
    }

    fn values(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Values, ConfigError> {
        let allowed = || {
            let why = "allowed is a list of values, or { from, to, points }";
            Err(ConfigError::new(format!("{key} = {}: {why}", shown(self.written(value)))))
        };
        match value.get_ref() {
            DeValue::Array(list) => Values::list(key, list.iter().map(|item| self.written(item))),
            DeValue::Table(table) => {
                let part = |name: &str| table.get(name).map(|part| self.written(part));
                let (Some(from), Some(to), points) = (part("from"), part("to"), part("points")) else {
                    return allowed();
                };
                if table.len() != 2 + usize::from(points.is_some()) {
                    return allowed();
                }
                Values::interval(key, from, to, points)
            }
            _ => allowed(),
        }
    }

    fn measure(&self, spec: &mut Spec, value: &Spanned<DeValue<'_>>) -> Result<(), ConfigError> {
        let Some(table) = value.get_ref().as_table() else {
            return Err(ConfigError::new("measure: allowed is a table, [measure]"));
        };
        for (key, value) in in_order(table) {
            let name: &str = key.get_ref();
            let mut read = || {
                match name {
                    "after" => spec.after = Some(self.whole(name, value, 0..=u64::from(u32::MAX))?),
                    "every" => spec.every = Some(self.whole(name, value, 1..=u64::from(u32::MAX))?),
                    "series" => {
                        let series = value.get_ref().as_bool();
                        spec.series =
                            series.ok_or_else(|| ConfigError::new("series: allowed is true or false"))?;
                    }
                    "columns" => {
                        let names = value.get_ref().as_array().filter(|names| !names.is_empty());
                        let names = names.ok_or_else(|| {
                            ConfigError::new("columns: allowed is a list of the names of measures")
                        })?;
                        let names = names.iter().map(|name| Column::find(self.word("columns", name)?));
                        spec.columns = Some(names.collect::<Result<_, _>>()?);
                    }
                    _ => {
                        return Err(unknown(
                            name,
                            "key of [measure]",
                            &["after", "every", "columns", "series"],
                        ));
                    }
                }
                Ok(())
            };
            read().map_err(|error| self.placed(error, &key.span()))?;
        }
        Ok(())
    }

    fn stop(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Stop, ConfigError> {
        let column = Measure::find(key)?;
        let table = value.get_ref().as_table();
        let bound = |name: &str| table?.get(name).and_then(|bound| self.written(bound).parse::<f64>().ok());
        let (above, below) = (bound("above"), bound("below"));
        let given = usize::from(above.is_some()) + usize::from(below.is_some());
        if given == 0 || table.is_some_and(|table| table.len() != given) {
            let why = "allowed is { above = NUMBER }, { below = NUMBER } or both";
            return Err(ConfigError::new(format!("{key} = {}: {why}", shown(self.written(value)))));
        }
        Ok(Stop { column, above, below })
    }

    fn settings(&self, name: &str, value: &Spanned<DeValue<'_>>) -> Result<Vec<Setting>, ConfigError> {
        let entries = self.entries(name, value)?.into_iter();
        let read = |(key, span, value): Entry<'_, '_>| {
            setting(&key, self.written(value)).map_err(|error| self.placed(error, &span))
        };
        entries.map(read).collect()
    }

    /// The entries of a table; `a.b = 1` is one, with or without quotes.
    fn entries<'a, 'b>(
        &self,
        name: &str,
        value: &'a Spanned<DeValue<'b>>,
    ) -> Result<Vec<Entry<'a, 'b>>, ConfigError> {
        let Some(table) = value.get_ref().as_table() else {
            return Err(ConfigError::new(format!("{name}: allowed is a table, [{name}]")));
        };
        let mut all = Vec::new();
        for (key, value) in in_order(table) {
            let bare = name != "stop" && !key.get_ref().contains('.');
            match value.get_ref().as_table() {
                Some(inner) if bare => all.extend(in_order(inner).map(|(name, value)| {
                    (format!("{}.{}", key.get_ref(), name.get_ref()), name.span(), value)
                })),
                _ => all.push((key.get_ref().to_string(), key.span(), value)),
            }
        }
        Ok(all)
    }

    fn word<'a>(&self, name: &str, value: &'a Spanned<DeValue<'_>>) -> Result<&'a str, ConfigError> {
        let word = value.get_ref().as_str();
        let written = shown(self.written(value));
        word.ok_or_else(|| ConfigError::new(format!("{name} = {written}: allowed is a word in quotes")))
    }

    fn whole(
        &self,
        name: &str,
        value: &Spanned<DeValue<'_>>,
        range: RangeInclusive<u64>,
    ) -> Result<u64, ConfigError> {
        let written = self.written(value);
        whole_number(written).filter(|number| range.contains(number)).ok_or_else(|| {
            let allowed = format!("allowed is a whole number from {} to {}", range.start(), range.end());
            ConfigError::new(format!("{name} = {}: {allowed}", shown(written)))
        })
    }
}
