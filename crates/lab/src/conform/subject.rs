//! The engines under comparison.

use std::fmt;
use std::path::PathBuf;

use flock::{Fixed, Number, Parameters, Requests};

use super::bounds::Promise;
use super::brute::{Brute, Mutation};
use cpu::CpuEngine;
use cpu::engine::{Engine, EngineError};
use cpu::state::{Numeric, State};
use engines::rp2040::{Board, BoardError, Rp2040Engine, Serial};
use engines::{Device, Opened};

/// Builds an engine with a flock loaded.
type Build = Box<dyn Fn(&Parameters, &State) -> Result<Instance, EngineError> + Send + Sync>;

/// An engine that was built.
enum Instance {
    Opened(Box<Opened>),
    Own(Box<dyn Engine>),
}

impl fmt::Debug for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Instance")
    }
}

impl Instance {
    fn get(&mut self) -> &mut dyn Engine {
        match self {
            Instance::Opened(opened) => opened.get(),
            Instance::Own(engine) => engine.as_mut(),
        }
    }
}

/// A kind of engine under comparison.
pub struct Subject {
    pub numeric: Numeric,
    /// The accuracy that its floating point guarantees.
    pub promise: Promise,
    build: Build,
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Subject({}, {:?})", self.numeric.name(), self.promise)
    }
}

/// One engine that flocks are loaded into, one after another.
#[derive(Debug)]
pub struct Session<'a> {
    subject: &'a Subject,
    instance: Option<Instance>,
}

impl Subject {
    /// The engine of a device.
    pub fn of_device(device: Device) -> Self {
        let numeric = device.numeric();
        let promise = match (&device, numeric) {
            (_, Numeric::F64) => Promise::Ieee64,
            (Device::Cpu(..), _) => Promise::Ieee32,
            _ => Promise::Wgsl32,
        };
        let build: Build = Box::new(move |parameters, state| {
            Ok(Instance::Opened(Box::new(device.engine(parameters, state)?)))
        });
        Subject { numeric, promise, build }
    }

    /// The board at a serial port.
    pub fn on_serial_port(port: PathBuf) -> Self {
        let build: Build = Box::new(move |parameters, state| {
            let board = Board::running(Serial::open(&port).map_err(BoardError::Cut)?)?;
            Ok(Instance::Own(Box::new(Rp2040Engine::on(board, parameters, state)?)))
        });
        Subject { numeric: Numeric::Fixed, promise: Promise::Wgsl32, build }
    }

    /// The CPU engine on one thread: many of them run in parallel.
    pub fn single_thread(numeric: Numeric) -> Self {
        let build: Build = Box::new(move |parameters, state| {
            let threads = Some(1);
            Ok(Instance::Own(match numeric {
                Numeric::F32 => Box::new(CpuEngine::<f32>::new(parameters, state, threads)?),
                Numeric::F64 => Box::new(CpuEngine::<f64>::new(parameters, state, threads)?),
                Numeric::Fixed => Box::new(CpuEngine::<Fixed>::new(parameters, state, threads)?),
            }))
        });
        let promise = if numeric == Numeric::F64 { Promise::Ieee64 } else { Promise::Ieee32 };
        Subject { numeric, promise, build }
    }

    /// Brute force with a mutation.
    pub fn mutated<T: Number + Requests>(numeric: Numeric, mutation: Mutation<T>) -> Self {
        let build: Build = Box::new(move |parameters, state| {
            Ok(Instance::Own(Box::new(Brute::<T>::new(parameters, state, mutation))))
        });
        let promise = if numeric == Numeric::F64 { Promise::Ieee64 } else { Promise::Ieee32 };
        Subject { numeric, promise, build }
    }

    /// An engine of this kind, built when the first flock is loaded.
    pub fn session(&self) -> Session<'_> {
        Session { subject: self, instance: None }
    }
}

impl Session<'_> {
    /// The engine with a flock loaded. It is the same engine each time: this tests that no flock affects the next.
    ///
    /// # Errors
    /// When the engine cannot be built or the flock does not fit.
    pub fn load(&mut self, parameters: &Parameters, state: &State) -> Result<&mut dyn Engine, EngineError> {
        match self.instance.take() {
            Some(mut instance) => {
                instance.get().set_parameters(parameters)?;
                instance.get().set_state(state)?;
                Ok(self.instance.insert(instance).get())
            }
            None => Ok(self.instance.insert((self.subject.build)(parameters, state)?).get()),
        }
    }

    /// The current flock; an empty state before the first is loaded.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn state(&mut self) -> Result<State, EngineError> {
        self.instance.as_mut().map_or(Ok(State::default()), |instance| instance.get().state())
    }
}
