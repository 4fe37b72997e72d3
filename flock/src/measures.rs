//! Measures of order, motion and extent, by sums over the boids. Measures of neighbours need memory and are in the crate
//! `murmuration`.
//!
//! Polarization and milling are the order parameters of Vicsek et al., Phys. Rev. Lett. 75 (1995), and Tunstrøm et al.,
//! PLoS Comput. Biol. 9 (2013); the shares of followers are those of Couzin et al., Nature 433 (2005). Boids at rest
//! have no heading: they count in N and add nothing to the sums.
//!
//! ```
//! use flock::{Boid, Parameters, Rule, measures};
//!
//! let rule = Rule::<f64>::new(&Parameters::default());
//! let boid = |x: f64| Boid { position: [x, 0.0, 0.0], velocity: [2.0, 0.0, 0.0], ..Boid::default() };
//! let order = measures::order(&rule, &[boid(0.0), boid(1.0), boid(2.0)]).expect("three boids");
//! assert_eq!((order.polarization, order.mean_speed, order.share_right), (1.0, 2.0, 1.0));
//! assert_eq!(order.centre, [1.0, 0.0, 0.0]);
//! ```

use crate::parameters::Edges;
use crate::rule::Rule;
use crate::state::Boid;
use crate::vector::Vec3;

/// Order, motion and extent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// |Σ v/|v|| / N, in [0, 1]: 1 if all headings are equal (Vicsek et al. 1995).
    pub polarization: f64,
    /// |Σ r̂ × v̂| / N about the centre, in [0, 1]: 1 if all circle it in the same sense (Tunstrøm et al. 2013).
    pub milling: f64,
    /// Σ |v| / N, length per time.
    pub mean_speed: f64,
    /// The direction of Σ v/|v|, a unit vector; zero if the sum is zero.
    pub heading: [f64; 3],
    /// The centre of mass, length; in a wrapping world the circular mean of each axis (Bai and Breen 2008).
    pub centre: [f64; 3],
    /// Radius of gyration √(Σ |r|² / N) about the centre, length.
    pub gyration: f64,
    /// 1 − b/a of the two longest principal half axes a ≥ b, in [0, 1]: 0 if they are equal, 1 for a line.
    pub elongation: f64,
    /// Fraction of boids with a heading within 45° of +x (Couzin et al. 2005).
    pub share_right: f64,
    /// Fraction of boids with a heading within 45° of −x.
    pub share_left: f64,
}

/// Measures a flock in users' units; none for an empty flock.
#[must_use]
pub fn order(rule: &Rule<f64>, boids: &[Boid<f64>]) -> Option<Order> {
    if boids.is_empty() {
        return None;
    }
    let n = boids.len() as f64;
    let centre = centre(rule, boids);
    let (mut heading, mut turn, mut speed) = (Vec3::zero(), Vec3::zero(), 0.0);
    let (mut right, mut left) = (0_u64, 0_u64);
    // Gyration tensor Σ r rᵀ: xx, yy, zz, xy, xz, yz.
    let mut spread = [0.0_f64; 6];
    for boid in boids {
        let r = rule.nearest_image(Vec3::from(boid.position) - centre);
        let products = [r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z];
        spread.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
        let Some((way, length)) = Vec3::from(boid.velocity).direction() else { continue };
        speed += length;
        heading = heading + way;
        if let Some((out, _)) = r.direction() {
            turn = turn + cross(out, way);
        }
        let sideways = way.x * way.x >= 0.5 - 1e-12;
        right += u64::from(sideways && way.x > 0.0);
        left += u64::from(sideways && way.x < 0.0);
    }
    let length = |v: Vec3<f64>| libm::sqrt(v.dot(v));
    let spread = spread.map(|sum| sum / n);
    Some(Order {
        polarization: length(heading) / n,
        milling: length(turn) / n,
        mean_speed: speed / n,
        heading: heading.direction().map_or([0.0; 3], |(way, _)| way.to_array()),
        centre: centre.to_array(),
        gyration: libm::sqrt(spread[0] + spread[1] + spread[2]),
        elongation: elongation(spread),
        share_right: right as f64 / n,
        share_left: left as f64 / n,
    })
}

fn cross(a: Vec3<f64>, b: Vec3<f64>) -> Vec3<f64> {
    Vec3::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

fn centre(rule: &Rule<f64>, boids: &[Boid<f64>]) -> Vec3<f64> {
    let middle = rule.world_min + rule.half_size;
    let n = boids.len() as f64;
    if rule.edges != Edges::Wrap {
        let sum = boids.iter().fold(Vec3::zero(), |sum, boid| sum + (Vec3::from(boid.position) - middle));
        return middle + sum.map(|c| c / n);
    }
    let (min, size) = (rule.world_min.to_array(), rule.size.to_array());
    Vec3::from(core::array::from_fn(|k| {
        if size[k] <= 0.0 || k == 2 && rule.flat {
            return min[k];
        }
        let turn = core::f64::consts::TAU / size[k];
        let (mut sine, mut cosine) = (0.0, 0.0);
        for boid in boids {
            let angle = (boid.position[k] - min[k]) * turn;
            sine += libm::sin(angle);
            cosine += libm::cos(angle);
        }
        let angle = libm::atan2(sine, cosine);
        min[k] + (if angle < 0.0 { angle + core::f64::consts::TAU } else { angle }) / turn
    }))
}

/// 1 − √(λ₂/λ₁) of the two largest eigenvalues of the symmetric matrix xx, yy, zz, xy, xz, yz, by the trigonometric
/// solution of the cubic (Smith, Comm. ACM 4, 1961).
fn elongation([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> f64 {
    let mean = (xx + yy + zz) / 3.0;
    let (a, b, c) = (xx - mean, yy - mean, zz - mean);
    let off = xy * xy + xz * xz + yz * yz;
    let p = libm::sqrt((a * a + b * b + c * c + 2.0 * off) / 6.0);
    if p <= 1e-12 * mean || mean <= 0.0 {
        return 0.0;
    }
    let determinant = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz);
    let cosine = (determinant / (2.0 * p * p * p)).clamp(-1.0, 1.0);
    let phi = libm::acos(cosine) / 3.0;
    let longest = mean + 2.0 * p * libm::cos(phi);
    let shortest = mean + 2.0 * p * libm::cos(phi + core::f64::consts::TAU / 3.0);
    let between = (3.0 * mean - longest - shortest).max(0.0);
    1.0 - libm::sqrt(between / longest).min(1.0)
}

#[cfg(test)]
mod tests {
    use core::f64::consts::TAU;
    use std::vec::Vec;

    use super::*;
    use crate::Parameters;

    fn boid(position: [f64; 3], velocity: [f64; 3]) -> Boid<f64> {
        Boid { position, velocity, ..Boid::default() }
    }

    fn open() -> Rule<f64> {
        Rule::new(&Parameters::default())
    }

    #[test]
    fn a_rotating_ring_is_milling_and_a_translating_ring_is_polarized() {
        let angles = || (0..360).map(|k| f64::from(k) * TAU / 360.0);
        let place = |t: f64| [7.0 + 3.0 * t.cos(), 2.0 + 3.0 * t.sin(), 5.0];
        let milling: Vec<_> =
            angles().map(|t| boid(place(t), [-2.0 * t.sin(), 2.0 * t.cos(), 0.0])).collect();
        let o = order(&open(), &milling).expect("boids");
        assert!(
            o.polarization < 1e-12 && (o.milling - 1.0).abs() < 1e-12 && (o.mean_speed - 2.0).abs() < 1e-12
        );
        assert!((o.gyration - 3.0).abs() < 1e-12 && o.elongation < 1e-6);
        assert!((o.centre[0] - 7.0).abs() < 1e-12 && (o.share_right - 0.25).abs() < 0.01);
        let marching: Vec<_> = angles().map(|t| boid(place(t), [0.0, -0.5, 0.0])).collect();
        let o = order(&open(), &marching).expect("boids");
        assert!((o.polarization - 1.0).abs() < 1e-12 && o.milling < 1e-12 && o.heading == [0.0, -1.0, 0.0]);
        assert!(o.share_right == 0.0 && o.share_left == 0.0);
    }

    #[test]
    fn elongation_is_of_the_two_longest_axes_in_any_orientation() {
        let line: Vec<_> = (0..11).map(|k| boid([f64::from(k), 2.0 * f64::from(k), 1.0], [1.0; 3])).collect();
        assert!((order(&open(), &line).expect("boids").elongation - 1.0).abs() < 1e-6);
        // Half axes 4, 3 and 1, turned by a right-handed rotation with rational entries.
        let turn =
            [[2.0, -1.0, 2.0], [2.0, 2.0, -1.0], [-1.0, 2.0, 2.0]].map(|row| row.map(|c: f64| c / 3.0));
        let ends = [[4.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 1.0]];
        let cloud: Vec<_> = ends
            .iter()
            .flat_map(|end| [1.0, -1.0].map(|s| end.map(|c| c * s)))
            .map(|p| boid(turn.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2]), [0.0; 3]))
            .collect();
        let o = order(&open(), &cloud).expect("boids");
        assert!((o.elongation - 0.25).abs() < 1e-12, "{}", o.elongation);
        assert!((o.gyration - (52.0_f64 / 6.0).sqrt()).abs() < 1e-12);
        assert!(o.polarization == 0.0 && o.mean_speed == 0.0 && o.heading == [0.0; 3]);
    }

    #[test]
    fn a_wrapping_world_has_its_centre_across_the_edge() {
        let mut p = Parameters::default();
        p.world.edges = Edges::Wrap;
        let rule = Rule::new(&p);
        let pair = [boid([1.0, 50.0, 50.0], [1.0, 1.0, 0.0]), boid([99.0, 50.0, 50.0], [-1.0, -1.0, 0.0])];
        let o = order(&rule, &pair).expect("boids");
        assert!((o.gyration - 1.0).abs() < 1e-9, "{}", o.gyration);
        // 45° is within 45°.
        assert!(o.share_right == 0.5 && o.share_left == 0.5);
        assert!(order(&rule, &[]).is_none());
    }
}
