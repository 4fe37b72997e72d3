//! The engines under comparison.

use std::fmt;
#[cfg(not(target_arch = "wasm32"))]
use std::path::PathBuf;

use flock::Parameters;

use super::{Brute, Guarantee, Mutation};
#[cfg(not(target_arch = "wasm32"))]
use board::{Board, BoardError, Rp2040Engine, Serial};
use cpu::Real;
use engine::{Engine, Numeric, Result, State};
use engines::{AnyEngine, Device};

/// Builds an engine with a flock loaded.
type Build = Box<dyn Fn(&Parameters, &State) -> Result<Box<dyn Engine>> + Send + Sync>;

/// A kind of engine under comparison.
pub struct Subject {
    pub numeric: Numeric,
    /// The accuracy that its floating point guarantees; none in integers.
    pub guarantee: Option<Guarantee>,
    build: Build,
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Subject({}, {:?})", self.numeric.name(), self.guarantee)
    }
}

/// One engine that flocks are loaded into, one after another.
pub(super) struct Session<'a> {
    subject: &'a Subject,
    engine: Option<Box<dyn Engine>>,
}

/// The arithmetic that the CPU guarantees in a number type.
fn on_cpu(numeric: Numeric) -> Option<Guarantee> {
    match numeric {
        Numeric::F32 => Some(Guarantee::Ieee32),
        Numeric::F64 => Some(Guarantee::Ieee64),
        Numeric::Fixed => None,
    }
}

impl Subject {
    /// The engine of a device.
    pub(super) fn of_device(device: Device) -> Self {
        let numeric = device.numeric();
        let guarantee = match (&device, numeric) {
            (Device::Cpu(..), _) | (_, Numeric::Fixed) => on_cpu(numeric),
            _ => Some(Guarantee::Wgsl32),
        };
        let build: Build =
            Box::new(move |parameters, state| device.engine(parameters, state).map(AnyEngine::boxed));
        Subject { numeric, guarantee, build }
    }

    /// The board at a serial port.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn on_serial_port(port: PathBuf) -> Self {
        let build: Build = Box::new(move |parameters, state| {
            let board = Board::running(Serial::open(&port).map_err(BoardError::from)?)?;
            Ok(Box::new(Rp2040Engine::on(board, parameters, state)?))
        });
        Subject { numeric: Numeric::Fixed, guarantee: None, build }
    }

    /// Brute force with a mutation.
    pub(super) fn mutated<T: Real>(mutation: Mutation<T>) -> Self {
        let build: Build =
            Box::new(move |parameters, state| Ok(Box::new(Brute::<T>::new(parameters, state, mutation))));
        Subject { numeric: T::NUMERIC, guarantee: on_cpu(T::NUMERIC), build }
    }

    /// An engine of this kind, built when the first flock is loaded.
    pub(super) fn session(&self) -> Session<'_> {
        Session { subject: self, engine: None }
    }
}

impl Session<'_> {
    /// The engine with a flock loaded. It is the same engine each time: this tests that no flock affects the next.
    pub fn load(&mut self, parameters: &Parameters, state: &State) -> Result<&mut dyn Engine> {
        let engine = match self.engine.take() {
            Some(mut engine) => {
                engine.set_parameters(parameters)?;
                engine.set_state(state)?;
                engine
            }
            None => (self.subject.build)(parameters, state)?,
        };
        Ok(self.engine.insert(engine).as_mut())
    }
}
