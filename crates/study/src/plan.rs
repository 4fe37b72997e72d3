//! A study as explicit lists of settings and seeds, whatever the design.

use std::collections::{BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use super::{Column, Design, MAX_RUNS, Measure, Schedule, Settings, Spec, Stop, lines};
use config::{ConfigError, Document, Setting, Source, presets, with_settings};

/// All runs of a study. Two studies that are equal have the same results, on the same engine.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Study {
    /// The preset, where it starts from one.
    pub preset: Option<String>,
    pub steps: u64,
    pub seeds: Vec<u32>,
    pub design: Design,
    /// The settings of all runs, as `table.key = value`.
    pub set: Vec<String>,
    /// The varied parameters.
    pub keys: Vec<String>,
    /// Their values, a row a setting.
    pub settings: Vec<Vec<String>>,
    /// The first step that is sampled, and the steps between two samples.
    pub after: u64,
    pub every: u64,
    pub columns: Vec<Column>,
    pub series: bool,
    pub stop: Vec<Stop>,
    /// The stages of every run; a run without them is one stage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// The parameters that the settings change.
    pub parameters: serde_json::Value,
    /// The flock's terms as TOML, with the ranges and units that its parameters do not say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub terms: String,
}

/// Refuses a parameter that changes in two ways, each with its name. What sets one twice was refused as it was read.
fn once<'a>(changes: &[(&str, &'a str)]) -> Result<(), (&'a str, String)> {
    for (k, (how, key)) in changes.iter().enumerate() {
        if let Some((before, _)) = changes[..k].iter().find(|(_, name)| name == key && *how != "set") {
            let twice = if before == how { format!("{how} twice") } else { format!("{before} and {how}") };
            return Err((key, format!("cannot be {twice}")));
        }
    }
    Ok(())
}

impl Study {
    /// Writes a study out; also returns the flock that its settings change. `origin` names the spec in errors.
    ///
    /// # Errors
    /// For a design without what it needs, for more than [`MAX_RUNS`] runs, and for a file of parameters that is not
    /// valid.
    pub fn new(spec: Spec, origin: &str) -> Result<(Study, Document), ConfigError> {
        let source = match spec.source.clone() {
            Some(source) => source,
            None => Source::Preset(presets::find(presets::DEFAULT)?),
        };
        let document = source.document()?;
        let refused = |why: String| ConfigError::new(why).at(origin);
        let (keys, settings) = settings(&spec, origin)?;
        let schedule =
            spec.schedule.as_ref().map(|(axes, dwell)| Schedule::new(axes, *dwell, origin)).transpose()?;
        let set = spec.set.iter().map(|setting| ("set", setting.name()));
        let varied = keys.iter().map(|key| ("varied", key.as_str()));
        let scheduled = schedule.iter().flat_map(|schedule| &schedule.keys);
        let scheduled = scheduled.map(|key| ("scheduled", key.as_str()));
        once(&set.chain(varied).chain(scheduled).collect::<Vec<_>>())
            .map_err(|(key, why)| spec.refused(key, origin, &why))?;
        let own = spec.set.iter().filter(|setting| setting.name().starts_with("terms")).cloned();
        let own = with_settings(document, &own.collect::<Vec<_>>())?;
        let stages =
            schedule.iter().flat_map(|schedule| schedule.stages.iter().map(|stage| (&schedule.keys, stage)));
        let rows = settings.iter().map(|values| (&keys, values)).chain(stages);
        let pairs = rows.flat_map(|(keys, values)| keys.iter().zip(values));
        // The terms are known only here; other parameters were checked when they were read.
        for (key, value) in pairs.filter(|(key, _)| key.starts_with("terms.")).collect::<BTreeSet<_>>() {
            with_settings(own, &[Setting::parse(&format!("{key}={value}"))?])
                .map_err(|why| why.at(origin))?;
        }
        let mut known = HashSet::new();
        if let Some(twice) = settings.iter().find(|setting| !known.insert(*setting)) {
            let named: Vec<String> = lines(&keys, twice).collect();
            let sampled = matches!(spec.design, Design::Latin | Design::Random);
            let few = if sampled {
                ": sampling such short lists repeats settings; use design = \"factorial\""
            } else {
                ""
            };
            let why = format!("duplicate setting {}{few}", named.join(", "));
            return Err(refused(why));
        }
        let columns = spec.columns.clone().unwrap_or_else(Column::all);
        if let Some((_, twice)) =
            columns.iter().enumerate().find(|(k, column)| columns[..*k].contains(column))
        {
            return Err(refused(format!("duplicate column {}", twice.name())));
        }
        let (steps, after) = times(&spec, schedule.as_ref(), origin)?;
        let seeds = spec.seeds.unwrap_or_else(|| vec![document.parameters.flock.seed]);
        if settings.len().saturating_mul(seeds.len()) > MAX_RUNS {
            let what = format!("{} settings with {} seeds", settings.len(), seeds.len());
            return Err(refused(format!("{what} are too many: a study has at most {MAX_RUNS} runs")));
        }
        let study = Study {
            preset: match source {
                Source::Preset(preset) => Some(preset.name.to_owned()),
                Source::File(_) => None,
            },
            steps,
            seeds,
            design: spec.design,
            set: spec.set.iter().map(Setting::lines).collect::<Result<Vec<_>, _>>()?.concat(),
            keys,
            settings,
            after,
            every: spec.every.unwrap_or(10),
            columns,
            series: spec.series,
            stop: spec.stop,
            schedule,
            parameters: config::to_json(&document.parameters),
            terms: config::saved_terms(&document.parameters.terms),
        };
        Ok((study, document))
    }

    /// Describes how the number of boids changes the world, for the first setting in which it does.
    pub fn world(&self, flock: Document) -> Option<String> {
        let mut set = self.set.iter().chain(&self.keys);
        if flock.world.line().is_none() && !set.any(|text| text.starts_with("flock.boids")) {
            return None;
        }
        // A setting that contradicts itself is a run that fails.
        (0..self.settings.len()).find_map(|setting| {
            let settings = self.run_settings(setting * self.seeds.len(), 0).ok()?;
            with_settings(flock, &settings).ok()?.world.line()
        })
    }

    /// The measures that every sample has, of those that are columns.
    pub(super) fn sampled(&self) -> impl Iterator<Item = Measure> {
        self.columns.iter().filter_map(|column| match column {
            Column::Measure(measure) => Some(*measure),
            Column::Susceptibility | Column::Binder | Column::Fraction { .. } => None,
        })
    }

    /// Number of stages per run.
    pub fn stages(&self) -> usize {
        self.schedule.as_ref().map_or(1, |schedule| schedule.stages.len())
    }

    /// The steps on a stage.
    pub fn dwell(&self) -> u64 {
        self.schedule.as_ref().map_or(self.steps, |schedule| schedule.dwell)
    }

    /// The stage of a sample, whose first cell is its step: stages begin after the step in which the one before ends.
    pub(super) fn stage(&self, sample: &str) -> usize {
        let step = sample.split(',').next().and_then(|step| step.parse::<u64>().ok()).unwrap_or(1);
        (step.saturating_sub(1) / self.dwell().max(1)) as usize
    }

    /// The cells of a stage in the tables; none without a schedule.
    pub(super) fn scheduled(&self, stage: usize) -> Vec<String> {
        self.schedule.as_ref().map_or_else(Vec::new, |schedule| schedule.cells(stage))
    }

    /// Number of runs.
    pub fn runs(&self) -> usize {
        self.settings.len() * self.seeds.len()
    }

    /// The values of the varied parameters in a run.
    pub fn values(&self, run: usize) -> &[String] {
        &self.settings[run / self.seeds.len()]
    }

    /// The seed of a run.
    pub fn seed(&self, run: usize) -> u32 {
        self.seeds[run % self.seeds.len()]
    }

    /// The settings of a run on a stage, in order: common, varied, seed, scheduled.
    ///
    /// # Errors
    /// When a manifest was changed by hand.
    pub fn run_settings(&self, run: usize, stage: usize) -> Result<Vec<Setting>, ConfigError> {
        let varied = lines(&self.keys, self.values(run));
        let seed = format!("flock.seed = {}", self.seed(run));
        let scheduled = self.schedule.iter().flat_map(|schedule| schedule.settings(stage));
        let all = self.set.iter().cloned().chain(varied).chain([seed]).chain(scheduled);
        all.map(|text| Setting::parse(&text)).collect()
    }

    /// A run for people: its number, what is varied and its seed.
    pub fn describe(&self, run: usize) -> String {
        let varied = lines(&self.keys, self.values(run)).map(|line| line + ", ");
        format!("run {run} ({}seed {})", varied.collect::<String>(), self.seed(run))
    }
}

/// The steps of a run, and the first that is sampled in each stage.
fn times(spec: &Spec, schedule: Option<&Schedule>, origin: &str) -> Result<(u64, u64), ConfigError> {
    let outside =
        |after: u64, range: String| spec.refused("after", origin, &format!("must be {range}, not {after}"));
    let Some(schedule) = schedule else {
        let (steps, after) = (spec.steps.unwrap_or(1000), spec.after.unwrap_or(0));
        let why = || outside(after, format!("0 to steps = {steps}"));
        return (after <= steps).then_some((steps, after)).ok_or_else(why);
    };
    if spec.steps.is_some() || !spec.stop.is_empty() {
        let key = if spec.steps.is_some() { "steps" } else { "stop" };
        let why = "cannot be used with [schedule], where dwell sets the number of steps";
        return Err(spec.refused(key, origin, why));
    }
    let dwell = schedule.dwell;
    let after = spec.after.unwrap_or(dwell.div_ceil(2));
    let why = || outside(after, format!("1 to dwell = {dwell}"));
    (1..=dwell).contains(&after).then(|| (schedule.steps(), after)).ok_or_else(why)
}

/// The keys and the settings of a spec.
fn settings(spec: &Spec, origin: &str) -> Result<(Vec<String>, Settings), ConfigError> {
    let refused = |why: &str| Err(ConfigError::new(why).at(origin));
    if spec.design == Design::List || !spec.list.is_empty() {
        if spec.design != Design::List || spec.list.is_empty() || !spec.vary.is_empty() {
            return refused("design = \"list\" requires [[vary]], one table per setting, and nothing else");
        }
        return listed(spec);
    }
    if spec.samples.is_some() != spec.design.sampled() {
        return refused("samples is required with design latin or random, and cannot be used with others");
    }
    let (samples, seed) = (spec.samples.unwrap_or(0), spec.design_seed.unwrap_or(1));
    let keys = spec.vary.iter().map(|axis| axis.key.clone()).collect();
    Ok((keys, spec.design.settings(&spec.vary, samples, seed)?))
}

/// The settings of a list, each with the keys of the first.
fn listed(spec: &Spec) -> Result<(Vec<String>, Settings), ConfigError> {
    let keys: Vec<&str> = spec.list[0].1.iter().map(Setting::name).collect();
    let row = |(place, row): &(String, Vec<Setting>)| {
        let named = |key: &&str| row.iter().find(|setting| setting.name() == *key).map(Setting::text);
        let found: Vec<String> = keys.iter().filter_map(named).collect();
        if found.len() != keys.len() || row.len() != keys.len() {
            let why = format!("vary: every setting of a list must have {}", keys.join(", "));
            return Err(ConfigError::new(why).at(place));
        }
        Ok(found)
    };
    let rows = spec.list.iter().map(row).collect::<Result<_, _>>()?;
    Ok((keys.iter().map(ToString::to_string).collect(), rows))
}
