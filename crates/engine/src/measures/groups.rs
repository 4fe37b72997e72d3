//! Groups: the connected components of the graph that joins points nearer than a radius.
//!
//! Pairs of boxes of the tree are compared, from the root down. Pairs that are too far apart are skipped. Pairs whose
//! points are all near each other, and connected within each box, are joined at once.

use std::ops::Range;

use super::tree::{Node, Tree};

/// The groups of a flock.
pub(super) struct Groups {
    /// Sizes in descending order.
    pub sizes: Vec<usize>,
    /// The ids of the largest group in ascending order; of equal groups, the one with the smallest id.
    pub largest: Vec<usize>,
}

/// Joins points nearer than `radius`.
pub(super) fn find(tree: &Tree, radius: f64) -> Groups {
    let count = tree.points.len();
    let mut join = Join {
        tree,
        square: radius * radius,
        parent: (0..count).collect(),
        whole: vec![false; tree.nodes.len()],
    };
    if !tree.nodes.is_empty() {
        join.within(0);
    }
    // The group of each id, by the root of its point.
    let mut group = vec![0; count];
    let mut sizes = vec![0; count];
    for point in 0..count {
        let root = join.root(point);
        group[tree.ids[point]] = root;
        sizes[root] += 1;
    }
    // `max_by_key` returns the last maximum: among equal groups, that of the smallest id in the reversed order.
    let largest = group.iter().rev().max_by_key(|root| sizes[**root]).copied();
    let largest = (0..count).filter(|id| Some(group[*id]) == largest).collect();
    sizes.retain(|size| *size > 0);
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    Groups { sizes, largest }
}

struct Join<'a> {
    tree: &'a Tree,
    square: f64,
    /// The parent of each point in a disjoint-set forest (Tarjan, J. ACM 22, 1975).
    parent: Vec<usize>,
    /// True if all points of a node are known to be in one group.
    whole: Vec<bool>,
}

impl Join<'_> {
    fn root(&mut self, mut point: usize) -> usize {
        while self.parent[point] != point {
            self.parent[point] = self.parent[self.parent[point]];
            point = self.parent[point];
        }
        point
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b)] = a.min(b);
    }

    /// Joins near points within a node.
    fn within(&mut self, node: usize) {
        let Some([first, second]) = self.tree.halves(node) else {
            let Node { start, end, .. } = self.tree.nodes[node];
            (start..end).for_each(|a| self.join_near(a, a + 1..end));
            let root = self.root(start);
            self.whole[node] = (start..end).all(|point| self.root(point) == root);
            return;
        };
        self.within(first);
        self.within(second);
        self.between(first, second);
        self.whole[node] = self.same(first, second);
    }

    /// Joins near points of two nodes.
    fn between(&mut self, a: usize, b: usize) {
        let tree = self.tree;
        let (node_a, node_b, space) = (&tree.nodes[a], &tree.nodes[b], &tree.space);
        if space.least_square(&node_a.extent, &node_b.extent) >= self.square || self.same(a, b) {
            return;
        }
        let all_near = space.most_square(&node_a.extent, &node_b.extent) < self.square;
        if all_near && self.whole[a] && self.whole[b] {
            self.unite(node_a.start, node_b.start);
            return;
        }
        let larger_first = node_a.len() >= node_b.len();
        match (tree.halves(a), tree.halves(b)) {
            (Some(halves), other) if larger_first || other.is_none() => {
                halves.into_iter().for_each(|half| self.between(half, b));
            }
            (_, Some(halves)) => halves.into_iter().for_each(|half| self.between(a, half)),
            _ => (node_a.start..node_a.end).for_each(|a| self.join_near(a, node_b.start..node_b.end)),
        }
    }

    /// Joins a point with others that are near.
    fn join_near(&mut self, a: usize, others: Range<usize>) {
        for b in others {
            if self.tree.space.square(self.tree.points[a], self.tree.points[b]) < self.square {
                self.unite(a, b);
            }
        }
    }

    /// True if all points of both nodes are known to be in one group.
    fn same(&mut self, a: usize, b: usize) -> bool {
        let first = |node: usize| self.tree.nodes[node].start;
        self.whole[a] && self.whole[b] && self.root(first(a)) == self.root(first(b))
    }
}
