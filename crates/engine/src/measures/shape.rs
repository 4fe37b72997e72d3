//! The principal axes of a flock, and its density within the ellipsoid that has them.
//!
//! An axis is √λ of the gyration tensor. A uniform ellipsoid with half axes a has the variance a²/5 along each (an
//! ellipse a²/4), so the ellipsoid of a flock has half axes √5 √λ (2 √λ). A boid's share of the way to its surface is
//! √(rᵀ S⁻¹ r / 5), with the gyration tensor S. A uniform flock in this shape has the same density everywhere; a hollow
//! flock has a core that is less dense than its edge. One pass over the boids.

use std::f64::consts::PI;

use flock::measures::{Order, ROUNDING};
use flock::{Boid, Rule, Vec3};

use super::Measures;

/// The core ends at this share of the half axes.
const CORE: f64 = 0.5;
/// The edge begins at this share of the half axes.
const EDGE: f64 = 0.75;
/// The share of the longest axis' variance up to which the shortest one's is not known to nine digits: rounding errors of
/// a tensor are some 10⁻¹⁵ of its largest eigenvalue.
const THIN: f64 = 1e-5;

/// 1 − √(λ₂/λ₁) of the two largest eigenvalues of the gyration tensor; 0 on one point, which has no longest axis. An
/// axis shorter than a millionth of the longest is a rounding error.
pub(super) fn elongation(order: &Order, flat: bool) -> f64 {
    let axes = principal_axes(order.spread, flat);
    let [(between, _), (longest, _)] = [axes[axes.len() - 2], axes[axes.len() - 1]];
    if order.gyration <= ROUNDING * order.coordinates {
        0.0
    } else if between <= ROUNDING * longest {
        1.0
    } else {
        1.0 - (between / longest).sqrt()
    }
}

/// Shape and density; NaN for a flock that is flat in its world, or nearly so.
pub(super) fn fill(m: &mut Measures, rule: &Rule<f64>, boids: &[Boid<f64>], order: &Order) {
    let axes = principal_axes(order.spread, rule.flat);
    let (shortest, thin) = axes[0];
    let centre = Vec3::from(order.centre);
    let noise = ROUNDING * centre.dot(centre).sqrt();
    if shortest <= THIN * axes[axes.len() - 1].0 || order.gyration <= noise {
        return;
    }
    let dimensions = axes.len() as i32;
    let scale = f64::from(dimensions + 2);
    let unit = if rule.flat { PI } else { 4.0 / 3.0 * PI };
    let volume = unit * axes.iter().map(|(variance, _)| (scale * variance).sqrt()).product::<f64>();
    let (mut core, mut edge) = (0_u64, 0_u64);
    for boid in boids {
        let r = rule.nearest_image(Vec3::from(boid.position) - centre);
        let square: f64 = axes.iter().map(|(variance, axis)| r.dot(*axis).powi(2) / (scale * variance)).sum();
        core += u64::from(square < CORE * CORE);
        edge += u64::from((EDGE * EDGE..1.0).contains(&square));
    }
    m.density = core as f64 / (volume * CORE.powi(dimensions));
    m.density_edge = edge as f64 / (volume * (1.0 - EDGE.powi(dimensions)));
    m.aspect_1 = (axes[1].0 / shortest).sqrt();
    if let Some((longest, _)) = axes.get(2) {
        m.aspect_2 = (longest / shortest).sqrt();
        m.tilt = thin.z.abs().min(1.0).acos().to_degrees();
    }
}

/// An eigenvalue and its unit vector.
type PrincipalAxis = (f64, Vec3<f64>);

/// Sweeps over the three pairs of axes, more than enough: each squares the relative size off the diagonal.
const SWEEPS: usize = 10;

/// The axes of the tensor xx, yy, zz, xy, xz, yz by ascending eigenvalue; of a flat one only those in the x-y plane.
pub(super) fn principal_axes([xx, yy, zz, xy, xz, yz]: [f64; 6], flat: bool) -> Vec<PrincipalAxis> {
    let mut a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let pairs: &[(usize, usize)] = if flat { &[(0, 1)] } else { &[(0, 1), (0, 2), (1, 2)] };
    for &(p, q) in pairs.iter().cycle().take(SWEEPS * pairs.len()) {
        if a[p][q] == 0.0 {
            continue;
        }
        // The rotation that brings the element (p, q) to zero, by the smaller of its two angles.
        let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
        let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
        let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
        let sine = tangent * cosine;
        let turn = |x: f64, y: f64| (cosine * x - sine * y, sine * x + cosine * y);
        for row in &mut a {
            (row[p], row[q]) = turn(row[p], row[q]);
        }
        for k in 0..3 {
            (a[p][k], a[q][k]) = turn(a[p][k], a[q][k]);
            (vectors[p][k], vectors[q][k]) = turn(vectors[p][k], vectors[q][k]);
        }
    }
    let count = if flat { 2 } else { 3 };
    let mut axes: Vec<PrincipalAxis> = (0..count).map(|k| (a[k][k], Vec3::from(vectors[k]))).collect();
    axes.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    axes
}
