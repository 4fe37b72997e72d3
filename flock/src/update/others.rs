//! All requests but separation, alignment and cohesion: home, the attractor, flight from predators, noise, a clear line
//! of sight, obstacles, and the scouts' preferred directions.

use super::probe::{Part, Probe};
use super::{Context, weigh};
use crate::number::{Number, Requests, Vec3};
use crate::perceive::Sums;
use crate::random::{self, stream};
use crate::rule::Rule;
use crate::state::{Boid, group};

/// Adds to the three rules' requests all the others, in the rule's order.
#[inline(always)]
pub(super) fn add_others<L: Requests>(
    context: &Context<'_, L>,
    sums: &Sums<L>,
    position: Vec3<L>,
    ids: &[u32],
    request: L::Wide,
    probe: &mut impl Probe<L>,
) -> L::Wide {
    let (rule, none) = (context.rule, L::Scalar::ZERO);
    let mut all = Adding { total: request, probe };
    if rule.home_weight != none {
        all.add(Part::Home, weigh(home(context, position), rule.home_weight));
    }
    if rule.attractor_weight != none {
        let offset = rule.nearest_image(Vec3::splat(rule.attractor) - position);
        all.add(Part::Attractor, weigh(offset.limit(L::splat(rule.unit)), rule.attractor_weight));
    }
    if rule.predator_weight != none && !context.predators.is_empty() {
        all.add(Part::Predators, weigh(flight(context, position), rule.predator_weight));
    }
    if rule.noise_weight != none {
        all.add(Part::Noise, weigh::<L>(noise(context, ids), rule.noise_weight));
    }
    if rule.line_of_sight_weight != none {
        let sideways = L::line_of_sight_sum(sums.line_of_sight, &rule.format);
        all.add(Part::LineOfSight, L::weigh(sideways, rule.line_of_sight_weight));
    }
    if rule.obstacle_count > 0 {
        all.add(Part::Obstacles, weigh(obstacles(rule, position), rule.obstacle_weight));
    }
    all.total
}

/// A sum of requests that a probe sees.
struct Adding<'a, L: Requests, P> {
    total: L::Wide,
    probe: &'a mut P,
}

impl<L: Requests, P: Probe<L>> Adding<'_, L, P> {
    #[inline(always)]
    fn add(&mut self, part: Part, weighted: L::Wide) {
        self.probe.request(part, weighted);
        self.total = self.total + weighted;
    }
}

/// The offset to the home, for boids outside its cube.
#[inline(always)]
pub(crate) fn home<L: Requests>(context: &Context<'_, L>, position: Vec3<L>) -> Vec3<L> {
    let rule = context.rule;
    let offset = rule.nearest_image(Vec3::splat(context.home) - position);
    if rule.home_half_extent <= L::Scalar::ZERO {
        return offset;
    }
    offset.mask(L::splat(rule.home_half_extent).lt(offset.largest()))
}

/// −Σ of the offsets to the predators within their radius.
#[inline(always)]
pub(crate) fn flight<L: Requests>(context: &Context<'_, L>, position: Vec3<L>) -> Vec3<L> {
    let mut sum = Vec3::zero();
    for predator in context.predators {
        let offset = context.rule.nearest_image(Vec3::splat(predator.position.into()) - position);
        sum = (sum - offset).select(L::within(offset, L::splat(context.rule.predator_radius)), sum);
    }
    sum
}

/// A random vector in the cube from −1 to 1.
#[inline(always)]
pub(crate) fn noise<L: Requests>(context: &Context<'_, L>, ids: &[u32]) -> Vec3<L> {
    let (rule, mut all) = (context.rule, Vec3::zero());
    let mut fill = |ids: &[u32]| {
        for (k, id) in ids.iter().enumerate() {
            let words = random::draw(rule.seed, context.step, *id, stream::NOISE);
            let part = |word: u32| L::Scalar::fraction(random::signed(word));
            all.set_lane(k, Vec3::new(part(words[0]), part(words[1]), part(words[2])));
        }
    };
    // A loop of a known length is compiled into vector instructions.
    if ids.len() == L::LANES {
        fill(&ids[..L::LANES]);
    } else {
        fill(ids);
    }
    if rule.flat { Vec3 { z: L::splat(L::Scalar::ZERO), ..all } } else { all }
}

/// The preferred directions of scouts; zero for the others.
#[inline(always)]
pub(super) fn preference<L: Requests>(rule: &Rule<L::Scalar>, boids: &[Boid<L::Scalar>]) -> Vec3<L> {
    let mut all = Vec3::zero();
    for (k, boid) in boids.iter().enumerate() {
        match boid.group {
            group::RIGHT => all.set_lane(k, rule.right_direction),
            group::LEFT => all.set_lane(k, rule.left_direction),
            _ => {}
        }
    }
    all
}

/// Σ of unit vectors away from the obstacles, full inside them and down to nothing at the margin around them.
#[inline(always)]
fn obstacles<L: Requests>(rule: &Rule<L::Scalar>, position: Vec3<L>) -> Vec3<L> {
    let (zero, one) = (L::splat(L::Scalar::ZERO), L::splat(L::Scalar::ONE));
    let margin = L::splat(rule.obstacle_margin);
    let mut sum = Vec3::zero();
    for obstacle in &rule.obstacles[..rule.obstacle_count as usize] {
        let offset = rule.nearest_image(position - Vec3::splat(obstacle.position));
        // At the centre every direction is away.
        let (unit, distance, apart) = L::direction(offset);
        let away = unit.select(apart, Vec3::new(one, zero, zero));
        let gap = distance.mask(apart) - L::splat(obstacle.radius);
        let inside = gap.le(zero);
        let near = inside | gap.lt(margin);
        if L::any_lane(near) {
            let weakened = if L::any_lane(!inside) { away * (one - gap / margin) } else { away };
            sum = (sum + away.select(inside, weakened)).select(near, sum);
        }
    }
    sum
}
