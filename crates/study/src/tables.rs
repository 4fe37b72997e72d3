//! The tables of a study: `runs`, `summary` and, where it is asked for, `series`.

use std::path::Path;

use flock::parameters;

use super::folder::TABLES;
use super::{Folder, Interval, Log, Shard, Study, cell, schedule};
use engine::Numeric;
use files::{Existing, Failure, Item, TableFile, failure};

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Whole,
    Real,
    Text,
}

/// A table of rows of text; dropped before it is finished it leaves no file.
struct Table {
    kinds: Vec<ColumnKind>,
    file: TableFile,
}

impl Table {
    fn create(path: &Path, names: &[String], existing: Existing) -> Result<Table, Failure> {
        let file = TableFile::create(path, names.iter().map(String::as_str), Numeric::F64, existing)?;
        Ok(Table { kinds: names.iter().map(|name| kind(name)).collect(), file })
    }

    /// Adds a row with one cell per column.
    fn row(&mut self, cells: &[String]) -> Result<(), Failure> {
        self.file.row(self.kinds.iter().zip(cells).map(|(kind, cell)| item(*kind, cell)))
    }
}

/// The kind of the column of this name: a parameter has its own type, and what is not counted or named is measured.
pub fn kind(name: &str) -> ColumnKind {
    use parameters::ValueKind as Of;
    match (parameters::find(name).map(|parameter| parameter.kind), name) {
        (Some(Of::Count { .. }), _)
        | (None, "run" | "setting" | "seed" | "seeds" | "stopped" | "missing" | "steps" | "step" | "stage") => {
            ColumnKind::Whole
        }
        (Some(Of::Real { .. }), _) => ColumnKind::Real,
        (Some(_), _) | (None, "hash" | "direction") => ColumnKind::Text,
        (None, name) if name.ends_with("_ci_method") => ColumnKind::Text,
        (None, name) if name.ends_with("_seeds") => ColumnKind::Whole,
        (None, _) => ColumnKind::Real,
    }
}

/// A cell of text as its column has it: no number where it is empty, a word without TOML's quotes. A text that is no
/// number stays a text.
fn item(kind: ColumnKind, cell: &str) -> Item<'_> {
    let plain = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"')).unwrap_or(cell);
    match kind {
        ColumnKind::Whole => cell.parse().map_or(Item::Text(plain), Item::Whole),
        ColumnKind::Real if cell.is_empty() => Item::Real(None),
        ColumnKind::Real => cell.parse().map_or(Item::Text(plain), |number| Item::Real(Some(number))),
        ColumnKind::Text => Item::Text(plain),
    }
}

/// Prints the runs of a shard as CSV.
///
/// # Errors
/// When stdout cannot be written.
pub fn list(study: &Study, shard: Shard) -> Result<(), Failure> {
    let names = [&["run".to_owned()], &study.keys[..], &["seed".to_owned()]].concat();
    let mut table = Table::create(Path::new("-"), &names, Existing::Keep)?;
    for run in (0..study.runs()).filter(|run| shard.has(*run)) {
        table.row(&[&[run.to_string()], study.values(run), &[study.seed(run).to_string()]].concat())?;
    }
    table.file.finish()
}

/// Writes the tables of the successful runs, in run order; the summary also has the settings whose runs are missing.
///
/// # Errors
/// When the log cannot be read, or a table not be written.
pub fn write(folder: &Folder, log: &mut Log) -> Result<(), Failure> {
    let study = &folder.identity.study;
    let mut varied = study.keys.clone();
    if let Some(schedule) = &study.schedule {
        varied.extend_from_slice(&schedule.keys);
        varied.extend(schedule::COLUMNS.map(str::to_owned));
    }
    let create = |file: &'static str, first: &str, then: [&str; 2], more: Vec<String>| {
        let names = [&[first.to_owned()], &varied[..], &then.map(str::to_owned), &more].concat();
        let existing = Existing::replaced_if(folder.found_tables.contains(&file));
        Table::create(&folder.path.join(file), &names, existing)
    };
    let cells = study.columns.iter().flat_map(|column| column.cells()).chain(["hash".to_owned()]);
    let mut means = Vec::new();
    for column in &study.columns {
        for kind in ["mean", "ci_low", "ci_high", "ci_method", "seeds"] {
            means.push(format!("{}_{kind}", column.name()));
        }
    }
    means.push("missing".to_owned());
    let samples: Vec<String> = study.sampled().map(|measure| measure.name().to_owned()).collect();
    let [runs_file, summary_file, series_file] = TABLES;
    let mut runs = create(runs_file, "run", ["seed", "steps"], cells.collect())?;
    let mut summary = create(summary_file, "setting", ["seeds", "stopped"], means)?;
    let series = study.series.then(|| create(series_file, "run", ["seed", "step"], samples));
    let mut series = series.transpose()?;
    let ended: Vec<(usize, bool)> = log.ended().map(|(run, error)| (run, error.is_none())).collect();
    let mut ended = ended.into_iter().peekable();
    for setting in 0..study.settings.len() {
        let (mut done, mut missing) = (Vec::new(), study.seeds.len());
        while let Some((run, is_done)) = ended.next_if(|(run, _)| run / study.seeds.len() == setting) {
            missing -= 1;
            done.extend(is_done.then_some(run));
        }
        // The manifest says why its runs failed.
        if done.is_empty() && missing == 0 {
            continue;
        }
        let mut means = vec![vec![Vec::new(); study.columns.len()]; study.stages()];
        let mut stopped = 0;
        for run in &done {
            let Some(outcome) = log.outcome(*run)? else { continue };
            let row = |stage: usize, cells: &[String]| {
                let [number, seed] = [run.to_string(), study.seed(*run).to_string()].map(|cell| [cell]);
                [&number[..], study.values(*run), &study.scheduled(stage), &seed, cells].concat()
            };
            let blocks = outcome.cells.chunks(outcome.cells.len() / study.stages());
            for (stage, (block, means)) in blocks.zip(&mut means).enumerate() {
                runs.row(&row(stage, block))?;
                let mut at = 1;
                for (means, column) in means.iter_mut().zip(&study.columns) {
                    means.extend(block.get(at).and_then(|cell| cell.parse::<f64>().ok()));
                    at += column.cells().len();
                }
            }
            // No run of a schedule stops early.
            stopped += usize::from(study.stages() == 1 && outcome.cells[0] != study.steps.to_string());
            if let Some(series) = &mut series {
                for sample in outcome.series.lines() {
                    let cells: Vec<String> = sample.split(',').map(str::to_owned).collect();
                    series.row(&row(study.stage(sample), &cells))?;
                }
            }
        }
        for (stage, means) in means.iter().enumerate() {
            let mut row = vec![setting.to_string()];
            row.extend_from_slice(&study.settings[setting]);
            row.extend(study.scheduled(stage));
            row.extend([done.len(), stopped].map(|count| count.to_string()));
            for (column, means) in study.columns.iter().zip(means) {
                let Interval { mean, low, high, method } = column.interval(means);
                row.extend([mean, low, high].map(cell));
                row.push(if low.is_nan() { "" } else { method.name() }.to_owned());
                row.push(means.len().to_string());
            }
            row.push(missing.to_string());
            summary.row(&row)?;
        }
    }
    let series = series.map(|series| series.file);
    failure::first([runs.file, summary.file].into_iter().chain(series).map(TableFile::finish))
}
