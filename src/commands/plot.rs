//! `plot`: draws the measures of tables.

mod cells;
mod curves;
mod histogram;
mod plan;
mod tables;
mod values;

use self::plan::Plan;
use self::tables::{Incomplete, Tables};
use super::{note, outputs};
use crate::cli::plot::{PlotKind, PlotOptions};
use files::{Existing, Plot, Result};

pub(super) fn plot(options: &PlotOptions) -> Result {
    for file in &options.files {
        outputs::check(&[], &[("-o", options.output.clone()), ("FILE", file.clone())])?;
    }
    outputs::keep_existing(&[("-o", options.output.clone())], options.yes)?;
    let plot = Plot::new(&options.output, Existing::replaced_if(options.yes))?;
    let tables = Tables::read(&options.files)?;
    let plan = Plan::new(options, &tables)?;
    plan.check_means(&tables)?;
    let mut chart = match plan.kind {
        PlotKind::Line | PlotKind::Series => curves::chart(&tables, &plan),
        PlotKind::Heat => cells::chart(&tables, &plan),
        PlotKind::Histogram => histogram::chart(&tables, &plan),
    }?;
    chart.captions.push(tables.names());
    for Incomplete { path, name, missing } in tables.incomplete() {
        note(Some(format!("{path}: {missing}")), options.quiet);
        chart.captions.push(format!("{name}: {missing}"));
    }
    plot.write(&chart)
}
