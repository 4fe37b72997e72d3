//! Distances to nearest neighbours, numbers of neighbours within a radius, these neighbours, and the directions in which
//! the nearest lie.

use flock::measures::spread;
use flock::{Parameters, Rule, Vec3};
use rayon::prelude::*;

use super::shape::principal_axes;
use super::tree::{Extent, Space, Tree};
use crate::{EngineError, Result, State, memory};

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

/// Neighbours as rows of a sparse matrix: those of boid k are `starts[k]..starts[k + 1]` of the arrays, by id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    pub starts: Vec<i64>,
    /// Ids.
    pub indices: Vec<i64>,
    pub distances: Vec<f64>,
}

/// Boids of the first block whose neighbours are searched at once.
const BLOCK: usize = 1024;

/// Pairs of a block above which blocks become smaller; memory is reserved for a block's pairs beforehand.
const PAIRS: usize = 1 << 18;

/// All pairs of boids nearer than a radius, each from both sides; between nearest images in a world that wraps.
///
/// # Errors
/// When memory has no room for the pairs.
pub fn within(parameters: &Parameters, state: &State, radius: f64) -> Result<Pairs> {
    let (tree, by_id) = tree_by_id(&Rule::new(parameters), state);
    let mut pairs = Pairs { starts: vec![0], ..Pairs::default() };
    let (mut left, mut size) = (&by_id[..], BLOCK);
    while let Some(block) = left.split_off(..size.min(left.len())).filter(|block| !block.is_empty()) {
        let rows: Vec<Vec<(i64, f64)>> =
            block.par_iter().map(|me| row(&tree, *me, radius * radius)).collect();
        let more = rows.iter().map(Vec::len).sum();
        memory::try_reserve(&mut pairs.indices, more)
            .and_then(|()| memory::try_reserve(&mut pairs.distances, more))
            .map_err(|_| EngineError::Device {
                device: "out of memory".to_owned(),
                what: format!("too many neighbours within {radius}"),
            })?;
        for row in rows {
            pairs.indices.extend(row.iter().map(|(id, _)| id));
            pairs.distances.extend(row.iter().map(|(_, square)| square.sqrt()));
            pairs.starts.push(pairs.indices.len() as i64);
        }
        size = if more < PAIRS { size * 2 } else { (size / 2).max(1) };
    }
    Ok(pairs)
}

/// A tree of the boids, and the number of each boid's point in it.
fn tree_by_id(rule: &Rule<f64>, state: &State) -> (Tree, Vec<usize>) {
    let points: Vec<[f64; 3]> = state.boids.iter().map(|boid| boid.position).collect();
    let tree = Tree::new(&points, Space::new(rule));
    let mut by_id = vec![0; points.len()];
    tree.ids.iter().enumerate().for_each(|(me, id)| by_id[*id] = me);
    (tree, by_id)
}

/// The ids of the other boids within a squared distance, and their squared distances.
fn row(tree: &Tree, me: usize, square: f64) -> Vec<(i64, f64)> {
    let mut row = Vec::new();
    search(tree, me, &mut |found, other| {
        // The search begins without a bound.
        if found < square {
            row.push((tree.ids[other] as i64, found));
        }
        square
    });
    row.sort_unstable_by_key(|(id, _)| *id);
    row
}

/// The offset to another boid, and its velocity.
pub type Seen = [f64; 6];

/// The `count` nearest others of each boid, the nearest first; zeros where fewer are nearer than a radius. In id order,
/// and between nearest images in a world that wraps.
pub fn nearest_others(parameters: &Parameters, state: &State, count: usize, radius: f64) -> Vec<Seen> {
    let rule = Rule::<f64>::new(parameters);
    let (tree, by_id) = tree_by_id(&rule, state);
    let mut seen = vec![[0.0; 6]; count * by_id.len()];
    // Chunks must not be empty.
    seen.par_chunks_mut(count.max(1)).zip(by_id).for_each(|(row, me)| {
        let here = Vec3::from(tree.points[me]);
        for (seen, other) in row.iter_mut().zip(nearest_points(&tree, me, count, radius * radius)) {
            let [x, y, z] = rule.nearest_image(Vec3::from(tree.points[other]) - here).to_array();
            let [vx, vy, vz] = state.boids[tree.ids[other]].velocity;
            *seen = [x, y, z, vx, vy, vz];
        }
    });
    seen
}

/// The `count` nearest others within a squared distance, the nearest first; equally distant ones by id.
pub(super) fn nearest_points(tree: &Tree, me: usize, count: usize, square: f64) -> Vec<usize> {
    let mut best: Vec<(f64, usize)> = Vec::with_capacity(count + 1);
    search(tree, me, &mut |found, other| {
        // The search begins without a bound.
        if found < square {
            let key = |other: usize, found: f64| (found, tree.ids[other]);
            let at = best.partition_point(|(held, index)| key(*index, *held) < key(other, found));
            best.insert(at, (found, other));
            best.truncate(count);
        }
        // The next number above: an equally distant one may have a lower id.
        best.last().filter(|_| best.len() == count).map_or(square, |(most, _)| most.next_up())
    });
    best.into_iter().map(|(_, other)| other).collect()
}

/// The most ranks of nearest neighbours.
const RANKS: usize = 16;

/// γ of the nearest neighbours, and the number of ranks before the first that is isotropic (Ballerini et al., PNAS 105,
/// 2008, 1232); NaN without a heading or neighbours. The sample is one of points of the tree.
///
/// For rank n, M = Σ u uᵀ / N of the unit vectors from each boid to its n-th nearest other one. W, the axis of the
/// least eigenvalue of M, points to where the fewest of them lie, and γ = (W·V)² with the flock's heading V. The
/// anisotropy of starlings vanishes at rank 6 to 7: the number of neighbours that a bird interacts with.
///
/// W is a direction of chance where neighbours lie isotropically. So a rank counts as anisotropic where γ is above that
/// of isotropic neighbours and the least eigenvalue is below theirs, 1/3, by more than its error of sampling, 1/√N.
/// Boids at the border are not left out, as the paper does: a layer as thin as the distance of a rank makes γ small.
///
/// The boids are a sample, at most 1024: the work is about that many searches of the tree.
pub(super) fn anisotropy(tree: &Tree, rule: &Rule<f64>, sample: &[usize], heading: Vec3<f64>) -> (f64, f64) {
    if tree.points.len() < 2 || heading.dot(heading) == 0.0 {
        return (f64::NAN, f64::NAN);
    }
    let directions: Vec<Vec<Vec3<f64>>> = sample.par_iter().map(|me| directions(tree, rule, *me)).collect();
    let isotropic = if rule.flat { 1.0 / 2.0 } else { 1.0 / 3.0 };
    let noise = 1.0 / (sample.len() as f64).sqrt();
    let gamma = |rank: usize| {
        let sums = spread(directions.iter().filter_map(|all| all.get(rank)).copied());
        // The trace is the number of unit vectors; zeros among them do not count.
        let count = sums[0] + sums[1] + sums[2];
        // The least axis of Σ u uᵀ / N.
        let (least, axis) = principal_axes(sums.map(|sum| sum / count), rule.flat)[0];
        (axis.dot(heading).powi(2), least)
    };
    let anisotropic = (0..RANKS).take_while(|rank| {
        let (gamma, least) = gamma(*rank);
        gamma > isotropic && least < isotropic - noise
    });
    (gamma(0).0, anisotropic.count() as f64)
}

/// Unit vectors to the nearest other points by rank; zero to a point at the same place.
fn directions(tree: &Tree, rule: &Rule<f64>, me: usize) -> Vec<Vec3<f64>> {
    let here = Vec3::from(tree.points[me]);
    let way = |other: usize| rule.nearest_image(Vec3::from(tree.points[other]) - here).direction();
    nearest_points(tree, me, RANKS, f64::INFINITY)
        .into_iter()
        .map(|other| way(other).map_or(Vec3::zero(), |(way, _)| way))
        .collect()
}
