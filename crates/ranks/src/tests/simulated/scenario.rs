//! All that a seed draws: a flock, the calls to its engine, and their answers without ranks.

use config::presets::{self, PRESETS, Preset};
use cpu::Registers;
use engine::system::Threads;
use engine::{Engine, Numeric, Result, State};
use flock::Parameters;
use flock::parameters::Edges;

use super::super::{packed, random_flock};
use super::Random;
use crate::check;

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
