//! The update again for a register of boids at once: the bits of [`flock::update`] in a part of its time.
//!
//! What few rules have is left to the rule itself: [`serves`] refuses rules, requests other than the three are added
//! boid by boid, scouts lean one by one.

use flock::parameters::{Edges, Response};
use flock::perceive::{Observer, Sums};
use flock::rule::Shape;
use flock::state::group;
use flock::update::{Surroundings, add_others, lean};
use flock::{Boid, Number, Rule, Vec3};

use super::unpack::arrays;
use super::vector::Vector;

/// Whether a rule can be followed here.
pub fn serves<T: Number>(rule: &Rule<T>) -> bool {
    let plain = |shape: &Shape<T>| shape.response == Response::Proportional && !shape.whole_flock;
    plain(&rule.separate)
        && plain(&rule.align)
        && plain(&rule.cohere)
        && !rule.attractor_avoid
        && !rule.normalize_goal
        && rule.perch_steps == 0
}

/// Whether a boid makes any request but the three.
fn wants_more<T: Number>(rule: &Rule<T>, around: &Surroundings<'_, T>) -> bool {
    rule.home_weight != T::ZERO
        || rule.attractor_weight != T::ZERO
        || !around.predators.is_empty()
        || rule.noise_weight != T::ZERO
        || rule.line_of_sight_weight != T::ZERO
        || rule.obstacle_count > 0
}

/// The boids of a run one step later; none of them rests. `me` holds what they are, one a lane.
#[inline(always)]
pub fn update<V: Vector>(
    rule: &Rule<V::Scalar>,
    around: &Surroundings<'_, V::Scalar>,
    me: &Observer<V>,
    sums: &Sums<V>,
    boids: &mut [Boid<V::Scalar>],
    ids: &[u32],
) {
    let (position, velocity) = (me.position, me.velocity);
    let mut request = separation(rule, sums) * V::splat(rule.separate.weight)
        + alignment(rule, sums, velocity) * V::splat(rule.align.weight)
        + cohesion(rule, sums) * V::splat(rule.cohere.weight);
    if wants_more(rule, around) {
        request = add_more(rule, around, position, sums.line_of_sight, request, ids);
    } else {
        // What the others come to.
        request = request + Vec3::zero();
    }
    let mut goal = velocity * V::splat(rule.inertia) + request * V::splat(rule.gain) + turn(rule, position);
    if boids.iter().any(|boid| boid.group != group::NONE) {
        goal.x = lean_each(rule, boids, goal);
    }
    let goal = clamp_speed(rule, goal);
    let moved = position + goal * V::splat(rule.time_step);
    let out = rule.edges == Edges::Wrap && V::any(!inside(rule, moved));

    let ([x, y, z], [vx, vy, vz]) = (arrays(moved), arrays(goal));
    for (k, boid) in boids.iter_mut().enumerate() {
        boid.velocity = [vx.as_ref()[k], vy.as_ref()[k], vz.as_ref()[k]];
        boid.position = [x.as_ref()[k], y.as_ref()[k], z.as_ref()[k]];
        if out {
            boid.position = rule.wrap(boid.position.into()).to_array();
        }
    }
}

#[inline(always)]
fn add_more<V: Vector>(
    rule: &Rule<V::Scalar>,
    around: &Surroundings<'_, V::Scalar>,
    position: Vec3<V>,
    sideways: Vec3<V>,
    request: Vec3<V>,
    ids: &[u32],
) -> Vec3<V> {
    let [sx, sy, sz] = arrays(sideways);
    let [x, y, z] = arrays(position);
    let [mut rx, mut ry, mut rz] = arrays(request);
    for (k, id) in ids.iter().enumerate() {
        let position = Vec3 { x: x.as_ref()[k], y: y.as_ref()[k], z: z.as_ref()[k] };
        let request = Vec3 { x: rx.as_ref()[k], y: ry.as_ref()[k], z: rz.as_ref()[k] };
        let sideways = Vec3 { x: sx.as_ref()[k], y: sy.as_ref()[k], z: sz.as_ref()[k] };
        let request = V::Scalar::widen(request);
        let request = V::Scalar::narrow(add_others(rule, around, position, *id, sideways, request));
        (rx.as_mut()[k], ry.as_mut()[k], rz.as_mut()[k]) = (request.x, request.y, request.z);
    }
    Vec3::new(V::from_array(rx), V::from_array(ry), V::from_array(rz))
}

#[inline(always)]
fn separation<V: Vector>(rule: &Rule<V::Scalar>, sums: &Sums<V>) -> Vec3<V> {
    let count = sums.separation_count;
    let mut request = sums.separation.sum;
    if rule.average {
        let count = if rule.separate.include_self { count + V::splat(V::Scalar::ONE) } else { count };
        request = over(request, count);
    }
    request.keep(V::splat(V::Scalar::ZERO).lt(count))
}

#[inline(always)]
fn alignment<V: Vector>(rule: &Rule<V::Scalar>, sums: &Sums<V>, velocity: Vec3<V>) -> Vec3<V> {
    let (sum, count) = (sums.alignment.sum, sums.alignment_count);
    let mean = if rule.align.include_self {
        over(sum + velocity, count + V::splat(V::Scalar::ONE))
    } else {
        over(sum, count)
    };
    (mean - velocity).keep(V::splat(V::Scalar::ZERO).lt(count))
}

#[inline(always)]
fn cohesion<V: Vector>(rule: &Rule<V::Scalar>, sums: &Sums<V>) -> Vec3<V> {
    let count = sums.cohesion_count;
    let own = if rule.cohere.include_self { V::Scalar::ONE } else { V::Scalar::ZERO };
    over(sums.cohesion.sum, count + V::splat(own)).keep(V::splat(V::Scalar::ZERO).lt(count))
}

#[inline(always)]
fn over<V: Vector>(vector: Vec3<V>, count: V) -> Vec3<V> {
    Vec3::new(vector.x / count, vector.y / count, vector.z / count)
}

#[inline(always)]
fn turn<V: Vector>(rule: &Rule<V::Scalar>, position: Vec3<V>) -> Vec3<V> {
    if rule.edges != Edges::Turn {
        return Vec3::zero();
    }
    let (low, high) = (rule.turn_low, rule.turn_high);
    let z = if rule.flat { V::splat(V::Scalar::ZERO) } else { turn_axis(rule, position.z, low.z, high.z) };
    Vec3::new(turn_axis(rule, position.x, low.x, high.x), turn_axis(rule, position.y, low.y, high.y), z)
}

#[inline(always)]
fn turn_axis<V: Vector>(rule: &Rule<V::Scalar>, p: V, low: V::Scalar, high: V::Scalar) -> V {
    let turn = V::splat(rule.turn);
    turn.keep(p.lt(V::splat(low))) - turn.keep(V::splat(high).lt(p))
}

/// Scouts lean; returns the new x.
#[inline(always)]
fn lean_each<V: Vector>(rule: &Rule<V::Scalar>, boids: &mut [Boid<V::Scalar>], goal: Vec3<V>) -> V {
    let [mut x, y, z] = arrays(goal);
    for (k, boid) in boids.iter_mut().enumerate() {
        let mut goal = Vec3 { x: x.as_ref()[k], y: y.as_ref()[k], z: z.as_ref()[k] };
        boid.bias = lean(rule, boid, &mut goal);
        x.as_mut()[k] = goal.x;
    }
    V::from_array(x)
}

#[inline(always)]
fn clamp_speed<V: Vector>(rule: &Rule<V::Scalar>, velocity: Vec3<V>) -> Vec3<V> {
    let Vec3 { x, y, z } = velocity;
    let largest = x.larger(-x).larger(y.larger(-y)).larger(z.larger(-z));
    let scaled = over(velocity, largest);
    let length = scaled.dot(scaled).sqrt();
    let (unit, speed) = (over(scaled, length), length * largest);
    let (most, least) = (V::splat(rule.max_speed), V::splat(rule.min_speed));
    let slow = (unit * least).select(speed.lt(least), velocity);
    let limited = (unit * most).select(most.lt(speed), slow);
    limited.keep(V::splat(V::Scalar::TINY).le(largest))
}

#[inline(always)]
fn inside<V: Vector>(rule: &Rule<V::Scalar>, position: Vec3<V>) -> V::Mask {
    let (min, max) = (Vec3::<V>::splat(rule.world_min), Vec3::<V>::splat(rule.world_max));
    let level = min.x.le(position.x) & position.x.lt(max.x) & min.y.le(position.y) & position.y.lt(max.y);
    if rule.flat { level } else { level & min.z.le(position.z) & position.z.lt(max.z) }
}
