//! The verdict on one step of an engine.

use std::fmt;

use crate::state::State;
use flock::{Boid, Predator};

use super::arithmetic::Arithmetic;
use super::enclosure::Enclosed;
use super::reference::{Expected, Reference};

/// What was compared and what came of it.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    pub boids: usize,
    /// Boids that perceive at least one other.
    pub social: usize,
    /// Boids with a decision that rounding can turn, and whose next state depends on it by more than rounding. They
    /// are held to all outcomes: one of them must fit.
    pub open: usize,
    /// Of those, the ids of the ones that did take another outcome than the reference.
    pub turned: Vec<usize>,
    /// Boids that cannot be judged: too many open decisions, or a quotient by what may be zero.
    pub undecided: Vec<usize>,
    /// Largest deviation as a share of its bound, over the boids that conform.
    pub worst: f64,
    /// The first boid that does not conform.
    pub outside: Option<usize>,
    /// What does not conform.
    pub failures: Vec<String>,
}

impl Verdict {
    /// Why it is not good enough: a boid does not conform, or more boids than the limits allow could not be held to
    /// one outcome, or there was too little to compare.
    #[must_use]
    pub fn refusal(&self, limits: Limits) -> Option<String> {
        let most = |part: usize, limit: f64| part as f64 <= limit * self.boids as f64;
        let reasons = [
            (self.failures.is_empty(), "it does not conform"),
            (!most(self.social, limits.social) || limits.social == 0.0, "too few have neighbours"),
            (most(self.open, limits.open), "too many open decisions"),
            (most(self.turned.len(), limits.turned), "too many decisions turned"),
            (most(self.undecided.len(), limits.undecided), "too many undecided"),
        ];
        reasons.iter().find(|(good, _)| !good).map(|(_, reason)| format!("{reason}: {self}"))
    }
}

/// Shares of the flock, stated in docs/conformance.md.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// More than this share perceives somebody, if it is not 0.
    pub social: f64,
    /// At most these shares have an open decision, take another outcome than the reference, are not judged.
    pub open: f64,
    pub turned: f64,
    pub undecided: f64,
}

impl Limits {
    /// For flocks as they fly.
    pub const COMMON: Limits = Limits { social: 0.0, open: 0.01, turned: 0.001, undecided: 0.001 };
    /// For flocks of a few boids drawn at random, one of which weighs much.
    pub const DRAWN: Limits = Limits { social: 0.0, open: 1.0, turned: 0.02, undecided: 0.02 };
    /// For states that put boids where decisions are open.
    pub const CONTRIVED: Limits = Limits { social: 0.0, open: 1.0, turned: 0.1, undecided: 0.15 };

    /// For states that nobody would ask for: as many as there may be, so long as no boid is off by more than its
    /// bound.
    pub const HOSTILE: Limits = Limits { social: 0.0, open: 1.0, turned: 1.0, undecided: 1.0 };

    /// More than half of the boids have neighbours.
    #[must_use]
    pub fn social(self) -> Self {
        Limits { social: 0.5, ..self }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} boids, {} with neighbours, {} open, {} turned, {} undecided, worst {:.3} of its bound, {} outside",
            self.boids,
            self.social,
            self.open,
            self.turned.len(),
            self.undecided.len(),
            self.worst,
            self.failures.len()
        )?;
        self.failures.iter().take(5).try_for_each(|failure| write!(f, "\n  {failure}"))
    }
}

/// Holds the state an engine came to against what it must be.
#[must_use]
pub fn compare<A: Arithmetic>(reference: &Reference<A>, actual: &State) -> Verdict {
    let mut verdict = Verdict { boids: reference.boids.len(), ..Verdict::default() };
    if actual.step != reference.step {
        verdict.failures.push(format!("step {} in place of {}", actual.step, reference.step));
    }
    if actual.boids.len() != reference.boids.len() || actual.predators.len() != reference.predators.len() {
        let (boids, predators) = (actual.boids.len(), actual.predators.len());
        verdict.failures.push(format!("{boids} boids and {predators} predators are left"));
        return verdict;
    }
    for (index, (expected, actual)) in reference.predators.iter().zip(&actual.predators).enumerate() {
        let (share, _) = predator_share(expected, actual);
        if share > 1.0 {
            verdict.failures.push(format!("predator {index}: {actual:?} is not {expected:?}"));
        }
        verdict.worst = verdict.worst.max(if share > 1.0 { 0.0 } else { share });
    }
    for (id, (expected, actual)) in reference.boids.iter().zip(&actual.boids).enumerate() {
        judge(&mut verdict, id, expected, actual);
    }
    verdict
}

fn judge<A: Arithmetic>(verdict: &mut Verdict, id: usize, expected: &Expected<A>, actual: &Boid<f64>) {
    verdict.social += usize::from(expected.neighbours > 0);
    verdict.open += usize::from(expected.depends_on_a_decision());
    let shares: Vec<(f64, bool)> = expected.outcomes.iter().map(|outcome| share(outcome, actual)).collect();
    let bounded = || shares.iter().filter(|(_, known)| *known).map(|(share, _)| *share);
    let best = bounded().fold(f64::INFINITY, f64::min);
    let all_known = expected.complete && shares.iter().all(|(_, known)| *known);
    let numbers = actual.position.iter().chain(&actual.velocity).chain([&actual.bias]);
    let finite = numbers.copied().all(f64::is_finite);
    if best <= 1.0 {
        let natural = shares[0].1 && shares[0].0 <= 1.0;
        verdict.turned.extend((!natural).then_some(id));
        verdict.worst = verdict.worst.max(best);
    } else if finite && !all_known {
        verdict.undecided.push(id);
    } else {
        verdict.outside = verdict.outside.or(Some(id));
        let (first, ways) = (&expected.outcomes[0], expected.outcomes.len());
        let (share, what) = (shares[0].0, differences(first, actual));
        verdict.failures.push(format!("boid {id}, {share:.2} of its bound, {ways} ways: {what}"));
    }
}

/// The largest deviation as a share of its bound, infinite where a whole number differs or a number is none; and
/// whether every bound is finite.
fn share<A: Arithmetic>(expected: &Boid<Enclosed<A>>, actual: &Boid<f64>) -> (f64, bool) {
    let same = expected.group == actual.group && expected.rest == actual.rest;
    let bias = [(expected.bias, actual.bias)];
    let (share, known) = largest(
        bias.into_iter()
            .chain(expected.position.into_iter().zip(actual.position))
            .chain(expected.velocity.into_iter().zip(actual.velocity)),
    );
    (if same { share } else { f64::INFINITY }, known)
}

fn predator_share<A: Arithmetic>(expected: &Predator<Enclosed<A>>, actual: &Predator<f64>) -> (f64, bool) {
    let position = expected.position.into_iter().zip(actual.position);
    largest(position.chain(expected.velocity.into_iter().zip(actual.velocity)))
}

fn largest<A: Arithmetic>(pairs: impl Iterator<Item = (Enclosed<A>, f64)>) -> (f64, bool) {
    pairs.fold((0.0, true), |(most, known), (expected, actual)| {
        let deviation = (actual - expected.value).abs();
        let share = match (deviation == 0.0, deviation.is_finite()) {
            (true, _) => 0.0,
            (false, true) => deviation / expected.error,
            (false, false) => f64::INFINITY,
        };
        (f64::max(most, share), known && expected.error.is_finite())
    })
}

fn differences<A: Arithmetic>(expected: &Boid<Enclosed<A>>, actual: &Boid<f64>) -> String {
    let line = |name: &str, expected: [Enclosed<A>; 3], actual: [f64; 3]| {
        let [e, b] = [expected.map(|c| c.value), expected.map(|c| c.error)];
        format!("{name} {actual:?} is not {e:?} ± {b:?}")
    };
    let rest = format!(
        "rest {} for {}, bias {} for {:?}",
        actual.rest, expected.rest, actual.bias, expected.bias.value
    );
    let position = line("position", expected.position, actual.position);
    let velocity = line("velocity", expected.velocity, actual.velocity);
    format!("{position}; {velocity}; {rest}")
}
