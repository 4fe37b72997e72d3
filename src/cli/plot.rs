//! `plot`: its options, and what they mean.

use std::convert::Infallible;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::shared::MORE;

/// `plot`.
#[derive(Args, Clone, Debug)]
#[command(after_help = MORE, after_long_help = "")]
pub struct PlotOptions {
    /// CSV tables: runs, summary or series of a sweep, or --metrics of a run.
    ///
    /// The rows of several tables are concatenated; the column `file` tells them apart.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Picture to write, a .png or .svg file.
    #[arg(short, long, value_name = "PICTURE")]
    pub output: PathBuf,
    /// Column along the x axis [default: step, or the first varied key]
    ///
    /// In a histogram, the measure that is counted.
    #[arg(short, value_name = "NAME", value_parser = column)]
    pub x: Option<String>,
    /// Measures along the y axis, separated by commas.
    ///
    /// In a heat map, the measure that is the colour. For the tables of a sweep polarization stands for
    /// polarization_mean.
    ///
    /// [default: polarization and milling, or the first measure]
    #[arg(short, value_name = "NAME", value_delimiter = ',')]
    pub y: Vec<String>,
    /// Draw one curve per value of this column [default: the second varied key]
    ///
    /// In a heat map, the column along the y axis.
    #[arg(long, value_name = "NAME", value_parser = column)]
    pub by: Option<String>,
    /// Draw one panel per value of this column.
    #[arg(long, value_name = "NAME", value_parser = column)]
    pub facet: Option<String>,
    /// Also average over rows that differ in these varied keys, separated by commas.
    ///
    /// Without it such a plot is refused: the rows of one point, curve and panel may differ only in their seed.
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = column, hide_short_help = true)]
    pub mean_over: Vec<String>,
    /// Kind of plot.
    ///
    /// [default: series for metrics, else line]
    #[arg(long)]
    pub kind: Option<PlotKind>,
    /// Replace an existing picture; -y is not short for it.
    #[arg(long)]
    pub yes: bool,
    /// Print only errors; do not report that a study is incomplete.
    #[arg(long)]
    pub quiet: bool,
}

/// The name of a column. Tables of version 0.1.0 call the stage of a schedule `stair`.
pub fn column(name: &str) -> Result<String, Infallible> {
    Ok(if name == "stair" { "stage" } else { name }.to_owned())
}

/// The kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlotKind {
    /// Curves of means with their 95 % confidence intervals.
    Line,
    /// A heat map: the measure as a colour, over -x and --by.
    Heat,
    /// A histogram of the measure -x.
    Histogram,
    /// Values over time, with a band of their 95 % confidence intervals.
    Series,
}
