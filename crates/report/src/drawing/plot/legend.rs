//! What stands beside the panels: the curves' names, or the scale of colours.

use vello_cpu::kurbo::{Circle, Line, Rect};
use vello_cpu::peniko::Color;

use super::chart::{Chart, Curve, Mark};
use super::colours::{FAINT, paint, shade};
use crate::drawing::axis::{Axis, range};
use crate::drawing::{Drawing, INK, START};

/// Its width in pixels, if there is one.
pub(super) const LEGEND: f64 = 176.0;

/// The width of the scale of colours, and the number of its steps.
const BAR: f64 = 18.0;
const STEPS: u8 = 100;

/// The values at the ends of the colours, if there are cells.
pub(super) fn colour_ends(chart: &Chart) -> Option<[f64; 2]> {
    let cells = chart.panels.iter().flat_map(|panel| &panel.cells);
    range(cells.map(|cell| cell.value).filter(|value| value.is_finite()))
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
pub(super) fn draw(drawing: &mut Drawing, chart: &Chart, left: f64, [top, bottom]: [f64; 2]) {
    if !wanted(chart) {
        return;
    }
    let heading = if chart.colours.is_empty() { &chart.legend } else { &chart.colours };
    drawing.text(heading, (left, top - 12.0), 12.0, START, FAINT);
    if let Some(ends) = colour_ends(chart) {
        return scale(drawing, ends, left, [top, bottom]);
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

/// The size of a text, smaller where it is longer than its room: a letter is about half as wide as its size.
pub(super) fn fitting(text: &str, size: f64, room: f64) -> f64 {
    size.min(room / (0.52 * text.chars().count().max(1) as f64)).max(6.0)
}

/// The colour and the width of a curve.
pub(super) fn pen(curve: &Curve) -> (Color, f64) {
    curve.hue.map_or((INK, 2.6), |hue| (paint(hue), 1.8))
}

/// A bar of all colours with ticks.
fn scale(drawing: &mut Drawing, [least, most]: [f64; 2], left: f64, [top, bottom]: [f64; 2]) {
    for step in 0..STEPS {
        let share = |step: u8| (bottom - (bottom - top) * f64::from(step) / f64::from(STEPS)).round();
        let colour = paint(shade((f64::from(step) + 0.5) / f64::from(STEPS)));
        drawing.fill(&Rect::new(left, share(step + 1), left + BAR, share(step)), colour);
    }
    drawing.stroke(&Rect::new(left, top, left + BAR, bottom), 1.0, FAINT);
    // A single value lies in the middle.
    let room = if most > least { 0.0 } else { 0.5 * least.abs().max(1.0) };
    let axis = Axis::exact(false, [least - room, most + room], [bottom, top]);
    for (value, name) in axis.ticks() {
        let at = axis.place(value);
        drawing.stroke(&Line::new((left + BAR, at), (left + BAR + 4.0, at)), 1.0, FAINT);
        let name = name.unwrap_or_default();
        drawing.text(&name, (left + BAR + 8.0, at + 4.0), 12.0, START, INK);
    }
}
