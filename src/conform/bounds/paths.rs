//! Decisions that rounding can turn, and all the ways a computation can go through them.
//!
//! A comparison of two numbers that lie within their error bounds of each other may come out either way in the
//! arithmetic that is judged. [`explore`] runs a computation once for every combination of such outcomes.

use std::cell::RefCell;
use std::collections::VecDeque;

#[derive(Default)]
struct Path {
    /// Outcomes laid down for the first open decisions.
    forced: Vec<bool>,
    /// Outcomes so far.
    taken: Vec<bool>,
}

thread_local! {
    static PATH: RefCell<Path> = RefCell::default();
}

/// An open decision: the outcome this path is to take, `natural` where nothing is laid down.
pub fn decide(natural: bool) -> bool {
    PATH.with_borrow_mut(|path| {
        let outcome = path.forced.get(path.taken.len()).copied().unwrap_or(natural);
        path.taken.push(outcome);
        outcome
    })
}

/// The result of every path, that of the natural outcomes first.
#[derive(Debug)]
pub struct Explored<R> {
    pub results: Vec<R>,
    /// Whether all paths were run.
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
        // More open decisions than paths: most of what would wait could never run.
        for turn in (start..taken.len()).take(most) {
            let mut other = taken[..turn].to_vec();
            other.push(!taken[turn]);
            waiting.push_back(other);
        }
    }
    Explored { results, complete: true }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
