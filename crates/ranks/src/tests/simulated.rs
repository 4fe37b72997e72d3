//! Ranks on a transport that a seed delays, reorders and kills: `cargo xtask prove ranks`.
//!
//! Each seed draws a small flock and calls to its engine ([`Scenario`]), and what the transport does to them (`world.rs`,
//! `network.rs`). Every answer must be that of an engine without ranks, every failure a line that names a rank that is
//! gone; `seed.rs` has the checks. A failure names its seed, and the seed alone repeats it.

use std::sync::Mutex;
use std::time::Instant;

use config::presets::{self, PRESETS, Preset};
use cpu::Registers;
use engine::system::Threads;
use engine::{Engine, Numeric, Result, State};
use flock::Parameters;
use flock::parameters::Edges;

use super::{packed, random_flock, scope};
use crate::check;
use seed::{Defect, Tally, check_seed};
use world::Fault;

mod network;
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

/// The most boids of a flock.
const BOIDS: u32 = 60;

/// A call to the engine.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    Advance(u32),
    Hash,
    /// Reads the state, from which a flock can be restarted: a checkpoint.
    State,
    Steer(usize, [f32; 3]),
    /// Replaces the state by the start, at this step.
    Replace(u64),
    /// Counts the boids by id modulo a number, each with a weight.
    Analyse([u32; 2]),
}

/// The answer to a call.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Done,
    Hash(u64),
    State(State),
    Words(Vec<u32>),
}

/// All that the ranks of a seed do, and that does not depend on how messages travel.
#[derive(Clone, Debug)]
pub struct Scenario {
    pub numeric: Numeric,
    pub parameters: Parameters,
    /// The start, from which the first run begins.
    pub start: State,
    /// Each rank draws its share of the start.
    pub seeded: bool,
    pub ranks: usize,
    pub recut: u32,
    pub calls: Vec<Call>,
    /// The answers of an engine without ranks, by call.
    pub answers: Vec<Answer>,
}

impl Scenario {
    pub fn new(seed: u64, threads: &Threads) -> Self {
        let mut random = Random::new(seed);
        loop {
            let numeric = random.choose(&[Numeric::Fixed, Numeric::Fixed, Numeric::F32]);
            let p = parameters(&mut random);
            let seeded = random.one_in(2);
            let mut start = State::start(&p);
            // Each rank draws the boids of the start in f64; a state has them in the number type.
            start.step = random.below(100);
            let mut scenario = Scenario {
                numeric,
                parameters: p,
                start,
                seeded,
                ranks: 2 + random.below(5) as usize,
                recut: 1 + random.below(4) as u32,
                calls: calls(&mut random),
                answers: Vec::new(),
            };
            // A flock that does not fit its number type, or ranks, is drawn again.
            if check(&p, numeric).is_ok()
                && let Ok(answers) = scenario.without_ranks(threads)
            {
                scenario.answers = answers;
                return scenario;
            }
        }
    }

    fn without_ranks(&self, threads: &Threads) -> Result<Vec<Answer>> {
        let widest = Registers::widest();
        let mut engine = cpu::open(self.numeric, threads.clone(), widest, &self.parameters, &self.start)?;
        let mut answers = Vec::new();
        for call in &self.calls {
            let answer = match call {
                Call::Analyse(request) => Answer::Words(self.counts(*request)),
                other => self.answer(&mut *engine, *other)?,
            };
            answers.push(answer);
        }
        Ok(answers)
    }

    /// The engine's answer to a call that is no analysis.
    pub fn answer(&self, engine: &mut dyn Engine, call: Call) -> Result<Answer> {
        match call {
            Call::Advance(steps) => engine.advance(steps)?,
            Call::Hash => return engine.hash().map(Answer::Hash),
            Call::State => return engine.state().map(Answer::State),
            Call::Steer(index, position) => engine.steer_predator(index, position)?,
            Call::Replace(step) => engine.set_state(&State { step, ..self.start.clone() })?,
            Call::Analyse(_) => {}
        }
        Ok(Answer::Done)
    }

    /// The answer to an analysis.
    fn counts(&self, [modulus, weight]: [u32; 2]) -> Vec<u32> {
        let mut counts = vec![0_u32; modulus as usize];
        for id in 0..self.parameters.flock.boids {
            let count = &mut counts[(id % modulus) as usize];
            *count = count.wrapping_add(weight);
        }
        counts
    }
}

/// A small flock: random in all parameters, a preset, or a dense one.
fn parameters(random: &mut Random) -> Parameters {
    let boids = random.below(u64::from(BOIDS) + 1) as u32;
    let number = random.next() as u32;
    match random.below(4) {
        0 => random_flock::parameters(number, BOIDS),
        1 => {
            let known = &PRESETS[random.below(PRESETS.len() as u64) as usize];
            let found = presets::find(known.name).and_then(Preset::parameters);
            let mut p = found.expect("built in");
            p.flock.dimensions = random.choose(&[2, 3]);
            p.set_boids(boids);
            p.predators.count = random.below(3) as u32;
            p
        }
        _ => {
            let edges = random.choose(&[Edges::Wrap, Edges::Open, Edges::Turn]);
            let cells = random.choose(&[1.0, 2.0, 3.0, 4.5, 6.0]);
            let mut p = packed(random.choose(&[2, 3]), edges, cells, boids).0;
            p.flock.seed = number;
            p.motion.max_speed = 0.6;
            p
        }
    }
}

/// Three to eight steps with other calls between them; at the end the hash and the state.
fn calls(random: &mut Random) -> Vec<Call> {
    let mut calls = Vec::new();
    let steps = 3 + random.below(6);
    let mut taken = 0;
    while taken < steps {
        if random.one_in(3) {
            calls.push(Call::State);
        }
        let more = 1 + random.below(2.min(steps - taken));
        calls.push(Call::Advance(more as u32));
        taken += more;
        if random.one_in(4) {
            calls.push(Call::Hash);
        }
        if random.one_in(6) {
            let position = [0; 3].map(|_| random.below(1000) as f32 / 100.0);
            calls.push(Call::Steer(random.below(3) as usize, position));
        }
        if random.one_in(6) {
            calls.push(Call::Analyse([1 + random.below(9) as u32, random.next() as u32]));
        }
        if random.one_in(24) {
            calls.push(Call::Replace(random.below(1000)));
        }
    }
    calls.extend([Call::Hash, Call::State]);
    calls
}
