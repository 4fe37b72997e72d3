//! The explanation of a boid is what the rule makes of it.

use cpu::Real;
use engine::{Explanation, Limit, Numeric, State};
use flock::perceive::Senses;
use flock::{Boid, Fixed, Parameters, Rule, brute};

use crate::random_flock;
use crate::random_terms;
use crate::reference::reference;

/// The number of random rules; three boids of each are explained.
const RULES: u32 = 100;

/// A state of a random flock some steps after its start.
fn random_state(number: u32) -> (Parameters, State) {
    let mut parameters = random_flock::parameters(number, 60);
    parameters.flock.boids = parameters.flock.boids.max(3);
    let state = State::start(&parameters);
    let later = reference::<f64>(&parameters, &state, 4);
    let single = |c: f64| f64::from(c as f32);
    let boids = later.boids.iter().map(|boid| boid.map(single, single)).collect();
    (parameters, State { boids, ..later })
}

fn largest(vector: [f64; 3]) -> f64 {
    vector.into_iter().fold(0.0, |largest, c| largest.max(c.abs()))
}

fn difference(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

/// Compares an explanation with the reference, which steps and sums the neighbours of all.
fn check<T: Real>(what: &str, parameters: &Parameters, state: &State, id: u32) -> Explanation {
    let explained = Explanation::new(T::NUMERIC, parameters, state, id).expect("it fits");
    let next = reference::<T>(parameters, state, 1);
    assert_eq!(explained.next_velocity, next.boids[id as usize].velocity, "{what}: the next velocity");
    let rule: Rule<T> = state.rule(parameters);
    let boids: Vec<Boid<T>> = state.boids.iter().map(|boid| rule.quantise(boid)).collect();
    if boids[id as usize].resting() {
        assert!(explained.rests && explained.neighbours.is_empty() && explained.changes.is_empty(), "{what}");
        return explained;
    }
    let sums = brute::sum_neighbours(&rule, &Senses::new(&rule), &boids, id as usize);
    let counts = [sums.separation_count, sums.alignment_count, sums.cohesion_count].map(T::count);
    let seen = ["separation", "alignment", "cohesion"].map(|name| explained.seen(name).count() as u32);
    assert_eq!(seen, counts, "{what}: neighbours");
    explained
}

/// Before limits, the velocity changes by the sum of the parts. Returns false where limits cannot be lifted without
/// another effect.
fn check_sum(what: &str, explained: &Explanation, parameters: &Parameters, state: &State) -> bool {
    let mut free = *parameters;
    (free.motion.min_speed, free.motion.max_speed, free.motion.max_turn) = (0.0, 1e6, 180.0);
    (free.noise.angle, free.noise.gaussian) = (0.0, 0.0);
    // A steer response reads the maximum speed.
    let steers = [free.separation.response, free.alignment.response, free.cohesion.response];
    if steers.contains(&flock::parameters::Response::Steer) || explained.rests {
        return false;
    }
    let next = reference::<f64>(&free, state, 1);
    let change = difference(next.boids[explained.id as usize].velocity, explained.velocity);
    let size = explained.changes.iter().map(|change| largest(change.velocity)).fold(1.0, f64::max);
    let wrong = |explained: &Explanation| largest(difference(explained.total().velocity, change)) / size;
    assert!(wrong(explained) <= 1e-9, "{what}: {}: {explained:?}", wrong(explained));
    // Negative control: without its largest part the sum is another one.
    let mut less = explained.clone();
    less.changes.retain(|change| largest(change.velocity) < size);
    assert!(less == *explained || wrong(&less) > 0.1, "{what}");
    true
}

#[test]
fn what_boids_of_random_rules_see_and_do_is_what_the_reference_computes() {
    let (mut compared, mut summed, mut limited) = (0, 0, 0);
    for number in 0..RULES {
        let (parameters, state) = random_state(number);
        let boids = state.boids.len() as u32;
        for id in [0, boids / 2, boids - 1] {
            let what = format!("rule {number}, boid {id}");
            let explained = check::<f64>(&what, &parameters, &state, id);
            summed += usize::from(check_sum(&what, &explained, &parameters, &state));
            limited += usize::from(!explained.limits.is_empty());
            check::<f32>(&what, &parameters, &state, id);
            if Explanation::new(Numeric::Fixed, &parameters, &state, id).is_ok() {
                check::<Fixed>(&what, &parameters, &state, id);
            }
            compared += 1;
        }
    }
    assert!(compared == 300 && summed > 80 && limited > 50, "{compared}, {summed}, {limited}");
}

#[test]
fn custom_terms_are_explained_one_by_one() {
    let mut seen = 0;
    for number in 0..40 {
        let mut parameters = Parameters::default();
        parameters.flock.boids = 120;
        random_terms::vary(&mut parameters, number);
        let (formulas, terms) = random_terms::terms(number);
        parameters.terms = terms;
        let state = State::start(&parameters);
        let what = format!("terms {number}: {formulas}");
        let explained = check::<f64>(&what, &parameters, &state, 1);
        check::<f32>(&what, &parameters, &state, 1);
        if Explanation::new(Numeric::Fixed, &parameters, &state, 1).is_ok() {
            check::<Fixed>(&what, &parameters, &state, 1);
        }
        assert!(check_sum(&what, &explained, &parameters, &state), "{what}");
        for term in parameters.terms.terms() {
            assert!(explained.changes.iter().any(|change| change.name == term.name), "{what}");
            seen += explained.seen(term.name).count();
        }
    }
    assert!(seen > 50, "{seen}");
}

#[test]
fn limits_and_neighbours_have_their_names() {
    let mut parameters = Parameters::default();
    (parameters.flock.boids, parameters.flock.dimensions) = (3, 2);
    (parameters.motion.min_speed, parameters.motion.max_speed, parameters.motion.max_turn) = (0.9, 1.0, 1.0);
    (parameters.separation.radius, parameters.cohesion.radius) = (2.0, 10.0);
    (parameters.separation.weight, parameters.separation.exclusive) = (0.4, true);
    (parameters.alignment.weight, parameters.cohesion.weight) = (0.0, 0.1);
    let boid =
        |x: f64, vy: f64| Boid { position: [x, 50.0, 0.0], velocity: [0.0, vy, 0.0], ..Boid::default() };
    let boids = vec![boid(50.0, 0.95), boid(51.0, 0.95), boid(55.0, 0.95)];
    let state = State { step: 0, boids, predators: Vec::new() };
    let explained = Explanation::new(Numeric::F64, &parameters, &state, 0).expect("it fits");
    let named = |neighbour| explained.seen_by(neighbour).collect::<Vec<_>>();
    let found: Vec<_> = explained.neighbours.iter().map(|seen| (seen.id, named(seen))).collect();
    assert_eq!(found, [(1, vec!["separation"]), (2, vec!["cohesion"])]);
    assert_eq!(explained.limits, [Limit::MaxTurn]);
    assert!((explained.turn() - 1.0).abs() < 1e-9, "{}", explained.turn());
    // Negative control: a boid out of reach is not perceived, and a wide turn meets no limit.
    parameters.motion.max_turn = 180.0;
    parameters.cohesion.radius = 4.0;
    let explained = Explanation::new(Numeric::F64, &parameters, &state, 0).expect("it fits");
    assert_eq!(explained.neighbours.len(), 1);
    assert!(!explained.limits.contains(&Limit::MaxTurn) && explained.turn() > 1.0);
    assert!(Explanation::new(Numeric::F64, &parameters, &state, 3).is_err());
}
