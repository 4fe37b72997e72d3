//! `plot`: its options, and what they mean.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// `plot`.
#[derive(Args, Clone, Debug)]
pub struct PlotOptions {
    /// Tables in CSV: runs or summary of a sweep, or what `run --metrics` wrote. The rows of several are put
    /// together; the column `file` tells them apart.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The column along the x axis; of a histogram the measure that is counted [default: step, or the first varied key].
    #[arg(short, value_name = "NAME")]
    pub x: Option<String>,
    /// The measures along the y axis, or of a heat map the colour: polarization stands for polarization_mean [default:
    /// polarization and milling, or the first measure].
    #[arg(short, value_name = "NAME", value_delimiter = ',')]
    pub y: Vec<String>,
    /// A curve for each value of this column; of a heat map the column along its y axis [default: the second varied key].
    #[arg(long, value_name = "NAME")]
    pub by: Option<String>,
    /// A panel for each value of this column.
    #[arg(long, value_name = "NAME")]
    pub facet: Option<String>,
    /// Take means over rows that differ in these varied keys, too. Without it a plot with such a mean is refused: rows of
    /// one point, curve and panel may differ in their seed alone.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub mean_over: Vec<String>,
    /// What is drawn: curves of means with their 95 % confidence, a heat map, a histogram, or values over time with a band
    /// of that confidence [default: series for metrics, else line].
    #[arg(long)]
    pub kind: Option<PlotKind>,
    /// The picture: PICTURE.png or PICTURE.svg.
    #[arg(short, long, value_name = "PICTURE")]
    pub output: PathBuf,
    /// Replace the picture if it exists. There is no short form: -y names measures.
    #[arg(long)]
    pub yes: bool,
    /// Print nothing but errors: no line for a study that is incomplete.
    #[arg(long)]
    pub quiet: bool,
}

/// The kind of picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PlotKind {
    Line,
    Heat,
    Histogram,
    Series,
}
