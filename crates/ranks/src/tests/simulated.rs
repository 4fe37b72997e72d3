//! Ranks on a transport that a seed delays, reorders and kills: `cargo xtask prove ranks`.
//!
//! Each seed draws a small flock and calls to its engine (`scenario.rs`), and what the transport does to them
//! (`world.rs`, `network.rs`). Every answer must be that of an engine without ranks, every failure a line that names a rank that is
//! gone; `seed.rs` has the checks. A failure names its seed, and the seed alone repeats it.

use std::sync::Mutex;
use std::time::Instant;

use engine::system::Threads;

use super::scope;
use seed::{Defect, Tally, check_seed};
use world::Fault;

mod network;
mod scenario;
mod seed;
mod world;

/// The variables that `cargo xtask prove ranks` sets: the number of seeds, or the only one.
const SEEDS: &str = "MURMURATION_RANKS_SEEDS";
const SEED: &str = "MURMURATION_RANKS_SEED";

fn number(variable: &str) -> Option<u64> {
    let value = std::env::var(variable).ok()?;
    Some(value.parse().unwrap_or_else(|_| panic!("{variable} must be a whole number, not {value}")))
}

/// Seeds that all cores check.
#[derive(Debug)]
struct Progress {
    next: u64,
    end: u64,
    total: Tally,
    /// The first failure, after which no further seed is taken.
    failure: Option<String>,
}

/// Checks seeds until there are none left.
fn check_next(progress: &Mutex<Progress>) {
    let threads = Threads::new(Some(1)).expect("a thread");
    loop {
        let mut before = progress.lock().expect("no panic");
        if before.next == before.end || before.failure.is_some() {
            return;
        }
        let seed = before.next;
        before.next += 1;
        drop(before);
        let checked = check_seed(seed, None, &threads);
        let mut after = progress.lock().expect("no panic");
        match checked {
            Ok(tally) => after.total.add(&tally),
            Err(why) => after.failure = Some(format!("{why}\ncargo xtask prove ranks --seed {seed}")),
        }
    }
}

/// Checks seeds on all cores.
fn check_seeds(first: u64, count: u64) -> Tally {
    let begun =
        Mutex::new(Progress { next: first, end: first + count, total: Tally::default(), failure: None });
    std::thread::scope(|scope| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..cores {
            scope.spawn(|| check_next(&begun));
        }
    });
    let done = begun.into_inner().expect("no panic");
    assert!(done.failure.is_none(), "{}", done.failure.unwrap_or_default());
    done.total
}

#[test]
fn seeds_have_the_bits_of_one_engine() {
    let sample = scope::choose(200, 2000);
    let only = number(SEED);
    let count = if only.is_some() { 1 } else { number(SEEDS).unwrap_or(sample) };
    let begun = Instant::now();
    let Tally { runs, messages, kills, restarts, .. } = check_seeds(only.unwrap_or(0), count);
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "{count} seeds in {seconds:.1} s: {runs} runs, {messages} messages, {kills} ranks killed, {restarts} restarts \
         from a checkpoint"
    );
    let is_varied = kills > count / 2 && restarts > count / 4;
    assert!(count < sample || is_varied, "{kills} kills, {restarts} restarts");
}

#[test]
fn a_seed_repeats_every_event() {
    let threads = Threads::new(Some(1)).expect("a thread");
    let mut traces = Vec::new();
    for seed in 0..20 {
        let first = check_seed(seed, None, &threads).expect("right");
        assert_eq!(check_seed(seed, None, &threads), Ok(first), "seed {seed}");
        traces.push(first.trace);
    }
    traces.sort_unstable();
    traces.dedup();
    assert_eq!(traces.len(), 20, "each seed has events of its own");
}

/// A defect, the number of seeds within which it is found, and words of an error that finds it.
struct Control {
    defect: Defect,
    most: u64,
    says: &'static str,
}

const ANOTHER: &str = "another answer than without ranks";
const CONTROLS: [Control; 9] = [
    Control { defect: Defect::Transport(Fault::Lost), most: 1, says: "a deadlock" },
    Control { defect: Defect::Transport(Fault::Twice), most: 1, says: "messages are left" },
    Control { defect: Defect::Transport(Fault::Swapped), most: 4, says: ANOTHER },
    Control { defect: Defect::Transport(Fault::Altered), most: 4, says: ANOTHER },
    Control { defect: Defect::Transport(Fault::AnySender), most: 1, says: "no rank was killed" },
    Control { defect: Defect::Transport(Fault::WaitingExchange), most: 1, says: "a deadlock" },
    Control { defect: Defect::Transport(Fault::Unheard), most: 4, says: "a deadlock" },
    Control { defect: Defect::OldBoids, most: 4, says: ANOTHER },
    Control { defect: Defect::WrongStep, most: 4, says: ANOTHER },
];

/// The checks are worth nothing if they cannot fail. With `MURMURATION_RANKS_SEEDS` so many seeds are tried for each
/// defect: not each is seen in each seed, since some change nothing, such as an order to steer a predator that is not
/// there.
#[test]
fn defects_are_found_within_a_few_seeds() {
    let threads = Threads::new(Some(1)).expect("a thread");
    let seeds = number(SEEDS).unwrap_or(12);
    for Control { defect, most, says } in CONTROLS {
        let mut planted = 0;
        let mut found = Vec::new();
        let mut has_words = false;
        for seed in 0..seeds.max(most) {
            match check_seed(seed, Some(defect), &threads) {
                Ok(tally) => planted += u64::from(tally.planted),
                Err(why) => {
                    planted += 1;
                    found.push(seed);
                    has_words |= why.lines().next().is_some_and(|line| line.contains(says));
                }
            }
        }
        let first = found.first().copied();
        println!("{defect:?}: found in {} of {planted} seeds, the first {first:?}", found.len());
        assert!(first.is_some_and(|seed| seed < most), "{defect:?} is not found within {most} seeds");
        assert!(has_words, "{defect:?} is found, but no error says '{says}'");
    }
}

/// A generator: SplitMix64.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    /// One of some values.
    pub fn choose<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len() as u64) as usize]
    }
}
