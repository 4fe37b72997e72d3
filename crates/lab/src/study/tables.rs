//! The tables of a study: `runs`, `summary` and, where it is asked for, `series`.

use super::confidence::Interval;
use super::folder::Folder;
use super::log::Log;
use super::plan::Study;
use super::schedule;
use super::table::{Format, Table};
use super::work::cell;
use report::failure::Failure;

/// Writes the tables of the runs that have ended well, in run order.
///
/// # Errors
/// When the log cannot be read, or a table not be written.
pub fn write(folder: &Folder, log: &mut Log, format: Format) -> Result<(), Failure> {
    let study = &folder.identity.study;
    let create = |name, columns: Vec<String>| Table::create(&folder.path, name, format, &columns);
    let mut runs = create("runs", run_columns(study))?;
    let mut summary = create("summary", summary_columns(study))?;
    let mut series = study.series.then(|| create("series", series_columns(study))).transpose()?;
    let done: Vec<usize> = log.ended().filter(|(_, error)| error.is_none()).map(|(run, _)| run).collect();
    for runs_of_setting in done.chunk_by(|a, b| a / study.seeds.len() == b / study.seeds.len()) {
        let mut means = vec![vec![Vec::new(); study.columns.len()]; study.stairs()];
        let mut stopped = 0;
        for run in runs_of_setting {
            let Some(outcome) = log.outcome(*run)? else { continue };
            let row = |stair: usize, cells: &[String]| {
                let [number, seed] = [run.to_string(), study.seed(*run).to_string()].map(|cell| [cell]);
                [&number[..], study.values(*run), &study.scheduled(stair), &seed, cells].concat()
            };
            let blocks = outcome.cells.chunks(outcome.cells.len() / study.stairs());
            for (stair, (block, means)) in blocks.zip(&mut means).enumerate() {
                runs.row(&row(stair, block))?;
                let mut at = 1;
                for (means, column) in means.iter_mut().zip(&study.columns) {
                    means.extend(block.get(at).and_then(|cell| cell.parse::<f64>().ok()));
                    at += column.cells().len();
                }
            }
            // No run of a schedule stops early.
            stopped += usize::from(study.stairs() == 1 && outcome.cells[0] != study.steps.to_string());
            if let Some(series) = &mut series {
                for sample in outcome.series.lines() {
                    let cells: Vec<String> = sample.split(',').map(str::to_owned).collect();
                    series.row(&row(study.stair(sample), &cells))?;
                }
            }
        }
        for (stair, means) in means.iter().enumerate() {
            summary.row(&summary_row(study, stair, (runs_of_setting, stopped), means))?;
        }
    }
    runs.finish()?;
    summary.finish()?;
    Ok(series.map_or(Ok(()), Table::finish)?)
}

fn summary_row(
    study: &Study,
    stair: usize,
    (runs, stopped): (&[usize], usize),
    means: &[Vec<f64>],
) -> Vec<String> {
    let setting = runs[0] / study.seeds.len();
    let mut row = vec![setting.to_string()];
    row.extend_from_slice(&study.settings[setting]);
    row.extend(study.scheduled(stair));
    row.extend([runs.len(), stopped].map(|count| count.to_string()));
    for (column, means) in study.columns.iter().zip(means) {
        let Interval { mean, low, high, method } = column.interval(means);
        row.extend([mean, low, high].map(cell));
        row.push(if low.is_nan() { "" } else { method.name() }.to_owned());
    }
    row
}

/// The first columns of a table, its varied parameters and those of its stairs, then others.
fn columns(study: &Study, first: &str, then: &[&str]) -> Vec<String> {
    let mut columns = vec![first.to_owned()];
    columns.extend_from_slice(&study.keys);
    if let Some(schedule) = &study.schedule {
        columns.extend_from_slice(&schedule.keys);
        columns.extend(schedule::COLUMNS.map(str::to_owned));
    }
    columns.extend(then.iter().map(ToString::to_string));
    columns
}

fn run_columns(study: &Study) -> Vec<String> {
    let mut columns = columns(study, "run", &["seed", "steps"]);
    columns.extend(study.columns.iter().flat_map(|column| column.cells()));
    columns.push("hash".to_owned());
    columns
}

fn summary_columns(study: &Study) -> Vec<String> {
    let of = |name: String| ["mean", "ci_low", "ci_high", "ci_method"].map(|kind| format!("{name}_{kind}"));
    let mut columns = columns(study, "setting", &["seeds", "stopped"]);
    columns.extend(study.columns.iter().flat_map(|column| of(column.name())));
    columns
}

fn series_columns(study: &Study) -> Vec<String> {
    let mut columns = columns(study, "run", &["seed", "step"]);
    columns.extend(study.sampled().map(|measure| measure.name().to_owned()));
    columns
}
