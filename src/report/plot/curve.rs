//! Curves, bands and columns.

use vello_cpu::kurbo::{BezPath, Circle, Rect, Shape};
use vello_cpu::peniko::Color;

use super::axes::Axes;
use super::chart::{Curve, Dot, Mark};
use super::colours::{INK, paint};
use super::sheet::Sheet;

/// The opacity of a band, and of a column.
const BAND: f32 = 0.18;
const COLUMN: f32 = 0.3;
/// The same of columns over others.
const OVERLAID: f32 = 0.1;

/// Half the width of the ends of a bar.
const CAP: f64 = 3.0;

/// Draws what has a place on the axes, `alone` or over others.
pub(super) fn draw(sheet: &mut dyn Sheet, axes: &Axes, curve: &Curve, alone: bool) {
    let (colour, width) = pen(curve);
    let shown = |dot: &&Dot| axes.x.holds(dot.x) && axes.y.holds(dot.y);
    let dots: Vec<&Dot> = curve.dots.iter().filter(shown).collect();
    if curve.mark == Mark::Columns {
        return columns(sheet, axes, &dots, colour, if alone { COLUMN } else { OVERLAID });
    }
    let at = |dot: &Dot| (axes.x.place(dot.x), axes.y.place(dot.y));
    if curve.mark == Mark::Band {
        let ranged: Vec<&&Dot> = dots.iter().filter(|dot| dot.least <= dot.most).collect();
        let upper = ranged.iter().map(|dot| (axes.x.place(dot.x), axes.y.within(dot.most)));
        let lower = ranged.iter().rev().map(|dot| (axes.x.place(dot.x), axes.y.within(dot.least)));
        sheet.fill(&path(upper.chain(lower)), colour.with_alpha(BAND));
    }
    let mut bars = BezPath::new();
    for dot in dots.iter().filter(|dot| curve.mark == Mark::Bars && dot.least < dot.most) {
        let x = axes.x.place(dot.x);
        let ends = [dot.least, dot.most].map(|end| axes.y.within(end));
        bars.move_to((x, ends[0]));
        bars.line_to((x, ends[1]));
        for end in ends {
            bars.move_to((x - CAP, end));
            bars.line_to((x + CAP, end));
        }
    }
    sheet.stroke(&bars, 1.0, colour);
    sheet.stroke(&path(dots.iter().map(|dot| at(dot))), width, colour);
    if curve.mark != Mark::Band {
        for dot in dots {
            sheet.fill(&Circle::new(at(dot), 1.4 * width).to_path(0.05), colour);
        }
    }
}

/// Filled columns under one outline.
fn columns(sheet: &mut dyn Sheet, axes: &Axes, dots: &[&Dot], colour: Color, alpha: f32) {
    let floor = axes.y.within(0.0);
    let mut outline = Vec::new();
    for dot in dots {
        let [left, right] = [dot.least, dot.most].map(|side| axes.x.place(side));
        let top = axes.y.place(dot.y);
        sheet.fill(&Rect::new(left, top, right, floor).to_path(0.1), colour.with_alpha(alpha));
        outline.extend([(left, top), (right, top)]);
    }
    if let ([first, ..], Some(last)) = (outline.as_slice(), outline.last().copied()) {
        let (start, end) = ((first.0, floor), (last.0, floor));
        sheet.stroke(&path([start].into_iter().chain(outline).chain([end])), 1.4, colour);
    }
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> BezPath {
    let mut path = BezPath::new();
    for point in points {
        match path.elements() {
            [] => path.move_to(point),
            _ => path.line_to(point),
        }
    }
    path
}

/// The colour and the width of a curve.
pub(super) fn pen(curve: &Curve) -> (Color, f64) {
    curve.hue.map_or((INK, 2.6), |hue| (paint(hue), 1.8))
}
