//! The reference: a step by brute force, in which every boid tests every other in the order of ids.
//!
//! ```
//! use flock::{Boid, Parameters, Rule, brute};
//!
//! let mut parameters = Parameters::default();
//! parameters.separation.weight = 0.0;
//! let rule = Rule::<f64>::new(&parameters);
//! let boid = |x: f64, vy: f64| Boid { position: [x, 50.0, 50.0], velocity: [0.8, vy, 0.0], ..Boid::default() };
//! let boids = [boid(50.0, 0.1), boid(51.0, -0.1)];
//!
//! // Two boids within each other's radius align.
//! let mut next = boids;
//! brute::step(&rule, 0, &boids, &mut [], &mut next).expect("no terms, which could not fit");
//! assert!(next[0].velocity[1] < 0.1 && next[1].velocity[1] > -0.1);
//! ```

use crate::formula::{Evaluator, Perceiver, Prepared, Run, Table, UnfitTerm};
use crate::number::{Number, Vec3};
use crate::perceive::{AllRound, FieldOfView, NearestOnly, Observer, Policy, Senses, Sums};
use crate::predators::{self, Schedule};
use crate::rule::{Rule, Term};
use crate::state::{Boid, Predator};
use crate::update::{Means, StepContext, update};

/// The sums over the neighbours of boid number `id`. `boids` is in id order.
pub fn sum_neighbours<T: Number>(
    rule: &Rule<T>,
    senses: &Senses<T>,
    boids: &[Boid<T>],
    id: usize,
) -> Sums<T> {
    if rule.terms.has(Term::Nearest) {
        sum_with::<NearestOnly, T>(senses, boids, id)
    } else if rule.needs_general_sums {
        sum_with::<FieldOfView, T>(senses, boids, id)
    } else {
        sum_with::<AllRound, T>(senses, boids, id)
    }
}

fn sum_with<P: Policy, T: Number>(senses: &Senses<T>, boids: &[Boid<T>], id: usize) -> Sums<T> {
    let me = observer::<P, T>(senses, boids, id);
    let mut sums = Sums::new();
    for (j, other) in boids.iter().enumerate() {
        let present = Some(j != id && !other.resting());
        senses.add::<P>(&mut sums, &me, other.position.into(), || other.velocity.into(), present);
    }
    sums
}

/// Boid number `id`, whose neighbours are to be summed; they are ranked where the policy limits their number.
pub fn observer<P: Policy, T: Number>(senses: &Senses<T>, boids: &[Boid<T>], id: usize) -> Observer<T> {
    let me = senses.observer(boids[id].position.into(), boids[id].velocity.into(), P::FIELD_OF_VIEW);
    if !P::NEAREST {
        return me;
    }
    let mut ranking = senses.ranking();
    for (j, other) in boids.iter().enumerate() {
        senses.rank::<P>(&mut ranking, &me, other.position.into(), Some(j != id && !other.resting()));
    }
    senses.nearest(me, &ranking)
}

/// Means over the flock without resting boids; none if all rest. Offsets from the centre of the world are summed, not
/// positions, to reduce rounding.
pub fn means<T: Number>(rule: &Rule<T>, boids: impl Iterator<Item = Boid<T>>) -> Option<Means<T>> {
    let centre = rule.world_min + rule.half_size;
    let nothing = T::widen(Vec3::zero());
    let (mut offset, mut velocity, mut count) = (nothing, nothing, T::ZERO);
    for boid in boids.filter(|b| !b.resting()) {
        offset = offset + T::widen(Vec3::from(boid.position) - centre);
        velocity = velocity + T::widen(Vec3::from(boid.velocity));
        count = count + T::COUNT;
    }
    (T::ZERO < count)
        .then(|| Means { position: centre + T::divide(offset, count), velocity: T::divide(velocity, count) })
}

/// Predator number `index` after step number `step`, from the flock's means and the boids at the beginning of the step.
pub fn move_predator<T: Number>(
    rule: &Rule<T>,
    step: u64,
    index: usize,
    predator: &Predator<T>,
    means: Option<Means<T>>,
    boids: impl Iterator<Item = Boid<T>>,
) -> Predator<T> {
    let position = Vec3::from(predator.position);
    let nothing = T::widen(Vec3::zero());
    let attack = boids.fold(nothing, |sum, b| sum + T::widen(predators::prey(rule, position, &b)));
    let mean = means.map_or(position, |m| m.position);
    predators::advance(rule, predator, mean, attack, Schedule::new(rule, step, index))
}

/// The request of boid number `id` by custom terms; `run` evaluates their code. `place` gives the positions by
/// which the nearest are ranked.
pub fn formula_request<T: Number>(
    context: &StepContext<'_, T>,
    (prepared, run): (&Prepared<T>, Run<T>),
    boids: &[Boid<T>],
    id: usize,
    place: impl Fn(&Boid<T>) -> [T; 3],
) -> Vec3<T> {
    let mut request = [Vec3::zero()];
    let others = |_: usize, me: &mut Perceiver<'_, T>| {
        let others = boids.iter().enumerate().filter(|(k, other)| *k != id && !other.resting());
        for (k, other) in others {
            me.offer(other.position.into(), || (Boid { position: place(other), ..*other }, k as u32));
        }
    };
    let mut evaluator = Evaluator::<T>::new(context.rule, prepared, context.step, run);
    evaluator.requests(&boids[id..=id], &[id as u32], &mut request, others);
    request[0]
}

/// Step number `step`: moves the predators, then writes the state of `boids` one step later to `next`. Both slices are
/// in id order and have equal length.
///
/// # Errors
/// When a custom term does not fit integers; nothing is changed then.
pub fn step<T: Number>(
    rule: &Rule<T>,
    step: u64,
    boids: &[Boid<T>],
    predators: &mut [Predator<T>],
    next: &mut [Boid<T>],
) -> Result<(), UnfitTerm> {
    step_by(rule, step, boids, predators, next, sum_neighbours)
}

/// [`step`] with another function in place of [`sum_neighbours`], for tests.
///
/// # Errors
/// See [`step`].
pub fn step_by<T: Number>(
    rule: &Rule<T>,
    step: u64,
    boids: &[Boid<T>],
    predators: &mut [Predator<T>],
    next: &mut [Boid<T>],
    sum_neighbours: impl Fn(&Rule<T>, &Senses<T>, &[Boid<T>], usize) -> Sums<T>,
) -> Result<(), UnfitTerm> {
    let prepared = Prepared::new(rule)?;
    let means = if rule.means { means(rule, boids.iter().copied()) } else { None };
    for (index, predator) in predators.iter_mut().enumerate() {
        *predator = move_predator(rule, step, index, predator, means, boids.iter().copied());
    }
    let senses = Senses::new(rule);
    let context = StepContext::new(rule, step, means, predators);
    for (id, next) in next.iter_mut().enumerate() {
        let sums = sum_neighbours(rule, &senses, boids, id);
        let requested = prepared.as_ref().map(|formulas| {
            formula_request(&context, (formulas, Table::evaluate::<T>), boids, id, |other| other.position)
        });
        *next = update(&context, &boids[id], id as u32, &sums, requested.as_slice());
    }
    Ok(())
}
