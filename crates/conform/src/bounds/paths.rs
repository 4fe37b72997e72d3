//! Open decisions, and all paths of a computation through them.
//!
//! A comparison of two numbers that lie within their error bounds of each other may have either outcome in the
//! arithmetic under test. [`explore`] runs a computation once for every combination of such outcomes.
//!
//! The limit on the number of neighbours is such a decision: a boid is perceived if fewer than k candidates are nearer.
//! If the bounds of two squared distances overlap, rounding can change their order, and perceiving the farther one may
//! be open ([`keep_nearest`]). On every path at least k boids are perceived, or all candidates.

use std::cell::RefCell;
use std::collections::VecDeque;

use flock::Number;
use flock::number::Total;
use flock::perceive::Sums;

use super::{Arithmetic, Enclosed};

#[derive(Default)]
struct Path {
    /// The outcomes that the first open decisions must take.
    forced: Vec<bool>,
    /// Outcomes so far.
    taken: Vec<bool>,
}

thread_local! {
    static PATH: RefCell<Path> = RefCell::default();
}

/// The outcome of an open decision on this path; `natural` where none is forced.
pub fn decide(natural: bool) -> bool {
    PATH.with_borrow_mut(|path| {
        let outcome = path.forced.get(path.taken.len()).copied().unwrap_or(natural);
        path.taken.push(outcome);
        outcome
    })
}

/// The results of all paths; the path of natural outcomes is first.
#[derive(Debug)]
pub struct Explored<R> {
    pub results: Vec<R>,
    /// True if all paths were run.
    pub complete: bool,
}

/// Runs `compute` along every path, at most `most` of them.
pub fn explore<R>(most: usize, mut compute: impl FnMut() -> R) -> Explored<R> {
    let mut results = Vec::new();
    let mut waiting = VecDeque::from([Vec::new()]);
    while let Some(forced) = waiting.pop_front() {
        if results.len() == most {
            return Explored { results, complete: false };
        }
        let start = forced.len();
        PATH.set(Path { forced, taken: Vec::new() });
        results.push(compute());
        let taken = PATH.take().taken;
        // At most `most` paths run, so a longer queue is useless.
        for turn in (start..taken.len()).take(most) {
            let mut other = taken[..turn].to_vec();
            other.push(!taken[turn]);
            waiting.push_back(other);
        }
    }
    Explored { results, complete: true }
}

/// Count and sum of one rule.
type Part<A> = fn(&mut Sums<Enclosed<A>>) -> (&mut Enclosed<A>, &mut Total<Enclosed<A>>);

/// Removes each boid that is not among the k nearest candidates of a rule from the rule's sums. `each` holds one sum
/// per boid. The candidates of a rule are the boids in its sums.
pub fn keep_nearest<A: Arithmetic>(
    k: usize,
    each: &mut [Sums<Enclosed<A>>],
    square: impl Fn(usize) -> Enclosed<A>,
) {
    let rules: [Part<A>; 3] = [
        |one| (&mut one.separation_count, &mut one.separation),
        |one| (&mut one.alignment_count, &mut one.alignment),
        |one| (&mut one.cohesion_count, &mut one.cohesion),
    ];
    for rule in rules {
        let candidates: Vec<usize> = (0..each.len()).filter(|j| rule(&mut each[*j]).0.value > 0.0).collect();
        let squares: Vec<Enclosed<A>> = candidates.iter().map(|j| square(*j)).collect();
        for (j, kept) in candidates.iter().zip(nearest(k, &squares)) {
            if !kept {
                let (count, total) = rule(&mut each[*j]);
                (*count, *total) = (Enclosed::ZERO, Total::zero());
            }
        }
    }
}

/// Marks the k nearest of the candidates with these squared distances.
fn nearest<A: Arithmetic>(k: usize, squares: &[Enclosed<A>]) -> Vec<bool> {
    // Three answers per candidate: always, never, or by a decision.
    let known: Vec<Option<bool>> = squares.iter().map(|square| known(k, squares, *square)).collect();
    let in_every_case = known.iter().filter(|known| **known == Some(true)).count();
    let mut open = known.iter().filter(|known| known.is_none()).count();
    let mut missing = k.min(squares.len()).saturating_sub(in_every_case);
    let mut kept = Vec::new();
    for (known, square) in known.into_iter().zip(squares) {
        if let Some(known) = known {
            kept.push(known);
            continue;
        }
        let natural = squares.iter().filter(|other| other.value < square.value).count() < k;
        // The last open candidates are kept if fewer than k would be otherwise.
        let keep = open == missing || decide(natural);
        open -= 1;
        if keep {
            missing = missing.saturating_sub(1);
        }
        kept.push(keep);
    }
    kept
}

/// True if fewer than k candidates are nearer than `square`; `None` if rounding can change the answer.
fn known<A: Arithmetic>(k: usize, squares: &[Enclosed<A>], square: Enclosed<A>) -> Option<bool> {
    let nearer = |other: &Enclosed<A>| other.value < square.value;
    let surely = squares.iter().filter(|other| nearer(other) && other.apart(square)).count();
    // The square is not apart from itself, and not nearer.
    let maybe =
        |other: &&Enclosed<A>| nearer(other) || other.error + square.error > 0.0 && !other.apart(square);
    let possibly = squares.iter().filter(maybe).count() - usize::from(square.error > 0.0);
    if k <= surely { Some(false) } else { (possibly < k).then_some(true) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bounds::enclosure::Ieee32;

    #[test]
    fn every_combination_of_outcomes_is_run_once() {
        let mut all = explore(100, || {
            // The second decision is only met where the first came out false.
            let first = decide(true);
            let second = !first && decide(false);
            (first, second, decide(false))
        });
        assert!(all.complete && all.results[0] == (true, false, false));
        all.results.sort_unstable();
        all.results.dedup();
        assert_eq!(all.results.len(), 6);
        assert!(!explore(5, || [decide(true), decide(true), decide(true)]).complete);
    }

    /// All sets of candidates that may be the k nearest, that of the values first.
    fn sets(k: usize, squares: &[(f64, f64)]) -> Vec<Vec<bool>> {
        let squares: Vec<Enclosed<Ieee32>> =
            squares.iter().map(|(value, error)| Enclosed::within(*value, *error)).collect();
        let all = explore(64, || nearest(k, &squares));
        assert!(all.complete);
        all.results
    }

    #[test]
    fn exact_ties_are_all_kept_and_squares_apart_are_told_apart() {
        let squares = [(2.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)];
        assert_eq!(sets(1, &squares), [[false, true, false, false]]);
        assert_eq!(sets(2, &squares), [[true, true, true, false]]);
        assert_eq!(sets(3, &squares), [[true, true, true, false]]);
        assert_eq!(sets(9, &squares), [[true; 4]]);
        // Nor is anything where squares are farther apart than their errors.
        let squares = [(4.0, 0.1), (1.0, 0.1), (3.0, 0.1), (2.0, 0.1)];
        assert_eq!(sets(2, &squares), [[false, true, false, true]]);
    }

    #[test]
    fn near_ties_are_open_and_no_fewer_than_k_are_kept() {
        let squares = [(1.0, 0.0), (2.0, 0.1), (2.05, 0.1), (4.0, 0.1)];
        let mut sets = sets(2, &squares);
        assert_eq!(sets[0], [true, true, false, false]);
        sets.sort_unstable();
        let one = [[true, false, true, false], [true, true, false, false], [true, true, true, false]];
        assert_eq!(sets, one);
    }
}
