//! Schedules: parameters that change within a run, in stages. Each stage is measured separately, so that a value
//! reached from below can be told from the same value reached from above (hysteresis).

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Axis, Design, Spec};
use config::{ConfigError, Document, Setting, Source, shown, with_settings};
use flight::{Changes, InFlight, Replay};

/// The columns of a stage in the tables, after the values of its parameters.
pub(super) const COLUMNS: [&str; 2] = ["direction", "stage"];

/// The stages of every run of a study.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// The parameters.
    pub keys: Vec<String>,
    /// Their values, one row per stage.
    pub stages: Vec<Vec<String>>,
    /// Steps on a stage.
    pub dwell: u64,
}

impl Schedule {
    /// A schedule of axes with one value per stage; `origin` names the study in errors.
    ///
    /// # Errors
    /// For axes of unequal lengths, for parameters of the start, and where there is no parameter.
    pub fn new(axes: &[Axis], dwell: u64, origin: &str) -> Result<Schedule, ConfigError> {
        if axes.is_empty() {
            let why = "schedule requires dwell and the values of at least one parameter";
            return Err(ConfigError::new(why).at(origin));
        }
        let starts = |axis: &&Axis| ["flock.", "world."].iter().any(|of| axis.key.starts_with(of));
        if let Some(axis) = axes.iter().find(starts) {
            let why = "parameters of [flock] and [world] cannot change during a run";
            return Err(ConfigError::new(format!("{}: {why}", shown(&axis.key))).at(&axis.place));
        }
        let keys = axes.iter().map(|axis| axis.key.clone()).collect();
        Ok(Schedule { keys, stages: Design::Zip.settings(axes, 0, 0)?, dwell })
    }

    /// The schedule of a study's file, for another flock; and a note if the study has a different one.
    ///
    /// # Errors
    /// When the file is not valid, or has none, and for a parameter that is set and scheduled.
    pub fn read(
        path: &Path,
        source: &Source,
        set: &[Setting],
    ) -> Result<(Schedule, Option<String>), ConfigError> {
        let (spec, _) = Spec::load(path)?;
        let origin = path.display().to_string();
        let refused = |why: &str| ConfigError::new(why).at(&origin);
        let (axes, dwell) = spec.schedule.ok_or_else(|| refused("the study has no [schedule]"))?;
        let schedule = Schedule::new(&axes, dwell, &origin)?;
        if let Some(both) = schedule.keys.iter().find(|key| set.iter().any(|setting| setting.name() == **key))
        {
            return Err(refused(&format!("{both} cannot be both set and scheduled")));
        }
        let other = !spec.set.is_empty() || spec.source.is_some_and(|other| other != *source);
        let said =
            format!("{origin}: only its [schedule] is used; --preset, --config and --set choose the flock");
        Ok((schedule, other.then_some(said)))
    }

    /// The stages as changes to a flock, for a run from a step on. A run that continues from a file continues its stages,
    /// too; the last stage stays.
    ///
    /// # Errors
    /// When parameters contradict each other.
    pub fn replay(&self, flock: Document, first: u64) -> Result<Replay, ConfigError> {
        let mut stages = Vec::new();
        for stage in 0..self.stages.len() {
            let settings = self.settings(stage).map(|text| Setting::parse(&text));
            let settings = settings.collect::<Result<Vec<_>, _>>()?;
            stages.push(with_settings(flock, &settings)?.parameters);
        }
        // The stage of the step that led to the first state.
        let reached = (first.saturating_sub(1) / self.dwell).min(stages.len() as u64 - 1) as usize;
        let mut changes = Changes::default();
        for stage in reached + 1..stages.len() {
            let step = stage as u64 * self.dwell;
            let [before, new] = [stage - 1, stage].map(|stage| InFlight::new(stages[stage]));
            changes.set_parameters(step, &before, &new);
        }
        Ok(Replay::new(stages[reached], changes))
    }

    /// The steps of all stages.
    pub fn steps(&self) -> u64 {
        self.dwell * self.stages.len() as u64
    }

    /// The settings of a stage, as `table.key = value`.
    pub(super) fn settings(&self, stage: usize) -> impl Iterator<Item = String> {
        lines(&self.keys, &self.stages[stage])
    }

    /// The cells of a stage in the tables.
    pub(super) fn cells(&self, stage: usize) -> Vec<String> {
        let mut cells = self.stages[stage].clone();
        cells.extend([self.direction(stage).to_owned(), stage.to_string()]);
        cells
    }

    /// The direction of change of the first number that differs from the previous stage; for stage 0, to the next.
    fn direction(&self, stage: usize) -> &'static str {
        let before = stage.saturating_sub(1);
        let Some(after) = self.stages.get(before + 1) else { return "level" };
        let number = |text: &String| text.parse::<f64>().ok();
        let changes =
            self.stages[before].iter().zip(after).filter_map(|(a, b)| Some((number(a)?, number(b)?)));
        match changes.map(|(a, b)| b - a).find(|change| *change != 0.0) {
            Some(change) if change > 0.0 => "rising",
            Some(_) => "falling",
            None => "level",
        }
    }
}

/// Keys with their values, as `table.key = value`.
pub(super) fn lines(keys: &[String], values: &[String]) -> impl Iterator<Item = String> {
    keys.iter().zip(values).map(|(key, value)| format!("{key} = {value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(axes: &[&str]) -> Result<Schedule, ConfigError> {
        let axes: Vec<Axis> = axes.iter().map(|axis| Axis::parse(axis).expect("an axis")).collect();
        Schedule::new(&axes, 100, "test")
    }

    #[test]
    fn a_stage_has_its_values_its_place_and_a_direction() {
        let loops = schedule(&["alignment.radius=1,2,1", "cohesion.inner_radius=1,2,1"]).expect("a schedule");
        let cells: Vec<String> = (0..3).map(|stage| loops.cells(stage).join(" ")).collect();
        assert_eq!(cells, ["1.0 1.0 rising 0", "2.0 2.0 rising 1", "1.0 1.0 falling 2"]);
        let settings: Vec<String> = loops.settings(1).collect();
        assert_eq!(settings, ["alignment.radius = 2.0", "cohesion.inner_radius = 2.0"]);
        let words = schedule(&["world.edges=open,wrap"]).expect_err("of the start");
        assert!(words.to_string().contains("world.edges: parameters of [flock] and [world]"), "{words}");
        let level = schedule(&["noise.weight=0.5"]).expect("one stage");
        assert_eq!(level.cells(0), ["0.5", "level", "0"]);
    }
}
