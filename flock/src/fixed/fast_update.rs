//! A fast path of the update in single words: the bits of [`mod@crate::update`] in few of its cycles on a processor
//! without 64-bit products.
//!
//! It serves rules whose terms it knows ([`SUPPORTED`]) and whose numbers fit. All others take the general
//! update: [`FastUpdate::new`] refuses rules, [`FastUpdate::update`] boids. The bounds: no component of a request or
//! velocity exceeds 2²⁵, no weight 1, so that no sum of weighted requests reaches 2²⁹, where the rule shortens vectors.

use super::word::mul_wide;
use crate::number::Total;
use crate::parameters::Edges;
use crate::perceive::Sums;
use crate::rule::{Term, Terms};
use crate::update::course::{Course, clamp_speed};
use crate::update::others::{flight, home, noise};
use crate::update::{StepContext, apply_scout_bias};
use crate::{Boid, Fixed, Rule, Vec3};

/// Bound on the components of requests and velocities.
const MAX: i32 = 1 << 25;

/// One, as a weight.
const ONE: i32 = 1 << 20;

/// The most predators, each within a radius of 2²⁴.
const PREDATORS: usize = 4;

/// The part of [`Sums`] that rules with an all-round view and no falloff use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct FixedSums {
    /// Σ −o, to the last digit of a position.
    pub separation: [i32; 3],
    /// Number of boids that separation perceives.
    pub separation_count: i32,
    /// Σ v, in coarse units of velocity.
    pub alignment: [i32; 3],
    /// Number of boids that alignment perceives.
    pub alignment_count: i32,
    /// Σ o, in coarse units of length.
    pub cohesion: [i32; 3],
    /// Number of boids that cohesion perceives.
    pub cohesion_count: i32,
}

impl FixedSums {
    /// The sums as [`Sums`]; a coarse unit of length is 2^`shift` last digits of a position.
    pub fn sums(&self, shift: u32) -> Sums<Fixed> {
        let vector = |v: [i32; 3]| Vec3::from(v.map(Fixed));
        let coarse = |v: [i32; 3]| Total { sum: vector(v), rest: Vec3::zero() };
        Sums {
            separation: Total {
                sum: vector(self.separation.map(|c| c >> shift)),
                rest: vector(self.separation.map(|c| c - (c >> shift << shift))),
            },
            separation_count: Fixed(self.separation_count),
            alignment: coarse(self.alignment),
            alignment_count: Fixed(self.alignment_count),
            cohesion: coarse(self.cohesion),
            cohesion_count: Fixed(self.cohesion_count),
            line_of_sight: Vec3::zero(),
        }
    }
}

/// The fields of the rule that nearly every update reads.
#[derive(Clone, Copy, Debug)]
pub struct FastUpdate {
    position_shift: u32,
    velocity_shift: u32,
    separation_weight: i32,
    alignment_weight: i32,
    cohesion_weight: i32,
    turn_low: [i32; 3],
    turn_high: [i32; 3],
    turn: i32,
    /// True if there are predators to flee.
    flees: bool,
    /// True if there is noise, a home or a predator to flee.
    others: bool,
    /// Squares of speeds in units of 2^`velocity_shift` between which the speed is within its limits for certain.
    free: [u32; 2],
}

/// A boid's position, velocity and bias one step later.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// In the last digit of a [`Fixed`] length.
    pub position: [i32; 3],
    /// In the last digit of a [`Fixed`] velocity.
    pub velocity: [i32; 3],
    /// In the last digit of a [`Fixed`], 0…1.
    pub bias: i32,
}

/// The terms that a fast update computes. A rule with any other takes the general update.
pub const SUPPORTED: Terms = Terms::these(&[
    Term::Motion,
    Term::Separation,
    Term::Alignment,
    Term::Cohesion,
    Term::Exclusion,
    Term::Home,
    Term::Wander,
    Term::Predators,
    Term::Flight,
    Term::Noise,
    Term::Turn,
]);

impl FastUpdate {
    /// The fast path for a rule and a number of predators; none unless the terms are [`SUPPORTED`] and the numbers fit.
    pub fn new(rule: &Rule<Fixed>, predators: usize) -> Option<Self> {
        let flees = predators > 0 && rule.predator_weight.0 != 0;
        let weights =
            [rule.separation_request.weight, rule.alignment_request.weight, rule.cohesion_request.weight];
        let unscaled = [rule.inertia, rule.gain, rule.time_step].iter().all(|factor| factor.0 == ONE);
        let small = weights.iter().all(|weight| weight.0.abs() <= ONE)
            && rule.reach.0 < MAX
            && rule.max_speed.0 < MAX
            && rule.turn.0 < MAX
            && rule.noise_weight.0.abs() <= 1 << 24
            && rule.home_weight.0.abs() <= ONE / 4
            && !(rule.format.exact_cohesion || rule.format.exact_alignment)
            && (!flees
                || predators <= PREDATORS
                    && rule.predator_radius.0 <= 1 << 24
                    && rule.predator_weight.0.abs() <= ONE);
        if !(rule.terms.within(SUPPORTED) && unscaled && small) {
            return None;
        }
        let axes = |v: Vec3<Fixed>| v.to_array().map(|c| c.0);
        let turns = rule.edges == Edges::Turn;
        let (velocity_shift, limits) = (rule.format.velocity_shift, [rule.min_speed.0, rule.max_speed.0]);
        // Truncating the three components changes the length by at most √3 units.
        let [low, high] = [(limits[0] >> velocity_shift) + 3, (limits[1] >> velocity_shift) - 3]
            .map(|c| c.clamp(0, 1 << 14) as u32);
        Some(FastUpdate {
            position_shift: rule.format.position_shift,
            velocity_shift,
            separation_weight: rule.separation_request.weight.0,
            alignment_weight: rule.alignment_request.weight.0,
            cohesion_weight: rule.cohesion_request.weight.0,
            turn_low: axes(rule.turn_low),
            turn_high: axes(rule.turn_high),
            turn: if turns { rule.turn.0 } else { 0 },
            flees,
            others: rule.home_weight.0 != 0 || rule.noise_weight.0 != 0 || flees,
            free: [low * low, high * high],
        })
    }

    /// A boid one step later; none where its numbers do not fit, or where it is perched. `FLAT` leaves z alone.
    #[inline(always)]
    pub fn update<const FLAT: bool>(
        &self,
        context: &StepContext<'_, Fixed>,
        id: usize,
        boid: &Boid<Fixed>,
        sums: &FixedSums,
    ) -> Option<Moved> {
        let axes = if FLAT { 2 } else { 3 };
        let (position, velocity) = (boid.position.map(|c| c.0), boid.velocity.map(|c| c.0));
        if boid.rest != 0 {
            return None;
        }
        let others = if self.others { self.other_requests(context, id, boid.position) } else { [0; 3] };
        // Axis by axis, written out: in a loop the compiler keeps all of it in memory.
        let mut goal = [
            self.goal(position[0], velocity[0], sums, 0)? + others[0],
            self.goal(position[1], velocity[1], sums, 1)? + others[1],
            if FLAT { 0 } else { self.goal(position[2], velocity[2], sums, 2)? + others[2] },
        ];
        let (mut bias, mut x) = (boid.bias, Fixed(goal[0]));
        apply_scout_bias(context.rule, boid.group, &mut bias, &mut x);
        goal[0] = x.0;
        let goal = self.limit(context.rule, goal, axes);
        let moved = [0, 1, 2].map(|k| if k < axes { position[k] + goal[k] } else { 0 });
        Some(Moved { position: moved, velocity: goal, bias: bias.0 })
    }

    /// A component of the velocity after the terms that nearly all flocks have.
    #[inline(always)]
    fn goal(&self, position: i32, velocity: i32, sums: &FixedSums, k: usize) -> Option<i32> {
        if !fits(velocity, MAX) || !fits(position, 2 * MAX) || !fits(sums.separation[k], MAX) {
            return None;
        }
        let mut goal = velocity;
        if sums.separation_count > 0 {
            goal += weigh(sums.separation[k], self.separation_weight);
        }
        if sums.alignment_count > 0 {
            let mean = mean(sums.alignment[k], self.velocity_shift, sums.alignment_count)?;
            goal += weigh(mean - velocity, self.alignment_weight);
        }
        if sums.cohesion_count > 0 {
            // The coarse position less the exact one: the error of every offset from the coarse position.
            let half = (1 << self.position_shift) >> 1;
            let off = ((position + half) >> self.position_shift << self.position_shift) - position;
            goal += weigh(
                mean(sums.cohesion[k], self.position_shift, sums.cohesion_count)? + off,
                self.cohesion_weight,
            );
        }
        if position < self.turn_low[k] {
            goal += self.turn;
        }
        if self.turn_high[k] < position {
            goal -= self.turn;
        }
        Some(goal)
    }

    /// The terms that few flocks have: noise, home and flight.
    #[inline(never)]
    fn other_requests(&self, context: &StepContext<'_, Fixed>, id: usize, position: [Fixed; 3]) -> [i32; 3] {
        let (rule, position, mut sum) = (context.rule, Vec3::from(position), Vec3::default());
        let mut add = |request: Vec3<Fixed>, weight: Fixed| {
            sum = request.zip(sum, |request, sum| sum + weigh(request.0, weight.0));
        };
        if rule.noise_weight.0 != 0 {
            add(noise(context, &[id as u32]), rule.noise_weight);
        }
        if rule.home_weight.0 != 0 {
            add(home(context, position), rule.home_weight);
        }
        if self.flees {
            add(flight(context, position), rule.predator_weight);
        }
        sum.to_array()
    }

    /// The speed brought into its limits. Most often a coarse square shows that it is within them.
    #[inline(always)]
    fn limit(&self, rule: &Rule<Fixed>, v: [i32; 3], axes: usize) -> [i32; 3] {
        let mut square = 0_u32;
        let mut small = true;
        for c in &v[..axes] {
            let c = c >> self.velocity_shift;
            small &= fits(c, 1 << 15);
            square = square.wrapping_add(c.wrapping_mul(c) as u32);
        }
        if small && self.free[0] < square && square < self.free[1] {
            return v;
        }
        limit_exactly(rule, v)
    }
}

#[inline(never)]
fn limit_exactly(rule: &Rule<Fixed>, v: [i32; 3]) -> [i32; 3] {
    clamp_speed(rule, Course::new(v.map(Fixed).into())).to_array().map(|c| c.0)
}

/// True if the magnitude is below a bound.
#[inline(always)]
fn fits(value: i32, bound: i32) -> bool {
    (value.wrapping_add(bound) as u32) < 2 * bound as u32
}

/// `value` times `weight`, rounded to the nearest. The weight is at most 1, or the product stays below 2³¹.
#[inline(always)]
fn weigh(value: i32, weight: i32) -> i32 {
    if weight as u32 >> 16 == 0 {
        // Two 16 × 16-bit products: no digit is lost before the last shift.
        let low = ((value as u32 & 0xffff) * weight as u32) >> 16;
        return ((value >> 16) * weight + low as i32 + 8) >> 4;
    }
    ((mul_wide(value, weight) + (1 << 19)) >> 20) as i32
}

/// Like [`super::word::mean`], where the dividend fits a word and the mean is within the bounds.
#[inline(always)]
fn mean(value: i32, shift: u32, count: i32) -> Option<i32> {
    let (magnitude, count) = (value.unsigned_abs(), count as u32);
    let dividend = magnitude << shift;
    if dividend >> shift != magnitude {
        return None;
    }
    let (quotient, rest) = (dividend / count, dividend % count);
    let rounded = quotient + u32::from(rest >= count - rest);
    if rounded >= MAX as u32 {
        return None;
    }
    Some(if value < 0 { -(rounded as i32) } else { rounded as i32 })
}

#[cfg(test)]
mod tests;
