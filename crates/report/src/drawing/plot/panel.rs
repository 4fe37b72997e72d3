//! A panel: axes, grid, cells, levels and curves.

use vello_cpu::kurbo::{BezPath, Circle, Line, Point, Rect, Shape, dash};

use super::chart::{Cell, Chart, Dot, Level, Panel, Scale};
use super::colours::{FAINT, FINE, GRID, GROUND, LIMIT, paint, shade};
use super::curve;
use super::legend::Colours;
use crate::drawing::axis::Axis;
use crate::drawing::{Anchor, Drawing, INK};

/// The axes of one panel.
pub(super) struct Axes {
    pub x: Axis,
    pub y: Axis,
}

impl Axes {
    /// Axes over the values of all panels, or the y axis over those of its own.
    pub fn of(chart: &Chart, panel: &Panel, across: [f64; 2], up: [f64; 2]) -> Self {
        let panels = || chart.panels.iter();
        let sides = |side: fn(&Cell) -> [f64; 2]| {
            let sides = panels().flat_map(|panel| &panel.cells).map(side);
            sides.reduce(|[a, b], [c, d]| [a.min(c), b.max(d)])
        };
        if let (Some(x), Some(y)) = (sides(|cell| cell.x), sides(|cell| cell.y)) {
            return Axes { x: Axis::exact(chart.x.log, x, across), y: Axis::exact(chart.y.log, y, up) };
        }
        let of_y = panels().filter(|other| !chart.own_y || std::ptr::eq(*other, panel));
        Axes {
            x: Axis::new(chart.x.log, panels().flat_map(Panel::along), across),
            y: Axis::new(chart.y.log, of_y.flat_map(Panel::heights), up),
        }
    }

    /// The place of a value, if there is one.
    pub fn place(&self, dot: &Dot) -> Option<Point> {
        let Axes { x, y } = self;
        (x.holds(dot.x) && y.holds(dot.y)).then(|| Point::new(x.place(dot.x), y.place(dot.y)))
    }

    pub fn draw(&self, drawing: &mut Drawing, chart: &Chart, panel: &Panel, labelled: bool) {
        let Axes { x, y } = self;
        let frame = Rect::new(crisp(x.from), crisp(y.to), crisp(x.to), crisp(y.from));
        drawing.fill(&frame, GROUND);
        self.grid(drawing, chart, labelled);
        let colours = Colours::of(chart);
        for cell in panel.cells.iter().filter(|cell| cell.value.is_finite()) {
            // Whole pixels, so that no seam shows.
            let [left, right] = cell.x.map(|value| x.place(value).round());
            let [bottom, top] = cell.y.map(|value| y.place(value).round());
            let colour = paint(shade(colours.share(cell.value)));
            drawing.fill(&Rect::new(left, top, right, bottom), colour);
        }
        drawing.stroke(&frame, 1.0, FAINT);
        if labelled {
            drawing.text(&chart.y.label, (8.0, y.to - 12.0), 12.0, Anchor::Start, FAINT);
        }
        let middle = 0.5 * (x.from + x.to);
        drawing.text(&panel.title, (middle, y.to - 12.0), 14.0, Anchor::Middle, INK);
        drawing.text(&chart.x.label, (middle, y.from + 38.0), 12.0, Anchor::Middle, FAINT);
        for level in &panel.levels {
            self.level(drawing, level);
        }
        for curve in &panel.curves {
            curve::draw(drawing, self, curve, panel.curves.len() == 1);
        }
    }

    fn grid(&self, drawing: &mut Drawing, chart: &Chart, labelled: bool) {
        let Axes { x, y } = self;
        let across = ticks(x, &chart.x).into_iter().map(|(value, name)| {
            let at = crisp(x.place(value));
            (Line::new((at, y.from), (at, y.to)), name, (at, y.from + 18.0), Anchor::Middle, true)
        });
        let up = ticks(y, &chart.y).into_iter().map(|(value, name)| {
            let at = crisp(y.place(value));
            (Line::new((x.from, at), (x.to, at)), name, (x.from - 8.0, at + 4.0), Anchor::End, labelled)
        });
        let mut lines: Vec<_> = across.chain(up).collect();
        // Fine lines first, under the others.
        lines.sort_by_key(|(_, name, ..)| name.is_some());
        for (line, name, at, anchor, labelled) in lines {
            drawing.stroke(&line, 1.0, if name.is_some() { GRID } else { FINE });
            drawing.text(&name.filter(|_| labelled).unwrap_or_default(), at, 12.0, anchor, INK);
        }
    }

    /// A dashed horizontal line with its name, and a vertical one down from where the limit is reached.
    fn level(&self, drawing: &mut Drawing, level: &Level) {
        let Axes { x, y } = self;
        let at = crisp(y.place(level.y));
        let dashed = |line: Line| dash(line.path_elements(0.1), 0.0, &[5.0, 4.0]).collect::<BezPath>();
        drawing.stroke(&dashed(Line::new((x.from, at), (x.to, at))), 1.0, LIMIT);
        drawing.text(&level.name, (x.from + 8.0, at - 5.0), 11.5, Anchor::Start, LIMIT);
        if let Some(reached) = level.x {
            let down = crisp(x.place(reached));
            drawing.stroke(&dashed(Line::new((down, at), (down, y.from))), 1.0, LIMIT);
            drawing.fill(&Circle::new((down, at), 4.5), LIMIT);
        }
    }
}

/// The ticks of an axis, those that the chart names first.
fn ticks(axis: &Axis, scale: &Scale) -> Vec<(f64, Option<String>)> {
    match scale.ticks.as_slice() {
        [] => axis.ticks(),
        ticks => ticks.iter().map(|(value, name)| (*value, Some(name.clone()))).collect(),
    }
}

/// Aligns a line of one pixel with a row of pixels.
fn crisp(at: f64) -> f64 {
    at.floor() + 0.5
}
