//! The layout of a plot.

use vello_cpu::kurbo::{BezPath, Circle, Line, Rect, Shape, dash};
use vello_cpu::peniko::Color;

use super::axis::{Axis, short};
use super::chart::{Chart, Curve, Level, Panel};
use super::sheet::Sheet;
use crate::pass_colours::Rgb;
use crate::report::canvas::Anchor;

const PAPER: Color = Color::from_rgb8(0xfb, 0xfa, 0xf6);
const GROUND: Color = Color::from_rgb8(0xff, 0xff, 0xff);
const INK: Color = Color::from_rgb8(0x2b, 0x36, 0x44);
const FAINT: Color = Color::from_rgb8(0x6c, 0x75, 0x80);
const GRID: Color = Color::from_rgb8(0xe2, 0xe0, 0xd9);
const FINE: Color = Color::from_rgb8(0xf0, 0xee, 0xe9);
const LIMIT: Color = Color::from_rgb8(0xc8, 0x1d, 0x25);

/// Widths in pixels: the labels of the y axis, a panel, the gap after it, the legend.
const LEFT: f64 = 64.0;
const PANEL: f64 = 430.0;
const GAP: f64 = 28.0;
const LEGEND: f64 = 176.0;
const TOP: f64 = 88.0;
const HIGH: f64 = 400.0;
/// From the panels to the first caption, and between captions.
const FEET: f64 = 66.0;
const LINE: f64 = 18.0;

/// Width and height of the picture of a chart.
pub(super) fn size(chart: &Chart) -> (u16, u16) {
    let width = LEFT + chart.panels.len().max(1) as f64 * (PANEL + GAP) + LEGEND;
    let height = TOP + HIGH + FEET + chart.captions.len() as f64 * LINE;
    (width as u16, height as u16)
}

/// Draws a chart on a sheet of its size.
pub(super) fn draw(chart: &Chart, sheet: &mut dyn Sheet) {
    let (width, height) = size(chart);
    sheet.fill(&Rect::new(0.0, 0.0, width.into(), height.into()).to_path(0.1), PAPER);
    sheet.text(&chart.title, (LEFT, 36.0), 19.0, Anchor::Start, INK);
    let curves = || chart.panels.iter().flat_map(|panel| &panel.curves);
    let dots = || curves().flat_map(|curve| &curve.dots).filter(|dot| dot.y > 0.0);
    // With room for the name above the highest level.
    let levels =
        chart.panels.iter().flat_map(|panel| &panel.levels).flat_map(|level| [level.y, 1.5 * level.y]);
    let y = Axis::new(dots().map(|dot| dot.y).chain(levels), TOP + HIGH, TOP);
    sheet.text(&chart.y, (8.0, TOP - 12.0), 12.0, Anchor::Start, FAINT);
    for (index, panel) in chart.panels.iter().enumerate() {
        let left = LEFT + index as f64 * (PANEL + GAP);
        let x = Axis::new(dots().map(|dot| dot.x), left, left + PANEL);
        Axes { x, y }.draw(sheet, chart, panel, index == 0);
    }
    let mut names = Vec::new();
    for curve in curves() {
        if !names.iter().any(|known: &&Curve| known.name == curve.name) {
            names.push(curve);
        }
    }
    // The curve that is drawn last comes first.
    let left = f64::from(width) - LEGEND;
    for (curve, row) in names.into_iter().rev().zip(0_u8..) {
        name(sheet, curve, (left, TOP + 10.0 + f64::from(row) * 20.0));
    }
    for (caption, row) in chart.captions.iter().zip(0_u8..) {
        let baseline = TOP + HIGH + FEET + f64::from(row) * LINE;
        sheet.text(caption, (LEFT, baseline), 12.5, Anchor::Start, FAINT);
    }
}

/// An entry of the legend.
fn name(sheet: &mut dyn Sheet, curve: &Curve, (x, y): (f64, f64)) {
    let (colour, width) = pen(curve);
    sheet.stroke(&Line::new((x, y), (x + 22.0, y)).to_path(0.1), width, colour);
    sheet.fill(&Circle::new((x + 11.0, y), 1.4 * width).to_path(0.05), colour);
    sheet.text(&curve.name, (x + 30.0, y + 4.5), 13.0, Anchor::Start, INK);
}

/// The axes of one panel.
struct Axes {
    x: Axis,
    y: Axis,
}

impl Axes {
    fn draw(&self, sheet: &mut dyn Sheet, chart: &Chart, panel: &Panel, first: bool) {
        let Axes { x, y } = self;
        let frame = Rect::new(crisp(x.from), crisp(y.to), crisp(x.to), crisp(y.from));
        sheet.fill(&frame.to_path(0.1), GROUND);
        self.grid(sheet, first);
        sheet.stroke(&frame.to_path(0.1), 1.0, FAINT);
        sheet.text(&panel.title, (0.5 * (x.from + x.to), TOP - 12.0), 14.0, Anchor::Middle, INK);
        sheet.text(&chart.x, (0.5 * (x.from + x.to), y.from + 38.0), 12.0, Anchor::Middle, FAINT);
        for level in &panel.levels {
            self.level(sheet, level);
        }
        for curve in &panel.curves {
            self.curve(sheet, curve);
        }
    }

    fn grid(&self, sheet: &mut dyn Sheet, first: bool) {
        let Axes { x, y } = self;
        // Fine lines first, under the others.
        for named in [false, true] {
            let colour = if named { GRID } else { FINE };
            for tick in x.ticks().into_iter().filter(|tick| tick.named == named) {
                let at = crisp(x.place(tick.value));
                sheet.stroke(&Line::new((at, y.from), (at, y.to)).to_path(0.1), 1.0, colour);
                if named {
                    sheet.text(&short(tick.value), (at, y.from + 18.0), 12.0, Anchor::Middle, INK);
                }
            }
            for tick in y.ticks().into_iter().filter(|tick| tick.named == named) {
                let at = crisp(y.place(tick.value));
                sheet.stroke(&Line::new((x.from, at), (x.to, at)).to_path(0.1), 1.0, colour);
                if named && first {
                    sheet.text(&short(tick.value), (x.from - 8.0, at + 4.0), 12.0, Anchor::End, INK);
                }
            }
        }
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

    /// A line with a dot per value, and for curves without a hue the range of each value.
    fn curve(&self, sheet: &mut dyn Sheet, curve: &Curve) {
        let Axes { x, y } = self;
        let (colour, width) = pen(curve);
        let (mut line, mut bars) = (BezPath::new(), BezPath::new());
        for dot in curve.dots.iter().filter(|dot| dot.x > 0.0 && dot.y > 0.0) {
            let at = (x.place(dot.x), y.place(dot.y));
            match line.elements() {
                [] => line.move_to(at),
                _ => line.line_to(at),
            }
            sheet.fill(&Circle::new(at, 1.4 * width).to_path(0.05), colour);
            if curve.hue.is_none() && dot.least > 0.0 && dot.most > dot.least {
                bars.move_to((at.0, y.place(dot.least).min(y.from)));
                bars.line_to((at.0, y.place(dot.most).max(y.to)));
            }
        }
        sheet.stroke(&bars, 1.0, colour);
        sheet.stroke(&line, width, colour);
    }
}

/// Aligns a line of one pixel with a row of pixels.
fn crisp(at: f64) -> f64 {
    at.floor() + 0.5
}

/// The colour and the width of a curve. Hues are made for a dark background, so they are darkened here.
fn pen(curve: &Curve) -> (Color, f64) {
    let dark = |part: u8| (f64::from(part) * 0.82) as u8;
    match curve.hue {
        Some(hue) => {
            let [r, g, b]: Rgb = hue.map(dark);
            (Color::from_rgb8(r, g, b), 1.8)
        }
        None => (INK, 2.6),
    }
}
