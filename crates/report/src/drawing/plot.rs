//! Plots: curves, columns or cells over two axes, in panels side by side, as a PNG or an SVG file.

mod chart;
mod colours;
mod legend;
mod panel;

use std::path::Path;

pub use self::chart::{Cell, Chart, Curve, Dot, Level, Mark, Panel, Scale};
use self::colours::FAINT;
pub use self::colours::series as series_colour;
use self::legend::{LEGEND, fitting};
use self::panel::Axes;
use super::{Drawing, INK, START};
use crate::{AtomicFile, Failure, Result, extension, png};

/// Widths in pixels: the labels of a y axis, a panel, the gap after it where the next has no labels.
const LEFT: f64 = 64.0;
const PANEL: f64 = 430.0;
const GAP: f64 = 28.0;
const TOP: f64 = 88.0;
const HIGH: f64 = 400.0;
/// From one row of panels to the next.
const BETWEEN: f64 = 92.0;
/// From the panels to the first caption, and between captions.
const FEET: f64 = 66.0;
const LINE: f64 = 18.0;

/// A plot's file, begun before there is anything to draw.
#[derive(Debug)]
pub struct Plot(AtomicFile);

impl Plot {
    /// A plot in the file `path`, which ends in `.png` or `.svg`.
    ///
    /// # Errors
    /// For any other ending, and a file that cannot be written.
    pub fn new(path: &Path) -> Result<Self> {
        match extension(path).as_str() {
            "png" | "svg" => Ok(Plot(AtomicFile::create(path)?)),
            _ => Err(Failure::file(path, "the name must end in .png or .svg")),
        }
    }

    /// Draws the chart, and gives the file its name.
    ///
    /// # Errors
    /// Where that fails; no file is left then.
    pub fn write(self, chart: &Chart) -> Result<()> {
        let drawing = draw(chart);
        match extension(self.0.path()).as_str() {
            "svg" => self.0.fill(drawing.svg()),
            _ => png::write(self.0, drawing.size.map(u32::from), &drawing.pixels()),
        }
    }
}

fn draw(chart: &Chart) -> Drawing {
    // Four panels stand in a square.
    let columns = match chart.panels.len() {
        4 => 2,
        count => count.clamp(1, 3),
    };
    let rows = chart.panels.len().max(1).div_ceil(columns) as f64;
    let gap = if chart.own_y { LEFT } else { GAP };
    let right = LEFT + columns as f64 * (PANEL + gap);
    let width = if legend::wanted(chart) { right + LEGEND } else { right };
    let foot = TOP + rows * HIGH + (rows - 1.0) * BETWEEN + FEET;
    let height = foot + chart.captions.len() as f64 * LINE;
    let mut drawing = Drawing::new([width as u16, height as u16]);
    let room = width - LEFT - 16.0;
    drawing.text(&chart.title, (LEFT, 36.0), fitting(&chart.title, 19.0, room), START, INK);
    for (index, panel) in chart.panels.iter().enumerate() {
        let (row, column) = (index / columns, index % columns);
        let left = LEFT + column as f64 * (PANEL + gap);
        let top = TOP + row as f64 * (HIGH + BETWEEN);
        let axes = Axes::of(chart, panel, [left, left + PANEL], [top + HIGH, top]);
        axes.draw(&mut drawing, chart, panel, column == 0 || chart.own_y);
    }
    legend::draw(&mut drawing, chart, right, [TOP, TOP + HIGH]);
    for (caption, row) in chart.captions.iter().zip(0_u8..) {
        let at = (LEFT, foot + f64::from(row) * LINE);
        drawing.text(caption, at, fitting(caption, 12.5, room), START, FAINT);
    }
    drawing
}

#[cfg(test)]
mod tests;
