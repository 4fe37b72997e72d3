//! One step by brute force in f64, with an error bound for each number in the arithmetic `A`.
//!
//! The rule is that of `flock`, run in the number type [`Enclosed`]. Only the sums over boids are written here, because
//! the order of their terms differs between engines.

use cpu::State;
use flock::brute::own_request;
use flock::formula::{Prepared, Run, Table};
use flock::perceive::{AllRound, FieldOfView, Senses, Sums};
use flock::predators::{self, Schedule};
use flock::rule::Term;
use flock::sensing::Total;
use flock::update::{Means, StepContext, update};
use flock::{Boid, Number, Parameters, Predator, Rule, Vec3};

use super::{AnyOrder, Arithmetic, Enclosed, explore, nearest};

/// A boid with more paths through its open decisions counts as undecided.
pub const MOST_PATHS: usize = 128;

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

/// The terms of one's own, and what runs their code.
pub(super) struct Own<A: Arithmetic> {
    pub prepared: Prepared<Enclosed<A>>,
    pub run: Run<Enclosed<A>>,
    /// The error of a request beside that of its code.
    pub lost: f64,
    /// None where the nearest are ranked by their positions.
    pub ranks: Option<Ranks<A>>,
}

/// How a sum over the nearest ranks them.
pub(super) struct Ranks<A: Arithmetic> {
    /// No boid whose square is larger counts.
    pub reach_square: Enclosed<A>,
    /// Where the second boid is taken to be, as seen by the first.
    pub place: Box<Place<A>>,
}

type Place<A> = dyn Fn(&Boid<Enclosed<A>>, &Boid<Enclosed<A>>) -> [Enclosed<A>; 3];

impl<A: Arithmetic> Own<A> {
    /// What boid number `id` requests.
    pub fn request(
        &self,
        context: &StepContext<'_, Enclosed<A>>,
        boids: &[Boid<Enclosed<A>>],
        id: usize,
    ) -> Vec3<Enclosed<A>> {
        let reach_square = self.ranks.as_ref().map_or(context.rule.reach_square, |ranks| ranks.reach_square);
        let rule = Rule { reach_square, ..*context.rule };
        let context = StepContext { rule: &rule, ..*context };
        let place = |other: &Boid<_>| match &self.ranks {
            Some(ranks) => (ranks.place)(&boids[id], other),
            None => other.position,
        };
        let request = own_request(&context, (&self.prepared, self.run), boids, id, place);
        request.map(|c| Enclosed::within(c.value, c.error + self.lost))
    }
}

/// The step after `state`. The state's numbers must be representable in the arithmetic.
pub fn step<A: Arithmetic>(parameters: &Parameters, state: &State) -> Reference<A> {
    step_with(parameters, state, |rule| {
        // Whatever does not fit integers is refused before.
        let prepared = Prepared::new(rule).ok().flatten()?;
        Some(Own { prepared, run: Table::evaluate::<Enclosed<A>>, lost: 0.0, ranks: None })
    })
}

/// The same, with terms of one's own that are computed in another way.
pub(super) fn step_with<A: Arithmetic>(
    parameters: &Parameters,
    state: &State,
    own: impl Fn(&Rule<Enclosed<A>>) -> Option<Own<A>>,
) -> Reference<A> {
    let rule = Rule::<Enclosed<A>>::new(parameters);
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
    let own = own(&rule);
    let expected = (0..boids.len())
        .map(|id| {
            let mut neighbours = 0;
            let explored = explore(MOST_PATHS, || {
                let (sums, perceived) = sum_neighbours(&rule, &senses, &boids, id);
                neighbours = neighbours.max(perceived);
                let own = own.as_ref().map(|own| own.request(&context, &boids, id));
                update(&context, &boids[id], id as u32, &sums, own.as_slice())
            });
            Expected { outcomes: explored.results, complete: explored.complete, neighbours }
        })
        .collect();
    Reference { step: state.step + 1, boids: expected, predators }
}

/// Sums over the neighbours, and the number of neighbours.
fn sum_neighbours<A: Arithmetic>(
    rule: &Rule<Enclosed<A>>,
    senses: &Senses<Enclosed<A>>,
    boids: &[Boid<Enclosed<A>>],
    id: usize,
) -> (Sums<Enclosed<A>>, u32) {
    let me = senses.observer(boids[id].position.into(), boids[id].velocity.into(), rule.has_field_of_view);
    let each = boids.iter().enumerate().map(|(j, other)| {
        let present = Some(j != id && !other.resting());
        let mut one = Sums::new();
        let velocity = || other.velocity.into();
        if rule.has_field_of_view {
            senses.add::<FieldOfView>(&mut one, &me, other.position.into(), velocity, present);
        } else {
            senses.add::<AllRound>(&mut one, &me, other.position.into(), velocity, present);
        }
        one
    });
    if rule.terms.has(Term::Nearest) {
        let mut each: Vec<_> = each.collect();
        let square = |other: &Boid<_>| senses.square(&me, other.position.into());
        nearest::keep(rule.nearest as usize, &mut each, |j| square(&boids[j]));
        sum(each.into_iter())
    } else {
        sum(each)
    }
}

/// The sums over sums of one boid each, and the number of boids that any rule perceives.
fn sum<A: Arithmetic>(each: impl Iterator<Item = Sums<Enclosed<A>>>) -> (Sums<Enclosed<A>>, u32) {
    let mut vectors = [Sum::new(); 4];
    let mut counts = [Enclosed::ZERO; 3];
    let mut perceived = 0;
    for one in each {
        let terms = [one.separation.sum, one.alignment.sum, one.cohesion.sum, one.line_of_sight];
        vectors.iter_mut().zip(terms).for_each(|(sum, term)| sum.add(term));
        let found = [one.separation_count, one.alignment_count, one.cohesion_count];
        counts.iter_mut().zip(found).for_each(|(count, one)| *count = *count + one);
        let seen = found.iter().any(|n| n.value > 0.0) || one.line_of_sight.largest().value > 0.0;
        perceived += u32::from(seen);
    }
    let [separation, alignment, cohesion, line_of_sight] = vectors.map(Sum::total);
    let [separation_count, alignment_count, cohesion_count] = counts;
    let total = |sum| Total { sum, rest: Vec3::zero() };
    let [separation, alignment, cohesion] = [separation, alignment, cohesion].map(total);
    let sums = Sums {
        separation,
        separation_count,
        alignment,
        alignment_count,
        cohesion,
        cohesion_count,
        line_of_sight,
    };
    (sums, perceived)
}

/// [`flock::brute::means`] with sums in any order.
fn means<A: Arithmetic>(rule: &Rule<Enclosed<A>>, boids: &[Boid<Enclosed<A>>]) -> Option<Means<Enclosed<A>>> {
    let centre = rule.world_min + rule.half_size;
    let (mut offset, mut velocity, mut count) = (Sum::new(), Sum::new(), Enclosed::ZERO);
    for boid in boids.iter().filter(|b| !b.resting()) {
        offset.add(Vec3::from(boid.position) - centre);
        velocity.add(Vec3::from(boid.velocity));
        count = count + Enclosed::ONE;
    }
    (count.value > 0.0).then(|| Means {
        position: centre + offset.total().map(|c| c / count),
        velocity: velocity.total().map(|c| c / count),
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
    let explored = explore(MOST_PATHS, || {
        let mut attack = Sum::new();
        boids.iter().for_each(|boid| attack.add(predators::prey(rule, position, boid)));
        let mean = means.map_or(position, |m| m.position);
        predators::advance(rule, predator, mean, attack.total(), Schedule::new(rule, step, index))
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

/// A sum of vectors in any order.
#[derive(Clone, Copy, Debug)]
struct Sum<A>([AnyOrder<A>; 3]);

impl<A: Arithmetic> Sum<A> {
    fn new() -> Self {
        Sum([AnyOrder::default(); 3])
    }
    fn add(&mut self, term: Vec3<Enclosed<A>>) {
        self.0.iter_mut().zip(term.to_array()).for_each(|(sum, part)| sum.add(part));
    }
    fn total(self) -> Vec3<Enclosed<A>> {
        self.0.map(AnyOrder::total).into()
    }
}
