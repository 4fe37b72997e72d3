//! A flight that is repeated on an engine.

use std::fmt;

use flock::Parameters;

use crate::{Changes, Flight, InFlight};
use engine::{Batcher, Engine, Result};

/// The changes of a flight, repeated on an engine.
#[derive(Clone, Debug)]
pub struct Replay {
    changes: Changes,
    /// The parameters of the last step.
    parameters: InFlight,
}

impl Replay {
    /// Begins with the parameters of the first step, before any change.
    pub fn new(parameters: Parameters, changes: Changes) -> Self {
        Replay { changes, parameters: InFlight::new(parameters) }
    }

    /// The parameters of the last step.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters.engine
    }

    /// Makes the changes that are due at the engine's step. To be called once at each step of
    /// [`Replay::until_change`], before the next one.
    ///
    /// # Errors
    /// When the engine refuses a change.
    pub fn change(&mut self, engine: &mut dyn Engine) -> Result {
        for at in self.changes.at(engine.step_number()) {
            at.change.make(engine, &mut self.parameters)?;
        }
        Ok(())
    }

    /// Steps from this one to the next at which there is a change; as many as can be counted if there is none.
    pub fn until_change(&self, step: u64) -> u64 {
        self.changes.next_after(step).map_or(u64::MAX, |next| next - step)
    }
}

/// The first step at which a repeated flight differs from the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divergence {
    pub step: u64,
    pub recorded: u64,
    pub repeated: u64,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Divergence { step, recorded, repeated } = self;
        write!(f, "the hash at step {step} is {repeated:016x}, not {recorded:016x} as recorded")
    }
}

/// How a flight was repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The number of hashes that are equal.
    pub equal: usize,
    /// The first one that differs.
    pub divergence: Option<Divergence>,
}

impl Flight {
    /// Repeats the flight on an engine that stands at its start, up to a step, to the first hash that differs, or until
    /// `leave` is true.
    ///
    /// # Errors
    /// When the engine refuses a change, or the device is lost.
    pub fn repeat(&self, engine: &mut dyn Engine, last: u64, leave: impl Fn() -> bool) -> Result<Comparison> {
        let mut replay = self.replay();
        let mut batcher = Batcher::default();
        let mut comparison = Comparison::default();
        loop {
            let here = engine.step_number();
            comparison.divergence = self.compare(engine)?;
            if comparison.divergence.is_some() {
                return Ok(comparison);
            }
            comparison.equal += usize::from(self.hash(here).is_some());
            if here >= last || leave() {
                return Ok(comparison);
            }
            replay.change(engine)?;
            let most = replay.until_change(here).min(self.until_hash(here)).min(last - here);
            batcher.advance(engine, most)?;
        }
    }

    /// Its changes, to be repeated.
    pub fn replay(&self) -> Replay {
        Replay::new(self.start.parameters, self.changes.clone())
    }

    /// Steps from this one to the next that has a hash; as many as can be counted if there is none.
    pub fn until_hash(&self, step: u64) -> u64 {
        let next = self.hashes.partition_point(|at| at.step <= step);
        self.hashes.get(next).map_or(u64::MAX, |at| at.step - step)
    }

    /// Compares the engine's state with the hash of its step, where there is one.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn compare(&self, engine: &mut dyn Engine) -> Result<Option<Divergence>> {
        let step = engine.step_number();
        let Some(recorded) = self.hash(step) else { return Ok(None) };
        let repeated = engine.hash()?;
        Ok((repeated != recorded).then_some(Divergence { step, recorded, repeated }))
    }
}
