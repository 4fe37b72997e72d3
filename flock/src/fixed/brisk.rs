//! The update again in single words, for rules and boids whose numbers fit them: the bits of [`crate::update`] in a
//! small part of its cycles on a small processor.
//!
//! What does not fit is left to the rule itself: [`Brisk::new`] refuses rules, [`Brisk::update`] boids. The bounds: no
//! component of a request or velocity exceeds 2²⁵, no weight 1, so that no sum of weighted requests reaches the 2²⁹ from
//! which on the rule shortens vectors.

use super::Tally;
use super::word::mul_wide;
use crate::number::Number;
use crate::parameters::{Edges, Response};
use crate::random::{draw, signed, stream};
use crate::rule::Shape;
use crate::state::group;
use crate::{Boid, Fixed, Predator, Rule, Vec3};

/// Bounds of what is weighed.
const MOST: i32 = 1 << 25;

/// One, as a weight.
const ONE: i32 = 1 << 20;

/// The most predators, each within a radius of 2²⁴.
const PREDATORS: usize = 4;

/// What an update needs of the rule.
#[derive(Clone, Copy, Debug)]
pub struct Brisk {
    place: u32,
    pace: u32,
    separate: i32,
    align: i32,
    cohere: i32,
    turn_low: [i32; 3],
    turn_high: [i32; 3],
    turn: i32,
    home: Option<Home>,
    /// Whether there is noise, a home or somebody to flee.
    rare: bool,
    noise: i32,
    seed: u32,
    predator_weight: i32,
    predator_radius: Fixed,
    min_speed: Fixed,
    max_speed: Fixed,
    /// Squares of speeds in units of 2^`pace` between which the speed is within its limits for certain.
    free: [u32; 2],
    bias_dynamic: bool,
    max_bias: Fixed,
    bias_step: Fixed,
    unit: Fixed,
}

#[derive(Clone, Copy, Debug)]
struct Home {
    position: [i32; 3],
    half_extent: i32,
    weight: i32,
}

/// Where a boid is one step later.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    pub position: [i32; 3],
    pub velocity: [i32; 3],
    pub bias: i32,
}

/// Whether a request of this shape is its mean or sum, weighed.
fn plain(shape: &Shape<Fixed>) -> bool {
    shape.response == Response::Proportional
        && !shape.include_self
        && !shape.whole_flock
        && shape.weight.0.abs() <= ONE
}

impl Brisk {
    /// For a flock of a rule, where its numbers fit.
    #[must_use]
    pub fn new(rule: &Rule<Fixed>, predators: usize) -> Option<Self> {
        let unscaled = [rule.inertia, rule.gain, rule.time_step].iter().all(|factor| factor.0 == ONE);
        let absent = [rule.attractor_weight, rule.line_of_sight_weight].iter().all(|weight| weight.0 == 0)
            && !rule.attractor_avoid
            && rule.obstacle_count == 0
            && rule.perch_steps == 0
            && !rule.normalize_goal
            && rule.edges != Edges::Wrap;
        let flees = predators > 0 && rule.predator_weight.0 != 0;
        let small = rule.reach.0 < MOST
            && rule.max_speed.0 < MOST
            && rule.turn.0 < MOST
            && rule.noise_weight.0.abs() <= 1 << 24
            && rule.home_weight.0.abs() <= ONE / 4
            && !(rule.format.exact_pull || rule.format.exact_join)
            && (!flees
                || predators <= PREDATORS
                    && rule.predator_radius.0 <= 1 << 24
                    && rule.predator_weight.0.abs() <= ONE);
        let plain = plain(&rule.separate) && !rule.average && plain(&rule.align) && plain(&rule.cohere);
        if !(unscaled && absent && small && plain) {
            return None;
        }
        let axes = |v: Vec3<Fixed>| v.to_array().map(|c| c.0);
        let turns = rule.edges == Edges::Turn;
        let (pace, limits) = (rule.format.pace, [rule.min_speed.0, rule.max_speed.0]);
        // Cutting three components off makes the vector no more than √3 units longer or shorter.
        let [low, high] =
            [(limits[0] >> pace) + 3, (limits[1] >> pace) - 3].map(|c| c.clamp(0, 1 << 14) as u32);
        Some(Brisk {
            place: rule.format.place,
            pace,
            separate: rule.separate.weight.0,
            align: rule.align.weight.0,
            cohere: rule.cohere.weight.0,
            turn_low: axes(rule.turn_low),
            turn_high: axes(rule.turn_high),
            turn: if turns { rule.turn.0 } else { 0 },
            home: (rule.home_weight.0 != 0).then(|| Home {
                position: axes(rule.home),
                half_extent: rule.home_half_extent.0,
                weight: rule.home_weight.0,
            }),
            rare: rule.home_weight.0 != 0 || rule.noise_weight.0 != 0 || flees,
            noise: rule.noise_weight.0,
            seed: rule.seed,
            predator_weight: if flees { rule.predator_weight.0 } else { 0 },
            predator_radius: rule.predator_radius,
            min_speed: rule.min_speed,
            max_speed: rule.max_speed,
            free: [low * low, high * high],
            bias_dynamic: rule.bias_dynamic,
            max_bias: rule.max_bias,
            bias_step: rule.bias_step,
            unit: rule.unit,
        })
    }

    /// A boid one step later; none where its numbers do not fit, or where it rests. `FLAT` leaves z alone.
    #[inline(always)]
    #[must_use]
    pub fn update<const FLAT: bool>(
        &self,
        step: u32,
        predators: &[Predator<Fixed>],
        id: usize,
        boid: &Boid<Fixed>,
        tally: &Tally,
    ) -> Option<Moved> {
        let axes = if FLAT { 2 } else { 3 };
        let (position, velocity) = (boid.position.map(|c| c.0), boid.velocity.map(|c| c.0));
        if boid.rest != 0 {
            return None;
        }
        let rare = if self.rare { self.rare(step, predators, id, &position, axes) } else { [0; 3] };
        // One axis after the other, written out: in a loop the compiler keeps all of it in memory.
        let goal = |k: usize| self.goal(position[k], velocity[k], tally, k).map(|goal| goal + rare[k]);
        let mut goal = [goal(0)?, goal(1)?, if FLAT { 0 } else { goal(2)? }];
        let bias = self.lean(boid, &mut goal[0]);
        let goal = self.limit(goal, axes);
        let moved = [0, 1, 2].map(|k| if k < axes { position[k] + goal[k] } else { 0 });
        Some(Moved { position: moved, velocity: goal, bias })
    }

    /// A component of the velocity after what nearly all boids of nearly all flocks do.
    #[inline(always)]
    fn goal(&self, position: i32, velocity: i32, tally: &Tally, k: usize) -> Option<i32> {
        if !fits(velocity, MOST) || !fits(position, 2 * MOST) || !fits(tally.separation[k], MOST) {
            return None;
        }
        let mut goal = velocity;
        if tally.separation_count > 0 {
            goal += weigh(tally.separation[k], self.separate);
        }
        if tally.alignment_count > 0 {
            let mean = mean(tally.alignment[k], self.pace, tally.alignment_count)?;
            goal += weigh(mean - velocity, self.align);
        }
        if tally.cohesion_count > 0 {
            // The boid's place less its position: what every offset from that place is off.
            let half = (1 << self.place) >> 1;
            let off = ((position + half) >> self.place << self.place) - position;
            goal += weigh(mean(tally.cohesion[k], self.place, tally.cohesion_count)? + off, self.cohere);
        }
        if position < self.turn_low[k] {
            goal += self.turn;
        }
        if self.turn_high[k] < position {
            goal -= self.turn;
        }
        Some(goal)
    }

    /// The requests that few flocks have: noise, home and flight.
    #[inline(never)]
    fn rare(
        &self,
        step: u32,
        predators: &[Predator<Fixed>],
        id: usize,
        position: &[i32; 3],
        axes: usize,
    ) -> [i32; 3] {
        let (noise, home) = (self.noise(step, id, axes == 2), self.home(position, axes));
        let flight = self.flight(predators, position, axes);
        [0, 1, 2].map(|k| noise[k] + home[k] + flight[k])
    }

    fn noise(&self, step: u32, id: usize, flat: bool) -> [i32; 3] {
        if self.noise == 0 {
            return [0; 3];
        }
        let [x, y, z, _] = draw(self.seed, step, id as u32, stream::NOISE);
        let part = |word| weigh(Fixed::fraction(signed(word)).0, self.noise);
        [part(x), part(y), if flat { 0 } else { part(z) }]
    }

    fn home(&self, position: &[i32; 3], axes: usize) -> [i32; 3] {
        let Some(home) = &self.home else { return [0; 3] };
        let offset: [i32; 3] =
            core::array::from_fn(|k| if k < axes { home.position[k] - position[k] } else { 0 });
        let outside = offset.iter().any(|c| c.abs() > home.half_extent);
        if home.half_extent <= 0 || outside { offset.map(|c| weigh(c, home.weight)) } else { [0; 3] }
    }

    fn flight(&self, predators: &[Predator<Fixed>], position: &[i32; 3], axes: usize) -> [i32; 3] {
        if self.predator_weight == 0 {
            return [0; 3];
        }
        let (mut sum, radius) = ([0; 3], self.predator_radius.0);
        for predator in predators {
            let offset: [i32; 3] = core::array::from_fn(|k| {
                if k < axes { predator.position[k].0.saturating_sub(position[k]) } else { 0 }
            });
            let near = offset.iter().all(|c| -radius < *c && *c < radius);
            if near && Fixed::within(offset.map(Fixed).into(), self.predator_radius) {
                sum = core::array::from_fn(|k| sum[k] - offset[k]);
            }
        }
        sum.map(|c| weigh(c, self.predator_weight))
    }

    /// As the rule's scouts lean.
    fn lean(&self, boid: &Boid<Fixed>, x: &mut i32) -> i32 {
        let (side, wanted) = match boid.group {
            group::RIGHT => (Fixed::ONE, *x),
            group::LEFT => (-Fixed::ONE, -*x),
            _ => return boid.bias.0,
        };
        let mut bias = boid.bias;
        if self.bias_dynamic {
            bias = if 0 < wanted {
                Number::min(self.max_bias, bias + self.bias_step)
            } else {
                Number::max(self.bias_step, bias - self.bias_step)
            };
        }
        *x = ((Fixed::ONE - bias) * Fixed(*x) + (bias * side).stretch(self.unit)).0;
        bias.0
    }

    /// The speed brought into its limits. Most often a rough look shows that it is.
    #[inline(always)]
    fn limit(&self, v: [i32; 3], axes: usize) -> [i32; 3] {
        let mut square = 0_u32;
        let mut rough = true;
        for c in &v[..axes] {
            let c = c >> self.pace;
            rough &= fits(c, 1 << 15);
            square = square.wrapping_add(c.wrapping_mul(c) as u32);
        }
        if rough && self.free[0] < square && square < self.free[1] {
            return v;
        }
        self.limit_exactly(v)
    }

    #[inline(never)]
    fn limit_exactly(&self, v: [i32; 3]) -> [i32; 3] {
        let times = |unit: Vec3<Fixed>, speed: Fixed| (unit * speed).to_array().map(|c| c.0);
        match Fixed::direction(v.map(Fixed).into()) {
            None => [0; 3],
            Some((unit, speed)) if self.max_speed < speed => times(unit, self.max_speed),
            Some((unit, speed)) if speed < self.min_speed => times(unit, self.min_speed),
            Some(_) => v,
        }
    }
}

/// Whether the magnitude is below a bound.
#[inline(always)]
fn fits(value: i32, bound: i32) -> bool {
    (value.wrapping_add(bound) as u32) < 2 * bound as u32
}

/// Times a weight of at most 1, or any that keeps the product below 2³¹, rounded to the nearest.
#[inline(always)]
fn weigh(value: i32, weight: i32) -> i32 {
    if weight as u32 >> 16 == 0 {
        // Two products of 16 bits and 16: no digit is lost before the last shift.
        let low = ((value as u32 & 0xffff) * weight as u32) >> 16;
        return ((value >> 16) * weight + low as i32 + 8) >> 4;
    }
    ((mul_wide(value, weight) + (1 << 19)) >> 20) as i32
}

/// As [`super::word::mean`], where the dividend fits a word and the mean is within the bounds.
#[inline(always)]
fn mean(value: i32, shift: u32, count: i32) -> Option<i32> {
    let (magnitude, count) = (value.unsigned_abs(), count as u32);
    let dividend = magnitude << shift;
    if dividend >> shift != magnitude {
        return None;
    }
    let (quotient, rest) = (dividend / count, dividend % count);
    let rounded = quotient + u32::from(rest >= count - rest);
    if rounded >= MOST as u32 {
        return None;
    }
    Some(if value < 0 { -(rounded as i32) } else { rounded as i32 })
}

#[cfg(test)]
mod tests;
