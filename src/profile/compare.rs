//! Compares a profile with an earlier one, pass by pass.

use serde_json::Value;

use super::json::FORMAT;
use super::result::{Point, Profile};
use super::table::figures;
use crate::report::Table;
use crate::shown::shown;

/// A pass is judged if it takes at least this share of the old step. Shorter times are mostly noise.
pub const LEAST: f64 = 0.05;

/// An earlier profile, read from the file that `--json` wrote.
#[derive(Clone, Debug)]
pub struct Old {
    engine: String,
    flock: String,
    points: Vec<OldPoint>,
}

#[derive(Clone, Debug)]
struct OldPoint {
    boids: u64,
    condition: String,
    /// Nanoseconds per step.
    step: f64,
    passes: Vec<(String, f64)>,
}

/// Two profiles side by side.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Differences other than times: engine or flock.
    pub differ: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    boids: u32,
    condition: &'static str,
    /// The pass; none for whole steps.
    pass: Option<String>,
    /// Nanoseconds.
    old: f64,
    new: f64,
    judged: bool,
}

impl Old {
    /// Parses the text of [`Profile::json`].
    ///
    /// # Errors
    /// Names what is missing.
    pub fn read(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match value["format"].as_u64() {
            Some(FORMAT) => {}
            Some(other) => return Err(format!("format {other}: allowed is {FORMAT}")),
            None => {
                return Err("no format: allowed is a file written by `murmuration profile --json`".to_owned());
            }
        }
        let points = list(&value, "points")?.iter().map(OldPoint::read).collect::<Result<_, _>>()?;
        Ok(Old { engine: text_of(&value, "engine")?, flock: text_of(&value, "flock")?, points })
    }
}

impl OldPoint {
    fn read(value: &Value) -> Result<Self, String> {
        let pass = |pass: &Value| Ok((text_of(pass, "name")?, median(pass, "ns")?));
        Ok(OldPoint {
            boids: value["boids"].as_u64().ok_or("a point without boids")?,
            condition: text_of(value, "state")?,
            step: median(value, "step_ns")?,
            passes: list(value, "passes")?.iter().map(pass).collect::<Result<_, String>>()?,
        })
    }
}

fn list<'a>(value: &'a Value, key: &str) -> Result<&'a Vec<Value>, String> {
    value[key].as_array().ok_or_else(|| format!("no list \"{key}\""))
}

fn text_of(value: &Value, key: &str) -> Result<String, String> {
    value[key].as_str().map(str::to_owned).ok_or_else(|| format!("no text \"{key}\""))
}

fn median(value: &Value, key: &str) -> Result<f64, String> {
    let time = value[key]["median"].as_f64().filter(|time| *time > 0.0);
    time.ok_or_else(|| format!("no time \"{key}\""))
}

impl Comparison {
    /// Compares flocks of the same size in the same state.
    #[must_use]
    pub fn new(old: &Old, new: &Profile) -> Self {
        let mut rows = Vec::new();
        for point in &new.points {
            let same = |other: &&OldPoint| {
                other.boids == u64::from(point.boids) && other.condition == point.condition.name()
            };
            if let Some(before) = old.points.iter().find(same) {
                rows.extend(side_by_side(before, point));
            }
        }
        let pairs = [("engine", &old.engine, &new.subject.engine), ("flock", &old.flock, &new.subject.flock)];
        let differ = pairs.into_iter().filter(|(_, old, new)| old != new);
        let differ =
            differ.map(|(what, old, new)| format!("{what}: {} then, {new} now", shown(old))).collect();
        Comparison { differ, rows }
    }

    /// True if the two have no flock in common.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The largest of the ratios above the threshold.
    #[must_use]
    pub fn shortfall(&self, threshold: f64) -> Option<String> {
        let judged = self.rows.iter().filter(|row| row.judged && row.ratio() > threshold);
        let worst = judged.max_by(|a, b| a.ratio().total_cmp(&b.ratio()))?;
        let what = worst.pass.as_deref().map_or("whole steps".to_owned(), |pass| format!("the pass {pass}"));
        let Row { boids, condition, .. } = worst;
        Some(format!(
            "{boids} boids, {condition}: {what} took {:.3} times as long as before: allowed is {threshold}",
            worst.ratio()
        ))
    }

    /// The ratios as a table.
    #[must_use]
    pub fn text(&self) -> String {
        let mut table = Table::new(&["boids", "state", "pass", "ms then", "ms now", "now/then", "judged"]);
        for row in &self.rows {
            table.row([
                row.boids.to_string(),
                row.condition.to_owned(),
                row.pass.clone().unwrap_or_else(|| "(whole step)".to_owned()),
                figures(row.old / 1e6),
                figures(row.new / 1e6),
                format!("{:.3}", row.ratio()),
                if row.judged { "yes" } else { "no: short" }.to_owned(),
            ]);
        }
        table.to_string()
    }
}

impl Row {
    fn ratio(&self) -> f64 {
        self.new / self.old
    }
}

fn side_by_side(old: &OldPoint, new: &Point) -> Vec<Row> {
    let (boids, condition) = (new.boids, new.condition.name());
    let row = |pass, before, now, judged| Row { boids, condition, pass, old: before, new: now, judged };
    let mut rows = vec![row(None, old.step, new.step.median, true)];
    for pass in &new.passes {
        if let Some((name, before)) = old.passes.iter().find(|(name, _)| name == pass.name) {
            rows.push(row(Some(name.clone()), *before, pass.time.median, *before >= LEAST * old.step));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::testing::profile;

    /// The test profile with another pass of a hundredth of a step.
    fn sample() -> Profile {
        let mut profile = profile();
        for point in &mut profile.points {
            let mut short = point.passes[0].clone();
            short.name = "scatter";
            short.time.median = 0.01 * point.step.median;
            point.passes.push(short);
        }
        profile
    }

    /// The sample, with the times of a pass or of the steps multiplied.
    fn slower(pass: Option<&str>, by: f64) -> Profile {
        let mut profile = sample();
        for point in &mut profile.points {
            match pass {
                None => point.step.median *= by,
                Some(name) => {
                    let passes = point.passes.iter_mut().filter(|pass| pass.name == name);
                    passes.for_each(|pass| pass.time.median *= by);
                }
            }
        }
        profile
    }

    fn compared(new: &Profile) -> Comparison {
        let old = Old::read(&sample().json().to_string()).expect("as it was written");
        Comparison::new(&old, new)
    }

    #[test]
    fn a_profile_is_its_own_equal() {
        let same = compared(&sample());
        assert!(!same.is_empty() && same.differ.is_empty());
        assert!(same.rows.iter().all(|row| row.ratio() == 1.0), "{same:?}");
        assert_eq!(same.rows.len(), sample().points.iter().map(|p| 1 + p.passes.len()).sum::<usize>());
        assert_eq!(same.shortfall(1.0), None);
    }

    #[test]
    fn what_became_slow_is_named() {
        let found = compared(&slower(Some("step"), 1.2));
        let what = found.shortfall(1.1).expect("it is slower");
        assert!(what.contains("the pass step took 1.200 times"), "{what}");
        assert_eq!(found.shortfall(1.3), None);
        assert!(compared(&slower(None, 1.2)).shortfall(1.1).expect("slower").contains("whole steps"));
        assert_eq!(compared(&slower(None, 0.5)).shortfall(1.1), None);
        // Ten times as long, but too short to be judged.
        assert_eq!(compared(&slower(Some("scatter"), 10.0)).shortfall(1.1), None);
    }

    #[test]
    fn another_device_is_told_and_other_sizes_are_left_out() {
        let mut other = sample();
        other.subject.engine = "another".to_owned();
        other.points.iter_mut().for_each(|point| point.boids += 1);
        let found = compared(&other);
        assert!(found.is_empty());
        assert_eq!(found.differ.len(), 1);
    }

    #[test]
    fn what_is_no_profile_is_refused() {
        for (text, part) in [
            ("", "EOF"),
            ("{}", "no format"),
            ("{\"format\":9}", "format 9"),
            ("{\"format\":1}", "no list \"points\""),
            ("{\"format\":1,\"points\":[{\"boids\":1,\"state\":\"start\"}]}", "no time \"step_ns\""),
        ] {
            let why = Old::read(text).expect_err(text);
            assert!(why.contains(part), "{why}");
        }
    }
}
