//! The error of a requested heading: a turn by a normal angle (Couzin et al., J. theor. Biol. 218, 2002).
//!
//! In 2-D the turn is to the left where the angle is positive. In 3-D it is towards a direction across the heading whose
//! azimuth is uniform: about a random axis that is perpendicular to the heading.

use super::angular_noise::Angle;
use super::course::{Course, perpendicular};
use crate::number::Number;
use crate::random::{self, stream};
use crate::requests::Requests;
use crate::rule::Rule;
use crate::vector::Vec3;

/// The turn of a boid, and the azimuth of its direction in 3-D.
fn draw<T: Number>(rule: &Rule<T>, step: u32, id: u32) -> [Angle<T>; 2] {
    let words = |stream| random::draw(rule.seed, step, id, stream);
    let ([a, b, c, d], [e, f, azimuth, _]) = (words(stream::GAUSSIAN), words(stream::GAUSSIAN + 1));
    let normal = T::fraction(random::gaussian([a, b, c, d, e, f]));
    [Angle::turns(rule.gaussian_turn * normal), Angle::turns(T::fraction(random::signed(azimuth)))]
}

/// The course, its direction turned; the speed stays, and a boid at rest has no heading to be turned.
#[inline(always)]
pub(super) fn turn_by_error<L: Requests>(
    rule: &Rule<L::Scalar>,
    step: u32,
    ids: &[u32],
    course: Course<L>,
) -> Course<L> {
    let Course { velocity, unit, speed, moving } = course;
    let [mut cosine, mut sine, mut right] = Vec3::<L>::zero().to_arrays();
    let [mut up, ..] = Vec3::<L>::zero().to_arrays();
    for (k, id) in ids.iter().enumerate() {
        let [turn, azimuth] = draw(rule, step, *id);
        (cosine.as_mut()[k], sine.as_mut()[k]) = (turn.cosine, turn.sine);
        (right.as_mut()[k], up.as_mut()[k]) = (azimuth.cosine, azimuth.sine);
    }
    let [cosine, sine, right, up] = [cosine, sine, right, up].map(L::from_array);
    let side = if rule.flat {
        Vec3::new(-unit.y, unit.x, L::splat(L::Scalar::ZERO))
    } else {
        let (first, _, _) = L::direction(perpendicular(unit));
        first * right + unit.cross(first) * up
    };
    // The polynomials' cos² + sin² is not 1: without a new direction the speed would drift from step to step.
    let (turned, _, exists) = L::direction(unit * cosine + side * sine);
    let turns = moving & exists;
    let velocity = (turned * speed).select(turns, velocity);
    Course { velocity, unit: turned.select(turns, unit), speed, moving }
}
