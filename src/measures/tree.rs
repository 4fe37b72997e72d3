//! A k-d tree: boxes within boxes, each split at the median of its longest side (Bentley 1975). However the boids
//! lie, it has N / 8 leaves or so, and what asks it skips whole boxes.

use super::space::{Extent, Space};

/// Points a leaf holds at most.
const LEAF: usize = 16;

/// The points in an order that puts each box's into one range.
#[derive(Debug)]
pub(super) struct Tree {
    pub space: Space,
    pub points: Vec<[f64; 3]>,
    /// The root first; none for no points.
    pub nodes: Vec<Node>,
}

/// A box of the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub extent: Extent,
    /// Its range of points.
    pub start: usize,
    pub end: usize,
    /// The second of its two halves, the first being the next node; zero for a leaf.
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

    /// The two halves of a box; none for a leaf.
    pub fn halves(&self, node: usize) -> Option<[usize; 2]> {
        let second = self.nodes[node].second;
        (second > 0).then_some([node + 1, second])
    }
}
