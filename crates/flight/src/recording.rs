//! The recording of a flight.

use flock::Parameters;

use config::{Document, View};
use engine::{Engine, Numeric, Result, State};

use crate::{Changes, InFlight, Pose, settled};

/// True if the seeded starts of two sets of parameters differ.
pub fn starts_differ(a: &Parameters, b: &Parameters) -> bool {
    let flock =
        |p: &Parameters| (p.flock.boids, p.flock.dimensions, p.flock.seed, p.flock.start, p.flock.groups);
    let scouts = |p: &Parameters| (p.scouts.right, p.scouts.left);
    flock(a) != flock(b) || scouts(a) != scouts(b)
}

/// How a flight starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// The name of the preset that the parameters are near to, and whose view is shown.
    pub preset: Option<&'static str>,
    pub parameters: Parameters,
    pub view: View,
    pub numeric: Numeric,
    /// The engine, for people.
    pub engine: String,
    pub first: First,
}

/// The first state.
#[derive(Clone, Debug, PartialEq)]
pub enum First {
    /// Drawn from the seed of the parameters, at step 0.
    Seed,
    /// The settled flock of the default preset.
    Settled,
    State(Box<State>),
}

impl First {
    /// The first state of a flock.
    ///
    /// # Errors
    /// When memory has no room.
    pub fn state(&self, parameters: &Parameters) -> Result<State> {
        match self {
            First::Seed => State::try_start(parameters),
            First::Settled => settled::try_state(parameters),
            First::State(state) => Ok(State::clone(state)),
        }
    }
}

impl Start {
    /// A start on an engine, whose flock has no preset and no view of its own.
    pub fn on(engine: &dyn Engine, parameters: Parameters, first: First) -> Self {
        let (preset, view) = (None, View::default());
        Start { preset, parameters, view, numeric: engine.numeric(), engine: engine.describe(), first }
    }

    /// The flock, as a file of parameters has it.
    pub fn document(&self) -> Document {
        let Start { preset, parameters, view, .. } = self;
        Document { parameters: *parameters, view: *view, preset: *preset, ..Document::default() }
    }

    /// The step of the first state.
    pub fn step(&self) -> u64 {
        match &self.first {
            First::Seed => 0,
            First::Settled => settled::STEP,
            First::State(state) => state.step,
        }
    }

    /// The first state.
    ///
    /// # Errors
    /// When memory has no room.
    pub fn state(&self) -> Result<State> {
        self.first.state(&self.parameters)
    }
}

/// The hash of the state at a step, before the changes at that step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashAt {
    pub step: u64,
    pub hash: u64,
}

/// A flight: its start, its changes, and hashes of some of its states.
#[derive(Clone, Debug, PartialEq)]
pub struct Flight {
    pub start: Start,
    pub changes: Changes,
    /// In the order of steps.
    pub hashes: Vec<HashAt>,
    /// The last step.
    pub end: u64,
    /// The camera of whoever flew, in the order of steps.
    pub poses: Vec<Pose>,
}

impl Flight {
    /// A flight without any step.
    pub fn new(start: Start) -> Self {
        let end = start.step();
        Flight { start, changes: Changes::default(), hashes: Vec::new(), end, poses: Vec::new() }
    }

    /// Adds a hash, if it belongs to a step after those of all others.
    pub fn add_hash(&mut self, step: u64, hash: u64) {
        if self.hashes.last().is_none_or(|last| last.step < step) {
            self.hashes.push(HashAt { step, hash });
        }
    }

    /// The hash at a step, where there is one.
    pub fn hash(&self, step: u64) -> Option<u64> {
        let found = self.hashes.binary_search_by_key(&step, |at| at.step).ok()?;
        Some(self.hashes[found].hash)
    }

    /// Drops the changes from a step on, and what comes after it.
    pub fn truncate(&mut self, step: u64) {
        self.changes.truncate(step);
        self.hashes.truncate(self.hashes.partition_point(|at| at.step <= step));
        self.end = step;
    }

    /// The state becomes the start; what was before it is forgotten. `parameters` are those with which the state was
    /// reached, before the changes at its step.
    pub fn begin_at(&mut self, state: State, parameters: &InFlight) {
        self.changes.forget_before(state.step);
        self.changes.begin_with(state.step, parameters);
        self.poses.retain(|pose| pose.step >= state.step);
        self.hashes.drain(..self.hashes.partition_point(|at| at.step < state.step));
        self.start.parameters = parameters.engine;
        self.start.first = First::State(Box::new(state));
    }
}
