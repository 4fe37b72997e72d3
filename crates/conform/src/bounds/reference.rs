//! One step by brute force in f64, with an error bound for each number in the arithmetic `A`.
//!
//! The rule is that of `flock`, run in the number type [`Enclosed`]. Only the sums over boids are written here, because
//! the order of their terms differs between engines.

use engine::{Result, State};
use flock::brute::formula_request;
use flock::formula::{Prepared, Run, Table};
use flock::number::Total;
use flock::perceive::{FieldOfView, Senses, Sums};
use flock::predators::{self, Schedule};
use flock::rule::Term;
use flock::update::{Means, StepContext, update};
use flock::{Boid, Number, Parameters, Predator, Rule, Vec3};

use super::paths::keep_nearest;
use super::{Arithmetic, Enclosed, any_order_vectors, explore};

/// A boid with more paths through its open decisions counts as undecided.
pub const MAX_PATHS: usize = 128;

/// The expected state after a step.
#[derive(Debug)]
pub struct Reference<A> {
    pub step: u64,
    pub boids: Vec<Expected<A>>,
    pub predators: Vec<Predator<Enclosed<A>>>,
}

/// The expected states of a boid.
#[derive(Debug)]
pub struct Expected<A> {
    /// One state for each path through the open decisions; that of the reference is first.
    pub outcomes: Vec<Boid<Enclosed<A>>>,
    /// True if all paths were followed.
    pub complete: bool,
    /// The number of boids that any rule perceives.
    pub neighbours: u32,
}

impl<A: Arithmetic> Expected<A> {
    /// True if some outcome differs from the first by more than their bounds.
    pub fn depends_on_a_decision(&self) -> bool {
        let first = &self.outcomes[0];
        self.outcomes[1..].iter().any(|other| {
            let mut pairs = numbers(first).into_iter().zip(numbers(other));
            first.rest != other.rest || pairs.any(|(a, b)| a.apart(b))
        })
    }
}

/// The position, the velocity and the bias of a boid.
pub(super) fn numbers<T: Copy>(boid: &Boid<T>) -> [T; 7] {
    let ([x, y, z], [u, v, w]) = (boid.position, boid.velocity);
    [x, y, z, u, v, w, boid.bias]
}

/// The step after `state`. The state's numbers must be representable in the arithmetic.
///
/// # Errors
/// When a custom term does not fit the arithmetic.
pub fn step<A: Arithmetic>(parameters: &Parameters, state: &State) -> Result<Reference<A>> {
    let rule = Rule::<Enclosed<A>>::new(parameters);
    let prepared = Prepared::new(&rule)?;
    let formulas = prepared.as_ref().map(|formulas| (formulas, Table::evaluate::<Enclosed<A>> as Run<_>));
    let boids: Vec<Boid<Enclosed<A>>> = state.boids.iter().map(Boid::convert).collect();
    let means = if rule.means { means(&rule, &boids) } else { None };
    let predators: Vec<_> = state
        .predators
        .iter()
        .enumerate()
        .map(|(index, predator)| move_predator(&rule, state.step, index, &predator.convert(), means, &boids))
        .collect();
    let senses = Senses::new(&rule);
    let context = StepContext::new(&rule, state.step, means, &predators);
    let expected = (0..boids.len())
        .map(|id| {
            let mut neighbours = 0;
            let explored = explore(MAX_PATHS, || {
                let (sums, perceived) = sum_neighbours(&rule, &senses, &boids, id);
                neighbours = neighbours.max(perceived);
                let requested =
                    formulas.map(|by| formula_request(&context, by, &boids, id, |other| other.position));
                update(&context, &boids[id], id as u32, &sums, requested.as_slice())
            });
            Expected { outcomes: explored.results, complete: explored.complete, neighbours }
        })
        .collect();
    Ok(Reference { step: state.step + 1, boids: expected, predators })
}

/// Sums over the neighbours, and the number of neighbours.
fn sum_neighbours<A: Arithmetic>(
    rule: &Rule<Enclosed<A>>,
    senses: &Senses<Enclosed<A>>,
    boids: &[Boid<Enclosed<A>>],
    id: usize,
) -> (Sums<Enclosed<A>>, u32) {
    let me = senses.observer(boids[id].position.into(), boids[id].velocity.into(), rule.needs_general_sums);
    let each = boids.iter().enumerate().map(|(j, other)| {
        let present = Some(j != id && !other.resting());
        let mut one = Sums::new();
        let velocity = || other.velocity.into();
        senses.add::<FieldOfView>(&mut one, &me, other.position.into(), velocity, present);
        one
    });
    let mut each: Vec<Sums<Enclosed<A>>> = each.collect();
    if rule.terms.has(Term::Nearest) {
        keep_nearest(rule.nearest as usize, &mut each, |j| senses.square(&me, boids[j].position.into()));
    }
    let sum = |of: fn(&Sums<Enclosed<A>>) -> Vec3<Enclosed<A>>| any_order_vectors(each.iter().map(of));
    let total = |of| Total { sum: sum(of), rest: Vec3::zero() };
    let count = |of: fn(&Sums<Enclosed<A>>) -> Enclosed<A>| {
        each.iter().map(of).fold(Enclosed::ZERO, |sum, one| sum + one)
    };
    let sums = Sums {
        separation: total(|one| one.separation.sum),
        separation_count: count(|one| one.separation_count),
        alignment: total(|one| one.alignment.sum),
        alignment_count: count(|one| one.alignment_count),
        cohesion: total(|one| one.cohesion.sum),
        cohesion_count: count(|one| one.cohesion_count),
        line_of_sight: sum(|one| one.line_of_sight),
    };
    let perceived = each.iter().filter(|one| {
        let counts = [one.separation_count, one.alignment_count, one.cohesion_count];
        counts.iter().any(|n| n.value > 0.0) || one.line_of_sight.largest().value > 0.0
    });
    (sums, perceived.count() as u32)
}

/// [`flock::brute::means`] with sums in any order.
fn means<A: Arithmetic>(rule: &Rule<Enclosed<A>>, boids: &[Boid<Enclosed<A>>]) -> Option<Means<Enclosed<A>>> {
    let centre = rule.world_min + rule.half_size;
    let flying = boids.iter().filter(|boid| !boid.resting());
    let count = Enclosed::exact(flying.clone().count() as f64);
    let offset = any_order_vectors(flying.clone().map(|boid| Vec3::from(boid.position) - centre));
    let velocity = any_order_vectors(flying.map(|boid| Vec3::from(boid.velocity)));
    (count.value > 0.0).then(|| Means {
        position: centre + offset.map(|c| c / count),
        velocity: velocity.map(|c| c / count),
    })
}

/// A predator's next state. With open decisions, one enclosure covers all outcomes.
fn move_predator<A: Arithmetic>(
    rule: &Rule<Enclosed<A>>,
    step: u64,
    index: usize,
    predator: &Predator<Enclosed<A>>,
    means: Option<Means<Enclosed<A>>>,
    boids: &[Boid<Enclosed<A>>],
) -> Predator<Enclosed<A>> {
    let position = Vec3::from(predator.position);
    let explored = explore(MAX_PATHS, || {
        let attack: Vec<_> = boids.iter().map(|boid| predators::prey(rule, position, boid)).collect();
        let attack = any_order_vectors(attack.into_iter());
        let mean = means.map_or(position, |m| m.position);
        predators::advance(rule, predator, mean, attack, Schedule::new(rule, step, index))
    });
    let (first, others) = (explored.results[0], &explored.results[1..]);
    let mut all = others.iter().fold(first, |all, one| Predator {
        position: std::array::from_fn(|k| all.position[k].hull(one.position[k])),
        velocity: std::array::from_fn(|k| all.velocity[k].hull(one.velocity[k])),
    });
    if !explored.complete {
        all.position = all.position.map(|c| Enclosed::within(c.value, f64::INFINITY));
        all.velocity = all.velocity.map(|c| Enclosed::within(c.value, f64::INFINITY));
    }
    all
}
