//! A panel: axes, grid, cells, levels and curves.

use vello_cpu::kurbo::{BezPath, Circle, Line, Point, Rect, Shape, dash};
use vello_cpu::peniko::Color;

use super::{
    Cell, Chart, Curve, Dot, FAINT, FINE, GRID, GROUND, LEFT, LIMIT, Level, Mark, Panel, Scale, colour_ends,
    fitting, pen, shade,
};
use crate::drawing::axis::{PlotAxis, range};
use crate::drawing::{Drawing, END, INK, MIDDLE, START, paint, polyline};

/// The opacity of a band, of a column, and of a column over others.
const BAND: f32 = 0.18;
const COLUMN: f32 = 0.3;
const OVERLAID: f32 = 0.1;

/// Maximum number of dots per half pixel along x that are all drawn.
const FULL: usize = 8;

/// Half the width of the ends of a bar.
const CAP: f64 = 3.0;

/// The axes of one panel.
pub(super) struct Axes {
    pub x: PlotAxis,
    pub y: PlotAxis,
}

impl Axes {
    /// Axes over the values of all panels; with `own_y` the y axis covers this panel only.
    pub fn of(chart: &Chart, panel: &Panel, across: [f64; 2], up: [f64; 2]) -> Self {
        let panels = || chart.panels.iter();
        let sides =
            |side: fn(&Cell) -> [f64; 2]| range(panels().flat_map(|panel| &panel.cells).flat_map(side));
        if let (Some(x), Some(y)) = (sides(|cell| cell.x), sides(|cell| cell.y)) {
            return Axes {
                x: PlotAxis::exact(chart.x.log, x, across),
                y: PlotAxis::exact(chart.y.log, y, up),
            };
        }
        let of_y = panels().filter(|other| !chart.own_y || std::ptr::eq(*other, panel));
        Axes {
            x: PlotAxis::new(chart.x.log, panels().flat_map(Panel::along), across),
            y: PlotAxis::new(chart.y.log, of_y.flat_map(Panel::heights), up),
        }
    }

    /// The pixel of a value, if both axes can show it.
    pub fn place(&self, dot: &Dot) -> Option<Point> {
        let Axes { x, y } = self;
        (x.holds(dot.x) && y.holds(dot.y)).then(|| Point::new(x.place(dot.x), y.place(dot.y)))
    }

    pub fn draw(&self, drawing: &mut Drawing, chart: &Chart, panel: &Panel, labelled: bool) {
        let Axes { x, y } = self;
        let frame = Rect::new(crisp(x.from), crisp(y.to), crisp(x.to), crisp(y.from));
        drawing.fill(&frame, GROUND);
        self.grid(drawing, chart, labelled);
        // A single value takes the middle of the colours.
        let ends = colour_ends(chart).filter(|[least, most]| most > least);
        let share = |value: f64| ends.map_or(0.5, |[least, most]| (value - least) / (most - least));
        for cell in panel.cells.iter().filter(|cell| cell.value.is_finite()) {
            // Whole pixels, so that no seam shows.
            let [left, right] = cell.x.map(|value| x.place(value).round());
            let [bottom, top] = cell.y.map(|value| y.place(value).round());
            let colour = paint(shade(share(cell.value)));
            drawing.fill(&Rect::new(left, top, right, bottom), colour);
        }
        drawing.stroke(&frame, 1.0, FAINT);
        if labelled {
            drawing.text(&chart.y.label, (8.0, y.to - 12.0), 12.0, START, FAINT);
        }
        let middle = 0.5 * (x.from + x.to);
        drawing.text(&panel.title, (middle, y.to - 12.0), 14.0, MIDDLE, INK);
        drawing.text(&chart.x.label, (middle, y.from + 38.0), 12.0, MIDDLE, FAINT);
        for level in &panel.levels {
            self.level(drawing, level);
        }
        for curve in &panel.curves {
            draw_curve(drawing, self, curve, panel.curves.len() == 1);
        }
    }

    fn grid(&self, drawing: &mut Drawing, chart: &Chart, labelled: bool) {
        let Axes { x, y } = self;
        let across = ticks(x, &chart.x).into_iter().map(|(value, name)| {
            let at = crisp(x.place(value));
            (Line::new((at, y.from), (at, y.to)), name, (at, y.from + 18.0), MIDDLE, true)
        });
        let up = ticks(y, &chart.y).into_iter().map(|(value, name)| {
            let at = crisp(y.place(value));
            (Line::new((x.from, at), (x.to, at)), name, (x.from - 8.0, at + 4.0), END, labelled)
        });
        let mut lines: Vec<_> = across.chain(up).collect();
        // Fine lines first, under the others.
        lines.sort_by_key(|(_, name, ..)| name.is_some());
        for (line, name, at, anchor, labelled) in lines {
            drawing.stroke(&line, 1.0, if name.is_some() { GRID } else { FINE });
            let name = name.filter(|_| labelled).unwrap_or_default();
            drawing.text(&name, at, fitting(&name, 12.0, LEFT - 14.0), anchor, INK);
        }
    }

    /// Draws a level: a dashed horizontal line with its name, and a vertical line down from `level.x`.
    fn level(&self, drawing: &mut Drawing, level: &Level) {
        let Axes { x, y } = self;
        let at = crisp(y.place(level.y));
        let dashed = |line: Line| dash(line.path_elements(0.1), 0.0, &[5.0, 4.0]).collect::<BezPath>();
        drawing.stroke(&dashed(Line::new((x.from, at), (x.to, at))), 1.0, LIMIT);
        drawing.text(&level.name, (x.from + 8.0, at - 5.0), 11.5, START, LIMIT);
        if let Some(reached) = level.x {
            let down = crisp(x.place(reached));
            drawing.stroke(&dashed(Line::new((down, at), (down, y.from))), 1.0, LIMIT);
            drawing.fill(&Circle::new((down, at), 4.5), LIMIT);
        }
    }
}

/// The ticks that the chart names, else the round ticks of the axis.
fn ticks(axis: &PlotAxis, scale: &Scale) -> Vec<(f64, Option<String>)> {
    match scale.ticks.as_slice() {
        [] => axis.ticks(),
        ticks => ticks.iter().map(|(value, name)| (*value, Some(name.clone()))).collect(),
    }
}

/// Aligns a line of one pixel with a row of pixels.
fn crisp(at: f64) -> f64 {
    at.floor() + 0.5
}

/// Draws the part of a curve that the axes can show, `alone` or over others.
fn draw_curve(drawing: &mut Drawing, axes: &Axes, curve: &Curve, alone: bool) {
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
    // A band over a single dot would be invisible.
    let dotted = curve.mark != Mark::Band || dots.len() == 1;
    for (at, _) in dots.into_iter().filter(|_| dotted) {
        drawing.fill(&Circle::new(at, 1.4 * width), colour);
    }
}

/// Drops dots that no pixel can resolve: of more than [`FULL`] dots within half a pixel along x, keeps the first, the
/// last, and those with the extreme values and range ends.
fn thinned(dots: Vec<(Point, &Dot)>) -> Vec<(Point, &Dot)> {
    let column = |(at, _): &(Point, &Dot)| (2.0 * at.x).floor();
    let mut kept = Vec::new();
    for column in dots.chunk_by(|a, b| column(a) == column(b)) {
        let values: [fn(&Dot) -> f64; 4] = [|dot| dot.y, |dot| -dot.y, |dot| dot.least, |dot| -dot.most];
        let least = values.map(|value| {
            // The ends of a dot without a range are NaN, whose sign must not decide.
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
