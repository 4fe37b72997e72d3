//! A k-d tree: each box is split at the median of its longest side (Bentley, Comm. ACM 18, 1975). It has about N / 8
//! leaves for any distribution of boids, and queries skip whole boxes. Distances are those of the world, which may wrap.

use flock::Rule;
use flock::parameters::Edges;

/// Most points of a leaf.
const LEAF: usize = 16;

/// A tree whose points are ordered so that each box holds one range.
#[derive(Debug)]
pub(super) struct Tree {
    pub space: Space,
    pub points: Vec<[f64; 3]>,
    /// The index that each point had before.
    pub ids: Vec<usize>,
    /// The root is first; empty without points.
    pub nodes: Vec<Node>,
}

/// A point and its index.
type Entry = ([f64; 3], usize);

/// A box of the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub extent: Extent,
    /// First point of its range.
    pub start: usize,
    /// End of its range.
    pub end: usize,
    /// Index of the second half; the first half is the next node. Zero for a leaf.
    second: usize,
}

impl Node {
    pub fn len(&self) -> usize {
        self.end - self.start
    }
}

impl Tree {
    pub fn new(points: &[[f64; 3]], space: Space) -> Self {
        let mut tree = Tree { space, points: Vec::new(), ids: Vec::new(), nodes: Vec::new() };
        let mut entries: Vec<Entry> = points.iter().copied().zip(0..).collect();
        if !points.is_empty() {
            tree.grow(&mut entries, 0);
        }
        (tree.points, tree.ids) = entries.into_iter().unzip();
        tree
    }

    /// Adds the box of the entries, the first of which is point `start`.
    fn grow(&mut self, entries: &mut [Entry], start: usize) {
        let end = start + entries.len();
        let extent = Extent::of(entries.iter().map(|(point, _)| point));
        let at = self.nodes.len();
        self.nodes.push(Node { extent, start, end, second: 0 });
        if entries.len() <= LEAF {
            return;
        }
        let axis = extent.longest_axis();
        let half = entries.len() / 2;
        entries.select_nth_unstable_by(half, |(a, _), (b, _)| a[axis].total_cmp(&b[axis]));
        let (first, second) = entries.split_at_mut(half);
        self.grow(first, start);
        self.nodes[at].second = self.nodes.len();
        self.grow(second, start + half);
    }

    /// The two halves of a node; none for a leaf.
    pub fn halves(&self, node: usize) -> Option<[usize; 2]> {
        let second = self.nodes[node].second;
        (second > 0).then_some([node + 1, second])
    }
}

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
