//! Curves, bands and columns.

use vello_cpu::kurbo::{BezPath, Circle, Point, Rect};
use vello_cpu::peniko::Color;

use super::chart::{Curve, Dot, Mark};
use super::colours::paint;
use super::panel::Axes;
use crate::drawing::{Drawing, INK, polyline};

/// The opacity of a band, of a column, and of one over others.
const BAND: f32 = 0.18;
const COLUMN: f32 = 0.3;
const OVERLAID: f32 = 0.1;

/// The most dots in half a pixel along x that are all drawn.
const FULL: usize = 8;

/// Half the width of the ends of a bar.
const CAP: f64 = 3.0;

/// Draws what has a place on the axes, `alone` or over others.
pub(super) fn draw(drawing: &mut Drawing, axes: &Axes, curve: &Curve, alone: bool) {
    let (colour, width) = pen(curve);
    let placed = curve.dots.iter().filter_map(|dot| Some((axes.place(dot)?, dot)));
    let dots: Vec<(Point, &Dot)> = placed.collect();
    if curve.mark == Mark::Columns {
        return columns(drawing, axes, &dots, colour, if alone { COLUMN } else { OVERLAID });
    }
    let dots = thinned(dots);
    if curve.mark == Mark::Band {
        let ranged = dots.iter().filter(|(_, dot)| dot.least <= dot.most);
        let upper = ranged.clone().map(|(at, dot)| Point::new(at.x, axes.y.within(dot.most)));
        let lower = ranged.rev().map(|(at, dot)| Point::new(at.x, axes.y.within(dot.least)));
        drawing.fill(&polyline(upper.chain(lower)), colour.with_alpha(BAND));
    }
    let mut bars = BezPath::new();
    for (at, dot) in dots.iter().filter(|(_, dot)| curve.mark == Mark::Bars && dot.least < dot.most) {
        let ends = [dot.least, dot.most].map(|end| axes.y.within(end));
        bars.move_to((at.x, ends[0]));
        bars.line_to((at.x, ends[1]));
        for end in ends {
            bars.move_to((at.x - CAP, end));
            bars.line_to((at.x + CAP, end));
        }
    }
    drawing.stroke(&bars, 1.0, colour);
    drawing.stroke(&polyline(dots.iter().map(|(at, _)| *at)), width, colour);
    for (at, _) in dots.into_iter().filter(|_| curve.mark != Mark::Band) {
        drawing.fill(&Circle::new(at, 1.4 * width), colour);
    }
}

/// The dots without those that no pixel can show: of more than [`FULL`] within half a pixel along x, the first and the last,
/// and the ends of their values and ranges.
fn thinned(dots: Vec<(Point, &Dot)>) -> Vec<(Point, &Dot)> {
    let column = |(at, _): &(Point, &Dot)| (2.0 * at.x).floor();
    let mut kept = Vec::new();
    for column in dots.chunk_by(|a, b| column(a) == column(b)) {
        let values: [fn(&Dot) -> f64; 4] = [|dot| dot.y, |dot| -dot.y, |dot| dot.least, |dot| -dot.most];
        let least = values.map(|value| {
            // A dot without a range has NaN ends: not the sign of a NaN may decide.
            let ordered =
                |k: &usize| Some(value(column[*k].1)).filter(|v| !v.is_nan()).unwrap_or(f64::INFINITY);
            (0..column.len()).min_by(|a, b| ordered(a).total_cmp(&ordered(b)))
        });
        let wanted = |k: &usize| *k == 0 || *k == column.len() - 1 || least.contains(&Some(*k));
        kept.extend((0..column.len()).filter(|k| column.len() <= FULL || wanted(k)).map(|k| column[k]));
    }
    kept
}

/// Filled columns under one outline.
fn columns(drawing: &mut Drawing, axes: &Axes, dots: &[(Point, &Dot)], colour: Color, alpha: f32) {
    let floor = axes.y.within(0.0);
    let mut outline = Vec::new();
    for (at, dot) in dots {
        let [left, right] = [dot.least, dot.most].map(|side| axes.x.place(side));
        drawing.fill(&Rect::new(left, at.y, right, floor), colour.with_alpha(alpha));
        outline.extend([left, right].map(|x| Point::new(x, at.y)));
    }
    if let ([first, ..], [.., last]) = (outline.as_slice(), outline.as_slice()) {
        let [start, end] = [first, last].map(|end| Point::new(end.x, floor));
        drawing.stroke(&polyline([start].into_iter().chain(outline).chain([end])), 1.4, colour);
    }
}

/// The colour and the width of a curve.
pub(super) fn pen(curve: &Curve) -> (Color, f64) {
    curve.hue.map_or((INK, 2.6), |hue| (paint(hue), 1.8))
}
