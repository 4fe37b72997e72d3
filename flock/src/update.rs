//! The update rule: from the sums over a boid's neighbours to its state one step later.
//!
//! It is written once, over [`Requests`]: one number at a time or a register of boids at once, in any number type. A
//! lane is a boid. A term that the rule does not have is skipped for all lanes; a term that only some lanes have is
//! computed under a mask. Scouts, noise and perches are done lane by lane.
//!
//! The order of the sections is the rule's: requests, combination, edges, scouts, speed, move, perching.

use crate::home;
use crate::number::{Lanes, Number, Requests, Total, Vec3};
use crate::parameters::{Edges, Falloff, Response};
use crate::perceive::{Senses, Sums};
use crate::random::{self, stream};
use crate::rule::{Rule, Shape, Term};
use crate::state::{Boid, Predator, TAKEN_OFF, group};
use angular_noise::turn_by;
pub(crate) use course::UPRIGHT_SQUARE;
use course::{Course, clamp_speed, limit_turn};
use others::{add_others, preference};
use probe::{Part, Probe, Stage, Unobserved};

mod angular_noise;
pub(crate) mod course;
pub(crate) mod others;
pub mod probe;

/// Means over the whole flock at step t, perched boids left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Means<T> {
    /// Scaled length.
    pub position: Vec3<T>,
    /// Scaled length a unit of time.
    pub velocity: Vec3<T>,
}

/// The inputs that all boids of a step share.
#[derive(Clone, Copy, Debug)]
pub struct StepContext<'a, T: Number> {
    /// The rule of the step.
    pub rule: &'a Rule<T>,
    /// Number of the step, for random numbers.
    pub step: u32,
    /// Position of home.
    pub home: Vec3<T>,
    /// The means over the flock; none unless [`Rule::means`] needs them and some boid flies.
    pub means: Option<Means<T>>,
    /// The predators, already moved.
    pub predators: &'a [Predator<T>],
}

impl<'a, T: Number> StepContext<'a, T> {
    /// The context of step number `step`, from the flock's means and the predators that have moved.
    pub fn new(rule: &'a Rule<T>, step: u64, means: Option<Means<T>>, predators: &'a [Predator<T>]) -> Self {
        StepContext { rule, step: step as u32, home: home::position(rule, step), means, predators }
    }
}

/// The context of a step of lanes.
type Context<'a, L> = StepContext<'a, <L as Lanes>::Scalar>;

/// The boids of the lanes.
#[derive(Debug)]
pub struct BoidLanes<'a, L: Lanes> {
    /// Boid k in lane k; further lanes are ignored.
    pub boids: &'a mut [Boid<L::Scalar>],
    /// Their ids.
    pub ids: &'a [u32],
    /// The boids' positions, a boid a lane. A perched boid may have any.
    pub position: Vec3<L>,
    /// Their velocities.
    pub velocity: Vec3<L>,
    /// Their requests by custom terms; empty if there are none.
    pub requested: &'a [Vec3<L::Scalar>],
}

/// The boid one step later; `requested` is its request by custom terms, if there are any.
#[inline(always)]
pub fn update<T: Number>(
    context: &StepContext<'_, T>,
    boid: &Boid<T>,
    id: u32,
    sums: &Sums<T>,
    requested: &[Vec3<T>],
) -> Boid<T> {
    let (position, velocity) = (Vec3::from(boid.position), Vec3::from(boid.velocity));
    let mut boids = [*boid];
    let flyers = BoidLanes { boids: &mut boids, ids: &[id], position, velocity, requested };
    update_lanes(context, sums, flyers, &mut Unobserved);
    let [next] = boids;
    next
}

/// Moves the boids of all lanes one step. There are at most as many as lanes. The probe sees the requests and velocities.
#[inline(always)]
pub fn update_lanes<L: Requests>(
    context: &Context<'_, L>,
    sums: &Sums<L>,
    flyers: BoidLanes<'_, L>,
    probe: &mut impl Probe<L>,
) {
    let (rule, BoidLanes { boids, ids, position, velocity: old_velocity, requested }) =
        (context.rule, flyers);
    if boids.iter().all(Boid::resting) {
        boids.iter_mut().for_each(|boid| *boid = rest(rule, boid));
        return;
    }
    let flyer = Flyer { context, rule, sums, position, velocity: old_velocity };
    let (mut aligned, mut cohered) = (flyer.alignment(), flyer.cohesion());
    if rule.terms.has(Term::Priority) {
        let alone = sums.separation_count.le(L::splat(L::Scalar::ZERO));
        let nothing = L::widen(Vec3::zero());
        aligned = L::select_wide(aligned, alone, nothing);
        cohered = L::select_wide(cohered, alone, nothing);
    }
    let separate = L::weigh(flyer.separation(), rule.separation_request.weight);
    let align = L::weigh(aligned, rule.alignment_request.weight);
    let cohere = L::weigh(cohered, rule.cohesion_request.weight);
    probe.request(Part::Separation, separate);
    probe.request(Part::Alignment, align);
    probe.request(Part::Cohesion, cohere);
    // Even without other requests: the sum of nothing is +0, for either sign of a zero request.
    let mut request = separate + align + cohere + L::widen(Vec3::zero());
    request = add_others(context, sums, position, ids, request, probe);
    if rule.terms.has(Term::Preference) {
        let prefer = weigh::<L>(preference(rule, boids), rule.scout_pull);
        probe.request(Part::Scouts, prefer);
        request = request + prefer;
    }
    if rule.terms.has(Term::Formulas) {
        let mut all = Vec3::zero();
        for (k, request) in requested.iter().enumerate() {
            all.set_lane(k, *request);
        }
        request = request + L::widen(all);
    }
    if rule.normalize_goal {
        let (unit, _, moving) = L::direction(L::narrow(request));
        request = L::select_wide(L::widen(unit.map(|c| c.in_unit(rule.unit))), moving, request);
    }
    let mut goal = weigh(old_velocity, rule.inertia) + L::weigh(request, rule.gain);
    if rule.terms.has(Term::Wind) {
        goal = goal + weigh(Vec3::<L>::splat(rule.wind), rule.time_step);
    }
    let edges = L::widen(turn(rule, position));
    probe.request(Part::Edges, edges);
    let mut velocity = L::narrow(goal + edges);
    probe.velocity(Stage::Requested, velocity);
    for (k, boid) in boids.iter_mut().enumerate().filter(|(_, boid)| !boid.resting()) {
        apply_scout_bias(rule, boid.group, &mut boid.bias, &mut velocity.x.lanes_mut()[k]);
    }
    probe.velocity(Stage::Blended, velocity);
    let mut course = Course::new(velocity);
    if rule.terms.has(Term::GaussianNoise) {
        course = turn_by(rule, ids, course, |id| angular_noise::draw_error(rule, context.step, id));
    }
    probe.velocity(Stage::Erred, course.velocity);
    if rule.terms.has(Term::MaxTurn) {
        course = limit_turn(rule, old_velocity, course);
    }
    probe.velocity(Stage::TurnLimited, course.velocity);
    if rule.terms.has(Term::AngularNoise) {
        course = turn_by(rule, ids, course, |id| angular_noise::draw(rule, context.step, id));
    }
    probe.velocity(Stage::Scattered, course.velocity);
    velocity = clamp_speed(rule, course);
    probe.velocity(Stage::SpeedLimited, velocity);
    let moved = rule.wrap(position + velocity * L::splat(rule.time_step));

    for (k, (boid, id)) in boids.iter_mut().zip(ids).enumerate() {
        if boid.resting() {
            *boid = rest(rule, boid);
            continue;
        }
        (boid.position, boid.velocity) = (moved.lane(k).to_array(), velocity.lane(k).to_array());
        if rule.perch_steps > 0 {
            perch(rule, context.step, *id, boid);
        }
    }
}

#[inline(always)]
fn weigh<L: Requests>(request: Vec3<L>, weight: L::Scalar) -> L::Wide {
    L::weigh(L::widen(request), weight)
}

/// The inputs of the requests of separation, alignment and cohesion.
struct Flyer<'a, L: Lanes> {
    context: &'a Context<'a, L>,
    rule: &'a Rule<L::Scalar>,
    sums: &'a Sums<L>,
    position: Vec3<L>,
    velocity: Vec3<L>,
}

impl<L: Requests> Flyer<'_, L> {
    /// A request shaped by its response. A steer response takes the direction of `way`.
    #[inline(always)]
    fn respond(&self, shape: &Shape<L::Scalar>, request: Vec3<L>, way: Vec3<L>) -> Vec3<L> {
        match shape.response {
            Response::Proportional => request,
            Response::Limited => request.limit(L::splat(self.rule.unit)),
            Response::Steer => {
                let (unit, _, moving) = L::direction(way);
                if !L::any_lane(moving) {
                    return Vec3::zero();
                }
                let steered = unit * L::splat(self.rule.max_speed) - self.velocity;
                steered.limit(L::splat(shape.max_force)).mask(moving)
            }
        }
    }

    /// A sum that [`Lanes::add_separation`](crate::Lanes::add_separation) added up with a falloff, or its mean
    /// where it is divided by a count, shaped by the response.
    #[inline(always)]
    fn request_of_sum(
        &self,
        shape: &Shape<L::Scalar>,
        (total, falloff): (&Total<L>, Falloff),
        mean: Option<L>,
    ) -> L::Wide {
        let format = &self.rule.format;
        if shape.response == Response::Steer {
            // Only the direction steers, which the mean shares.
            let way = L::separation_direction(total, falloff, format);
            return L::widen(self.respond(shape, way, way));
        }
        let request = match mean {
            Some(count) => L::separation_mean(total, falloff, shape.count(count), format),
            None => L::separation_sum(total, falloff, format),
        };
        if shape.response == Response::Proportional {
            return request;
        }
        let request = L::narrow(request);
        L::widen(self.respond(shape, request, request))
    }

    /// S, or its mean. With `attractor.avoid` the attractor counts as one more boid that is too near.
    #[inline(always)]
    fn separation(&self) -> L::Wide {
        let rule = self.rule;
        let (mut total, mut count) = (self.sums.separation, self.sums.separation_count);
        if rule.attractor_avoid && rule.separation.used {
            let senses = Senses::<L>::new(rule);
            let me = senses.observer(self.position, self.velocity, true);
            senses.add_object(&mut total, &mut count, &me, Vec3::splat(rule.attractor));
        }
        let (seen, nothing) = (L::splat(L::Scalar::ZERO).lt(count), L::widen(Vec3::zero()));
        if !L::any_lane(seen) {
            return nothing;
        }
        let mean = rule.average.then_some(count);
        let request = self.request_of_sum(&rule.separation_request, (&total, rule.falloff), mean);
        L::select_wide(request, seen, nothing)
    }

    /// A's mean less the own velocity; of unit vectors, their sum.
    #[inline(always)]
    fn alignment(&self) -> L::Wide {
        let (rule, velocity, nothing) = (self.rule, self.velocity, L::widen(Vec3::zero()));
        let shape = &rule.alignment_request;
        if shape.whole_flock {
            let Some(means) = self.context.means else { return nothing };
            let mean = Vec3::splat(means.velocity);
            return L::widen(self.respond(shape, mean - velocity, mean));
        }
        let seen = L::splat(L::Scalar::ZERO).lt(self.sums.alignment_count);
        if !L::any_lane(seen) {
            return nothing;
        }
        let mut total = self.sums.alignment;
        if rule.terms.has(Term::AlignmentUnit) {
            if shape.include_self {
                L::add_unit(&mut total, &rule.format, velocity, L::square(velocity), seen);
            }
            let request = self.request_of_sum(shape, (&total, Falloff::Inverse), None);
            return L::select_wide(request, seen, nothing);
        }
        if shape.include_self {
            L::add_velocity(&mut total, &rule.format, velocity, seen);
        }
        let mean = L::mean_velocity(&total, shape.count(self.sums.alignment_count), &rule.format);
        L::widen(self.respond(shape, mean - velocity, mean).mask(seen))
    }

    /// C's mean; of unit vectors, their sum.
    #[inline(always)]
    fn cohesion(&self) -> L::Wide {
        let (rule, total, nothing) = (self.rule, &self.sums.cohesion, L::widen(Vec3::zero()));
        let shape = &rule.cohesion_request;
        if shape.whole_flock {
            let Some(means) = self.context.means else { return nothing };
            let mean = rule.nearest_image(Vec3::splat(means.position) - self.position);
            return L::widen(self.respond(shape, mean, mean));
        }
        let seen = L::splat(L::Scalar::ZERO).lt(self.sums.cohesion_count);
        if !L::any_lane(seen) {
            return nothing;
        }
        if rule.terms.has(Term::CohesionUnit) {
            let request = self.request_of_sum(shape, (total, Falloff::Inverse), None);
            return L::select_wide(request, seen, nothing);
        }
        let count = shape.count(self.sums.cohesion_count);
        let mean = L::mean_offset(total, count, shape.include_self, &rule.format, self.position);
        L::widen(self.respond(shape, mean, mean).mask(seen))
    }
}

impl<T: Number> Shape<T> {
    /// The divisor of a mean over a count of neighbours: with the boid itself, or without.
    #[inline(always)]
    fn count<L: Lanes<Scalar = T>>(&self, neighbours: L) -> L {
        if self.include_self { neighbours + L::splat(T::COUNT) } else { neighbours }
    }
}

/// The velocity added to a boid beyond the margins of the world.
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

/// Blends a scout's velocity x with its side, weighted by its bias, and adapts the bias.
#[inline(always)]
pub(crate) fn apply_scout_bias<T: Number>(rule: &Rule<T>, of_group: u32, bias: &mut T, x: &mut T) {
    let (side, wanted) = match of_group {
        group::RIGHT => (T::ONE, *x),
        group::LEFT => (-T::ONE, -*x),
        _ => return,
    };
    if rule.bias_dynamic {
        *bias = if T::ZERO < wanted {
            rule.max_bias.min(*bias + rule.bias_step)
        } else {
            rule.bias_step.max(*bias - rule.bias_step)
        };
    }
    *x = (T::ONE - *bias) * *x + (*bias * side).in_unit(rule.unit);
}

// Perches at the bottom of the world: one boid at a time, since few flocks have them.

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
    let low = height(rule, Vec3::from(boid.position)) <= rule.perch_height;
    if boid.rest == TAKEN_OFF {
        boid.rest = if low { TAKEN_OFF } else { 0 };
    } else if low {
        let word = random::draw(rule.seed, step, id, stream::PERCH)[0];
        let steps = random::up_to(word, rule.perch_steps);
        if steps == 0 {
            // The boid does not perch this time.
            boid.rest = TAKEN_OFF;
        } else {
            boid.rest = steps as i32;
            boid.velocity = [T::ZERO; 3];
        }
    }
}

#[cfg(test)]
mod tests;
