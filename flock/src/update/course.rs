//! The course of a boid: a velocity after the limits of its turn and of its speed.

use crate::number::{Lanes, Number, Requests, Vec3};
use crate::rule::Rule;

/// The square of a sine up to which a unit vector counts as upright.
pub(crate) const UPRIGHT_SQUARE: f64 = 1e-6;
/// The part of a speed up to which a vector's component counts as none.
const PARALLEL: f64 = 1e-4;

/// A velocity with its direction and length, and the lanes that have them.
pub(crate) struct Course<L: Lanes> {
    pub velocity: Vec3<L>,
    pub unit: Vec3<L>,
    pub speed: L,
    pub moving: L::Mask,
}

impl<L: Requests> Course<L> {
    #[inline(always)]
    pub(crate) fn new(velocity: Vec3<L>) -> Self {
        let (unit, speed, moving) = L::direction(velocity);
        Course { velocity, unit, speed, moving }
    }
}

/// The course, its direction at most the greatest angle away from the old one; the speed stays. A boid at rest turns
/// freely.
#[inline(always)]
pub(super) fn limit_turn<L: Requests>(rule: &Rule<L::Scalar>, old: Vec3<L>, course: Course<L>) -> Course<L> {
    let Course { velocity, unit, speed, moving } = course;
    let (cosine, sine) = (L::splat(rule.turn_cosine), L::splat(rule.turn_sine));
    let (heading, _, was_moving) = L::direction(old);
    let ahead = heading.dot(velocity);
    let beyond = was_moving & moving & ahead.lt(speed * cosine);
    if !L::any_lane(beyond) {
        return Course { velocity, unit, speed, moving };
    }
    let aside = velocity - heading * ahead;
    let back = ahead.lt(L::splat(L::Scalar::ZERO));
    let opposite = back & aside.largest().le(speed * L::splat(L::Scalar::from_f64(PARALLEL)));
    let (side, _, sideways) = L::direction(aside.select(!opposite, perpendicular(heading)));
    // The cosine of a small angle is 1 up to rounding. A velocity along the heading exceeds it by rounding alone, and
    // its part across the heading has no meaningful direction.
    let aslant = (speed * L::splat(rule.turn_sine)).lt(aside.largest() + aside.largest());
    let beyond = beyond & sideways & (back | aslant);
    let turned = heading * cosine + side * sine;
    let unit = turned.select(beyond, unit);
    Course { velocity: (turned * speed).select(beyond, velocity), unit, speed, moving }
}

/// A vector perpendicular to a unit vector: level, or in the plane of x and z where the unit vector is upright.
#[inline(always)]
pub(super) fn perpendicular<L: Requests>(unit: Vec3<L>) -> Vec3<L> {
    let zero = L::splat(L::Scalar::ZERO);
    let level = unit.x * unit.x + unit.y * unit.y;
    let upright = level.le(L::splat(L::Scalar::from_f64(UPRIGHT_SQUARE)));
    Vec3::new(unit.z, zero, zero - unit.x).select(upright, Vec3::new(zero - unit.y, unit.x, zero))
}

/// The speed brought into its limits; a zero velocity has no direction to be sped up in.
#[inline(always)]
pub(crate) fn clamp_speed<L: Requests>(rule: &Rule<L::Scalar>, course: Course<L>) -> Vec3<L> {
    let Course { velocity, unit, speed, moving } = course;
    if !L::any_lane(moving) {
        return Vec3::zero();
    }
    let (least, most) = (L::splat(rule.min_speed), L::splat(rule.max_speed));
    let fast = most.lt(speed);
    let mut clamped = velocity;
    if L::any_lane(!fast) {
        let slow = speed.lt(least);
        if L::any_lane(slow) {
            clamped = (unit * least).select(slow, clamped);
        }
    }
    if L::any_lane(fast) {
        clamped = (unit * most).select(fast, clamped);
    }
    clamped.mask(moving)
}
