//! Open decisions, and all paths of a computation through them.
//!
//! A comparison of two numbers that lie within their error bounds of each other may have either outcome in the
//! arithmetic under test. [`explore`] runs a computation once for every combination of such outcomes.

use std::cell::RefCell;
use std::collections::VecDeque;

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
