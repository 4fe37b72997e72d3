//! The contents of a plot.

use crate::drawing::Rgb;

/// The contents of a plot.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    pub title: String,
    pub x: Scale,
    pub y: Scale,
    /// True if each panel has a y axis of its own, which its title names.
    pub own_y: bool,
    /// Panels side by side, at most three per row.
    pub panels: Vec<Panel>,
    /// The heading of the curves' names.
    pub legend: String,
    /// The label of the colour scale of cells.
    pub colours: String,
    /// Lines of text below the panels.
    pub captions: Vec<String>,
}

/// An axis: its label, and whether it is logarithmic. A logarithmic axis shows only positive values.
#[derive(Clone, Debug, Default)]
pub struct Scale {
    pub label: String,
    pub log: bool,
    /// Ticks with their names; if empty, ticks are at round values.
    pub ticks: Vec<(f64, String)>,
}

/// One pair of axes; panels share their ranges.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    pub title: String,
    /// Later curves are drawn over earlier ones.
    pub curves: Vec<Curve>,
    pub levels: Vec<Level>,
    pub cells: Vec<Cell>,
}

/// Values joined by a line.
#[derive(Clone, Debug)]
pub struct Curve {
    pub name: String,
    /// `None` draws a thicker line in the colour of the text.
    pub hue: Option<Rgb>,
    pub mark: Mark,
    pub dots: Vec<Dot>,
}

/// The style of a curve's values and their ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A dot per value.
    Dots,
    /// A dot per value, and a bar over its range.
    Bars,
    /// A band over the ranges.
    Band,
    /// A column per value, from zero; `least` and `most` are its sides.
    Columns,
}

/// One value and the ends of its range; NaN without a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    pub x: f64,
    pub y: f64,
    pub least: f64,
    pub most: f64,
}

/// A rectangle of the plane with a value, drawn as a colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Its sides.
    pub x: [f64; 2],
    pub y: [f64; 2],
    pub value: f64,
}

/// A limit, drawn as a horizontal line.
#[derive(Clone, Debug)]
pub struct Level {
    pub y: f64,
    pub name: String,
    /// The x value at which the limit is reached.
    pub x: Option<f64>,
}

impl Panel {
    /// All x values that the panel shows.
    pub(super) fn along(&self) -> impl Iterator<Item = f64> {
        self.curves.iter().flat_map(|Curve { mark, dots, .. }| {
            dots.iter()
                .flat_map(|dot| if *mark == Mark::Columns { [dot.least, dot.most] } else { [dot.x; 2] })
        })
    }

    /// All y values that the panel shows, with room for the name above the highest level.
    pub(super) fn heights(&self) -> impl Iterator<Item = f64> {
        let heights = self.curves.iter().flat_map(|Curve { mark, dots, .. }| {
            dots.iter().flat_map(|dot| match mark {
                Mark::Dots => [dot.y; 3],
                Mark::Bars | Mark::Band => [dot.y, dot.least, dot.most],
                Mark::Columns => [dot.y, dot.y, 0.0],
            })
        });
        heights.chain(self.levels.iter().flat_map(|level| [level.y, 1.5 * level.y]))
    }
}
