//! Compares one step of an engine with the reference.

use std::fmt;

use engine::State;
use flock::Boid;

use super::{Arithmetic, Enclosed, Expected, Reference, numbers};

/// The result for one step.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    pub boids: usize,
    /// Boids that perceive at least one other.
    pub social: usize,
    /// Boids with an open decision: rounding can change its outcome, and the outcomes differ by more than their bounds.
    /// The boid must match one of the outcomes.
    pub open: usize,
    /// The ids of boids that took another outcome than the reference.
    pub turned: Vec<usize>,
    /// The ids of boids without a finite bound: too many open decisions, or a divisor that may be zero.
    pub undecided: Vec<usize>,
    /// Largest deviation as a share of its bound, over the boids that conform.
    pub worst: f64,
    /// The first boid that does not conform.
    pub outside: Option<usize>,
    /// A message for each number that does not conform.
    pub failures: Vec<String>,
}

impl Comparison {
    /// The reason why the step is refused: a boid does not conform, or too many are undecided. A hostile state may have
    /// any number of undecided boids.
    pub fn refusal(&self, hostile: bool) -> Option<String> {
        let most = |part: usize, limit: f64| hostile || part as f64 <= limit * self.boids as f64;
        let reasons = [
            (self.failures.is_empty(), "it does not conform"),
            (most(self.turned.len(), MAX_TURNED), "too many decisions turned"),
            (most(self.undecided.len(), MAX_UNDECIDED), "too many undecided"),
        ];
        reasons.iter().find(|(good, _)| !good).map(|(_, reason)| format!("{reason}: {self}"))
    }
}

/// Maximum fraction of boids that take another outcome than the reference, and of boids without a finite bound, as in
/// docs/conformance.md. The flocks are small, so one boid is a large fraction.
pub const MAX_TURNED: f64 = 0.02;
pub const MAX_UNDECIDED: f64 = 0.08;

impl fmt::Display for Comparison {
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

/// Compares the state that an engine computed with the reference.
pub fn compare<A: Arithmetic>(reference: &Reference<A>, actual: &State) -> Comparison {
    let mut comparison = Comparison { boids: reference.boids.len(), ..Comparison::default() };
    if actual.step != reference.step {
        comparison.failures.push(format!("step {} in place of {}", actual.step, reference.step));
    }
    if actual.boids.len() != reference.boids.len() || actual.predators.len() != reference.predators.len() {
        let (boids, predators) = (actual.boids.len(), actual.predators.len());
        comparison.failures.push(format!("{boids} boids and {predators} predators are left"));
        return comparison;
    }
    for (index, (expected, actual)) in reference.predators.iter().zip(&actual.predators).enumerate() {
        let numbers = actual.position.into_iter().chain(actual.velocity);
        let (share, _) = largest(expected.position.into_iter().chain(expected.velocity).zip(numbers));
        if share > 1.0 {
            comparison.failures.push(format!("predator {index}: {actual:?} is not {expected:?}"));
        }
        comparison.worst = comparison.worst.max(if share > 1.0 { 0.0 } else { share });
    }
    for (id, (expected, actual)) in reference.boids.iter().zip(&actual.boids).enumerate() {
        judge(&mut comparison, id, expected, actual);
    }
    comparison
}

fn judge<A: Arithmetic>(comparison: &mut Comparison, id: usize, expected: &Expected<A>, actual: &Boid<f64>) {
    comparison.social += usize::from(expected.neighbours > 0);
    comparison.open += usize::from(expected.depends_on_a_decision());
    let shares: Vec<(f64, bool)> = expected.outcomes.iter().map(|outcome| share(outcome, actual)).collect();
    let bounded = || shares.iter().filter(|(_, known)| *known).map(|(share, _)| *share);
    let best = bounded().fold(f64::INFINITY, f64::min);
    let all_known = expected.complete && shares.iter().all(|(_, known)| *known);
    let finite = numbers(actual).into_iter().all(f64::is_finite);
    if best <= 1.0 {
        let natural = shares[0].1 && shares[0].0 <= 1.0;
        comparison.turned.extend((!natural).then_some(id));
        comparison.worst = comparison.worst.max(best);
    } else if finite && !all_known {
        comparison.undecided.push(id);
    } else {
        comparison.outside = comparison.outside.or(Some(id));
        let (first, ways) = (&expected.outcomes[0], expected.outcomes.len());
        let (share, what) = (shares[0].0, differences(first, actual));
        comparison.failures.push(format!("boid {id}, {share:.2} of its bound, {ways} ways: {what}"));
    }
}

/// The largest deviation as a fraction of its bound, infinite if an integer differs or a number is NaN; and true if
/// every bound is finite.
fn share<A: Arithmetic>(expected: &Boid<Enclosed<A>>, actual: &Boid<f64>) -> (f64, bool) {
    let same = expected.group == actual.group && expected.rest == actual.rest;
    let (share, known) = largest(numbers(expected).into_iter().zip(numbers(actual)));
    (if same { share } else { f64::INFINITY }, known)
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
    let (e, a, rest) = (numbers(expected), numbers(actual), [actual.rest, expected.rest]);
    let [values, errors] = [e.map(|c| c.value), e.map(|c| c.error)];
    format!("numbers {a:?} are not {values:?} ± {errors:?}; rest {} for {}", rest[0], rest[1])
}
