//! The contents of a plot.

use crate::pass_colours::Rgb;

/// What a plot shows.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    pub title: String,
    /// The labels of the axes.
    pub x: String,
    pub y: String,
    pub panels: Vec<Panel>,
    /// Lines of text below the panels.
    pub captions: Vec<String>,
}

/// One pair of axes; all panels share their ranges.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    pub title: String,
    /// Later curves are drawn over earlier ones.
    pub curves: Vec<Curve>,
    pub levels: Vec<Level>,
}

/// Values joined by a line.
#[derive(Clone, Debug)]
pub struct Curve {
    pub name: String,
    /// `None` draws a thicker line in the colour of the text.
    pub hue: Option<Rgb>,
    pub dots: Vec<Dot>,
}

/// One value, and the least and the most of its repeats. Only values greater than 0 have a position on the axes.
#[derive(Clone, Copy, Debug)]
pub struct Dot {
    pub x: f64,
    pub y: f64,
    pub least: f64,
    pub most: f64,
}

/// A limit, drawn as a horizontal line.
#[derive(Clone, Debug)]
pub struct Level {
    pub y: f64,
    pub name: String,
    /// Where the limit is reached.
    pub x: Option<f64>,
}
