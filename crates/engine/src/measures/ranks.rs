//! The directions of the nearest neighbours, by rank (Ballerini et al., PNAS 105, 2008, 1232).
//!
//! For rank n, M = Σ u uᵀ / N of the unit vectors from each boid to its n-th nearest other one. W, the axis of the
//! least eigenvalue of M, points to where the fewest of them lie, and γ = (W·V)² with the flock's heading V. The
//! anisotropy of starlings vanishes at rank 6 to 7: the number of neighbours that a bird interacts with.
//!
//! W is a direction of chance where neighbours lie isotropically. So a rank counts as anisotropic where γ is above that
//! of isotropic neighbours and the least eigenvalue is below theirs, 1/3, by more than its error of sampling, 1/√N.
//! Boids at the border are not left out, as the paper does: a layer as thin as the distance of a rank makes γ small.
//!
//! The boids are a sample, at most 1024: the work is about that many searches of the tree.

use flock::measures::spread;
use flock::{Rule, Vec3};
use rayon::prelude::*;

use super::neighbours::nearest_points;
use super::shape::principal_axes;
use super::tree::Tree;

/// The most ranks.
const RANKS: usize = 16;

/// γ of the nearest neighbours, and the number of ranks before the first that is isotropic; NaN without a heading or
/// neighbours. The sample is one of points of the tree.
pub(super) fn of(tree: &Tree, rule: &Rule<f64>, sample: &[usize], heading: Vec3<f64>) -> (f64, f64) {
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
