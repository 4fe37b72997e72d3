//! The board as an engine: writes, steps and reads the flock through the console of the firmware.

use flock::{Boid, Fixed, Parameters, Predator, Rule, start};

use super::board::{Board, BoardError, Link};
use super::configure::{adjust, configure, most, restarts};
use super::{image::Image, machine::Machine};
use engine::{Engine, EngineError, Numeric, Result, State, rule};

/// The number of boids that fit the board whatever the rule, on a plane and in space. Most rules leave memory for more:
/// terms of formulas and exact velocities take some.
pub const FITS_ANY_RULE: [u32; 2] = [1580, 1141];

/// Steps a flock on an emulated board, or on a board on a serial line.
#[derive(Debug)]
pub struct Rp2040Engine<L = Machine> {
    /// The board: gives access to cycles and screen, and can be reused for another flock.
    pub board: Board<L>,
    parameters: Parameters,
    rule: Rule<Fixed>,
    boids: u32,
    step: u64,
}

impl From<BoardError> for EngineError {
    fn from(error: BoardError) -> Self {
        match error {
            BoardError::Refused(why) => EngineError::Board(why),
            other => EngineError::Device { device: "rp2040".to_owned(), what: other.to_string() },
        }
    }
}

impl Rp2040Engine {
    /// Boots an emulated board with a flock.
    ///
    /// # Errors
    /// When the firmware does not run, the flock does not fit the memory, or a parameter does not fit its integers.
    pub fn new(image: &Image, parameters: &Parameters, state: &State) -> Result<Self> {
        Self::on(Board::boot(image)?, parameters, state)
    }

    /// The largest number of boids that the board holds.
    ///
    /// # Errors
    /// When the firmware does not run.
    pub fn most(image: &Image) -> Result<u32> {
        most(&mut Board::boot(image)?)
    }
}

impl<L: Link> Rp2040Engine<L> {
    /// Creates an engine that writes a flock to a board.
    ///
    /// # Errors
    /// See [`Rp2040Engine::new`].
    pub fn on(board: Board<L>, parameters: &Parameters, state: &State) -> Result<Self> {
        let rule = state.rule(parameters);
        let mut engine = Rp2040Engine { board, parameters: *parameters, rule, boids: 0, step: 0 };
        engine.take(parameters, state)?;
        Ok(engine)
    }

    /// Sets parameters and state.
    fn take(&mut self, parameters: &Parameters, state: &State) -> Result {
        let mut wanted = *parameters;
        wanted.flock.boids = state.boids.len() as u32;
        // Refused without the board, with the error that every engine gives.
        let prepared = rule::<Fixed>(&wanted, state.boids.len())?;
        configure(&mut self.board, &wanted, &prepared)?;
        self.rule = prepared.rule;
        self.parameters = wanted;
        self.boids = wanted.flock.boids;
        self.step = 0;
        // The board has started its flock by itself.
        if *state == State::start(&wanted) { Ok(()) } else { self.put(state) }
    }

    /// See [`Rp2040Engine::take`]; restores the former parameters and state if the board refuses.
    fn replace(&mut self, parameters: &Parameters, state: &State, before: &State) -> Result {
        let old = self.parameters;
        self.take(parameters, state).or_else(|error| {
            self.take(&old, before)?;
            Err(error)
        })
    }

    /// Changes parameters at which the board does not restart its flock; restores the former ones if it refuses them.
    fn adjust(&mut self, wanted: &Parameters) -> Result {
        let boids = self.boids as usize;
        let prepared = rule::<Fixed>(wanted, boids)?;
        if let Err(error) = adjust(&mut self.board, Some(&self.parameters), wanted, &prepared) {
            adjust(&mut self.board, None, &self.parameters, &rule(&self.parameters, boids)?)?;
            return Err(error);
        }
        self.rule = prepared.rule;
        self.parameters = *wanted;
        Ok(())
    }

    /// Writes every boid and predator.
    fn put(&mut self, state: &State) -> Result {
        for (id, boid) in state.boids.iter().enumerate() {
            let Boid { position, velocity, bias, group, rest } = self.rule.quantise(boid);
            let words = position.iter().chain(&velocity).chain([&bias]).map(|number| number.0);
            self.ask_with_words(&format!("put boid {id}"), words.chain([group as i32, rest]))?;
        }
        for (index, predator) in state.predators.iter().enumerate() {
            self.put_predator(index, predator)?;
        }
        self.board.ask(&format!("put step {}", state.step))?;
        self.step = state.step;
        Ok(())
    }

    fn put_predator(&mut self, index: usize, predator: &Predator<f64>) -> Result {
        let Predator { position, velocity } = self.rule.quantise_predator(predator);
        let words = position.into_iter().chain(velocity).map(|number| number.0);
        self.ask_with_words(&format!("put predator {index}"), words)
    }

    fn ask_with_words(&mut self, line: &str, words: impl Iterator<Item = i32>) -> Result {
        let words: String = words.map(|word| format!(" {word:x}")).collect();
        self.board.ask(&format!("{line}{words}"))?;
        Ok(())
    }
}

/// The hexadecimal words of a line that starts with `begin` and an index.
fn words(line: &str, begin: &str) -> Option<Vec<i32>> {
    let rest = line.strip_prefix(begin)?.strip_prefix(' ')?;
    rest.split(' ').skip(1).map(|word| u32::from_str_radix(word, 16).ok().map(|word| word as i32)).collect()
}

impl<L: Link> Engine for Rp2040Engine<L> {
    fn describe(&self) -> String {
        format!("rp2040, {}, {}, fixed", self.board.machine.name(), self.board.greeting)
    }

    fn numeric(&self) -> Numeric {
        Numeric::Fixed
    }

    fn boids(&self) -> u32 {
        self.boids
    }

    fn step_number(&self) -> u64 {
        self.step
    }

    fn advance(&mut self, steps: u32) -> Result {
        for _ in 0..steps {
            self.board.ask("step 1")?;
            self.step += 1;
        }
        Ok(())
    }

    fn state(&mut self) -> Result<State> {
        let lines = self.board.ask("state")?;
        let strange = |answer: &str| EngineError::from(BoardError::strange("state", answer));
        let mut state = State { step: self.step, boids: Vec::new(), predators: Vec::new() };
        for line in &lines {
            if let Some(step) = line.strip_prefix("step ") {
                // The console may have stepped the flock.
                self.step = step.parse().map_err(|_| strange(line))?;
                state.step = self.step;
                continue;
            }
            let fixed = |words: &[i32]| -> [Fixed; 3] { [Fixed(words[0]), Fixed(words[1]), Fixed(words[2])] };
            match (words(line, "boid").as_deref(), words(line, "predator").as_deref()) {
                (Some(all @ [_, _, _, _, _, _, bias, group, rest]), _) => {
                    let (position, velocity) = (fixed(&all[..3]), fixed(&all[3..6]));
                    let (bias, group, rest) = (Fixed(*bias), *group as u32, *rest);
                    state.boids.push(self.rule.dequantise(&Boid { position, velocity, bias, group, rest }));
                }
                (_, Some(all @ [_, _, _, _, _, _])) => {
                    let (position, velocity) = (fixed(&all[..3]), fixed(&all[3..6]));
                    state.predators.push(self.rule.dequantise_predator(&Predator { position, velocity }));
                }
                _ => return Err(strange(line)),
            }
        }
        if state.boids.len() != self.boids as usize {
            return Err(strange(&format!("{} boids", state.boids.len())));
        }
        Ok(state)
    }

    /// The hash that the firmware computes.
    fn hash(&mut self) -> Result<u64> {
        let answer = self.board.ask_one("hash")?;
        let hash = answer.split_once(',').and_then(|(_, hash)| u64::from_str_radix(hash, 16).ok());
        hash.ok_or_else(|| BoardError::strange("hash", &answer).into())
    }

    fn set_state(&mut self, state: &State) -> Result {
        let (parameters, before) = (self.parameters, self.state()?);
        self.replace(&parameters, state, &before)
    }

    fn set_parameters(&mut self, parameters: &Parameters) -> Result {
        let mut wanted = *parameters;
        let dimensions = wanted.flock.dimensions;
        wanted.flock = self.parameters.flock;
        wanted.flock.dimensions = dimensions;
        if !restarts(&self.parameters, &wanted) {
            return self.adjust(&wanted);
        }
        // Written again, since the board restarts its flock.
        let before = self.state()?;
        let mut state = before.clone();
        let count = wanted.predators.count;
        let new = (state.predators.len() as u32..count).map(|index| start::predator(&wanted, index));
        state.predators.extend(new);
        state.predators.truncate(count as usize);
        self.replace(&wanted, &state, &before)
    }

    fn steer_predator(&mut self, index: usize, position: [f32; 3]) -> Result {
        if index >= self.parameters.predators.count as usize {
            return Ok(());
        }
        let position = self.rule.quantise_vector(position.map(f64::from));
        self.ask_with_words(&format!("steer {index}"), position.map(|number| number.0).into_iter())
    }
}
