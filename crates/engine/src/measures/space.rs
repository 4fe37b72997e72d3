//! Distances in a world with or without periodic boundaries.

use flock::Rule;
use flock::parameters::Edges;

/// The period of the world along each axis; infinite where it does not wrap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space {
    period: [f64; 3],
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    pub low: [f64; 3],
    pub high: [f64; 3],
}

impl Extent {
    /// The bounding box of the points.
    pub fn of<'a>(points: impl Iterator<Item = &'a [f64; 3]>) -> Self {
        let empty = Extent { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };
        points.fold(empty, |extent, p| Extent {
            low: std::array::from_fn(|k| extent.low[k].min(p[k])),
            high: std::array::from_fn(|k| extent.high[k].max(p[k])),
        })
    }

    /// The axis of the longest side.
    pub fn longest_axis(&self) -> usize {
        let length = |k: usize| self.high[k] - self.low[k];
        (1..3).fold(0, |best, k| if length(k) > length(best) { k } else { best })
    }
}

impl Space {
    pub fn new(rule: &Rule<f64>) -> Self {
        let size = rule.size.to_array();
        let mut period = [f64::INFINITY; 3];
        if rule.edges == Edges::Wrap {
            for k in 0..if rule.flat { 2 } else { 3 } {
                if size[k] > 0.0 {
                    period[k] = size[k];
                }
            }
        }
        Space { period }
    }

    /// The squared distance of two points, between nearest images.
    pub fn square(&self, a: [f64; 3], b: [f64; 3]) -> f64 {
        sum_of_squares(|k| {
            let d = (a[k] - b[k]).abs();
            d.min((self.period[k] - d).abs())
        })
    }

    /// A lower bound of the squared distance of points of two boxes.
    pub fn least_square(&self, a: &Extent, b: &Extent) -> f64 {
        sum_of_squares(|k| {
            let gap = |shift: f64| (b.low[k] + shift - a.high[k]).max(a.low[k] - b.high[k] - shift).max(0.0);
            let period = self.period[k];
            let around = if period.is_finite() { gap(period).min(gap(-period)) } else { f64::INFINITY };
            gap(0.0).min(around)
        })
    }

    /// An upper bound of the squared distance of points of two boxes.
    pub fn most_square(&self, a: &Extent, b: &Extent) -> f64 {
        sum_of_squares(|k| (b.high[k] - a.low[k]).max(a.high[k] - b.low[k]).min(0.5 * self.period[k]))
    }
}

/// The sum of the squares of a function of the axis.
fn sum_of_squares(f: impl Fn(usize) -> f64) -> f64 {
    [0, 1, 2].map(f).iter().map(|d| d * d).sum()
}
