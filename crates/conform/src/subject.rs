//! The engines under comparison.

use std::fmt;
use std::path::PathBuf;

use flock::{Parameters, Requests};

use super::{Brute, Guarantee, Mutation};
use board::{Board, BoardError, Rp2040Engine, Serial};
use cpu::{Real, Registers};
use engine::{Engine, Numeric, Result, State};
use engines::{AnyEngine, Cpu, Device};

/// Builds an engine with a flock loaded.
type Build = Box<dyn Fn(&Parameters, &State) -> Result<Box<dyn Engine>> + Send + Sync>;

/// A kind of engine under comparison.
pub struct Subject {
    pub numeric: Numeric,
    /// The accuracy that its floating point guarantees.
    pub promise: Guarantee,
    build: Build,
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Subject({}, {:?})", self.numeric.name(), self.promise)
    }
}

/// One engine that flocks are loaded into, one after another.
pub(super) struct Session<'a> {
    subject: &'a Subject,
    engine: Option<Box<dyn Engine>>,
}

/// The arithmetic that the CPU guarantees in a number type.
fn ieee(numeric: Numeric) -> Guarantee {
    if numeric == Numeric::F64 { Guarantee::Ieee64 } else { Guarantee::Ieee32 }
}

impl Subject {
    /// The engine of a device.
    pub(super) fn of_device(device: Device) -> Self {
        let numeric = device.numeric();
        let promise = if matches!(device, Device::Cpu(..)) { ieee(numeric) } else { Guarantee::Wgsl32 };
        let build: Build =
            Box::new(move |parameters, state| device.engine(parameters, state).map(AnyEngine::boxed));
        Subject { numeric, promise, build }
    }

    /// The board at a serial port.
    pub(super) fn on_serial_port(port: PathBuf) -> Self {
        let build: Build = Box::new(move |parameters, state| {
            let board = Board::running(Serial::open(&port).map_err(BoardError::from)?)?;
            Ok(Box::new(Rp2040Engine::on(board, parameters, state)?))
        });
        Subject { numeric: Numeric::Fixed, promise: Guarantee::Wgsl32, build }
    }

    /// The CPU engine on one thread: many of them run in parallel.
    pub(super) fn single_thread(numeric: Numeric) -> Self {
        Subject::of_device(Device::Cpu(numeric, Cpu { registers: Registers::widest(), threads: Some(1) }))
    }

    /// Brute force with a mutation.
    pub(super) fn mutated<T: Real + Requests>(mutation: Mutation<T>) -> Self {
        let build: Build =
            Box::new(move |parameters, state| Ok(Box::new(Brute::<T>::new(parameters, state, mutation))));
        Subject { numeric: T::NUMERIC, promise: ieee(T::NUMERIC), build }
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
