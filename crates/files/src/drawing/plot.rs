//! Plots: curves, columns or cells over two axes, in panels side by side, as a PNG or an SVG file.

mod chart;
mod panel;

use std::path::Path;

use vello_cpu::kurbo::{Circle, Line, Rect};
use vello_cpu::peniko::Color;

pub use self::chart::{Cell, Chart, Curve, Dot, Level, Mark, Panel, Scale, series as series_colour};
use self::chart::{FAINT, shade};
use self::panel::Axes;
use super::axis::{PlotAxis, range};
use super::{Drawing, INK, START, paint};
use crate::{AtomicFile, Existing, Result, extension, other_ending, png};

/// Widths in pixels: the labels of a y axis, a panel, the gap after it where the next has no labels.
const LEFT: f64 = 64.0;
const PANEL: f64 = 430.0;
const GAP: f64 = 28.0;
const TOP: f64 = 88.0;
const HIGH: f64 = 400.0;
/// Distance between two rows of panels.
const BETWEEN: f64 = 92.0;
/// Distance from the panels to the first caption, and between captions.
const FEET: f64 = 66.0;
const LINE: f64 = 18.0;

/// The width of a legend in pixels, if there is one.
const LEGEND: f64 = 176.0;

/// The width of the scale of colours, and the number of its steps.
const BAR: f64 = 18.0;
const STEPS: u8 = 100;

/// A plot's file, begun before there is anything to draw.
#[derive(Debug)]
pub struct Plot(AtomicFile);

impl Plot {
    /// A plot in the file `path`, which ends in `.png` or `.svg`.
    ///
    /// # Errors
    /// For any other ending, and a file that cannot be written.
    pub fn new(path: &Path, existing: Existing) -> Result<Self> {
        match extension(path).as_str() {
            "png" | "svg" => Ok(Plot(AtomicFile::create(path, existing)?)),
            _ => Err(other_ending(path, ".png or .svg")),
        }
    }

    /// Draws the chart, and gives the file its name.
    ///
    /// # Errors
    /// See [`AtomicFile::commit`].
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
    let width = if has_legend(chart) { right + LEGEND } else { right };
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
    draw_legend(&mut drawing, chart, right, [TOP, TOP + HIGH]);
    for (caption, row) in chart.captions.iter().zip(0_u8..) {
        let at = (LEFT, foot + f64::from(row) * LINE);
        drawing.text(caption, at, fitting(caption, 12.5, room), START, FAINT);
    }
    drawing
}

/// The range of the colour scale; `None` without cells.
fn colour_ends(chart: &Chart) -> Option<[f64; 2]> {
    let cells = chart.panels.iter().flat_map(|panel| &panel.cells);
    range(cells.map(|cell| cell.value).filter(|value| value.is_finite()))
}

/// True if there is a scale of colours, or more than one name.
fn has_legend(chart: &Chart) -> bool {
    chart.panels.iter().any(|panel| !panel.cells.is_empty()) || names(chart).len() > 1
}

/// One curve per name. The curve that is drawn last comes first.
fn names(chart: &Chart) -> Vec<&Curve> {
    let mut names: Vec<&Curve> = Vec::new();
    for curve in chart.panels.iter().flat_map(|panel| &panel.curves) {
        if !names.iter().any(|known| known.name == curve.name) {
            names.push(curve);
        }
    }
    names.reverse();
    names
}

/// Draws the legend (curve names or colour scale) right of `left`, from `top` to `bottom` of the first panel.
fn draw_legend(drawing: &mut Drawing, chart: &Chart, left: f64, [top, bottom]: [f64; 2]) {
    if !has_legend(chart) {
        return;
    }
    let heading = if chart.colours.is_empty() { &chart.legend } else { &chart.colours };
    drawing.text(heading, (left, top - 12.0), fitting(heading, 12.0, LEGEND - 8.0), START, FAINT);
    if let Some(ends) = colour_ends(chart) {
        return draw_scale(drawing, ends, left, [top, bottom]);
    }
    for (curve, row) in names(chart).into_iter().zip(0_u8..) {
        let y = top + 10.0 + f64::from(row) * 20.0;
        let (colour, width) = pen(curve);
        drawing.stroke(&Line::new((left, y), (left + 22.0, y)), width, colour);
        if matches!(curve.mark, Mark::Dots | Mark::Bars) {
            drawing.fill(&Circle::new((left + 11.0, y), 1.4 * width), colour);
        }
        let size = fitting(&curve.name, 13.0, LEGEND - 34.0);
        drawing.text(&curve.name, (left + 30.0, y + 4.5), size, START, INK);
    }
}

/// The font size at which a text fits `room` pixels, at most `size`: a letter is about half as wide as its size.
fn fitting(text: &str, size: f64, room: f64) -> f64 {
    size.min(room / (0.52 * text.chars().count().max(1) as f64)).max(6.0)
}

/// The colour and the width of a curve.
fn pen(curve: &Curve) -> (Color, f64) {
    curve.hue.map_or((INK, 2.6), |hue| (paint(hue), 1.8))
}

/// A bar of all colours with ticks.
fn draw_scale(drawing: &mut Drawing, [least, most]: [f64; 2], left: f64, [top, bottom]: [f64; 2]) {
    for step in 0..STEPS {
        let share = |step: u8| (bottom - (bottom - top) * f64::from(step) / f64::from(STEPS)).round();
        let colour = paint(shade((f64::from(step) + 0.5) / f64::from(STEPS)));
        drawing.fill(&Rect::new(left, share(step + 1), left + BAR, share(step)), colour);
    }
    drawing.stroke(&Rect::new(left, top, left + BAR, bottom), 1.0, FAINT);
    // A single value lies in the middle.
    let room = if most > least { 0.0 } else { 0.5 * least.abs().max(1.0) };
    let axis = PlotAxis::exact(false, [least - room, most + room], [bottom, top]);
    for (value, name) in axis.ticks() {
        let at = axis.place(value);
        drawing.stroke(&Line::new((left + BAR, at), (left + BAR + 4.0, at)), 1.0, FAINT);
        let name = name.unwrap_or_default();
        drawing.text(&name, (left + BAR + 8.0, at + 4.0), 12.0, START, INK);
    }
}

#[cfg(test)]
mod tests;
