//! What a study asks for: from a file, and from options, which win.

mod read;

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::axis::{Axis, MOST_RUNS};
use super::column::Column;
use super::design::Design;
use config::shown::shown;
use config::{ConfigError, Setting, Source, read_text, whole_number};

/// What a study asks for; what is not said takes its default in [`super::Study::new`].
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
    /// The parameters that change within a run, with a value a stair, and the steps on a stair.
    pub schedule: Option<(Vec<Axis>, u64)>,
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
    let refused = |why: &str| ConfigError::new(format!("seeds = {}: {why}", shown(text)));
    let inner = text.trim().strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let listed = inner.or(text.contains(',').then_some(text));
    let seeds: Vec<u32> = match listed {
        None => {
            let count = whole_number(text).filter(|count| (1..=MOST_RUNS as u64).contains(count));
            let why = format!("allowed is a whole number from 1 to {MOST_RUNS}, or a list of seeds");
            (1..=count.ok_or_else(|| refused(&why))? as u32).collect()
        }
        Some(list) => {
            let items = list.split(',').map(str::trim).filter(|item| !item.is_empty());
            let seed = |item: &str| whole_number(item).and_then(|seed| u32::try_from(seed).ok());
            let seeds: Option<Vec<u32>> = items.map(seed).collect();
            let why = "allowed is a list of whole numbers from 0 to 4294967295";
            seeds.filter(|seeds| !seeds.is_empty()).ok_or_else(|| refused(why))?
        }
    };
    let mut sorted = seeds.clone();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(refused(&format!("{} stands twice", pair[0]))),
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
        Ok((read::parse(&text, &path.display().to_string(), folder)?, text))
    }

    /// This over another: what it says wins, axis by axis.
    pub fn over(self, mut below: Spec) -> Spec {
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
            ..below
        }
    }
}
