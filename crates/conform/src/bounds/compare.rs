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
    /// any number of boids that turned or are undecided.
    pub fn refusal(&self, hostile: bool) -> Option<String> {
        let too_many = |ids: &[usize], limit: f64| !hostile && ids.len() as f64 > limit * self.boids as f64;
        let reason = if !self.failures.is_empty() {
            "outside the error bounds"
        } else if too_many(&self.turned, MAX_TURNED) {
            "too many different decisions"
        } else if too_many(&self.undecided, MAX_UNDECIDED) {
            "too many undecided boids"
        } else {
            return None;
        };
        Some(format!("{reason}: {self}"))
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
        comparison.failures.push(format!("step {} instead of {}", actual.step, reference.step));
    }
    if actual.boids.len() != reference.boids.len() || actual.predators.len() != reference.predators.len() {
        let (boids, predators) = (actual.boids.len(), actual.predators.len());
        comparison.failures.push(format!("only {boids} boids and {predators} predators"));
        return comparison;
    }
    for (index, (expected, actual)) in reference.predators.iter().zip(&actual.predators).enumerate() {
        let position = Deviation::of_numbers(&expected.position, &actual.position);
        let velocity = Deviation::of_numbers(&expected.velocity, &actual.velocity);
        let share = position.share.max(velocity.share);
        if share > 1.0 {
            comparison.failures.push(format!("predator {index}: {actual:?} instead of {expected:?}"));
        } else {
            comparison.worst = comparison.worst.max(share);
        }
    }
    for (id, (expected, actual)) in reference.boids.iter().zip(&actual.boids).enumerate() {
        judge(&mut comparison, id, expected, actual);
    }
    comparison
}

fn judge<A: Arithmetic>(comparison: &mut Comparison, id: usize, expected: &Expected<A>, actual: &Boid<f64>) {
    comparison.social += usize::from(expected.neighbours > 0);
    comparison.open += usize::from(expected.depends_on_a_decision());
    let outcomes: Vec<Deviation> =
        expected.outcomes.iter().map(|outcome| Deviation::of_boid(outcome, actual)).collect();
    let bounded = outcomes.iter().filter(|outcome| outcome.bounded);
    let best = bounded.map(|outcome| outcome.share).fold(f64::INFINITY, f64::min);
    let all_bounded = expected.complete && outcomes.iter().all(|outcome| outcome.bounded);
    let finite = numbers(actual).into_iter().all(f64::is_finite);
    if best <= 1.0 {
        if !outcomes[0].bounded || outcomes[0].share > 1.0 {
            comparison.turned.push(id);
        }
        comparison.worst = comparison.worst.max(best);
    } else if finite && !all_bounded {
        comparison.undecided.push(id);
    } else {
        comparison.outside = comparison.outside.or(Some(id));
        let (first, ways) = (&expected.outcomes[0], expected.outcomes.len());
        let (share, what) = (outcomes[0].share, differences(first, actual));
        comparison.failures.push(format!("boid {id}, {share:.2} of its bound, {ways} ways: {what}"));
    }
}

/// How far some numbers are from the expected ones.
struct Deviation {
    /// The largest deviation as a share of its bound; infinite if a number is NaN or an integer differs.
    share: f64,
    /// True if every bound is finite.
    bounded: bool,
}

impl Deviation {
    fn of_boid<A: Arithmetic>(expected: &Boid<Enclosed<A>>, actual: &Boid<f64>) -> Self {
        let mut deviation = Deviation::of_numbers(&numbers(expected), &numbers(actual));
        if (expected.group, expected.rest) != (actual.group, actual.rest) {
            deviation.share = f64::INFINITY;
        }
        deviation
    }

    fn of_numbers<A: Arithmetic>(expected: &[Enclosed<A>], actual: &[f64]) -> Self {
        let mut largest = Deviation { share: 0.0, bounded: true };
        for (expected, actual) in expected.iter().zip(actual) {
            let off = (actual - expected.value).abs();
            let share = if off == 0.0 {
                0.0
            } else if off.is_finite() {
                off / expected.error
            } else {
                f64::INFINITY
            };
            largest.share = largest.share.max(share);
            largest.bounded &= expected.error.is_finite();
        }
        largest
    }
}

fn differences<A: Arithmetic>(expected: &Boid<Enclosed<A>>, actual: &Boid<f64>) -> String {
    let (e, a, rest) = (numbers(expected), numbers(actual), [actual.rest, expected.rest]);
    let [values, errors] = [e.map(|c| c.value), e.map(|c| c.error)];
    format!("numbers {a:?} instead of {values:?} ± {errors:?}; rest {} instead of {}", rest[0], rest[1])
}
