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

/// The most dots in half a pixel along x that are all drawn.
const FULL: usize = 8;

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
    let dots = thinned(dots, axes);
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

/// The dots without those that no pixel can show: of more than [`FULL`] within half a pixel along x, the first and the last, and
/// the ends of their values and ranges.
fn thinned<'a>(dots: Vec<&'a Dot>, axes: &Axes) -> Vec<&'a Dot> {
    let column = |dot: &Dot| (2.0 * axes.x.place(dot.x)).floor();
    let mut kept = Vec::new();
    for column in dots.chunk_by(|a, b| column(a) == column(b)) {
        if column.len() <= FULL {
            kept.extend_from_slice(column);
            continue;
        }
        let values: [fn(&Dot) -> f64; 4] = [|dot| dot.y, |dot| -dot.y, |dot| dot.least, |dot| -dot.most];
        // A dot without a range has NaN ends: not the sign of a NaN may decide.
        let ordered = |value: f64| if value.is_nan() { f64::INFINITY } else { value };
        let least = |value: fn(&Dot) -> f64| {
            let of = |place: &usize| ordered(value(column[*place]));
            (0..column.len()).min_by(|a, b| of(a).total_cmp(&of(b)))
        };
        let mut places: Vec<usize> = values.into_iter().filter_map(least).collect();
        places.extend([0, column.len() - 1]);
        places.sort_unstable();
        places.dedup();
        kept.extend(places.into_iter().map(|place| column[place]));
    }
    kept
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
