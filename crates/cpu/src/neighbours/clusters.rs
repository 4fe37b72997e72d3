//! The neighbour search of a dense flock: the sums of a cluster stand for its boids where a rule perceives all of them.

use std::ops::Range;

use flock::Number;
use flock::perceive::{Cluster, Observer, Policy, Senses, Sums};

use super::{add, observer, others, senses};
use crate::clusters::{Clusters, FAN, LEVELS, size};
use crate::cull::Cull;
use crate::vector::Vector;
use crate::walk::{CellRow, Sorted, Walk};

/// The sums of a run of boids whose cells lie in a row. The boids of a cluster that a lane perceives wholly, or not at
/// all, are not visited one by one.
///
/// The summands of a lane and their order do not depend on the other lanes: a cluster that ends beyond the cells that
/// the run overlaps is opened.
#[inline(always)]
pub fn visit_clusters<V: Vector, P: Policy>(
    flock: &Sorted<'_, V::Scalar>,
    clusters: &Clusters<V::Scalar>,
    seam: bool,
    row: &CellRow,
    run: Range<usize>,
) -> (Observer<V>, Sums<V>) {
    let senses = senses::<V, P>(flock, seam);
    let me = observer::<V, P>(flock, &senses, run.clone());
    let here = V::numbers().lt(lane(run.end, run.start));
    let cull = Cull::<V>::new(flock.positions, run.clone(), &senses, P::FLAT);
    let mut search =
        ClusterSearch { flock, senses, me, cull, waiting: here, sums: Sums::new(), run: run.clone() };
    let mut walk = Walk::new(flock, row, run);
    while let Some(range) = walk.next_range() {
        let mut descent = Descent::new(clusters, range, here);
        while let Some(node) = descent.node() {
            // The lanes that contain a part of the cluster, or that cannot test it.
            let lanes = search.accept::<P>(&node);
            if !V::any(lanes) {
                descent.skip();
            } else if !descent.open(lanes) {
                search.visit::<P>(node.range.clone(), lanes);
                descent.skip();
            }
        }
    }
    search.visit_waiting::<P>();
    (search.me, search.sums)
}

/// The lane of the boid at a sorted index, in a run that begins at `first`.
#[inline(always)]
fn lane<V: Vector>(index: usize, first: usize) -> V {
    V::splat(V::Scalar::counted(index.wrapping_sub(first) as i32))
}

/// Boids of a range, by sorted index: those of a cluster, or fewer where no cluster fits.
struct Node<'a, V: Vector> {
    range: Range<usize>,
    cluster: Option<&'a Cluster<V::Scalar>>,
    /// The lanes that have not decided on a larger cluster around it.
    lanes: V::Mask,
}

/// The way through a range of boids from the largest clusters in it down into those that are opened.
struct Descent<'a, V: Vector> {
    clusters: &'a Clusters<V::Scalar>,
    here: V::Mask,
    /// The boids left.
    range: Range<usize>,
    /// The end of the largest cluster under way, and its level.
    stop: usize,
    top: usize,
    level: usize,
    /// By level: the lanes that visit its clusters.
    visiting: [V::Mask; LEVELS + 1],
}

impl<'a, V: Vector> Descent<'a, V> {
    #[inline(always)]
    fn new(clusters: &'a Clusters<V::Scalar>, range: Range<usize>, here: V::Mask) -> Self {
        let visiting = [here; LEVELS + 1];
        Descent { clusters, here, stop: range.start, range, top: 0, level: 0, visiting }
    }

    /// The next node, if there is one; the same one until it is opened or skipped.
    #[inline(always)]
    fn node(&mut self) -> Option<Node<'a, V>> {
        let Range { start, end } = self.range;
        if start >= end {
            return None;
        }
        if start >= self.stop {
            self.top = self.clusters.level(start, end);
            self.level = self.top;
            self.visiting[self.top] = self.here;
            self.stop =
                if self.top == 0 { end.min(start - start % FAN + FAN) } else { start + size(self.top) };
        }
        let (level, lanes) = (self.level, self.visiting[self.level]);
        let (cluster, end) = if level == 0 {
            (None, self.stop)
        } else {
            (Some(self.clusters.cluster(level, start)), start + size(level))
        };
        Some(Node { range: start..end, cluster, lanes })
    }

    /// Descends to the clusters of the node's cluster, in some lanes; false if it has boids only.
    #[inline(always)]
    fn open(&mut self, lanes: V::Mask) -> bool {
        if self.level <= 1 {
            return false;
        }
        self.level -= 1;
        self.visiting[self.level] = lanes;
        true
    }

    /// Skips the node.
    #[inline(always)]
    fn skip(&mut self) {
        self.range.start = if self.level == 0 { self.stop } else { self.range.start + size(self.level) };
        while self.level < self.top && self.range.start.is_multiple_of(size(self.level + 1)) {
            self.level += 1;
        }
    }
}

/// The search of a run.
struct ClusterSearch<'a, V: Vector> {
    flock: &'a Sorted<'a, V::Scalar>,
    senses: Senses<V>,
    me: Observer<V>,
    run: Range<usize>,
    sums: Sums<V>,
    /// Boids of opened clusters that wait to be visited, and the lanes that visit them.
    cull: Cull<'a, V>,
    waiting: V::Mask,
}

impl<V: Vector> ClusterSearch<'_, V> {
    /// Adds a node's cluster in the lanes that contain it; returns the lanes that must open it.
    #[inline(always)]
    fn accept<P: Policy>(&mut self, node: &Node<'_, V>) -> V::Mask {
        let Some(cluster) = node.cluster else { return node.lanes };
        let cluster = Cluster::splat(cluster);
        let containment = self.senses.containment::<P>(&self.me, &cluster);
        let inside = containment.inside & node.lanes;
        if V::any(inside) {
            self.visit_waiting::<P>();
            let Range { start, end } = node.range;
            let number = V::numbers();
            let own = lane::<V>(start, self.run.start).le(number) & number.lt(lane(end, self.run.start));
            self.senses.add_cluster::<P>(&mut self.sums, &self.me, &containment, inside, own, &cluster);
        }
        if !V::any(containment.partial & node.lanes) {
            return V::no_lane();
        }
        // Lanes outside stay active with those that must open it, so that neighbouring clusters share one mask.
        node.lanes & !inside
    }

    /// Visits boids one by one, in some lanes.
    #[inline(always)]
    fn visit<P: Policy>(&mut self, mut range: Range<usize>, lanes: V::Mask) {
        if V::bits(lanes) != V::bits(self.waiting) {
            self.visit_waiting::<P>();
            self.waiting = lanes;
        }
        while !range.is_empty() {
            self.cull.keep(&mut range, self.senses.at_seam(), P::FLAT);
            if !range.is_empty() {
                self.visit_waiting::<P>();
            }
        }
    }

    /// Every lane adds in sorted order: waiting boids come before a cluster behind them.
    #[inline(always)]
    fn visit_waiting<P: Policy>(&mut self) {
        for index in self.cull.take() {
            let index = *index as usize;
            let mut present = self.waiting;
            if self.run.contains(&index) {
                present = present & others::<V>(V::numbers(), index, self.run.start);
            }
            let candidate = &self.flock.candidates[index];
            add::<V, P>(&self.senses, &mut self.sums, &self.me, candidate, Some(present));
        }
    }
}
