//! Random flocks vary every parameter, and every step reads every parameter; several boids side by side have the bits of
//! each alone.

use std::string::String;
use std::vec::Vec;

use crate::number::{Lanes, Vec3};
use crate::parameters::{PARAMETERS, Parameters, ValueKind};
use crate::perceive::{AllRound, FieldOfView, NearestOnly, Policy, Ranking, Senses, Sums};
use crate::random::{draw, stream};
use crate::rule::Term;
use crate::update::probe::Unobserved;
use crate::update::{BoidLanes, StepContext, update, update_lanes};
use crate::{Boid, Predator, Rule, brute, start};
use quad::Quad;
use random_flock::{parameters, value};

#[path = "../../tests/support/quad.rs"]
pub mod quad;
#[path = "../../tests/support/random_flock.rs"]
pub mod random_flock;

/// Parameters that say where a flock starts, not how it steps.
const OF_THE_START: [&str; 7] = [
    "flock.boids",
    "flock.start",
    "flock.density",
    "flock.groups",
    "scouts.right",
    "scouts.left",
    "scouts.bias",
];

/// The flock some steps after its start, in f64.
fn after(p: &Parameters, from: &Parameters, steps: u64) -> Vec<Boid<f64>> {
    let (before, rule) = (Rule::<f64>::new(from), Rule::<f64>::new(p));
    let mut boids: Vec<_> = (0..from.flock.boids).map(|id| before.quantise(&start::boid(from, id))).collect();
    let predator = |index| before.quantise_predator(&start::predator(from, index));
    let mut predators: Vec<Predator<f64>> = (0..from.predators.count).map(predator).collect();
    for step in 0..=steps {
        let mut next = boids.clone();
        if step == steps {
            // The engines do the same when parameters change.
            predators.truncate(p.predators.count as usize);
            predators.extend((predators.len() as u32..p.predators.count).map(predator));
        }
        brute::step(if step < steps { &before } else { &rule }, step, &boids, &mut predators, &mut next)
            .expect("its terms fit");
        boids = next;
    }
    boids
}

#[test]
fn what_a_parameter_needs_can_be_on_or_off() {
    for parameter in PARAMETERS {
        for need in parameter.needs.iter().flat_map(|need| need.split('|')) {
            let (name, word) = need.split_once('=').unwrap_or((need, ""));
            let needed = crate::parameters::find(name).expect(need);
            let known = match needed.kind {
                ValueKind::Choice(words) => words.contains(&word),
                ValueKind::Vector { .. } | ValueKind::Shares { .. } => false,
                _ => word.is_empty(),
            };
            assert!(known && name != parameter.name, "{} needs {need}", parameter.name);
        }
    }
}

#[test]
fn every_parameter_is_drawn_with_several_values() {
    let flocks: Vec<Parameters> = (0..80).map(|number| parameters(number, 100)).collect();
    for flock in &flocks {
        flock.check().expect("fits");
    }
    let fixed = ["world.min", "world.max", "flock.density"];
    for parameter in PARAMETERS.iter().filter(|parameter| !fixed.contains(&parameter.name)) {
        let differs = flocks.iter().any(|flock| parameter.get(flock) != parameter.get(&flocks[0]));
        assert!(differs, "{} is never varied", parameter.name);
    }
}

/// The rule reads every parameter: one that is in the table and nowhere else fails here.
#[test]
fn every_parameter_changes_the_step_of_some_flock() {
    let mut unread: Vec<String> = Vec::new();
    for parameter in PARAMETERS.iter().filter(|parameter| !OF_THE_START.contains(&parameter.name)) {
        let changes = |number: u32| {
            let p = parameters(number, 60);
            let mut other = p;
            let words = draw(number, 2, 0, stream::DRAWN);
            if parameter.set(&mut other, value(parameter, words)).is_err() || other.check().is_err() {
                return false;
            }
            other != p && after(&other, &p, 3) != after(&p, &p, 3)
        };
        if !(0..400).any(changes) {
            unread.push(parameter.name.into());
        }
    }
    assert!(unread.is_empty(), "no step depends on {}", unread.join(", "));
}

/// The parameters of a number; every fourth flock has one neighbourhood for alignment and cohesion.
fn varied(number: u32) -> Parameters {
    let mut p = parameters(number, 60);
    if number.is_multiple_of(4) {
        p = Parameters { flock: p.flock, world: p.world, neighbours: p.neighbours, ..Parameters::default() };
        (p.alignment.radius, p.cohesion.radius, p.separation.radius) = (3.0, 3.0, 1.5);
        p.neighbours.nearest = if number.is_multiple_of(8) { 5 } else { 0 };
    }
    p
}

/// The flock at its start; some rest on a perch, and some have no speed.
fn flock(rule: &Rule<f64>, p: &Parameters) -> Vec<Boid<f64>> {
    let boid = |id: u32| {
        let mut boid = rule.quantise(&start::boid(p, id));
        if id % 7 == 3 {
            boid.rest = 2;
        }
        if id % 9 == 5 {
            boid.velocity = [0.0; 3];
        }
        boid
    };
    (0..p.flock.boids).map(boid).collect()
}

/// One boid after the other in the lanes; the last fills those that are left.
fn vectors(boids: &[Boid<f64>], of: impl Fn(&Boid<f64>) -> [f64; 3]) -> Vec3<Quad> {
    let mut all = Vec3::zero();
    for k in 0..4 {
        all.set_lane(k, of(&boids[k.min(boids.len() - 1)]).into());
    }
    all
}

/// The sums of some boids of a flock, each in its lane.
fn sums<P: Policy>(rule: &Rule<f64>, boids: &[Boid<f64>], first: usize) -> Sums<Quad> {
    let senses = Senses::<Quad>::new(rule).specialised::<P>();
    let some = &boids[first..boids.len().min(first + 4)];
    let mut me = senses.observer(
        vectors(some, |boid| boid.position),
        vectors(some, |boid| boid.velocity),
        P::FIELD_OF_VIEW,
    );
    let others = || {
        let present = |j: usize| if (first..first + 4).contains(&j) { !(1 << (j - first)) } else { 0b1111 };
        boids
            .iter()
            .enumerate()
            .filter(|(_, other)| !other.resting())
            .map(move |(j, other)| (other, present(j)))
    };
    if P::NEAREST {
        let mut ranking = senses.ranking();
        for (other, present) in others() {
            senses.rank::<P>(&mut ranking, &me, Vec3::splat(other.position.into()), Some(present));
        }
        me = senses.nearest(me, &ranking);
    }
    let mut sums = Sums::new();
    for (other, present) in others() {
        let velocity = || Vec3::splat(other.velocity.into());
        senses.add::<P>(&mut sums, &me, Vec3::splat(other.position.into()), velocity, Some(present));
    }
    sums
}

/// Sums of four boids of a flock, from an index on.
type Summing = fn(&Rule<f64>, &[Boid<f64>], usize) -> Sums<Quad>;

struct Shared;
impl Policy for Shared {
    const SHARED_NEIGHBOURHOOD: bool = true;
}

struct SharedNearest;
impl Policy for SharedNearest {
    const SHARED_NEIGHBOURHOOD: bool = true;
    const NEAREST: bool = true;
}

#[test]
fn boids_side_by_side_have_the_bits_of_each_alone() {
    let mut of_each_kind = [0; 5];
    for number in 0..400 {
        let p = varied(number);
        let rule = Rule::<f64>::new(&p);
        let boids = flock(&rule, &p);
        let means = if rule.means { brute::means(&rule, boids.iter().copied()) } else { None };
        let predator = |index| rule.quantise_predator(&start::predator(&p, index));
        let predators: Vec<Predator<f64>> = (0..p.predators.count).map(predator).collect();
        let context = StepContext::new(&rule, number.into(), means, &predators);
        let shared = rule.shared_neighbourhood();
        let (kind, sums): (usize, Summing) =
            match (shared, rule.terms.has(Term::Nearest), rule.needs_general_sums) {
                (true, true, _) => (0, sums::<SharedNearest>),
                (true, ..) => (1, sums::<Shared>),
                (_, true, _) => (2, sums::<NearestOnly>),
                (.., true) => (3, sums::<FieldOfView>),
                _ => (4, sums::<AllRound>),
            };
        of_each_kind[kind] += 1;
        let ids: Vec<u32> = (0..boids.len() as u32).collect();
        for (ids, some) in ids.chunks(4).zip(boids.chunks(4)) {
            let found = sums(&rule, &boids, ids[0] as usize);
            let mut moved = some.to_vec();
            let (position, velocity) =
                (vectors(some, |boid| boid.position), vectors(some, |boid| boid.velocity));
            let lanes = BoidLanes { boids: &mut moved, ids, position, velocity, requested: &[] };
            update_lanes(&context, &found, lanes, &mut Unobserved);
            for (k, id) in ids.iter().enumerate() {
                let expected = brute::sum_neighbours(&rule, &Senses::new(&rule), &boids, *id as usize);
                if !some[k].resting() {
                    assert_eq!(
                        std::format!("{:?}", found.lane(k)),
                        std::format!("{expected:?}"),
                        "{number}, {id}"
                    );
                }
                assert_eq!(moved[k], update(&context, &some[k], *id, &expected, &[]), "{number}, {id}");
            }
        }
    }
    assert!(of_each_kind.iter().all(|count| *count > 2), "{of_each_kind:?}");
}

/// Squares that are known rank as boids do, for single numbers and in a register; and no list of a limit is mistaken.
#[test]
fn known_squares_rank_as_their_boids() {
    let mut ranked = 0;
    for number in 0..400 {
        let mut p = varied(number);
        p.neighbours.nearest = 1 + number % 32;
        let rule = Rule::<f64>::new(&p);
        if rule.needs_general_sums {
            continue;
        }
        let boids = flock(&rule, &p);
        let (alone, senses) = (Senses::<f64>::new(&rule), Senses::<Quad>::new(&rule));
        let mut known: Ranking<Quad> = senses.ranking();
        for some in boids.chunks(4) {
            let me = senses.observer(vectors(some, |boid| boid.position), Vec3::zero(), false);
            senses.begin(&mut known);
            let squares = |other: &Boid<f64>| senses.square(&me, Vec3::splat(other.position.into()));
            let squares: Vec<Quad> = boids.iter().map(squares).collect();
            senses.rank_squares(&mut known, &squares);
            let farthest = senses.farthest(&known);
            for (k, boid) in some.iter().enumerate() {
                let me = alone.observer(boid.position.into(), Vec3::zero(), false);
                let (mut by_boids, mut by_squares) = (alone.ranking(), alone.ranking());
                for other in &boids {
                    alone.rank::<NearestOnly>(&mut by_boids, &me, other.position.into(), None);
                }
                alone.rank_squares(&mut by_squares, &squares.iter().map(|all| all.0[k]).collect::<Vec<_>>());
                assert_eq!(alone.farthest(&by_boids), alone.farthest(&by_squares), "{number}");
                assert_eq!(alone.farthest(&by_boids), farthest.lanes()[k], "{number}");
                ranked += 1;
            }
        }
    }
    assert!(ranked > 500, "{ranked}");
}
