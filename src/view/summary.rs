//! A flock in a few numbers, from the positions and velocities that are drawn.

use flock::measures::{mean_preferred_direction, preferred_directions};
use flock::{Parameters, Rule};
use glam::{DVec3, Vec3};

use super::frame::{Decision, Summary};
use gpu::Measures;

/// Cosine of 45°.
const NEAR: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// The numbers of a flock, with the measures that the charts show; `None` without boids.
///
/// Sums are in f64, so that a million boids do not round them off.
pub fn summarise(parameters: &Parameters, position: &[[f32; 4]], velocity: &[[f32; 4]]) -> Option<Summary> {
    let count = position.len();
    if count == 0 {
        return None;
    }
    let rule = Rule::new(parameters);
    let preferred = preferred_directions(&rule).map(|way| Vec3::from(way.map(|c| c as f32)));
    let (mut centre, mut heading, mut sides) = (DVec3::ZERO, DVec3::ZERO, [0_u32; 2]);
    // Loops without closures: this crate is compiled at level 1.
    for [x, y, z, _] in position {
        centre += Vec3::new(*x, *y, *z).as_dvec3();
    }
    for [x, y, z, _] in velocity {
        let direction = Vec3::new(*x, *y, *z).normalize_or_zero();
        heading += direction.as_dvec3();
        sides[0] += u32::from(direction.dot(preferred[0]) >= NEAR);
        sides[1] += u32::from(direction.dot(preferred[1]) >= NEAR);
    }
    let total = count as f64;
    let heading = heading / total;
    let sides = sides.map(|side| (f64::from(side) / total) as f32);
    let measures = Measures {
        polarization: heading.length() as f32,
        heading: heading.as_vec3().to_array(),
        sides,
        centre: (centre / total).as_vec3().to_array(),
        milling: f32::NAN,
        mean_speed: f32::NAN,
        gyration: f32::NAN,
    };
    let decision = decision(&rule, parameters, heading.to_array(), sides);
    Some(Summary { measures, decision })
}

/// Which way a flock with scouts goes: the error is the angle to the mean of their preferred directions, the accuracy the
/// share near that of the larger group, the right one's where they are equal.
///
/// `heading` is the mean of the directions, `sides` the shares of the flock that head to each side.
pub fn decision(
    rule: &Rule<f64>,
    parameters: &Parameters,
    heading: [f64; 3],
    sides: [f32; 2],
) -> Option<Decision> {
    let scouts = parameters.scouts;
    let way = mean_preferred_direction(rule, scouts.right, scouts.left)?;
    let cosine = DVec3::from(heading).normalize_or_zero().dot(way.into()).clamp(-1.0, 1.0);
    let accuracy = sides[usize::from(scouts.left > scouts.right)];
    Some(Decision { error: cosine.acos().to_degrees() as f32, accuracy, sides })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aligned_flocks_are_ordered_and_opposed_halves_are_split() {
        let position: Vec<[f32; 4]> = (0..100).map(|k| [k as f32, 2.0, -1.0, 0.0]).collect();
        let mut p = Parameters::default();
        let one = summarise(&p, &position, &[[0.0, 3.0, 0.0, 0.0]; 100]).expect("boids are there");
        assert!((one.measures.polarization - 1.0).abs() < 1e-6 && one.decision.is_none());
        assert_eq!(one.measures.centre, [49.5, 2.0, -1.0]);

        (p.scouts.right, p.scouts.left) = (0.1, 0.3);
        let both: Vec<[f32; 4]> =
            (0..100).map(|k| [if k < 40 { 2.0 } else { -2.0 }, 0.1, 0.0, 0.0]).collect();
        let two = summarise(&p, &position, &both).expect("boids are there");
        let decision = two.decision.expect("there are scouts");
        assert!(decision.split() && (two.measures.polarization - 0.2).abs() < 0.1);
        assert!((decision.accuracy - 0.6).abs() < 1e-6 && decision.error < 45.0);
        // Without boids there is no summary; a flock at rest has no order.
        assert!(summarise(&p, &[], &[]).is_none());
        let still = summarise(&p, &position, &[[0.0; 4]; 100]).expect("boids are there");
        assert_eq!(still.measures.polarization, 0.0);
    }
}
