//! The recording of a flight.

use std::sync::Arc;

use config::Document;
use engine::{Engine, Numeric, Result, State};
use flight::{First, Flight, InFlight, Start};
use flock::Parameters;
use pyo3::prelude::*;

/// Number of steps from one hash to the next.
const HASH_EVERY: u64 = 60;

/// A recorded flight: the start of a flock and every change to it by its step, with hashes of some states.
///
/// Flight.load(path) reads one, and `Flock.flight` is one. Repeated on an engine of its number type it gives the same
/// bits, with `numeric="fixed"` on any engine and machine. It does not change, and can be copied and pickled.
#[derive(Debug)]
#[pyclass(frozen, name = "Flight", module = "murmuration_boids")]
pub struct PyFlight {
    pub flight: Arc<Flight>,
}

impl PyFlight {
    pub fn new(flight: Flight) -> Self {
        PyFlight { flight: Arc::new(flight) }
    }
}

/// The flight of a flock while it is recorded.
#[derive(Debug)]
pub struct Recording {
    flight: Flight,
}

impl Recording {
    /// Begins at the state of an engine that flies the flock of a document.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn new(document: &Document, first: First, engine: &mut dyn Engine) -> Result<Self> {
        let start = Start::on(engine, document.parameters, first);
        let start = Start { preset: document.preset, view: document.view, ..start };
        let mut recording = Recording { flight: Flight::new(start) };
        recording.add_hash(engine)?;
        Ok(recording)
    }

    /// Steps from this one to the next that gets a hash.
    pub fn until_hash(step: u64) -> u64 {
        HASH_EVERY - step % HASH_EVERY
    }

    /// Adds a hash where one is due. To be called after steps.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn stepped(&mut self, engine: &mut dyn Engine) -> Result {
        if engine.step_number().is_multiple_of(HASH_EVERY) {
            self.add_hash(engine)?;
        }
        Ok(())
    }

    /// Prepares for other parameters. To be called before the engine gets them: a hash is that of the state before the
    /// changes at its step, and in integers it depends on parameters, which set the scale of a number.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn before_change(&mut self, engine: &mut dyn Engine) -> Result {
        if engine.numeric() == Numeric::Fixed {
            self.add_hash(engine)?;
        }
        Ok(())
    }

    /// Adds other parameters.
    pub fn set_parameters(&mut self, step: u64, before: &Parameters, new: &Parameters) {
        self.flight.changes.set_parameters(step, &InFlight::new(*before), &InFlight::new(*new));
    }

    /// Adds a steered predator.
    pub fn steer(&mut self, step: u64, predator: usize, position: [f32; 3]) {
        self.flight.changes.steer(step, predator, position);
    }

    /// Continues from a state before the last step, which the engine got after its device was lost.
    ///
    /// # Errors
    /// When the device is lost.
    pub fn go_back(&mut self, state: State, document: &Document, engine: &mut dyn Engine) -> Result {
        if state.step < self.flight.start.step() {
            *self = Recording::new(document, First::State(Box::new(state)), engine)?;
            return Ok(());
        }
        self.flight.truncate(state.step);
        let mut before = InFlight::new(self.flight.start.parameters);
        self.flight.changes.apply(0..state.step, &mut before)?;
        self.set_parameters(state.step, &before.set, &document.parameters);
        Ok(())
    }

    /// The flight up to the step of the engine.
    pub fn flight(&mut self, engine: &mut dyn Engine) -> Flight {
        // A lost device has no hash, but the flight up to there is repeated on another one.
        let _ = self.add_hash(engine);
        self.flight.end = engine.step_number();
        self.flight.clone()
    }

    /// Adds the hash of the engine's state, unless its step has one.
    fn add_hash(&mut self, engine: &mut dyn Engine) -> Result {
        let step = engine.step_number();
        if self.flight.hash(step).is_none() {
            self.flight.add_hash(step, engine.hash()?);
        }
        Ok(())
    }
}
