//! A k-d tree: each box is split at the median of its longest side (Bentley, Comm. ACM 18, 1975). It has about N / 8
//! leaves for any distribution of boids, and queries skip whole boxes.

use super::space::{Extent, Space};

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
