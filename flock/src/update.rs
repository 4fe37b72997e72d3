//! The update rule: from what a boid perceives to where it is one step later.
//!
//! The order of the sections is the rule's: requests, combination, edges, scouts, speed, move, perching.

use crate::number::Number;
use crate::parameters::{Edges, Response};
use crate::perceive::{Senses, Sums};
use crate::random::{self, stream};
use crate::rule::{Rule, Shape, Term};
use crate::state::{Boid, Predator, TAKEN_OFF, group};
use crate::vector::Vec3;

/// Means over the whole flock at step t, boids on their perch left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Means<T> {
    pub position: Vec3<T>,
    pub velocity: Vec3<T>,
}

/// What is the same for every boid of a step.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings<'a, T: Number> {
    /// Number of the step, for the noise.
    pub step: u32,
    /// Where [`Rule::means`] asks for them and some boid flies.
    pub means: Option<Means<T>>,
    /// Already moved.
    pub predators: &'a [Predator<T>],
    /// The rule's senses, in one lane.
    pub senses: Senses<T>,
}

/// The boid one step later.
#[inline(always)]
#[must_use]
pub fn update<T: Number>(
    rule: &Rule<T>,
    around: &Surroundings<'_, T>,
    boid: &Boid<T>,
    id: u32,
    mut sums: Sums<T>,
) -> Boid<T> {
    if boid.resting() {
        return rest(rule, boid);
    }
    let position = Vec3::from(boid.position);
    let old_velocity = Vec3::from(boid.velocity);
    if rule.attractor_avoid && T::ZERO < rule.separation.radius_square {
        let me = around.senses.observer(position, old_velocity, true);
        around.senses.add_object(&mut sums, &me, rule.attractor);
    }

    let mut a = T::weigh(separation(rule, &sums, old_velocity), rule.separate.weight)
        + weigh(alignment(rule, around, &sums, old_velocity), rule.align.weight)
        + weigh(cohesion(rule, around, &sums, position, old_velocity), rule.cohere.weight);
    a = add_others(rule, around, position, id, sums.line_of_sight, a);
    if rule.normalize_goal {
        let long = |unit: Vec3<T>| T::widen(unit.map(|c| c.stretch(rule.unit)));
        a = T::narrow(a).direction().map_or(a, |(unit, _)| long(unit));
    }
    let mut goal = weigh(old_velocity, rule.inertia) + T::weigh(a, rule.gain);
    if rule.terms.has(Term::Wind) {
        goal = goal + weigh(rule.wind, rule.time_step);
    }
    let mut velocity = T::narrow(goal + T::widen(turn(rule, position)));
    let bias = lean(rule, boid, &mut velocity);
    velocity = clamp_speed(rule, velocity);
    let moved = rule.wrap(position + velocity * rule.time_step);

    let mut next = Boid {
        position: moved.to_array(),
        velocity: velocity.to_array(),
        bias,
        group: boid.group,
        rest: boid.rest,
    };
    perch(rule, around.step, id, &mut next);
    next
}

#[inline(always)]
fn weigh<T: Number>(request: Vec3<T>, weight: T) -> T::Wide {
    T::weigh(T::widen(request), weight)
}

/// Adds to the sum of the three rules' requests all the others, in the rule's order; `sideways` is what the line of
/// sight summed.
#[inline(always)]
pub fn add_others<T: Number>(
    rule: &Rule<T>,
    around: &Surroundings<'_, T>,
    position: Vec3<T>,
    id: u32,
    sideways: Vec3<T>,
    request: T::Wide,
) -> T::Wide {
    request
        + weigh(home(rule, position), rule.home_weight)
        + weigh(attractor(rule, position), rule.attractor_weight)
        + weigh(flight(rule, around, position), rule.predator_weight)
        + weigh(noise(rule, around.step, id), rule.noise_weight)
        + line_of_sight(rule, sideways)
        + weigh(obstacles(rule, position), rule.obstacle_weight)
}

/// A request shaped by its response. `sum` is the direction that a steer response takes.
#[inline(always)]
fn respond<T: Number>(
    rule: &Rule<T>,
    shape: &Shape<T>,
    request: Vec3<T>,
    sum: Vec3<T>,
    velocity: Vec3<T>,
) -> Vec3<T> {
    match shape.response {
        Response::Proportional => request,
        Response::Limited => request.limit(rule.unit),
        Response::Steer => match sum.direction() {
            Some((unit, _)) => (unit * rule.max_speed - velocity).limit(shape.max_force),
            None => Vec3::zero(),
        },
    }
}

#[inline]
fn separation<T: Number>(rule: &Rule<T>, sums: &Sums<T>, velocity: Vec3<T>) -> T::Wide {
    let count = sums.separation_count;
    if count <= T::ZERO {
        return T::widen(Vec3::zero());
    }
    let (shape, total) = (&rule.separate, &sums.separation);
    if shape.response == Response::Steer {
        // Only the direction steers, which the mean shares.
        let way = T::push_way(total, rule.falloff, &rule.format);
        return T::widen(respond(rule, shape, way, way, velocity));
    }
    let request = if rule.average {
        T::mean_push(total, rule.falloff, count, shape.include_self, &rule.format)
    } else {
        T::pushes(total, rule.falloff, &rule.format)
    };
    if shape.response == Response::Proportional {
        return request;
    }
    let request = T::narrow(request);
    T::widen(respond(rule, shape, request, request, velocity))
}

#[inline]
fn alignment<T: Number>(
    rule: &Rule<T>,
    around: &Surroundings<'_, T>,
    sums: &Sums<T>,
    velocity: Vec3<T>,
) -> Vec3<T> {
    let shape = &rule.align;
    let mean = if shape.whole_flock {
        match around.means {
            Some(means) => means.velocity,
            None => return Vec3::zero(),
        }
    } else if sums.alignment_count <= T::ZERO {
        return Vec3::zero();
    } else {
        let own = shape.include_self.then_some(velocity);
        T::mean_velocity(&sums.alignment, sums.alignment_count, own, &rule.format)
    };
    respond(rule, shape, mean - velocity, mean, velocity)
}

#[inline]
fn cohesion<T: Number>(
    rule: &Rule<T>,
    around: &Surroundings<'_, T>,
    sums: &Sums<T>,
    position: Vec3<T>,
    velocity: Vec3<T>,
) -> Vec3<T> {
    let shape = &rule.cohere;
    let mean = if shape.whole_flock {
        match around.means {
            Some(means) => rule.nearest_image(means.position - position),
            None => return Vec3::zero(),
        }
    } else if sums.cohesion_count <= T::ZERO {
        return Vec3::zero();
    } else {
        T::mean_offset(&sums.cohesion, sums.cohesion_count, shape.include_self, &rule.format, position)
    };
    respond(rule, shape, mean, mean, velocity)
}

#[inline]
fn home<T: Number>(rule: &Rule<T>, position: Vec3<T>) -> Vec3<T> {
    if rule.home_weight == T::ZERO {
        return Vec3::zero();
    }
    let offset = rule.nearest_image(rule.home - position);
    let outside = rule.home_half_extent < offset.largest();
    if rule.home_half_extent <= T::ZERO || outside { offset } else { Vec3::zero() }
}

#[inline]
fn attractor<T: Number>(rule: &Rule<T>, position: Vec3<T>) -> Vec3<T> {
    if rule.attractor_weight == T::ZERO {
        return Vec3::zero();
    }
    rule.nearest_image(rule.attractor - position).limit(rule.unit)
}

fn flight<T: Number>(rule: &Rule<T>, around: &Surroundings<'_, T>, position: Vec3<T>) -> Vec3<T> {
    around.predators.iter().fold(Vec3::zero(), |sum, predator| {
        let offset = rule.nearest_image(Vec3::from(predator.position) - position);
        if T::within(offset, rule.predator_radius) { sum - offset } else { sum }
    })
}

fn noise<T: Number>(rule: &Rule<T>, step: u32, id: u32) -> Vec3<T> {
    if rule.noise_weight == T::ZERO {
        return Vec3::zero();
    }
    let words = random::draw(rule.seed, step, id, stream::NOISE);
    let part = |word: u32| T::fraction(random::signed(word));
    let z = if rule.flat { T::ZERO } else { part(words[2]) };
    Vec3::new(part(words[0]), part(words[1]), z)
}

/// Weighed already: a sum in a unit of its own.
#[inline]
fn line_of_sight<T: Number>(rule: &Rule<T>, sum: Vec3<T>) -> T::Wide {
    if rule.line_of_sight_weight == T::ZERO {
        return T::widen(Vec3::zero());
    }
    T::weigh(T::differences(sum, &rule.format), rule.line_of_sight_weight)
}

fn obstacles<T: Number>(rule: &Rule<T>, position: Vec3<T>) -> Vec3<T> {
    rule.obstacles[..rule.obstacle_count as usize].iter().fold(Vec3::zero(), |sum, obstacle| {
        let offset = rule.nearest_image(position - obstacle.position);
        // From the very centre any way out is as good.
        let along_x = Vec3::new(T::ONE, T::ZERO, T::ZERO);
        let (away, distance) = offset.direction().unwrap_or((along_x, T::ZERO));
        let gap = distance - obstacle.radius;
        if gap <= T::ZERO {
            sum + away
        } else if gap < rule.obstacle_margin {
            sum + away * (T::ONE - gap / rule.obstacle_margin)
        } else {
            sum
        }
    })
}

#[inline]
fn turn<T: Number>(rule: &Rule<T>, position: Vec3<T>) -> Vec3<T> {
    if rule.edges != Edges::Turn {
        return Vec3::zero();
    }
    let axis = |p: T, low: T, high: T| {
        let up = if p < low { rule.turn } else { T::ZERO };
        let down = if high < p { rule.turn } else { T::ZERO };
        up - down
    };
    let (low, high) = (rule.turn_low, rule.turn_high);
    let z = if rule.flat { T::ZERO } else { axis(position.z, low.z, high.z) };
    Vec3::new(axis(position.x, low.x, high.x), axis(position.y, low.y, high.y), z)
}

/// A scout leans to its side; returns its bias from now on.
#[inline]
pub fn lean<T: Number>(rule: &Rule<T>, boid: &Boid<T>, velocity: &mut Vec3<T>) -> T {
    let (side, wanted) = match boid.group {
        group::RIGHT => (T::ONE, velocity.x),
        group::LEFT => (-T::ONE, -velocity.x),
        _ => return boid.bias,
    };
    let mut bias = boid.bias;
    if rule.bias_dynamic {
        bias = if T::ZERO < wanted {
            Number::min(rule.max_bias, bias + rule.bias_step)
        } else {
            Number::max(rule.bias_step, bias - rule.bias_step)
        };
    }
    velocity.x = (T::ONE - bias) * velocity.x + (bias * side).stretch(rule.unit);
    bias
}

/// The speed brought into its limits; a zero velocity has no direction to be sped up in.
#[inline]
fn clamp_speed<T: Number>(rule: &Rule<T>, velocity: Vec3<T>) -> Vec3<T> {
    match velocity.direction() {
        None => Vec3::zero(),
        Some((unit, speed)) if rule.max_speed < speed => unit * rule.max_speed,
        Some((unit, speed)) if speed < rule.min_speed => unit * rule.min_speed,
        Some(_) => velocity,
    }
}

/// Height above the bottom: on a flat screen y points down, in space z points up.
fn height<T: Number>(rule: &Rule<T>, position: Vec3<T>) -> T {
    if rule.flat { rule.world_max.y - position.y } else { position.z - rule.world_min.z }
}

/// A boid on its perch: it waits, then takes off upwards.
fn rest<T: Number>(rule: &Rule<T>, boid: &Boid<T>) -> Boid<T> {
    if boid.rest > 1 {
        return Boid { velocity: [T::ZERO; 3], rest: boid.rest - 1, ..*boid };
    }
    let up = if rule.flat {
        Vec3::new(T::ZERO, -rule.min_speed, T::ZERO)
    } else {
        Vec3::new(T::ZERO, T::ZERO, rule.min_speed)
    };
    let position = rule.wrap(Vec3::from(boid.position) + up * rule.time_step);
    Boid { position: position.to_array(), velocity: up.to_array(), rest: TAKEN_OFF, ..*boid }
}

/// Perching begins where a free boid has come near the bottom, and is allowed again once it has risen.
fn perch<T: Number>(rule: &Rule<T>, step: u32, id: u32, boid: &mut Boid<T>) {
    if rule.perch_steps == 0 {
        return;
    }
    let low = height(rule, Vec3::from(boid.position)) <= rule.perch_height;
    if boid.rest == TAKEN_OFF {
        boid.rest = if low { TAKEN_OFF } else { 0 };
    } else if low {
        let word = random::draw(rule.seed, step, id, stream::PERCH)[0];
        let steps = random::up_to(word, rule.perch_steps);
        if steps == 0 {
            // It flies past this time.
            boid.rest = TAKEN_OFF;
        } else {
            boid.rest = steps as i32;
            boid.velocity = [T::ZERO; 3];
        }
    }
}
