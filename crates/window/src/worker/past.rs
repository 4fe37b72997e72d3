//! The flight of a flock: it is recorded while the flock flies, and repeated with the same bits where an earlier step is
//! shown. States are kept at intervals, so that repeating begins near any step.
//!
//! ```text
//! start ── changes ──▶ step that is shown ── the changes that follow stay ──▶ end
//!    ▲ states, dense near the end                     ▲ a change here takes over: what follows is dropped
//! ```

use std::time::Duration;

use flock::Boid;
use web_time::Instant;

use engine::{Engine, Numeric, Result, State};
use flight::{Divergence, Flight, InFlight, Start};

/// Maximum size of all states in bytes. A page has less memory.
pub const BUDGET: usize = if cfg!(target_arch = "wasm32") { 64 << 20 } else { 128 << 20 };
/// Time covered by the newest states, if at least two fit.
const SPAN: Duration = Duration::from_secs(15);
/// Maximum number of states.
const MAX: usize = 60;
/// Maximum size of all changes in bytes. Beyond it, a state replaces the beginning.
const LARGEST: usize = 8 << 20;
/// Steps between two hashes.
const HASH_EVERY: u64 = 60;
/// A hash takes at most this part of the time.
const HASH_SHARE: u32 = 100;
/// The largest flock that is hashed while it flies: a picture must not wait for a hash.
const HASHED: u32 = 100_000;

/// A kept state, with the parameters of the step that led to it.
#[derive(Debug)]
struct Moment {
    state: State,
    parameters: InFlight,
}

/// The flight, and states in it.
#[derive(Debug)]
pub struct Past {
    pub flight: Flight,
    /// In the order of steps.
    moments: Vec<Moment>,
    /// The parameters of the last step.
    pub parameters: InFlight,
    /// True if the changes at the engine's step are still to be made.
    pending: bool,
    /// True if steps were repeated since the last [`Past::repeated`].
    repeats: bool,
    /// The first step of a repeated flight that had another hash.
    pub divergence: Option<Divergence>,
    /// Grows whenever what was recorded is dropped.
    pub revision: u64,
    /// The time of the last hash, and how long it took.
    hashed: Instant,
    hash_time: Duration,
}

impl Past {
    /// A flight that begins.
    pub fn new(start: Start) -> Self {
        Past::open(Flight::new(start))
    }

    /// A recorded flight, of which no step is repeated yet.
    pub fn open(flight: Flight) -> Self {
        let parameters = InFlight::new(flight.start.parameters);
        let pending = !flight.changes.all().is_empty();
        Past {
            flight,
            moments: Vec::new(),
            parameters,
            pending,
            repeats: false,
            divergence: None,
            revision: 0,
            hashed: Instant::now(),
            hash_time: Duration::ZERO,
        }
    }

    /// Number of states of this number of boids that fit.
    fn room(boids: usize) -> usize {
        (BUDGET / (size_of::<Boid<f64>>() * boids.max(1))).min(MAX)
    }

    /// True if an earlier step than the newest is shown.
    fn looks_back(&self, here: u64) -> bool {
        here < self.flight.end
    }

    /// Interval between states; `None` if the flock is too large to keep one, or an earlier step is shown.
    pub fn interval(&self, boids: u32, here: u64) -> Option<Duration> {
        SPAN.checked_div(Self::room(boids as usize) as u32).filter(|_| !self.looks_back(here))
    }

    /// Adds a state. If there is no room, older states become fewer.
    pub fn keep(&mut self, state: State) {
        let room = Self::room(state.boids.len()).max(1);
        while self.moments.len() >= room {
            let least_needed = self.least_needed(state.step);
            self.moments.remove(least_needed);
        }
        self.moments.push(Moment { state, parameters: self.parameters });
    }

    /// The index of the state whose loss makes a gap that is smallest for its age.
    fn least_needed(&self, newest: u64) -> usize {
        let step = |k: usize| self.moments.get(k).map_or(newest, |moment| moment.state.step);
        let mut found = (f64::MAX, 0);
        for k in 0..self.moments.len() {
            let before = k.checked_sub(1).map_or(self.flight.start.step(), step);
            let gap = (step(k + 1) - before) as f64 / (newest - step(k)).max(1) as f64;
            if gap < found.0 {
                found = (gap, k);
            }
        }
        found.1
    }

    /// The first and the last step of the flight.
    pub fn span(&self) -> [u64; 2] {
        [self.flight.start.step(), self.flight.end]
    }

    /// Changes the flock, and records the change. What follows an earlier step that is shown is dropped.
    ///
    /// # Errors
    /// When the engine refuses.
    pub fn change(&mut self, engine: &mut dyn Engine, change: Wanted) -> Result {
        let here = engine.step_number();
        self.take_over(engine);
        self.shorten(engine)?;
        match change {
            Wanted::Parameters(new) => {
                engine.set_parameters(&new.engine)?;
                self.flight.changes.set_parameters(here, &self.parameters, &new);
                self.parameters = *new;
            }
            Wanted::Steer { predator, position } => {
                engine.steer_predator(predator, position)?;
                self.flight.changes.steer(here, predator, position);
            }
        }
        Ok(())
    }

    /// Drops what follows the step that is shown.
    pub fn take_over(&mut self, engine: &dyn Engine) {
        let here = engine.step_number();
        if self.looks_back(here) {
            if self.divergence.take().is_some() {
                // Another device or build had them.
                self.flight.hashes.clear();
                self.flight.start.engine = engine.describe();
            }
            self.flight.truncate(here);
            self.revision += 1;
            self.moments.retain(|moment| moment.state.step <= here);
            self.pending = false;
        }
    }

    /// Replaces the beginning of a flight that is too large by a state.
    fn shorten(&mut self, engine: &mut dyn Engine) -> Result {
        let changes = &self.flight.changes;
        if changes.size() <= LARGEST {
            return Ok(());
        }
        self.revision += 1;
        let half = changes.all()[changes.all().len() / 2].step;
        if let Some(k) = self.moments.iter().position(|moment| moment.state.step >= half) {
            self.moments.drain(..k);
            let Moment { state, parameters } = &self.moments[0];
            self.flight.begin_at(state.clone(), parameters);
        }
        if self.flight.changes.size() > LARGEST / 4 * 3 {
            // Most of them are made at this step.
            self.flight.truncate(engine.step_number());
            self.flight.begin_at(engine.state()?, &self.parameters);
            self.moments.clear();
        }
        Ok(())
    }

    /// Prepares to show a step: restores the last state before it, unless the flock is between the two. Returns the
    /// step, clamped to the flight, and the state if one was restored.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn seek(&mut self, engine: &mut dyn Engine, step: u64) -> Result<(u64, Option<State>)> {
        let here = engine.step_number();
        let [first, last] = self.span();
        let goal = step.max(first).min(last);
        let moment = self.moments.iter().rev().find(|moment| moment.state.step <= goal);
        let from = moment.map_or(first, |moment| moment.state.step);
        self.repeats = true;
        if (from..=goal).contains(&here) {
            return Ok((goal, None));
        }
        let (state, parameters) = match moment {
            Some(Moment { state, parameters }) => (state.clone(), *parameters),
            None => (self.flight.start.state()?, InFlight::new(self.flight.start.parameters)),
        };
        // Parameters first, as in a restart.
        engine.set_parameters(&parameters.engine)?;
        engine.set_state(&state)?;
        self.parameters = parameters;
        self.pending = true;
        if goal == last && from == last {
            self.make_pending(engine)?;
        }
        Ok((goal, Some(state)))
    }

    /// Prepares a step: makes the changes that are recorded at the engine's.
    ///
    /// # Errors
    /// When the engine refuses.
    pub fn make_pending(&mut self, engine: &mut dyn Engine) -> Result {
        if !self.pending {
            return Ok(());
        }
        self.repeats = true;
        for at in self.flight.changes.at(engine.step_number()) {
            at.change.make(engine, &mut self.parameters)?;
        }
        // Those that an engine refuses stay: no step goes on without them.
        self.pending = false;
        Ok(())
    }

    /// Records a step that was done, or compares it where it was repeated.
    ///
    /// # Errors
    /// When the engine refuses a change at the end of the flight.
    pub fn has_stepped(&mut self, engine: &mut dyn Engine) -> Result {
        let here = engine.step_number();
        if here > self.flight.end {
            self.flight.end = here;
            let is_cheap = engine.boids() <= HASHED && self.hashed.elapsed() >= self.hash_time * HASH_SHARE;
            if here.is_multiple_of(HASH_EVERY) && is_cheap {
                self.record_hash(engine);
            }
            return Ok(());
        }
        (self.pending, self.repeats) = (true, true);
        if self.divergence.is_none() {
            self.divergence = self.flight.compare(engine)?;
        }
        if here == self.flight.end {
            self.make_pending(engine)?;
        }
        Ok(())
    }

    /// Records the hash of the newest step, unless it has been changed there.
    pub fn record_hash(&mut self, engine: &mut dyn Engine) {
        let here = engine.step_number();
        if self.looks_back(here) || !self.flight.changes.at(here).is_empty() {
            return;
        }
        self.hashed = Instant::now();
        // A lost device is noticed by the next step.
        if let Ok(hash) = engine.hash() {
            self.flight.add_hash(here, hash);
        }
        self.hash_time = self.hashed.elapsed();
    }

    /// The parameters that repeating has set, if steps were repeated since the last call.
    pub fn repeated(&mut self) -> Option<InFlight> {
        std::mem::take(&mut self.repeats).then_some(self.parameters)
    }

    /// Goes back to an earlier step, at which another engine continues: what follows is repeated there. Its hashes were
    /// another device's.
    ///
    /// # Errors
    /// When parameters of the flight cannot be set.
    pub fn go_back(&mut self, step: u64) -> Result {
        let moment = self.moments.iter().rev().find(|moment| moment.state.step <= step);
        let (mut parameters, from) = match moment {
            Some(moment) => (moment.parameters, moment.state.step),
            None => (InFlight::new(self.flight.start.parameters), 0),
        };
        self.flight.changes.apply(from..step, &mut parameters)?;
        self.parameters = parameters;
        self.revision += 1;
        let is_same_everywhere = self.flight.start.numeric == Numeric::Fixed;
        self.flight.hashes.retain(|at| is_same_everywhere && at.step <= step);
        self.pending = true;
        Ok(())
    }
}

/// A change that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    Parameters(Box<InFlight>),
    Steer { predator: usize, position: [f32; 3] },
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpu::CpuEngine;
    use flight::First;
    use flock::Parameters;

    /// An engine with five boids, and the beginning of their flight.
    fn flock() -> (Box<dyn CpuEngine>, Past) {
        let mut parameters = Parameters::default();
        parameters.flock.boids = 5;
        let state = State::start(&parameters);
        let engine = cpu::open_as::<f32>(&parameters, &state, Some(1)).expect("a thread");
        let past = Past::new(Start::on(&*engine, parameters, First::Seed));
        (engine, past)
    }

    #[test]
    fn a_large_flock_keeps_fewer_states_farther_apart() {
        let (_, past) = flock();
        let seconds = |boids| past.interval(boids, 0).map(|time| time.as_secs_f64());
        assert_eq!([seconds(0), seconds(5_000), seconds(1_000_000)], [Some(0.25), Some(0.25), Some(7.5)]);
        assert!(
            seconds(100_000).is_some_and(|time| (0.5..1.0).contains(&time)) && seconds(3_000_000).is_none()
        );
    }

    #[test]
    fn every_step_is_shown_again_from_states_that_are_dense_near_the_end() {
        let (mut engine, mut past) = flock();
        let steer = |x: u64| Wanted::Steer { predator: 0, position: [x as f32, 0.0, 0.0] };
        let mut hashes = vec![engine.hash().expect("finite")];
        for step in 0..500 {
            past.change(&mut *engine, steer(step)).expect("steered");
            engine.advance(1).expect("a step");
            past.has_stepped(&mut *engine).expect("recorded");
            past.keep(engine.state().expect("finite"));
            hashes.push(engine.hash().expect("finite"));
        }
        assert_eq!((past.span(), past.moments.len(), past.flight.changes.all().len()), ([0, 500], MAX, 500));
        let kept: Vec<u64> = past.moments.iter().map(|moment| moment.state.step).collect();
        assert!(kept[MAX - 10..].windows(2).all(|pair| pair[1] - pair[0] < 4), "{kept:?}");
        assert!(kept.windows(2).all(|pair| pair[1] - pair[0] < 60), "{kept:?}");
        assert!(!past.flight.hashes.is_empty());
        for wanted in [3, 499, 250, 251, 0, 500] {
            let (goal, _) = past.seek(&mut *engine, wanted).expect("restored");
            assert_eq!((goal, past.interval(5, 250)), (wanted, None));
            while engine.step_number() < goal {
                past.make_pending(&mut *engine).expect("changed");
                engine.advance(1).expect("a step");
                past.has_stepped(&mut *engine).expect("compared");
            }
            assert_eq!(engine.hash().expect("finite"), hashes[wanted as usize], "{wanted}");
        }
        assert_eq!(past.divergence, None);
        // A change takes over: what followed is dropped.
        past.seek(&mut *engine, 20).expect("restored");
        let here = engine.step_number();
        past.change(&mut *engine, steer(7)).expect("steered");
        assert_eq!((past.span(), past.flight.changes.all().len() as u64), ([0, here], here + 1));
        // A very long flight loses its beginning.
        for step in 0..LARGEST as u64 / 16 {
            let (predator, position) = (step as usize % 2, [0.0; 3]);
            past.change(&mut *engine, Wanted::Steer { predator, position }).expect("steered");
        }
        let cut = matches!(past.flight.start.first, First::State(_));
        assert!(cut && past.flight.changes.size() <= LARGEST + 100);
    }
}
