//! The specification of a study, from a file and from options, which take precedence.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Axis, Column, Design, MAX_RUNS, Measure, setting};
use config::{ConfigError, Entry, Setting, Source, TomlFile, presets, read_text, shown, whole_number};

/// The specification of a study; missing values take their defaults in [`super::Study::new`].
#[derive(Clone, Debug, Default)]
pub struct Spec {
    pub source: Option<Source>,
    pub steps: Option<u64>,
    pub seeds: Option<Vec<u32>>,
    /// The same for all runs.
    pub set: Vec<Setting>,
    pub design: Design,
    pub samples: Option<usize>,
    pub design_seed: Option<u32>,
    pub vary: Vec<Axis>,
    /// The settings of the design `list`, each with its place.
    pub list: Vec<(String, Vec<Setting>)>,
    pub after: Option<u64>,
    pub every: Option<u64>,
    pub columns: Option<Vec<Column>>,
    pub series: bool,
    pub stop: Vec<Stop>,
    /// The parameters that change within a run, with one value per stage, and the steps per stage.
    pub schedule: Option<(Vec<Axis>, u64)>,
    /// The keys that options set, each with its value as errors name it.
    pub typed: Vec<(String, String)>,
}

/// A bound of a measure at which a run ends.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Stop {
    pub column: Column,
    pub above: Option<f64>,
    pub below: Option<f64>,
}

/// The seeds of `N` (from 1 to N), or of a list of them.
///
/// # Errors
/// Says what is allowed.
pub fn seeds(text: &str) -> Result<Vec<u32>, ConfigError> {
    let refused = |required: &str| ConfigError::must_be("seeds", required, &shown(text));
    let inner = text.trim_ascii().strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let listed = inner.or(text.contains(',').then_some(text));
    let seeds: Vec<u32> = match listed {
        None => {
            let count = whole_number(text).filter(|count| (1..=MAX_RUNS as u64).contains(count));
            let why = format!("1 to {MAX_RUNS}, or a list of seeds");
            (1..=count.ok_or_else(|| refused(&why))? as u32).collect()
        }
        Some(list) => {
            let items = list.split(',').map(str::trim_ascii);
            let seed = |item: &str| whole_number(item).and_then(|seed| u32::try_from(seed).ok());
            let seeds: Option<Vec<u32>> = items.map(seed).collect();
            let why = "a list of whole numbers, 0 to 4294967295";
            seeds.filter(|seeds| !seeds.is_empty()).ok_or_else(|| refused(why))?
        }
    };
    let mut sorted = seeds.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(ConfigError::new(format!("duplicate seed {}", pair[0]))),
        None => Ok(seeds),
    }
}

impl Spec {
    /// Reads a file. A `config` in it is found from the file's own folder.
    ///
    /// # Errors
    /// One line that begins with `FILE:line` and names the key, the value and what is allowed.
    pub fn load(path: &Path) -> Result<(Spec, String), ConfigError> {
        let text = read_text(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Ok((parse(&text, &path.display().to_string(), folder)?, text))
    }

    /// Merges two specifications; the values of `self` take precedence, axis by axis.
    pub fn over(self, mut below: Spec) -> Spec {
        let number = |key: &str, value: u64| (key.to_owned(), format!("--{key} {value}"));
        let set = self
            .set
            .iter()
            .map(|setting| (setting.name().to_owned(), format!("{} = {}", setting.name(), setting.text())));
        let steps = self.steps.map(|steps| number("steps", steps));
        let typed =
            steps.into_iter().chain(self.after.map(|after| number("after", after))).chain(set).collect();
        let mut own = self.vary;
        for axis in &mut below.vary {
            if let Some(at) = own.iter().position(|own| own.key == axis.key) {
                *axis = own.remove(at);
            }
        }
        below.vary.extend(own);
        below.set.extend(self.set);
        Spec {
            source: self.source.or(below.source),
            steps: self.steps.or(below.steps),
            seeds: self.seeds.or(below.seeds),
            after: self.after.or(below.after),
            every: self.every.or(below.every),
            columns: self.columns.or(below.columns),
            series: self.series || below.series,
            typed,
            ..below
        }
    }

    /// The error of a key, as its option names it, else as the file `origin` does.
    pub(super) fn refused(&self, key: &str, origin: &str, why: &str) -> ConfigError {
        match self.typed.iter().find(|(name, _)| name == key) {
            Some((_, option)) => ConfigError::new(format!("{option} {why}")),
            None => ConfigError::new(format!("{key} {why}")).at(origin),
        }
    }
}

/// The most steps: they are counted in 32 bits where random numbers are drawn.
const MAX: u64 = u32::MAX as u64;

/// Reads a text; `origin` names it in errors.
fn parse(text: &str, origin: &str, folder: &Path) -> Result<Spec, ConfigError> {
    let file = TomlFile::parse(text, origin)?;
    let entries = file.entries();
    let mut spec = Spec::default();
    for entry in &entries {
        match &*entry.name {
            "config" if entries.iter().any(|other| other.name == "preset") => {
                return Err(entry.error("config cannot be used with preset"));
            }
            "preset" => spec.source = Some(Source::Preset(entry.locate(presets::find(entry.word()?))?)),
            "config" => spec.source = Some(Source::File(folder.join(entry.word()?))),
            "steps" => spec.steps = Some(entry.whole(0..=MAX)?),
            "seeds" => {
                let list =
                    entry.array().map(|all| all.iter().map(Entry::written).collect::<Vec<_>>().join(", "));
                let written = list.map_or_else(|| entry.written().to_owned(), |list| format!("[{list}]"));
                spec.seeds = Some(entry.locate(seeds(&written))?);
            }
            "samples" => spec.samples = Some(entry.whole(1..=MAX_RUNS as u64)? as usize),
            "design_seed" => spec.design_seed = Some(entry.whole(0..=MAX)? as u32),
            "design" => spec.design = entry.locate(Design::find(entry.word()?))?,
            "set" => spec.set = settings(entry)?,
            "vary" => match entry.array() {
                Some(rows) => {
                    let rows = rows.iter().map(|row| Ok((row.place(), settings(row)?)));
                    spec.list = rows.collect::<Result<_, ConfigError>>()?;
                }
                None => spec.vary = dotted(entry)?.iter().map(axis).collect::<Result<_, _>>()?,
            },
            "schedule" => spec.schedule = Some(schedule(entry)?),
            "measure" => measure(entry, &mut spec)?,
            "stop" => spec.stop = table(entry)?.iter().map(stop).collect::<Result<_, _>>()?,
            name => {
                let keys =
                    "preset config steps seeds design samples design_seed set vary schedule measure stop";
                let keys: Vec<&str> = keys.split(' ').collect();
                return entry.locate(Err(ConfigError::unknown("", name, "key", &keys)));
            }
        }
    }
    Ok(spec)
}

fn measure(entry: &Entry<'_>, spec: &mut Spec) -> Result<(), ConfigError> {
    for field in table(entry)? {
        match &*field.name {
            "after" => spec.after = Some(field.whole(0..=MAX)?),
            "every" => spec.every = Some(field.whole(1..=MAX)?),
            "series" => {
                let series = field.value().as_bool();
                spec.series = series.ok_or_else(|| field.error("series must be true or false"))?;
            }
            "columns" => {
                let names = field.array().filter(|names| !names.is_empty());
                let none = || field.error("columns must be a list of names of measures");
                let columns = names.ok_or_else(none)?;
                let columns = columns.iter().map(|name| name.locate(Column::find(name.word()?)));
                spec.columns = Some(columns.collect::<Result<_, _>>()?);
            }
            name => {
                let keys = ["after", "every", "columns", "series"];
                let unknown = ConfigError::unknown("", name, "key of [measure]", &keys);
                return field.locate(Err(unknown));
            }
        }
    }
    Ok(())
}

/// The parameters of a schedule, and the steps on a stage.
fn schedule(entry: &Entry<'_>) -> Result<(Vec<Axis>, u64), ConfigError> {
    let (dwell, axes): (Vec<_>, Vec<_>) = dotted(entry)?.into_iter().partition(|field| field.name == "dwell");
    let axes = axes.iter().map(axis).collect::<Result<_, _>>()?;
    let none = || entry.error("schedule requires dwell, the number of steps per stage");
    Ok((axes, dwell.first().ok_or_else(none)?.whole(1..=MAX)?))
}

fn axis(entry: &Entry<'_>) -> Result<Axis, ConfigError> {
    let refused = || entry.refused("a list of values, or { from, to, points }");
    let axis = if let Some(list) = entry.array() {
        Axis::list(&entry.name, list.iter().map(Entry::written))
    } else {
        let fields = entry.table().ok_or_else(refused)?;
        let part = |name: &str| fields.iter().find(|field| field.name == name).map(plain);
        let (Some(from), Some(to), points) = (part("from"), part("to"), part("points")) else {
            return Err(refused());
        };
        if fields.len() != 2 + usize::from(points.is_some()) {
            return Err(refused());
        }
        Axis::interval(&entry.name, [&from, &to], points.as_deref())
    };
    entry.locate(axis).map(|axis| axis.written_at(&entry.place()))
}

fn stop(entry: &Entry<'_>) -> Result<Stop, ConfigError> {
    let column = Column::Measure(entry.locate(Measure::find(&entry.name))?);
    let fields = entry.table().unwrap_or_default();
    let bound = |name: &str| {
        let field = fields.iter().find(|field| field.name == name);
        field.and_then(|field| plain(field).parse::<f64>().ok()).filter(|bound| bound.is_finite())
    };
    let (above, below) = (bound("above"), bound("below"));
    let given = [above, below].into_iter().flatten().count();
    if given == 0 || fields.len() != given {
        return Err(entry.refused("{ above = NUMBER }, { below = NUMBER } or both"));
    }
    Ok(Stop { column, above, below })
}

fn settings(entry: &Entry<'_>) -> Result<Vec<Setting>, ConfigError> {
    let read = |field: &Entry<'_>| field.locate(setting(&field.name, field.written()));
    let fields = dotted(entry)?;
    let twice =
        fields.iter().enumerate().find(|(k, field)| fields[..*k].iter().any(|one| one.name == field.name));
    match twice {
        Some((_, field)) => Err(field.error(format!("duplicate key {}", field.name))),
        None => fields.iter().map(read).collect(),
    }
}

/// A number without the underscores that TOML allows.
fn plain(field: &Entry<'_>) -> String {
    field.written().replace('_', "")
}

fn table<'a>(entry: &Entry<'a>) -> Result<Vec<Entry<'a>>, ConfigError> {
    entry.table().ok_or_else(|| entry.error(format!("{0} must be a table, [{0}]", entry.name)))
}

/// The entries of a table; `a.b = 1` is one, with or without quotes.
fn dotted<'a>(entry: &Entry<'a>) -> Result<Vec<Entry<'a>>, ConfigError> {
    let mut all = Vec::new();
    for field in table(entry)? {
        match field.table().filter(|_| !field.name.contains('.')) {
            Some(inner) => all.extend(inner.into_iter().map(|key| key.below(&field.name))),
            None => all.push(field),
        }
    }
    Ok(all)
}
