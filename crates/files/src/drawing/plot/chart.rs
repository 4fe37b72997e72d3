//! The contents of a plot, and its colours, which colour-blind readers can tell apart.

use vello_cpu::peniko::Color;

use crate::drawing::{Rgb, paint, rgb};

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
    pub(super) fn along(&self) -> impl Iterator<Item = f64> {
        self.curves.iter().flat_map(|Curve { mark, dots, .. }| {
            dots.iter()
                .flat_map(|dot| if *mark == Mark::Columns { [dot.least, dot.most] } else { [dot.x; 2] })
        })
    }

    /// All y values that the panel shows, with room for the name above the highest level.
    pub(super) fn heights(&self) -> impl Iterator<Item = f64> {
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

pub(super) const GROUND: Color = paint(rgb(0xffffff));
pub(super) const FAINT: Color = paint(rgb(0x5f6873));
pub(super) const GRID: Color = paint(rgb(0xe2e0d9));
pub(super) const FINE: Color = paint(rgb(0xf0eee9));
pub(super) const LIMIT: Color = paint(rgb(0xc81d25));

/// The palette of Okabe and Ito (Color Universal Design, 2008) without its yellow, which is too light for a line on
/// white, and with its black last.
const SERIES: [u32; 7] = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000];

/// Samples of viridis (van der Walt and Smith, 2015), perceptually uniform from dark to light.
const VIRIDIS: [u32; 9] =
    [0x440154, 0x472c7a, 0x3b518b, 0x2c718e, 0x21908d, 0x27ad81, 0x5cc863, 0xaadc32, 0xfde725];

/// The colour of curve `index` of `count`: from the palette, or from viridis without its lightest part.
pub fn series(index: usize, count: usize) -> Rgb {
    let palette = SERIES.get(index).filter(|_| count <= SERIES.len());
    palette.map_or_else(|| shade(0.88 * index as f64 / (count - 1) as f64), |hex| rgb(*hex))
}

/// The viridis colour at `share`, 0…1.
pub(super) fn shade(share: f64) -> Rgb {
    let at = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let low = (at as usize).min(VIRIDIS.len() - 2);
    let between = |k: usize| {
        let [a, b] = [low, low + 1].map(|sample| f64::from(rgb(VIRIDIS[sample])[k]));
        (a + (at - low as f64) * (b - a)).round() as u8
    };
    [0, 1, 2].map(between)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_have_colours_of_their_own() {
        for count in [1, 7, 8, 20] {
            let all: std::collections::HashSet<Rgb> = (0..count).map(|k| series(k, count)).collect();
            assert_eq!(all.len(), count);
        }
    }
}
