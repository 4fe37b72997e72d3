//! Plots: curves, columns or cells over two axes, in panels side by side, as a PNG or an SVG file; in colours that
//! colour-blind readers can tell apart.

mod panel;

use std::path::Path;

use vello_cpu::kurbo::{Circle, Line, Rect};
use vello_cpu::peniko::Color;

use self::panel::Axes;
use super::axis::{PlotAxis, range};
use super::{Drawing, INK, Rgb, START, paint, rgb};
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

/// The contents of a plot.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    pub title: String,
    pub x: Scale,
    pub y: Scale,
    /// True if each panel has a y axis of its own, which its title names.
    pub own_y: bool,
    /// Panels side by side, at most three per row.
    pub panels: Vec<Panel>,
    /// The heading of the curves' names.
    pub legend: String,
    /// The label of the colour scale of cells.
    pub colours: String,
    /// Lines of text below the panels.
    pub captions: Vec<String>,
}

/// An axis: its label, and whether it is logarithmic. A logarithmic axis shows only positive values.
#[derive(Clone, Debug, Default)]
pub struct Scale {
    pub label: String,
    pub log: bool,
    /// Ticks with their names; if empty, ticks are at round values.
    pub ticks: Vec<(f64, String)>,
}

/// One pair of axes; panels share their ranges.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    pub title: String,
    /// Later curves are drawn over earlier ones.
    pub curves: Vec<Curve>,
    pub levels: Vec<Level>,
    pub cells: Vec<Cell>,
}

/// Values joined by a line.
#[derive(Clone, Debug)]
pub struct Curve {
    pub name: String,
    /// `None` draws a thicker line in the colour of the text.
    pub hue: Option<Rgb>,
    pub mark: Mark,
    pub dots: Vec<Dot>,
}

/// The style of a curve's values and their ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A dot per value.
    Dots,
    /// A dot per value, and a bar over its range.
    Bars,
    /// A band over the ranges.
    Band,
    /// A column per value, from zero; `least` and `most` are its sides.
    Columns,
}

/// One value and the ends of its range; NaN without a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    pub x: f64,
    pub y: f64,
    pub least: f64,
    pub most: f64,
}

/// A rectangle of the plane with a value, drawn as a colour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Its sides.
    pub x: [f64; 2],
    pub y: [f64; 2],
    pub value: f64,
}

/// A limit, drawn as a horizontal line.
#[derive(Clone, Debug)]
pub struct Level {
    pub y: f64,
    pub name: String,
    /// The x value at which the limit is reached.
    pub x: Option<f64>,
}

impl Panel {
    /// All x values that the panel shows.
    fn along(&self) -> impl Iterator<Item = f64> {
        self.curves.iter().flat_map(|Curve { mark, dots, .. }| {
            dots.iter()
                .flat_map(|dot| if *mark == Mark::Columns { [dot.least, dot.most] } else { [dot.x; 2] })
        })
    }

    /// All y values that the panel shows, with room for the name above the highest level.
    fn heights(&self) -> impl Iterator<Item = f64> {
        let heights = self.curves.iter().flat_map(|Curve { mark, dots, .. }| {
            dots.iter().flat_map(|dot| match mark {
                Mark::Dots => [dot.y; 3],
                Mark::Bars | Mark::Band => [dot.y, dot.least, dot.most],
                Mark::Columns => [dot.y, dot.y, 0.0],
            })
        });
        heights.chain(self.levels.iter().flat_map(|level| [level.y, 1.5 * level.y]))
    }
}

const GROUND: Color = paint(rgb(0xffffff));
const FAINT: Color = paint(rgb(0x5f6873));
const GRID: Color = paint(rgb(0xe2e0d9));
const FINE: Color = paint(rgb(0xf0eee9));
const LIMIT: Color = paint(rgb(0xc81d25));

/// The palette of Okabe and Ito (Color Universal Design, 2008) without its yellow, which is too light for a line on
/// white, and with its black last.
const SERIES: [u32; 7] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000];

/// Samples of viridis (van der Walt and Smith, 2015), perceptually uniform from dark to light.
const VIRIDIS: [u32; 9] =
    [0x440154, 0x472c7a, 0x3b518b, 0x2c718e, 0x21908d, 0x27ad81, 0x5cc863, 0xaadc32, 0xfde725];

/// The colour of curve `index` of `count`: from the palette, or from viridis without its lightest part.
pub fn series_colour(index: usize, count: usize) -> Rgb {
    let palette = SERIES.get(index).filter(|_| count <= SERIES.len());
    palette.map_or_else(|| shade(0.88 * index as f64 / (count - 1) as f64), |hex| rgb(*hex))
}

/// The viridis colour at `share`, 0…1.
fn shade(share: f64) -> Rgb {
    let at = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let low = (at as usize).min(VIRIDIS.len() - 2);
    let between = |k: usize| {
        let [a, b] = [low, low + 1].map(|sample| f64::from(rgb(VIRIDIS[sample])[k]));
        (a + (at - low as f64) * (b - a)).round() as u8
    };
    [0, 1, 2].map(between)
}

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
mod tests {
    use super::*;

    #[test]
    fn curves_have_colours_of_their_own() {
        for count in [1, 7, 8, 20] {
            let all: std::collections::HashSet<Rgb> = (0..count).map(|k| series_colour(k, count)).collect();
            assert_eq!(all.len(), count);
        }
    }

    fn chart(name: &str) -> Chart {
        let dot = |x: f64| Dot { x, y: x / 1e3, least: x / 2e3, most: x / 0.5e3 };
        let curve = |name: &str, hue| Curve {
            name: name.to_owned(),
            hue,
            mark: if hue.is_some() { Mark::Dots } else { Mark::Bars },
            dots: [1e3, 1e4, 1e5].into_iter().map(dot).collect(),
        };
        let panel = Panel {
            title: "start".to_owned(),
            curves: vec![curve(name, Some([164, 82, 41])), curve("all", None)],
            levels: vec![Level { y: 16.7, name: "60 a second".to_owned(), x: Some(16_700.0) }],
            ..Panel::default()
        };
        let captions = vec!["one & all".to_owned()];
        let scale = |label: &str| Scale { label: label.into(), log: true, ..Scale::default() };
        let title = "a title".into();
        Chart { title, x: scale("boids"), y: scale("ms"), panels: vec![panel], captions, ..Chart::default() }
    }

    fn written(name: &str, chart: &Chart) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        Plot::new(&path, Existing::Keep).unwrap().write(chart).unwrap();
        let names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().file_name()).collect();
        assert_eq!(names, [name], "nothing else is left");
        std::fs::read(path).unwrap()
    }

    #[test]
    fn a_png_has_the_size_of_the_svg_and_shows_what_it_shows() {
        let pixels = |chart: &Chart| {
            let bytes = written("a.png", chart);
            let mut reader = ::png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
            let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
            let info = reader.next_frame(&mut pixels).unwrap();
            assert_eq!([info.width, info.height], draw(chart).size.map(u32::from));
            pixels
        };
        let red =
            |pixels: &[u8]| pixels.as_chunks::<3>().0.iter().filter(|p| p[0] > 180 && p[1] < 80).count();
        let (mut with, mut without) = (chart("scatter"), chart("scatter"));
        assert_eq!(pixels(&with), pixels(&without));
        without.panels[0].levels.clear();
        assert!(red(&pixels(&with)) > 200 && red(&pixels(&without)) == 0);
        with.panels[0].curves.clear();
        assert_ne!(pixels(&with), pixels(&chart("scatter")));
    }

    #[test]
    fn what_has_no_place_on_the_axes_is_left_out() {
        let mut broken = chart("scatter");
        broken.panels[0].curves[0].dots[1] = Dot { x: 1e4, y: 0.0, least: -1.0, most: f64::NAN };
        let text = String::from_utf8(written("a.svg", &broken)).unwrap();
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }

    /// A curve of many values is drawn with a few a pixel, and its extreme values are among them.
    #[test]
    fn values_that_no_pixel_can_show_are_left_out() {
        let drawn = |peak: f64| {
            let dot = |k: u32| {
                let y = if k == 77_777 { peak } else { f64::from(k.wrapping_mul(2_654_435_761) >> 8) };
                Dot { x: f64::from(k), y, least: f64::NAN, most: f64::NAN }
            };
            let curve = Curve {
                name: "many".to_owned(),
                hue: Some([164, 82, 41]),
                mark: Mark::Dots,
                dots: (0..200_000).map(dot).collect(),
            };
            let panel = Panel { curves: vec![curve], ..Panel::default() };
            written("a.svg", &Chart { panels: vec![panel], ..Chart::default() })
        };
        let all = drawn(19e6);
        assert!(all.len() < 1 << 20, "{} bytes", all.len());
        assert_ne!(all, drawn(18.5e6), "the greatest value is drawn");
    }
}
