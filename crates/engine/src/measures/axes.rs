//! The principal axes of a symmetric tensor, by Jacobi's rotations (Golub and Van Loan, Matrix Computations, 8.5).

use flock::Vec3;

/// An eigenvalue and its unit vector.
pub(super) type PrincipalAxis = (f64, Vec3<f64>);

/// Sweeps over the three pairs of axes, more than enough: each squares the relative size off the diagonal.
const SWEEPS: usize = 10;

/// The axes of the tensor xx, yy, zz, xy, xz, yz by ascending eigenvalue; of a flat one only those in the x-y plane.
pub(super) fn of([xx, yy, zz, xy, xz, yz]: [f64; 6], flat: bool) -> Vec<PrincipalAxis> {
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
