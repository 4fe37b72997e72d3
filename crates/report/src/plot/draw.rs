//! The layout of a plot.

use vello_cpu::kurbo::{BezPath, Circle, Line, Rect, Shape, dash};

use super::axes::Axes;
use super::axis::Axis;
use super::chart::{Cell, Chart, Level, Panel, Scale};
use super::colours::{FAINT, FINE, GRID, GROUND, INK, LIMIT, PAPER, paint, shade};
use super::curve;
use super::legend::{self, Colours, LEGEND, fitting};
use super::sheet::Sheet;
use crate::canvas::Anchor;

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

/// Panels in a row; four stand in a square.
fn columns(chart: &Chart) -> usize {
    match chart.panels.len() {
        4 => 2,
        count => count.clamp(1, 3),
    }
}

/// Width and height of the picture of a chart.
pub(super) fn size(chart: &Chart) -> (u16, u16) {
    let count = chart.panels.len().max(1);
    let rows = count.div_ceil(columns(chart)) as f64;
    let legend = if legend::wanted(chart) { LEGEND } else { 0.0 };
    let width = LEFT + columns(chart) as f64 * (PANEL + gap(chart)) + legend;
    let height = TOP + rows * HIGH + (rows - 1.0) * BETWEEN + FEET + chart.captions.len() as f64 * LINE;
    (width as u16, height as u16)
}

fn gap(chart: &Chart) -> f64 {
    if chart.own_y { LEFT } else { GAP }
}

/// Draws a chart on a sheet of its size.
pub(super) fn draw(chart: &Chart, sheet: &mut dyn Sheet) {
    let (width, height) = size(chart);
    let (width, height) = (f64::from(width), f64::from(height));
    sheet.fill(&Rect::new(0.0, 0.0, width, height).to_path(0.1), PAPER);
    let room = width - LEFT - 16.0;
    sheet.text(&chart.title, (LEFT, 36.0), fitting(&chart.title, 19.0, room), Anchor::Start, INK);
    let colours = Colours::of(chart);
    for (index, panel) in chart.panels.iter().enumerate() {
        let (row, column) = (index / columns(chart), index % columns(chart));
        let left = LEFT + column as f64 * (PANEL + gap(chart));
        let top = TOP + row as f64 * (HIGH + BETWEEN);
        let labelled = column == 0 || chart.own_y;
        let axes = Axes::of(chart, panel, [left, left + PANEL], [top + HIGH, top]);
        axes.draw(sheet, chart, panel, labelled, colours);
    }
    legend::draw(sheet, chart, colours, width - LEGEND, [TOP, TOP + HIGH]);
    let foot = height - chart.captions.len() as f64 * LINE;
    for (caption, row) in chart.captions.iter().zip(0_u8..) {
        let size = fitting(caption, 12.5, room);
        sheet.text(caption, (LEFT, foot + f64::from(row) * LINE), size, Anchor::Start, FAINT);
    }
}

impl Axes {
    fn draw(&self, sheet: &mut dyn Sheet, chart: &Chart, panel: &Panel, labelled: bool, colours: Colours) {
        let Axes { x, y } = self;
        let frame = Rect::new(crisp(x.from), crisp(y.to), crisp(x.to), crisp(y.from));
        sheet.fill(&frame.to_path(0.1), GROUND);
        self.grid(sheet, chart, labelled);
        for cell in &panel.cells {
            self.cell(sheet, cell, colours);
        }
        sheet.stroke(&frame.to_path(0.1), 1.0, FAINT);
        if labelled {
            sheet.text(&chart.y.label, (8.0, y.to - 12.0), 12.0, Anchor::Start, FAINT);
        }
        sheet.text(&panel.title, (0.5 * (x.from + x.to), y.to - 12.0), 14.0, Anchor::Middle, INK);
        sheet.text(&chart.x.label, (0.5 * (x.from + x.to), y.from + 38.0), 12.0, Anchor::Middle, FAINT);
        for level in &panel.levels {
            self.level(sheet, level);
        }
        for curve in &panel.curves {
            curve::draw(sheet, self, curve, panel.curves.len() == 1);
        }
    }

    fn grid(&self, sheet: &mut dyn Sheet, chart: &Chart, labelled: bool) {
        let Axes { x, y } = self;
        // Fine lines first, under the others.
        for named in [false, true] {
            let colour = if named { GRID } else { FINE };
            for (value, name) in ticks(x, &chart.x, named) {
                let at = crisp(x.place(value));
                sheet.stroke(&Line::new((at, y.from), (at, y.to)).to_path(0.1), 1.0, colour);
                if named {
                    sheet.text(&name, (at, y.from + 18.0), 12.0, Anchor::Middle, INK);
                }
            }
            for (value, name) in ticks(y, &chart.y, named) {
                let at = crisp(y.place(value));
                sheet.stroke(&Line::new((x.from, at), (x.to, at)).to_path(0.1), 1.0, colour);
                if named && labelled {
                    sheet.text(&name, (x.from - 8.0, at + 4.0), 12.0, Anchor::End, INK);
                }
            }
        }
    }

    /// A rectangle of whole pixels, so that no seam shows; none where there is no value.
    fn cell(&self, sheet: &mut dyn Sheet, cell: &Cell, colours: Colours) {
        if !cell.value.is_finite() {
            return;
        }
        let [left, right] = cell.x.map(|value| self.x.place(value).round());
        let [bottom, top] = cell.y.map(|value| self.y.place(value).round());
        let colour = paint(shade(colours.share(cell.value)));
        sheet.fill(&Rect::new(left, top, right, bottom).to_path(0.1), colour);
    }

    /// A dashed horizontal line with its name, and a vertical one down from where the limit is reached.
    fn level(&self, sheet: &mut dyn Sheet, level: &Level) {
        let Axes { x, y } = self;
        let at = crisp(y.place(level.y));
        let dashed = |line: Line| dash(line.path_elements(0.1), 0.0, &[5.0, 4.0]).collect::<BezPath>();
        sheet.stroke(&dashed(Line::new((x.from, at), (x.to, at))), 1.0, LIMIT);
        sheet.text(&level.name, (x.from + 8.0, at - 5.0), 11.5, Anchor::Start, LIMIT);
        if let Some(reached) = level.x {
            let down = crisp(x.place(reached));
            sheet.stroke(&dashed(Line::new((down, at), (down, y.from))), 1.0, LIMIT);
            sheet.fill(&Circle::new((down, at), 4.5).to_path(0.05), LIMIT);
        }
    }
}

/// The ticks that have a name, or those that have none.
fn ticks(axis: &Axis, scale: &Scale, named: bool) -> Vec<(f64, String)> {
    if !scale.ticks.is_empty() {
        return scale.ticks.iter().filter(|_| named).cloned().collect();
    }
    let ticks = axis.ticks().into_iter().filter(|tick| tick.named == named);
    ticks.map(|tick| (tick.value, if named { axis.name(tick.value) } else { String::new() })).collect()
}

/// Aligns a line of one pixel with a row of pixels.
fn crisp(at: f64) -> f64 {
    at.floor() + 0.5
}
