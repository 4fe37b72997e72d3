//! The error of a requested heading: a turn by a normal angle (Couzin et al., J. theor. Biol. 218, 2002).
//!
//! In 2-D the turn is to the left where the angle is positive. In 3-D it is towards a direction across the heading whose
//! azimuth is uniform: about a random axis that is perpendicular to the heading.

use super::angular_noise::Angle;
use crate::number::Number;
use crate::random::{self, stream};
use crate::rule::Rule;

/// The turn of a boid, and the azimuth of its direction in 3-D.
pub(super) fn draw<T: Number>(rule: &Rule<T>, step: u32, id: u32) -> [Angle<T>; 2] {
    let words = |stream| random::draw(rule.seed, step, id, stream);
    let ([a, b, c, d], [e, f, azimuth, _]) = (words(stream::GAUSSIAN), words(stream::GAUSSIAN + 1));
    let normal = T::fraction(random::gaussian([a, b, c, d, e, f]));
    [Angle::turns(rule.gaussian_turn * normal), Angle::turns(T::fraction(random::signed(azimuth)))]
}
