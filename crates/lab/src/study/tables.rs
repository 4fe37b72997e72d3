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
    let (path, study) = (&folder.path, &folder.identity.study);
    let mut runs = Table::create(path, "runs", format, &run_columns(study))?;
    let mut summary = Table::create(path, "summary", format, &summary_columns(study))?;
    let series = study.series.then(|| Table::create(path, "series", format, &series_columns(study)));
    let mut series = series.transpose()?;
    let done: Vec<usize> = log.ended().filter(|(_, error)| error.is_none()).map(|(run, _)| run).collect();
    for runs_of_setting in done.chunk_by(|a, b| a / study.seeds.len() == b / study.seeds.len()) {
        let mut means = vec![vec![Vec::new(); study.columns.len()]; study.stairs()];
        let mut stopped = 0;
        for run in runs_of_setting {
            let Some(outcome) = log.outcome(*run)? else { continue };
            let (number, seed) = (run.to_string(), study.seed(*run).to_string());
            let row = |stair: usize, cells: &mut dyn Iterator<Item = &str>| -> Vec<String> {
                let varied = [number.clone()].into_iter().chain(study.values(*run).iter().cloned());
                let first = varied.chain(study.scheduled(stair)).chain([seed.clone()]);
                first.chain(cells.map(str::to_owned)).collect()
            };
            let blocks = outcome.cells.chunks(outcome.cells.len() / study.stairs());
            for (stair, (block, means)) in blocks.zip(&mut means).enumerate() {
                runs.row(row(stair, &mut block.iter().map(String::as_str)).iter().map(String::as_str))?;
                let mut at = 1;
                for (means, column) in means.iter_mut().zip(&study.columns) {
                    means.extend(block.get(at).and_then(|cell| cell.parse::<f64>().ok()));
                    at += column.cells().len();
                }
            }
            // No run of a schedule stops early.
            stopped += usize::from(study.stairs() == 1 && outcome.cells[0] != study.steps.to_string());
            for sample in outcome.series.lines() {
                if let Some(series) = &mut series {
                    series
                        .row(row(study.stair(sample), &mut sample.split(',')).iter().map(String::as_str))?;
                }
            }
        }
        for (stair, means) in means.iter().enumerate() {
            summary_row(&mut summary, study, stair, (runs_of_setting, stopped), means)?;
        }
    }
    runs.finish()?;
    summary.finish()?;
    series.map_or(Ok(()), Table::finish)?;
    Ok(())
}

fn summary_row(
    table: &mut Table,
    study: &Study,
    stair: usize,
    (runs, stopped): (&[usize], usize),
    means: &[Vec<f64>],
) -> Result<(), Failure> {
    let Some(first) = runs.first() else { return Ok(()) };
    let setting = (first / study.seeds.len()).to_string();
    let [count, stopped] = [runs.len(), stopped].map(|count| count.to_string());
    let intervals = study.columns.iter().zip(means).flat_map(|(column, means)| {
        let Interval { mean, low, high, method } = column.interval(means);
        let method = if low.is_nan() { "" } else { method.name() };
        [cell(mean), cell(low), cell(high), method.to_owned()]
    });
    let intervals: Vec<String> = intervals.collect();
    let scheduled = study.scheduled(stair);
    let varied = study.values(*first).iter().chain(&scheduled).map(String::as_str);
    let cells = [&*setting].into_iter().chain(varied).chain([&*count, &*stopped]);
    table.row(cells.chain(intervals.iter().map(String::as_str)))
}

/// The first columns of a table, its varied parameters and those of its stairs, then others.
fn columns(study: &Study, first: &str, then: &[&str]) -> Vec<String> {
    let names = [first].into_iter().chain(study.keys.iter().map(String::as_str));
    let stairs = study
        .schedule
        .iter()
        .flat_map(|schedule| schedule.keys.iter().map(String::as_str).chain(schedule::COLUMNS));
    names.chain(stairs).chain(then.iter().copied()).map(str::to_owned).collect()
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
