//! The principal axes of a symmetric tensor, by Jacobi's rotations (Golub and Van Loan, Matrix Computations, 8.5).

use flock::Vec3;

/// An eigenvalue and its unit vector.
pub(super) type Axis = (f64, Vec3<f64>);

/// Sweeps over the three pairs of axes, more than enough: each squares the relative size off the diagonal.
const SWEEPS: usize = 10;

/// The axes of the tensor xx, yy, zz, xy, xz, yz by ascending eigenvalue; of a flat one only those in the x-y plane.
pub(super) fn of([xx, yy, zz, xy, xz, yz]: [f64; 6], flat: bool) -> Vec<Axis> {
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
    let mut axes: Vec<Axis> = (0..count).map(|k| (a[k][k], Vec3::from(vectors[k]))).collect();
    axes.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    axes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_tensor_has_the_axes_it_was_made_of() {
        // Σ λ e eᵀ of an orthonormal basis with rational entries.
        let basis = [[2.0, -1.0, 2.0], [2.0, 2.0, -1.0], [-1.0, 2.0, 2.0]].map(|e| e.map(|c: f64| c / 3.0));
        let values = [0.01, 4.0, 9.0];
        let entry = |r: usize, c: usize| (0..3).map(|k| values[k] * basis[k][r] * basis[k][c]).sum::<f64>();
        let tensor = [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)];
        for (k, (value, axis)) in of(tensor, false).into_iter().enumerate() {
            assert!((value - values[k]).abs() < 1e-14 * 9.0, "{value}");
            assert!((axis.dot(Vec3::from(basis[k])).abs() - 1.0).abs() < 1e-12, "{axis:?}");
        }
        let plane = of([2.0, 2.0, 0.0, 1.0, 0.0, 0.0], true);
        assert!((plane[0].0 - 1.0).abs() < 1e-14 && (plane[1].0 - 3.0).abs() < 1e-14 && plane.len() == 2);
        assert!((plane[1].1.x * plane[1].1.y - 0.5).abs() < 1e-14, "{plane:?}");
        assert_eq!(of([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], false)[2].0, 1.0);
    }
}
