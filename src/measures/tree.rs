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
    /// The root is first; empty without points.
    pub nodes: Vec<Node>,
}

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
        let mut tree = Tree { space, points: points.to_vec(), nodes: Vec::new() };
        if !points.is_empty() {
            tree.grow(0, points.len());
        }
        tree
    }

    fn grow(&mut self, start: usize, end: usize) {
        let extent = Extent::of(self.points[start..end].iter());
        let at = self.nodes.len();
        self.nodes.push(Node { extent, start, end, second: 0 });
        if end - start <= LEAF {
            return;
        }
        let axis = extent.longest_axis();
        let half = (end - start) / 2;
        self.points[start..end].select_nth_unstable_by(half, |a, b| a[axis].total_cmp(&b[axis]));
        self.grow(start, start + half);
        self.nodes[at].second = self.nodes.len();
        self.grow(start + half, end);
    }

    /// The two halves of a node; none for a leaf.
    pub fn halves(&self, node: usize) -> Option<[usize; 2]> {
        let second = self.nodes[node].second;
        (second > 0).then_some([node + 1, second])
    }
}
