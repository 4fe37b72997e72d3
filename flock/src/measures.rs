//! Measures of order, motion and extent, by sums over the boids. Measures of neighbours need memory and are in the
//! crate `murmuration`.
//!
//! Polarization and milling are the order parameters of Vicsek et al., Phys. Rev. Lett. 75 (1995), and Tunstrøm et al.,
//! PLoS Comput. Biol. 9 (2013); the shares of followers are those of Couzin et al., Nature 433 (2005). Boids at rest
//! have no heading: they count in N and add nothing to the sums. A boid at the centre, up to rounding, has no direction
//! from it and adds nothing to milling; so milling is 0 for a single boid and for boids on one point.
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

use crate::number::Vec3;
use crate::parameters::Edges;
use crate::rule::Rule;
use crate::state::Boid;

/// Lengths below this share of the coordinates and of the radius of gyration are rounding errors.
pub const ROUNDING: f64 = 1e-12;

/// Order, motion and extent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Order {
    /// |Σ v/|v|| / N, in [0, 1]: 1 if all headings are equal (Vicsek et al. 1995).
    pub polarization: f64,
    /// |Σ r̂ × v̂| / N about the centre, in [0, 1]: 1 if all circle it in one sense (Tunstrøm et al. 2013); 0 if all
    /// are on one point.
    pub milling: f64,
    /// Σ |v| / N, length per time.
    pub mean_speed: f64,
    /// The direction of Σ v/|v|, a unit vector; zero if the sum is zero, up to rounding.
    pub heading: [f64; 3],
    /// The centre of mass, length; in a wrapping world the circular mean of each axis (Bai and Breen 2008).
    pub centre: [f64; 3],
    /// |Σ r × v| / N about the centre, area per time: the mean angular momentum of boids of mass 1.
    pub angular_momentum: f64,
    /// Radius of gyration √(Σ |r|² / N) about the centre, length.
    pub gyration: f64,
    /// The gyration tensor Σ r rᵀ / N about the centre, area: xx, yy, zz, xy, xz, yz.
    pub spread: [f64; 6],
    /// The size of the coordinates, length: what is below 10⁻¹² of it may be a rounding error.
    pub coordinates: f64,
    /// Fraction of boids with a heading within 45° of the right scouts' direction (Couzin et al. 2005).
    pub share_right: f64,
    /// Fraction of boids with a heading within 45° of the left scouts' direction.
    pub share_left: f64,
}

/// The unit vectors to which right and left scouts tend: their preferred directions where `scouts.pull` draws them
/// there, else +x and −x, to which their bias turns them.
pub fn preferred_directions(rule: &Rule<f64>) -> [[f64; 3]; 2] {
    match rule.scout_pull != 0.0 {
        true => [rule.right_direction.to_array(), rule.left_direction.to_array()],
        false => [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]],
    }
}

/// The mean of the scouts' directions, weighted by these numbers or shares, of length 1; the right direction where the
/// two balance; none without scouts, and where groups 1 and 2 are no scouts.
pub fn mean_preferred_direction(rule: &Rule<f64>, right: f64, left: f64) -> Option<[f64; 3]> {
    let [to_right, to_left] = preferred_directions(rule).map(Vec3::from);
    let sum = to_right.map(|c| c * right) + to_left.map(|c| c * left);
    let balance = sum.dot(sum) <= ROUNDING * (right + left) * (right + left);
    let way = if balance { to_right } else { sum };
    way.direction().map(|(way, _)| way.to_array()).filter(|_| rule.scouts && right + left > 0.0)
}

/// Measures a flock in users' units; none for an empty flock.
pub fn order(rule: &Rule<f64>, boids: &[Boid<f64>]) -> Option<Order> {
    if boids.is_empty() {
        return None;
    }
    let n = boids.len() as f64;
    let centre = centre(rule, boids);
    let mut heading = Vec3::zero();
    let mut turn = Vec3::zero();
    let mut momentum = Vec3::zero();
    let mut speed = 0.0;
    let sides = preferred_directions(rule).map(Vec3::from);
    let mut shares = [0_u64; 2];
    let length = |v: Vec3<f64>| libm::sqrt(v.dot(v));
    let from_centre = |boid: &Boid<f64>| rule.nearest_image(Vec3::from(boid.position) - centre);
    let spread = spread(boids.iter().map(from_centre)).map(|sum| sum / n);
    let gyration = libm::sqrt(spread[0] + spread[1] + spread[2]);
    let world = if rule.edges == Edges::Wrap { length(rule.size) } else { 0.0 };
    let coordinates = length(centre) + world;
    for boid in boids {
        let r = from_centre(boid);
        let Some((way, fast)) = Vec3::from(boid.velocity).direction() else { continue };
        speed += fast;
        heading = heading + way;
        momentum = momentum + r.cross(Vec3::from(boid.velocity));
        if let Some((out, distance)) = r.direction()
            && distance > ROUNDING * (coordinates + gyration)
        {
            turn = turn + out.cross(way);
        }
        for (share, side) in shares.iter_mut().zip(sides) {
            *share += u64::from(way.dot(side) >= core::f64::consts::FRAC_1_SQRT_2 - ROUNDING);
        }
    }
    Some(Order {
        // Rounding might exceed 1.
        polarization: (length(heading) / n).min(1.0),
        milling: (length(turn) / n).min(1.0),
        mean_speed: speed / n,
        heading: heading
            .direction()
            .filter(|(_, length)| *length > ROUNDING * n)
            .map_or([0.0; 3], |(way, _)| way.to_array()),
        centre: centre.to_array(),
        angular_momentum: length(momentum) / n,
        gyration,
        spread,
        coordinates,
        share_right: shares[0] as f64 / n,
        share_left: shares[1] as f64 / n,
    })
}

/// The sums Σ r rᵀ of a gyration tensor: xx, yy, zz, xy, xz, yz.
pub fn spread(offsets: impl Iterator<Item = Vec3<f64>>) -> [f64; 6] {
    let mut spread = [0.0; 6];
    for r in offsets {
        let products = [r.x * r.x, r.y * r.y, r.z * r.z, r.x * r.y, r.x * r.z, r.y * r.z];
        spread.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
    }
    spread
}

/// Sums offsets from the first boid: those of boids on one point are exactly zero.
fn centre(rule: &Rule<f64>, boids: &[Boid<f64>]) -> Vec3<f64> {
    let first = Vec3::from(boids[0].position);
    let n = boids.len() as f64;
    if rule.edges != Edges::Wrap {
        let sum = boids.iter().fold(Vec3::zero(), |sum, boid| sum + (Vec3::from(boid.position) - first));
        return first + sum.map(|c| c / n);
    }
    let first = first.to_array();
    let (min, size) = (rule.world_min.to_array(), rule.size.to_array());
    Vec3::from(core::array::from_fn(|k| {
        if size[k] <= 0.0 || k == 2 && rule.flat {
            return min[k];
        }
        let turn = core::f64::consts::TAU / size[k];
        let (mut sine, mut cosine) = (0.0, 0.0);
        for boid in boids {
            let angle = (boid.position[k] - first[k]) * turn;
            sine += libm::sin(angle);
            cosine += libm::cos(angle);
        }
        let centre = first[k] + libm::atan2(sine, cosine) / turn;
        // The image inside the world.
        centre - size[k] * libm::floor((centre - min[k]) / size[k])
    }))
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
        assert!((o.gyration - 3.0).abs() < 1e-12);
        assert!((o.centre[0] - 7.0).abs() < 1e-12 && (o.share_right - 0.25).abs() < 0.01);
        let marching: Vec<_> = angles().map(|t| boid(place(t), [0.0, -0.5, 0.0])).collect();
        let o = order(&open(), &marching).expect("boids");
        assert!((o.polarization - 1.0).abs() < 1e-12 && o.milling < 1e-12 && o.heading == [0.0, -1.0, 0.0]);
        assert!(o.share_right == 0.0 && o.share_left == 0.0);
        // Headings that cancel up to rounding have no mean heading.
        let pairs =
            angles().flat_map(|t| [1.0, -1.0].map(|s| boid(place(t), [s * t.cos(), s * t.sin(), s * 0.3])));
        let o = order(&open(), &pairs.collect::<Vec<_>>()).expect("boids");
        assert!(o.heading == [0.0; 3] && o.polarization < 1e-12, "{o:?}");
    }

    #[test]
    fn one_boid_one_point_and_one_line_have_no_rounding_noise() {
        let mut wrapped = Parameters::default();
        wrapped.world.edges = Edges::Wrap;
        for rule in [open(), Rule::new(&wrapped)] {
            for place in [[0.1, 0.7, 1e-3], [99.9, 1.0 / 3.0, 77.7], [12.3, 45.6, 78.9]] {
                for count in [1, 2, 3, 7, 1000] {
                    let way = |k: i32| [f64::from(k % 3) - 0.9, 0.3, 0.7];
                    let point: Vec<_> = (0..count).map(|k| boid(place, way(k))).collect();
                    let o = order(&rule, &point).expect("boids");
                    assert_eq!((o.milling, o.gyration), (0.0, 0.0), "{count} at {place:?}");
                    assert_eq!(o.centre, place);
                }
            }
            // The middle one is at the centre, up to rounding; the others fly along the line.
            for ways in [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]] {
                let line: Vec<_> =
                    [0.1, 0.2, 0.3].map(|x| boid([x + 50.0, 20.7, 30.3], [ways[0], ways[1], ways[2]])).into();
                let o = order(&rule, &line).expect("boids");
                assert!(o.milling < 1e-12, "{ways:?}: {o:?}");
            }
        }
        let oblique = |k: i32| [1.0, 2.3, -0.7].map(|c| 50.0 + 0.1 * c * f64::from(k));
        let line: Vec<_> = (0..10).map(|k| boid(oblique(k), [1.0, 2.3, -0.7])).collect();
        let o = order(&open(), &line).expect("boids");
        assert!(o.milling < 1e-9, "{o:?}");
        // A point up to rounding: neighbouring doubles.
        let next = f64::from_bits(12.3_f64.to_bits() + 1);
        let pair = [boid([12.3, 5.0, 5.0], [0.0, 1.0, 0.0]), boid([next, 5.0, 5.0], [0.0, -1.0, 0.0])];
        let o = order(&open(), &pair).expect("boids");
        assert_eq!(o.milling, 0.0);
        // The control: a pair that is near each other, and circles.
        let pair = [boid([12.3, 5.0, 5.0], [0.0, 1.0, 0.0]), boid([12.301, 5.0, 5.0], [0.0, -1.0, 0.0])];
        let o = order(&open(), &pair).expect("boids");
        assert!((o.milling - 1.0).abs() < 1e-12);
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

    #[test]
    fn scouts_that_disagree_go_halfway_and_the_more_count_more() {
        let mut p = Parameters::default();
        let mean = |p: &Parameters, right, left| mean_preferred_direction(&Rule::new(p), right, left);
        assert_eq!(mean(&p, 0.0, 0.0), None);
        assert_eq!(mean(&p, 3.0, 3.0), Some([1.0, 0.0, 0.0]), "opposed, and in balance");
        assert_eq!(mean(&p, 0.1, 0.2), Some([-1.0, 0.0, 0.0]));
        (p.scouts.pull, p.scouts.right_direction, p.scouts.left_direction) =
            (1.0, [0.0, 2.0, 0.0], [1.0, 0.0, 0.0]);
        let [x, y, z] = mean(&p, 3.0, 4.0).expect("scouts");
        assert!((x - 0.8).abs() < 1e-12 && (y - 0.6).abs() < 1e-12 && z == 0.0);
    }
}
