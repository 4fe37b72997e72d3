//! The axes of a panel.

use super::axis::Axis;
use super::chart::{Cell, Chart, Dot, Mark, Panel};

/// The axes of one panel.
pub(super) struct Axes {
    pub x: Axis,
    pub y: Axis,
}

impl Axes {
    /// Axes over the values of all panels, or the y axis over those of its own.
    pub fn of(chart: &Chart, panel: &Panel, across: [f64; 2], up: [f64; 2]) -> Self {
        let (mut x, mut y): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        let mut cells: Vec<&Cell> = Vec::new();
        for other in &chart.panels {
            let own = !chart.own_y || std::ptr::eq(other, panel);
            for curve in &other.curves {
                for dot in &curve.dots {
                    x.extend(if curve.mark == Mark::Columns { [dot.least, dot.most] } else { [dot.x; 2] });
                    y.extend(heights(curve.mark, dot).into_iter().filter(|_| own));
                }
            }
            // With room for the name above the highest level.
            y.extend(other.levels.iter().flat_map(|level| [level.y, 1.5 * level.y]).filter(|_| own));
            cells.extend(&other.cells);
        }
        if !cells.is_empty() {
            let ends = |side: fn(&Cell) -> [f64; 2]| {
                let sides = cells.iter().map(|cell| side(cell));
                sides.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], [c, d]| [a.min(c), b.max(d)])
            };
            return Axes {
                x: Axis::exact(chart.x.log, ends(|cell| cell.x), across),
                y: Axis::exact(chart.y.log, ends(|cell| cell.y), up),
            };
        }
        Axes {
            x: Axis::new(chart.x.log, x.into_iter(), across),
            y: Axis::new(chart.y.log, y.into_iter(), up),
        }
    }
}

/// The heights that a value takes.
fn heights(mark: Mark, dot: &Dot) -> Vec<f64> {
    match mark {
        Mark::Dots => vec![dot.y],
        Mark::Bars | Mark::Band => vec![dot.y, dot.least, dot.most],
        Mark::Columns => vec![0.0, dot.y],
    }
}
