//! What stands beside the panels: the curves' names, or the scale of colours.

use vello_cpu::kurbo::{Circle, Line, Rect, Shape};

use super::axis::Axis;
use super::chart::{Chart, Curve, Mark};
use super::colours::{FAINT, INK, paint, shade};
use super::curve::pen;
use super::sheet::Sheet;
use crate::canvas::Anchor;

/// Its width in pixels, if there is one.
pub(super) const LEGEND: f64 = 176.0;

/// The width of the scale of colours, and the number of its steps.
const BAR: f64 = 18.0;
const STEPS: u8 = 100;

/// The values at the ends of the colours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Colours {
    pub least: f64,
    pub most: f64,
}

impl Colours {
    pub fn of(chart: &Chart) -> Self {
        let cells = chart.panels.iter().flat_map(|panel| &panel.cells);
        let values = cells.map(|cell| cell.value).filter(|value| value.is_finite());
        let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        Colours { least, most }
    }

    pub fn share(self, value: f64) -> f64 {
        // A single value takes the middle.
        if self.most > self.least { (value - self.least) / (self.most - self.least) } else { 0.5 }
    }
}

/// True if there is a scale of colours, or more than one name.
pub(super) fn wanted(chart: &Chart) -> bool {
    chart.panels.iter().any(|panel| !panel.cells.is_empty()) || names(chart).len() > 1
}

/// Each name once. The curve that is drawn last comes first.
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

/// Draws it from a pixel to the right, and between those of the first panel's ends.
pub(super) fn draw(
    sheet: &mut dyn Sheet,
    chart: &Chart,
    colours: Colours,
    left: f64,
    [top, bottom]: [f64; 2],
) {
    if !wanted(chart) {
        return;
    }
    let heading = if chart.colours.is_empty() { &chart.legend } else { &chart.colours };
    sheet.text(heading, (left, top - 12.0), 12.0, Anchor::Start, FAINT);
    if colours.least <= colours.most {
        return scale(sheet, colours, left, [top, bottom]);
    }
    for (curve, row) in names(chart).into_iter().zip(0_u8..) {
        name(sheet, curve, (left, top + 10.0 + f64::from(row) * 20.0));
    }
}

fn name(sheet: &mut dyn Sheet, curve: &Curve, (x, y): (f64, f64)) {
    let (colour, width) = pen(curve);
    sheet.stroke(&Line::new((x, y), (x + 22.0, y)).to_path(0.1), width, colour);
    if matches!(curve.mark, Mark::Dots | Mark::Bars) {
        sheet.fill(&Circle::new((x + 11.0, y), 1.4 * width).to_path(0.05), colour);
    }
    let size = fitting(&curve.name, 13.0, LEGEND - 34.0);
    sheet.text(&curve.name, (x + 30.0, y + 4.5), size, Anchor::Start, INK);
}

/// The size of a text, smaller where it is longer than its room: a letter is about half as wide as its size.
pub(super) fn fitting(text: &str, size: f64, room: f64) -> f64 {
    size.min(room / (0.52 * text.chars().count().max(1) as f64)).max(6.0)
}

/// A bar of all colours with ticks.
fn scale(sheet: &mut dyn Sheet, colours: Colours, left: f64, [top, bottom]: [f64; 2]) {
    for step in 0..STEPS {
        let share = |step: u8| bottom - (bottom - top) * f64::from(step) / f64::from(STEPS);
        let colour = paint(shade((f64::from(step) + 0.5) / f64::from(STEPS)));
        let strip = Rect::new(left, share(step + 1).round(), left + BAR, share(step).round());
        sheet.fill(&strip.to_path(0.1), colour);
    }
    sheet.stroke(&Rect::new(left, top, left + BAR, bottom).to_path(0.1), 1.0, FAINT);
    // A single value lies in the middle.
    let room = if colours.most > colours.least { 0.0 } else { 0.5 * colours.least.abs().max(1.0) };
    let axis = Axis::exact(false, [colours.least - room, colours.most + room], [bottom, top]);
    for tick in axis.ticks() {
        let at = axis.place(tick.value);
        sheet.stroke(&Line::new((left + BAR, at), (left + BAR + 4.0, at)).to_path(0.1), 1.0, FAINT);
        sheet.text(&axis.name(tick.value), (left + BAR + 8.0, at + 4.0), 12.0, Anchor::Start, INK);
    }
}
