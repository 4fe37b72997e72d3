//! Distances to nearest neighbours, and numbers of neighbours within a radius.

use rayon::prelude::*;

use super::space::Extent;
use super::tree::Tree;

/// Distances to the nearest other boid in ascending order; none with fewer than two boids.
pub(super) fn nearest(tree: &Tree) -> Vec<f64> {
    if tree.points.len() < 2 {
        return Vec::new();
    }
    let all = 0..tree.points.len();
    let mut sorted: Vec<f64> = all
        .into_par_iter()
        .map(|me| {
            let mut best = f64::INFINITY;
            search(tree, me, &mut |square, _| {
                best = square;
                best
            });
            best.sqrt()
        })
        .collect();
    sorted.par_sort_unstable_by(f64::total_cmp);
    sorted
}

/// A quantile of sorted numbers by nearest rank; NaN if there are none.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

fn point(tree: &Tree, me: usize) -> Extent {
    Extent { low: tree.points[me], high: tree.points[me] }
}

/// Calls `found` with the squared distance and the index of each other point within the bound, nearest boxes first.
/// `found` returns the bound from then on: the largest squared distance that still matters.
pub(super) fn search(tree: &Tree, me: usize, found: &mut impl FnMut(f64, usize) -> f64) {
    search_in(tree, 0, me, point(tree, me), &mut { f64::INFINITY }, found);
}

fn search_in(
    tree: &Tree,
    node: usize,
    me: usize,
    here: Extent,
    bound: &mut f64,
    found: &mut impl FnMut(f64, usize) -> f64,
) {
    if tree.space.least_square(&here, &tree.nodes[node].extent) >= *bound {
        return;
    }
    match tree.halves(node) {
        Some(halves) => {
            // The half that contains the point, or is nearer, comes first, so that most of the other is skipped then.
            let gap = |half: usize| tree.space.least_square(&here, &tree.nodes[half].extent);
            let inside = |half: usize| (tree.nodes[half].start..tree.nodes[half].end).contains(&me);
            let [first, second] = halves;
            let swap = inside(second) || !inside(first) && gap(second) < gap(first);
            let order = if swap { [second, first] } else { halves };
            order.into_iter().for_each(|half| search_in(tree, half, me, here, bound, found));
        }
        None => {
            let node = &tree.nodes[node];
            for other in (node.start..node.end).filter(|other| *other != me) {
                let square = tree.space.square(here.low, tree.points[other]);
                if square < *bound {
                    *bound = found(square, other);
                }
            }
        }
    }
}

/// The mean and the largest number of other boids within a radius; NaN without boids.
pub(super) fn count(tree: &Tree, radius: f64) -> (f64, f64) {
    if tree.points.is_empty() {
        return (f64::NAN, f64::NAN);
    }
    let (sum, most) = (0..tree.points.len())
        .into_par_iter()
        .map(|me| {
            // The point itself is counted too, unless the radius is zero.
            let found = count_in(tree, 0, point(tree, me), radius * radius).saturating_sub(1) as u64;
            (found, found)
        })
        .reduce(|| (0, 0), |a, b| (a.0 + b.0, a.1.max(b.1)));
    (sum as f64 / tree.points.len() as f64, most as f64)
}

fn count_in(tree: &Tree, node: usize, here: Extent, square: f64) -> usize {
    let extent = &tree.nodes[node].extent;
    if tree.space.least_square(&here, extent) >= square {
        return 0;
    }
    if tree.space.most_square(&here, extent) < square {
        return tree.nodes[node].len();
    }
    match tree.halves(node) {
        Some(halves) => halves.into_iter().map(|half| count_in(tree, half, here, square)).sum(),
        None => {
            let node = &tree.nodes[node];
            let near = |other: &&[f64; 3]| tree.space.square(here.low, **other) < square;
            tree.points[node.start..node.end].iter().filter(near).count()
        }
    }
}
