//! The update rule: from what a boid perceives to where it is one step later.
//!
//! It is written once, over [`Requests`]: one number at a time or a register of boids at once, in any number type. A lane
//! is a boid. A term that the rule does not have is skipped for all lanes; a term that only some lanes have is computed
//! under a mask. What differs from boid to boid by more than numbers (scouts, noise, perches) is done lane by lane.
//!
//! The order of the sections is the rule's: requests, combination, edges, scouts, speed, move, perching.

use crate::home;
use crate::number::{Lanes, Number};
use crate::parameters::{Edges, Falloff, Response};
use crate::perceive::{Senses, Sums};
use crate::requests::Requests;
use crate::rule::{Rule, Shape, Term};
use crate::sensing::Total;
use crate::state::{Boid, Predator, group};
use crate::vector::Vec3;
use angular_noise::turn_at_random;
use course::{Course, clamp_speed, limit_turn};
use gaussian_noise::turn_by_error;
use others::{add_others, preference};
use perching::{perch, rest};

mod angular_noise;
mod course;
mod gaussian_noise;
mod others;
mod perching;

/// Means over the whole flock at step t, perched boids left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Means<T> {
    /// Scaled length.
    pub position: Vec3<T>,
    /// Scaled length a unit of time.
    pub velocity: Vec3<T>,
}

/// What is the same for every boid of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepContext<'a, T> {
    /// Number of the step, for random numbers.
    pub step: u32,
    /// Where home is.
    pub home: Vec3<T>,
    /// Where [`Rule::means`] asks for them and some boid flies.
    pub means: Option<Means<T>>,
    /// The predators, already moved.
    pub predators: &'a [Predator<T>],
}

impl<'a, T: Number> StepContext<'a, T> {
    /// The context of step number `step`, from the flock's means and the predators that have moved.
    #[must_use]
    pub fn new(rule: &Rule<T>, step: u64, means: Option<Means<T>>, predators: &'a [Predator<T>]) -> Self {
        StepContext { step: step as u32, home: home::position(rule, step), means, predators }
    }
}

/// The boids of the lanes.
#[derive(Debug)]
pub struct Flyers<'a, L: Lanes> {
    /// Boid k in lane k; further lanes are ignored.
    pub boids: &'a mut [Boid<L::Scalar>],
    /// Their ids.
    pub ids: &'a [u32],
    /// The boids' positions, a boid a lane. A perched boid may have any.
    pub position: Vec3<L>,
    /// Their velocities.
    pub velocity: Vec3<L>,
}

/// The boid one step later.
#[inline(always)]
#[must_use]
pub fn update<T: Number + Requests>(
    rule: &Rule<T>,
    context: &StepContext<'_, T>,
    boid: &Boid<T>,
    id: u32,
    sums: &Sums<T>,
) -> Boid<T> {
    let (position, velocity) = (Vec3::from(boid.position), Vec3::from(boid.velocity));
    let mut boids = [*boid];
    update_lanes(rule, context, sums, Flyers { boids: &mut boids, ids: &[id], position, velocity });
    let [next] = boids;
    next
}

/// Moves the boids of all lanes to where they are one step later. There are at most as many as lanes.
#[inline(always)]
pub fn update_lanes<L: Requests>(
    rule: &Rule<L::Scalar>,
    context: &StepContext<'_, L::Scalar>,
    sums: &Sums<L>,
    flyers: Flyers<'_, L>,
) {
    let Flyers { boids, ids, position, velocity: old_velocity } = flyers;
    if boids.iter().all(Boid::resting) {
        boids.iter_mut().for_each(|boid| *boid = rest(rule, boid));
        return;
    }
    let mut aligned = alignment(rule, context, sums, old_velocity);
    let mut cohered = cohesion(rule, context, sums, position, old_velocity);
    if rule.terms.has(Term::Priority) {
        let alone = sums.separation_count.le(L::splat(L::Scalar::ZERO));
        let nothing = L::widen(Vec3::zero());
        aligned = L::select_wide(aligned, alone, nothing);
        cohered = L::select_wide(cohered, alone, nothing);
    }
    let mut request =
        L::weigh(separation(rule, sums, position, old_velocity), rule.separation_request.weight)
            + L::weigh(aligned, rule.alignment_request.weight)
            + L::weigh(cohered, rule.cohesion_request.weight);
    // Without any other request too: the sum of nothing is +0, whatever the sign of a zero request.
    request = request + L::widen(Vec3::zero());
    request = add_others(rule, context, sums, position, ids, request);
    if rule.terms.has(Term::Preference) {
        request = request + weigh::<L>(preference(rule, boids), rule.scout_pull);
    }
    if rule.normalize_goal {
        let (unit, _, moving) = L::direction(L::narrow(request));
        request = L::select_wide(L::widen(unit.map(|c| c.in_unit(rule.unit))), moving, request);
    }
    let mut goal = weigh(old_velocity, rule.inertia) + L::weigh(request, rule.gain);
    if rule.terms.has(Term::Wind) {
        goal = goal + weigh(Vec3::<L>::splat(rule.wind), rule.time_step);
    }
    let mut velocity = L::narrow(goal + L::widen(turn(rule, position)));
    if boids.iter().any(|boid| boid.group != group::NONE) {
        velocity.x = apply_scout_bias(rule, boids, velocity.x);
    }
    let mut course = Course::new(velocity);
    if rule.terms.has(Term::GaussianNoise) {
        course = turn_by_error(rule, context.step, ids, course);
    }
    if rule.terms.has(Term::MaxTurn) {
        course = limit_turn(rule, old_velocity, course);
    }
    if rule.terms.has(Term::AngularNoise) {
        course = turn_at_random(rule, context.step, ids, course);
    }
    velocity = clamp_speed(rule, course);
    let moved = rule.wrap(position + velocity * L::splat(rule.time_step));

    let ([x, y, z], [vx, vy, vz]) = (moved.to_arrays(), velocity.to_arrays());
    for (k, (boid, id)) in boids.iter_mut().zip(ids).enumerate() {
        if boid.resting() {
            *boid = rest(rule, boid);
            continue;
        }
        boid.velocity = [vx.as_ref()[k], vy.as_ref()[k], vz.as_ref()[k]];
        boid.position = [x.as_ref()[k], y.as_ref()[k], z.as_ref()[k]];
        if rule.perch_steps > 0 {
            perch(rule, context.step, *id, boid);
        }
    }
}

#[inline(always)]
fn weigh<L: Requests>(request: Vec3<L>, weight: L::Scalar) -> L::Wide {
    L::weigh(L::widen(request), weight)
}

/// A request shaped by its response. A steer response takes the direction of `way`.
#[inline(always)]
fn respond<L: Requests>(
    rule: &Rule<L::Scalar>,
    shape: &Shape<L::Scalar>,
    request: Vec3<L>,
    way: Vec3<L>,
    velocity: Vec3<L>,
) -> Vec3<L> {
    match shape.response {
        Response::Proportional => request,
        Response::Limited => request.limit(L::splat(rule.unit)),
        Response::Steer => {
            let (unit, _, moving) = L::direction(way);
            if !L::computes(moving) {
                return Vec3::zero();
            }
            let steered = unit * L::splat(rule.max_speed) - velocity;
            steered.limit(L::splat(shape.max_force)).mask(moving)
        }
    }
}

/// S, or its mean. Where `attractor.avoid` is set, the attractor counts as one more boid that is too near.
#[inline(always)]
fn separation<L: Requests>(
    rule: &Rule<L::Scalar>,
    sums: &Sums<L>,
    position: Vec3<L>,
    velocity: Vec3<L>,
) -> L::Wide {
    let (mut total, mut count) = (sums.separation, sums.separation_count);
    if rule.attractor_avoid && rule.separation.used {
        let senses = Senses::<L>::new(rule);
        let me = senses.observer(position, velocity, true);
        senses.add_object(&mut total, &mut count, &me, Vec3::splat(rule.attractor));
    }
    let (seen, nothing) = (L::splat(L::Scalar::ZERO).lt(count), L::widen(Vec3::zero()));
    if !L::computes(seen) {
        return nothing;
    }
    let mean = rule.average.then_some(count);
    let request = request_of_sum(rule, &rule.separation_request, (&total, rule.falloff), mean, velocity);
    L::select_wide(request, seen, nothing)
}

/// A sum of what [`Sensing::add_separation`](crate::Sensing::add_separation) added with a falloff, or its mean where it is
/// divided by a count, shaped by the response.
#[inline(always)]
fn request_of_sum<L: Requests>(
    rule: &Rule<L::Scalar>,
    shape: &Shape<L::Scalar>,
    (total, falloff): (&Total<L>, Falloff),
    mean: Option<L>,
    velocity: Vec3<L>,
) -> L::Wide {
    let format = &rule.format;
    if shape.response == Response::Steer {
        // Only the direction steers, which the mean shares.
        let way = L::separation_direction(total, falloff, format);
        return L::widen(respond(rule, shape, way, way, velocity));
    }
    let request = match mean {
        Some(count) => L::separation_mean(total, falloff, count, shape.include_self, format),
        None => L::separation_sum(total, falloff, format),
    };
    if shape.response == Response::Proportional {
        return request;
    }
    let request = L::narrow(request);
    L::widen(respond(rule, shape, request, request, velocity))
}

/// A's mean less the own velocity; of unit vectors, their sum.
#[inline(always)]
fn alignment<L: Requests>(
    rule: &Rule<L::Scalar>,
    context: &StepContext<'_, L::Scalar>,
    sums: &Sums<L>,
    velocity: Vec3<L>,
) -> L::Wide {
    let (shape, nothing) = (&rule.alignment_request, L::widen(Vec3::zero()));
    if shape.whole_flock {
        let Some(means) = context.means else { return nothing };
        let mean = Vec3::splat(means.velocity);
        return L::widen(respond(rule, shape, mean - velocity, mean, velocity));
    }
    let seen = L::splat(L::Scalar::ZERO).lt(sums.alignment_count);
    if !L::computes(seen) {
        return nothing;
    }
    if rule.terms.has(Term::AlignmentUnit) {
        let mut total = sums.alignment;
        if shape.include_self {
            L::add_unit(&mut total, &rule.format, velocity, L::square(velocity), seen);
        }
        let request = request_of_sum(rule, shape, (&total, Falloff::Inverse), None, velocity);
        return L::select_wide(request, seen, nothing);
    }
    let own = shape.include_self.then_some(velocity);
    let mean = L::mean_velocity(&sums.alignment, sums.alignment_count, own, &rule.format);
    L::widen(respond(rule, shape, mean - velocity, mean, velocity).mask(seen))
}

/// C's mean; of unit vectors, their sum.
#[inline(always)]
fn cohesion<L: Requests>(
    rule: &Rule<L::Scalar>,
    context: &StepContext<'_, L::Scalar>,
    sums: &Sums<L>,
    position: Vec3<L>,
    velocity: Vec3<L>,
) -> L::Wide {
    let (shape, nothing) = (&rule.cohesion_request, L::widen(Vec3::zero()));
    if shape.whole_flock {
        let Some(means) = context.means else { return nothing };
        let mean = rule.nearest_image(Vec3::splat(means.position) - position);
        return L::widen(respond(rule, shape, mean, mean, velocity));
    }
    let seen = L::splat(L::Scalar::ZERO).lt(sums.cohesion_count);
    if !L::computes(seen) {
        return nothing;
    }
    if rule.terms.has(Term::CohesionUnit) {
        let request = request_of_sum(rule, shape, (&sums.cohesion, Falloff::Inverse), None, velocity);
        return L::select_wide(request, seen, nothing);
    }
    let mean =
        L::mean_offset(&sums.cohesion, sums.cohesion_count, shape.include_self, &rule.format, position);
    L::widen(respond(rule, shape, mean, mean, velocity).mask(seen))
}

/// What turns a boid back beyond the margins of the world.
#[inline(always)]
fn turn<L: Requests>(rule: &Rule<L::Scalar>, position: Vec3<L>) -> Vec3<L> {
    if rule.edges != Edges::Turn {
        return Vec3::zero();
    }
    let (low, high) = (Vec3::<L>::splat(rule.turn_low), Vec3::<L>::splat(rule.turn_high));
    let turn = L::splat(rule.turn);
    let z = if rule.flat { L::splat(L::Scalar::ZERO) } else { turn_axis(turn, position.z, low.z, high.z) };
    Vec3::new(turn_axis(turn, position.x, low.x, high.x), turn_axis(turn, position.y, low.y, high.y), z)
}

#[inline(always)]
fn turn_axis<L: Lanes>(turn: L, p: L, low: L, high: L) -> L {
    turn.mask(p.lt(low)) - turn.mask(high.lt(p))
}

/// Scouts pull their velocity's x to their side, and adapt their bias; returns the new x.
#[inline(always)]
fn apply_scout_bias<L: Lanes>(rule: &Rule<L::Scalar>, boids: &mut [Boid<L::Scalar>], x: L) -> L {
    let one = L::Scalar::ONE;
    let mut array = x.to_array();
    for (x, boid) in array.as_mut().iter_mut().zip(boids) {
        let (side, wanted) = match boid.group {
            group::RIGHT if !boid.resting() => (one, *x),
            group::LEFT if !boid.resting() => (-one, -*x),
            _ => continue,
        };
        if rule.bias_dynamic {
            boid.bias = if L::Scalar::ZERO < wanted {
                rule.max_bias.min(boid.bias + rule.bias_step)
            } else {
                rule.bias_step.max(boid.bias - rule.bias_step)
            };
        }
        *x = (one - boid.bias) * *x + (boid.bias * side).in_unit(rule.unit);
    }
    L::from_array(array)
}

#[cfg(test)]
mod tests;
