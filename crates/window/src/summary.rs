//! The measures of a flock, from the positions and velocities that are drawn.

use glam::{DVec3, Vec3};
use gpu::Measures;

/// The measures that the charts show; `None` without boids.
///
/// Sums are in f64, so that rounding does not matter with a million boids.
pub fn summarise(position: &[[f32; 4]], velocity: &[[f32; 4]]) -> Option<Measures> {
    let count = position.len();
    if count == 0 {
        return None;
    }
    let (mut centre, mut heading) = (DVec3::ZERO, DVec3::ZERO);
    // Loops without closures: this crate is compiled at level 1.
    for [x, y, z, _] in position {
        centre += Vec3::new(*x, *y, *z).as_dvec3();
    }
    for [x, y, z, _] in velocity {
        heading += Vec3::new(*x, *y, *z).normalize_or_zero().as_dvec3();
    }
    let total = count as f64;
    Some(Measures {
        polarization: (heading / total).length() as f32,
        centre: (centre / total).as_vec3().to_array(),
        gyration: f32::NAN,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_flocks_are_ordered_and_flocks_at_rest_are_not() {
        let position: Vec<[f32; 4]> = (0..100).map(|k| [k as f32, 2.0, -1.0, 0.0]).collect();
        let one = summarise(&position, &[[0.0, 3.0, 0.0, 0.0]; 100]).expect("boids are there");
        assert!((one.polarization - 1.0).abs() < 1e-6);
        assert_eq!(one.centre, [49.5, 2.0, -1.0]);

        let both: Vec<[f32; 4]> =
            (0..100).map(|k| [if k < 40 { 2.0 } else { -2.0 }, 0.1, 0.0, 0.0]).collect();
        let two = summarise(&position, &both).expect("boids are there");
        assert!((two.polarization - 0.2).abs() < 0.1);
        // Without boids there is no summary; a flock at rest has no order.
        assert!(summarise(&[], &[]).is_none());
        let still = summarise(&position, &[[0.0; 4]; 100]).expect("boids are there");
        assert_eq!(still.polarization, 0.0);
    }
}
